/* streamctl error: what a code of ours or of a vendor's runtime means, and who has to look. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "streamd/vendor_errors.h"

#define FOUND_MAX 8 /* some codes have several messages */

struct meaning {
	const char *code;       /* "SD5010"; "": known by its number only */
	int64_t number;         /* of a vendor's; 0: it has none */
	enum sd_status status;
	bool retryable;
	const char *resource, *layer, *message;
};

struct found {
	uint32_t count;
	struct meaning meaning[FOUND_MAX];
};

/* Of ours: 40xx are told by the daemon, 5xxx by what runs, 90xx are faults of streamd itself, the others by what plans. */
static const char *layer_of(const char *code)
{
	if (strncmp(code, "SD4", 3) == 0)
		return "service";
	if (strncmp(code, "SD9", 3) == 0)
		return "streamd";
	return sd_vendor_layer_name(strncmp(code, "SD5", 3) == 0 ? SD_VENDOR_RUNTIME : SD_VENDOR_COMPILE);
}

static void add(struct found *found, struct meaning meaning)
{
	if (found->count < FOUND_MAX)
		found->meaning[found->count++] = meaning;
}

static void find_ours(const char *code, struct found *found)
{
	static const struct {
		const char *code;
		enum sd_status status;
		bool retryable;
		const char *message;
	} table[] = {
#define X(name, code, status, retryable, message) { code, SD_##status, retryable, message },
		SD_CODE_LIST(X)
#undef X
	};

	for (size_t i = 1; i < sizeof(table) / sizeof(table[0]); i++)
		if (strcmp(table[i].code, code) == 0)
			add(found, (struct meaning){ table[i].code, 0, table[i].status, table[i].retryable, "", layer_of(code), table[i].message });
}

static void find_vendors(const char *code, struct found *found)
{
	char *end;
	long long number = strtoll(code, &end, 10);
	const struct sd_vendor_error *row = *end == '\0' && end != code ? sd_vendor_error_find(number)
	                                                                : sd_vendor_error_find_text((struct sd_text){ code, (uint32_t)strlen(code) });

	if (row)
		add(found, (struct meaning){ row->text ? row->text : "", row->number, sd_code_status(row->code), row->retryable,
		                             row->resource == SD_VENDOR_NO_RESOURCE ? "" : sd_vendor_resource_name(row->resource), sd_vendor_layer_name(row->layer),
		                             row->sentence });
}

static void put_json(struct sd_emitter *out, const struct found *found)
{
	sd_emit_open(out, '[');
	for (uint32_t i = 0; i < found->count; i++) {
		const struct meaning *meaning = &found->meaning[i];

		sd_emit_line(out, 1);
		sd_emit_open(out, '{');
		sd_emit_pair(out, "code", meaning->code);
		sd_emit_key(out, "number");
		sd_emit_int(out, meaning->number);
		sd_emit_pair(out, "status", sd_status_name(meaning->status));
		sd_emit_key(out, "retryable");
		sd_emit_bool(out, meaning->retryable);
		sd_emit_pair(out, "resource", meaning->resource);
		sd_emit_pair(out, "layer", meaning->layer);
		sd_emit_pair(out, "message", meaning->message);
		sd_emit_close(out, '}');
	}
	sd_emit_raw(out, "\n]\n", 3);
}

static void put_line(struct sd_emitter *out, const char *key, const char *value)
{
	if (!*value)
		return;
	sd_emit_words(out, "  ");
	sd_emit_words(out, key);
	sd_emit_words(out, value);
	sd_emit_words(out, "\n");
}

static void put_text(struct sd_emitter *out, const struct found *found)
{
	for (uint32_t i = 0; i < found->count; i++) {
		const struct meaning *meaning = &found->meaning[i];
		char number[24] = "";

		if (meaning->number)
			snprintf(number, sizeof(number), "%lld", (long long)meaning->number);
		sd_emit_words(out, *meaning->code ? meaning->code : number);
		sd_emit_words(out, ": ");
		sd_emit_words(out, meaning->message);
		sd_emit_words(out, "\n");
		put_line(out, "number       ", *meaning->code ? number : "");
		put_line(out, "status       ", sd_status_name(meaning->status));
		put_line(out, "try again    ", meaning->retryable ? "may help" : "does not help");
		put_line(out, "ran out of   ", meaning->resource);
		put_line(out, "who looks    ", meaning->layer);
	}
}

static enum sd_status write_found(struct cli *cli, struct sd_emitter *out, const void *what, struct sd_diag *diag)
{
	if (cli->format == FORMAT_JSON)
		put_json(out, what);
	else
		put_text(out, what);
	return SD_OK;
}

enum exit_status cli_error(struct cli *cli)
{
	struct found found = { .count = 0 };

	find_ours(cli->argument[0], &found);
	find_vendors(cli->argument[0], &found);
	if (found.count == 0)
		return cli_usage(cli, "no error is called %s; name a code (SD5010, E10001), a number of Ascend's or CUDA's runtime (207005, 2) or its text (EL0009, CUDA_ERROR_TIMEOUT)",
		                 cli->argument[0]);
	return cli_print(cli, write_found, &found, NULL);
}
