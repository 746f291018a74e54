#include "decoding.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "wire_text.h"

struct decoding *decode(const char *text)
{
	struct decoding *d = calloc(1, sizeof(*d));
	struct sd_names names;

	ck_assert_ptr_nonnull(d);
	sd_arena_init(&d->mem, 0);
	d->bytes = wire_text(&d->mem, text);
	d->status = sd_request_count(d->bytes, &d->counts, &d->diag);
	if (d->status == SD_OK)
		d->status = sd_request_decode(&d->mem, d->bytes, &d->counts, &d->request, &d->diag);
	names = sd_graph_names(&d->request.graph);
	if (d->status != SD_OK)
		sd_diag_message(&d->diag, &names, d->message, sizeof(d->message));
	return d;
}

void decoding_end(struct decoding *d)
{
	sd_arena_finish(&d->mem);
	free(d);
}

static char *around(const char *open, const char *text, const char *close)
{
	size_t len = strlen(open) + strlen(text) + strlen(close) + 1;
	char *whole = malloc(len);

	ck_assert_ptr_nonnull(whole);
	snprintf(whole, len, "%s%s%s", open, text, close);
	return whole;
}

struct decoding *decode_graph(const char *fields)
{
	char *text = around("1{", fields, "}");
	struct decoding *d = decode(text);

	free(text);
	return d;
}

void expect_refusals(const struct refusal *row, size_t count, const char *open, const char *close)
{
	for (size_t i = 0; i < count; i++) {
		char *text = around(open, row[i].text, close);
		struct decoding *d = decode(text);

		ck_assert_msg(d->status == sd_code_status(row[i].code) && d->diag.code == row[i].code,
		              "%s: %s expected, but it is %s (%s)", row[i].text, sd_code_text(row[i].code),
		              d->status == SD_OK ? "taken" : sd_code_text(d->diag.code), d->message);
		ck_assert_msg(strstr(d->message, row[i].says) != NULL, "%s: \"%s\" does not say \"%s\"", row[i].text,
		              d->message, row[i].says);
		decoding_end(d);
		free(text);
	}
}
