/* Files that hold a request: reading them, and telling what they are. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "json_path.h"
#include "proto/count.h"
#include "proto/wire.h"
#include "request.h"

#define FIRST_BLOCK (1u << 20)

static enum sd_status fail_open(struct sd_arena *mem, const char *path, struct sd_diag *diag)
{
	/* strerror() may reuse its text; the message is made later. */
	const char *why = strerror(errno);
	size_t len = strlen(why) + 1;
	char *kept = sd_arena_alloc(mem, len);

	if (!kept)
		return sd_memory_fail(mem, diag);
	memcpy(kept, why, len);
	return SD_FAIL2(diag, SD_CODE_UNREADABLE, SD_NO_NODE, sd_arg_text((struct sd_text){ path, (uint32_t)strlen(path) }), sd_arg_words(kept));
}

static enum sd_status grow(struct sd_arena *mem, char **data, size_t len, size_t *cap, struct sd_diag *diag)
{
	char *larger;

	if (*cap >= UINT32_MAX)
		return SD_FAIL2(diag, SD_CODE_LIMIT_FRAME, SD_NO_NODE, sd_arg_int((int64_t)*cap), sd_arg_int(UINT32_MAX));
	*cap = *cap > UINT32_MAX / 2 ? UINT32_MAX : *cap * 2;
	larger = sd_arena_alloc(mem, *cap);
	if (!larger)
		return sd_memory_fail(mem, diag);
	memcpy(larger, *data, len);
	*data = larger;
	return SD_OK;
}

/* A first block of the file's size, one byte more so that its end is seen at once. */
static size_t first_block(FILE *file)
{
	long size;

	if (fseek(file, 0, SEEK_END) != 0)
		return FIRST_BLOCK;
	size = ftell(file);
	rewind(file);
	return size > 0 && size < (long)UINT32_MAX ? (size_t)size + 1 : FIRST_BLOCK;
}

static enum sd_status read_all(struct sd_arena *mem, FILE *file, const char *path, struct sd_text *content, struct sd_diag *diag)
{
	size_t cap = first_block(file), len = 0, got;
	char *data = sd_arena_alloc(mem, cap);

	if (!data)
		return sd_memory_fail(mem, diag);
	while ((got = fread(data + len, 1, cap - len, file)) > 0) {
		len += got;
		if (len == cap)
			SD_TRY(grow(mem, &data, len, &cap, diag));
	}
	if (ferror(file))
		return fail_open(mem, path, diag);
	*content = (struct sd_text){ data, (uint32_t)len };
	return SD_OK;
}

enum sd_status sd_input_read(struct sd_arena *mem, const char *path, struct sd_text *content, struct sd_diag *diag)
{
	enum sd_status status;
	FILE *file;

	if (strcmp(path, "-") == 0)
		return read_all(mem, stdin, "standard input", content, diag);
	file = fopen(path, "rb");
	if (!file)
		return fail_open(mem, path, diag);
	status = read_all(mem, file, path, content, diag);
	fclose(file);
	return status;
}

static bool ends_in(const char *path, const char *ending)
{
	size_t len = strlen(path), end = strlen(ending);

	return len > end && strcasecmp(path + len - end, ending) == 0;
}

/* A model begins with its version, a number; all fields of a PlanRequest are messages. */
static bool looks_like_onnx(struct sd_text content)
{
	struct sd_wire wire = sd_wire_over(content);
	struct sd_field field;

	return sd_wire_next(&wire, &field) && field.type == SD_WIRE_VARINT && field.number < 16;
}

static bool looks_like_json(struct sd_text content)
{
	struct sd_counts counts;
	uint32_t at = 0;

	while (at < content.len && strchr(" \t\r\n", content.at[at]) && content.at[at])
		at++;
	if (at == content.len)
		return true;
	/* No message begins with a bracket; a PlanRequest's first byte is a newline, too. */
	if (content.at[at] == '[')
		return true;
	return content.at[at] == '{' && (content.at[0] != '\n' || sd_request_count(content, &counts, NULL) != SD_OK);
}

enum sd_input_kind sd_input_kind(const char *path, struct sd_text content)
{
	if (ends_in(path, ".json"))
		return SD_INPUT_JSON;
	if (ends_in(path, ".pb"))
		return SD_INPUT_PROTOBUF;
	if (ends_in(path, ".onnx"))
		return SD_INPUT_ONNX;
	if (ends_in(path, ".txt") || ends_in(path, ".pbtxt"))
		return SD_INPUT_DUMP;
	if (looks_like_json(content))
		return SD_INPUT_JSON;
	return looks_like_onnx(content) ? SD_INPUT_ONNX : SD_INPUT_PROTOBUF;
}
