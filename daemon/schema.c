#include "schema.h"

#include <stdio.h>
#include <string.h>

#include "wire.h"

extern const unsigned char sd_schema_set[];
extern const size_t sd_schema_set_len;

enum kind { SET, FILE_OF_SET, MESSAGE, ENUM, SERVICE, LEAF };

/* Which field of a descriptor holds what, by protobuf's own schema of schemas. */
static const struct {
	enum kind in;
	uint32_t field;
	enum kind child;
} rows[] = {
	{ FILE_OF_SET, 4, MESSAGE }, { FILE_OF_SET, 5, ENUM }, { FILE_OF_SET, 6, SERVICE }, { MESSAGE, 3, MESSAGE }, { MESSAGE, 4, ENUM },
	{ MESSAGE, 2, LEAF },        { MESSAGE, 8, LEAF },     { ENUM, 2, LEAF },           { SERVICE, 2, LEAF },
};
#define FILES 1u   /* of a set */
#define NAME 1u    /* of all of them */
#define PACKAGE 2u /* of a file */

static bool same(struct sd_text a, struct sd_text b)
{
	return a.len == b.len && memcmp(a.at, b.at, a.len) == 0;
}

static struct sd_text text_of(struct sd_text bytes, uint32_t number)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field field;

	while (sd_wire_next(&wire, &field)) {
		if (field.number == number && field.type == SD_WIRE_BYTES)
			return field.bytes;
	}
	return (struct sd_text){ "", 0 };
}

static bool next_file(struct sd_wire *set, struct sd_text *file)
{
	struct sd_field field;

	while (sd_wire_next(set, &field)) {
		if (field.number == FILES && field.type == SD_WIRE_BYTES) {
			*file = field.bytes;
			return true;
		}
	}
	return false;
}

static struct sd_wire all_files(void)
{
	return sd_wire_over((struct sd_text){ (const char *)sd_schema_set, (uint32_t)sd_schema_set_len });
}

struct sd_text sd_schema_file(struct sd_text name)
{
	struct sd_wire set = all_files();
	struct sd_text file;

	while (next_file(&set, &file)) {
		if (same(text_of(file, NAME), name))
			return file;
	}
	return (struct sd_text){ "", 0 };
}

/* Steps into the part called `name`. */
static bool step(enum kind *kind, struct sd_text *bytes, struct sd_text name)
{
	struct sd_wire wire = sd_wire_over(*bytes);
	struct sd_field field;

	while (sd_wire_next(&wire, &field)) {
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			if (rows[i].in != *kind || rows[i].field != field.number || field.type != SD_WIRE_BYTES ||
			    !same(text_of(field.bytes, NAME), name))
				continue;
			*kind = rows[i].child;
			*bytes = field.bytes;
			return true;
		}
	}
	return false;
}

/* What is left of `symbol` behind the package and a dot; false when it is of another package. */
static bool behind_package(struct sd_text file, struct sd_text *symbol)
{
	struct sd_text package = text_of(file, PACKAGE);

	if (symbol->len <= package.len + 1 || memcmp(symbol->at, package.at, package.len) != 0 || symbol->at[package.len] != '.')
		return false;
	*symbol = (struct sd_text){ symbol->at + package.len + 1, symbol->len - package.len - 1 };
	return true;
}

static bool has_symbol(struct sd_text file, struct sd_text symbol)
{
	enum kind kind = FILE_OF_SET;

	if (!behind_package(file, &symbol))
		return false;
	for (;;) {
		const char *dot = memchr(symbol.at, '.', symbol.len);
		uint32_t len = dot ? (uint32_t)(dot - symbol.at) : symbol.len;

		if (!step(&kind, &file, (struct sd_text){ symbol.at, len }))
			return false;
		if (!dot)
			return true;
		symbol = (struct sd_text){ dot + 1, symbol.len - len - 1 };
	}
}

struct sd_text sd_schema_file_of(struct sd_text symbol)
{
	struct sd_wire set = all_files();
	struct sd_text file;

	while (next_file(&set, &file)) {
		if (has_symbol(file, symbol))
			return file;
	}
	return (struct sd_text){ "", 0 };
}

bool sd_schema_service(uint32_t at, char *name, size_t cap)
{
	struct sd_wire set = all_files();
	struct sd_text file;

	while (next_file(&set, &file)) {
		struct sd_wire wire = sd_wire_over(file);
		struct sd_field field;

		while (sd_wire_next(&wire, &field)) {
			struct sd_text package = text_of(file, PACKAGE), service = text_of(field.bytes, NAME);

			if (field.number != 6 || field.type != SD_WIRE_BYTES || at-- != 0)
				continue;
			snprintf(name, cap, "%.*s.%.*s", (int)package.len, package.at, (int)service.len, service.at);
			return true;
		}
	}
	return false;
}
