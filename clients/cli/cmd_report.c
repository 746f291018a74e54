/* streamctl report: what plans took where they ran, as it was reported. */
#include <inttypes.h>
#include <string.h>

#include "formats/json_message.h"
#include "formats/plan_names.h"
#include "formats/schema.h"
#include "remote.h"

#define KEY_HEX (2 * 32u)
#define KEY_SHOWN 12u /* digits of a key in a table: enough to tell plans apart, and to ask for one */

static void spell(const ProtobufCBinaryData *key, char out[KEY_HEX + 1])
{
	size_t len = key->len < KEY_HEX / 2 ? key->len : KEY_HEX / 2;

	for (size_t i = 0; i < len; i++)
		snprintf(out + 2 * i, 3, "%02x", key->data[i]);
	out[2 * len] = '\0';
}

static bool begins_with(const Streamd__V1__PlanRuns *row, const char *prefix)
{
	char key[KEY_HEX + 1];

	spell(&row->plan_key, key);
	return strncmp(key, prefix, strlen(prefix)) == 0;
}

/* ---- text ---- */

static double us(uint64_t ns)
{
	return (double)ns / 1000.0;
}

static void put_row(struct sd_emitter *out, const Streamd__V1__PlanRuns *row)
{
	char key[KEY_HEX + 1];

	spell(&row->plan_key, key);
	sd_put(out, "%.*s  %-10s %8" PRIu64 " %12.3f %12.3f %12.3f %12.3f %12.3f  %-11s  ", (int)KEY_SHOWN, key, row->device, row->runs, us(row->last_ns),
	       us(row->min_ns), us(row->median_ns), us(row->max_ns), us(row->expected_ns), row->against);
	if (strcmp(row->overlap, "unknown") == 0)
		sd_put(out, "unknown\n");
	else
		sd_put(out, "%.1f %% (%s)\n", row->overlap_permille / 10.0, row->overlap);
}

static double share_of(uint64_t busy_ns, uint64_t overlap_ns)
{
	return busy_ns ? 100 * (double)overlap_ns / (double)busy_ns : 0;
}

static void put_streams(struct sd_emitter *out, const Streamd__V1__PlanRuns *row)
{
	sd_put(out, "\n%s, by stream:\nstream      busy us   overlap\n", row->device);
	for (size_t s = 0; s < row->n_streams; s++) {
		const Streamd__V1__StreamBusy *stream = row->streams[s];

		sd_put(out, "%6zu %12.3f %8.1f %%\n", s, us(stream->busy_ns), share_of(stream->busy_ns, stream->overlap_ns));
	}
	if (row->others)
		sd_put(out, "the other %" PRIu32 " streams together: busy %.3f us, overlap %.1f %%\n", row->others->count, us(row->others->busy_ns),
		       share_of(row->others->busy_ns, row->others->overlap_ns));
}

static enum sd_status write_text(struct cli *cli, struct sd_emitter *out, const void *what, struct sd_diag *diag)
{
	const Streamd__V1__ReportAnswer *answer = what;

	if (answer->n_plans == 0) {
		sd_put(out, "no reports\n");
		return SD_OK;
	}
	sd_put(out, "%-12s  %-10s %8s %12s %12s %12s %12s %12s  %-11s  %s\n", "plan", "device", "runs", "last us", "min us", "median us", "max us", "expected us", "against", "overlap");
	for (size_t i = 0; i < answer->n_plans; i++)
		put_row(out, answer->plans[i]);
	for (size_t i = 0; i < answer->n_plans; i++) {
		if (answer->plans[i]->n_streams)
			put_streams(out, answer->plans[i]);
	}
	return SD_OK;
}

/* ---- JSON ---- */

static void put_object(struct sd_emitter *out, const Streamd__V1__PlanRuns *row)
{
	char key[KEY_HEX + 1];

	spell(&row->plan_key, key);
	sd_emit_line(out, 2);
	sd_emit_open(out, '{');
	sd_emit_pair(out, "plan_key", key);
	sd_emit_pair(out, "device", row->device);
	sd_emit_pair_uint(out, "reports", row->reports);
	sd_emit_pair_uint(out, "runs", row->runs);
	sd_emit_pair_uint(out, "last_ns", row->last_ns);
	sd_emit_pair_uint(out, "min_ns", row->min_ns);
	sd_emit_pair_uint(out, "median_ns", row->median_ns);
	sd_emit_pair_uint(out, "mean_ns", row->mean_ns);
	sd_emit_pair_uint(out, "max_ns", row->max_ns);
	sd_emit_pair_uint(out, "expected_ns", row->expected_ns);
	sd_emit_pair(out, "against", row->against);
	sd_emit_pair_uint(out, "overlap_permille", row->overlap_permille);
	sd_emit_pair(out, "overlap", row->overlap);
	sd_emit_pair_uint(out, "age_ms", row->age_ms);
	sd_emit_key(out, "streams");
	sd_emit_open(out, '[');
	for (size_t s = 0; s < row->n_streams; s++)
		sd_json_message_write(out, &row->streams[s]->base, true);
	sd_emit_close(out, ']');
	if (row->others) {
		sd_emit_key(out, "others");
		sd_json_message_write(out, &row->others->base, true);
	}
	sd_emit_close(out, '}');
}

static enum sd_status write_json(struct cli *cli, struct sd_emitter *out, const void *what, struct sd_diag *diag)
{
	const Streamd__V1__ReportAnswer *answer = what;

	sd_emit_open(out, '{');
	sd_emit_key(out, "plans");
	sd_emit_open(out, '[');
	for (size_t i = 0; i < answer->n_plans; i++)
		put_object(out, answer->plans[i]);
	sd_emit_close(out, ']');
	sd_emit_pair_uint(out, "forgotten", answer->forgotten);
	sd_emit_close(out, '}');
	sd_emit_raw(out, "\n", 1);
	return SD_OK;
}

/* ---- asking ---- */

/* The rows of one plan, or with NULL of all. */
static enum exit_status ask(struct cli *cli, const ProtobufCBinaryData *key, Streamd__V1__ReportAnswer **answer)
{
	ProtobufCAllocator allocator = sd_message_allocator(&cli->mem);
	Streamd__V1__ReportRequest request;
	struct sd_text got;
	enum exit_status status;
	uint8_t body[64];

	streamd__v1__report_request__init(&request);
	if (key)
		request.plan_key = *key;
	status = cli_call(cli, SD_METHOD_REPORT, (struct sd_text){ (const char *)body, (uint32_t)streamd__v1__report_request__pack(&request, body) }, &got);
	if (status != EXIT_GOOD)
		return status;
	*answer = streamd__v1__report_answer__unpack(&allocator, got.len, (const uint8_t *)got.at);
	return *answer ? EXIT_GOOD : cli_fail_answer(cli);
}

/* Of all rows those that are meant; with those of one plan alone it is asked again, for its streams. */
static enum exit_status narrow(struct cli *cli, const char *prefix, Streamd__V1__ReportAnswer **answer)
{
	Streamd__V1__ReportAnswer *all = *answer;
	size_t kept = 0, same = 0;

	for (size_t i = 0; i < all->n_plans; i++) {
		if (begins_with(all->plans[i], prefix))
			all->plans[kept++] = all->plans[i];
	}
	all->n_plans = kept;
	for (size_t i = 0; i < kept; i++)
		same += memcmp(all->plans[i]->plan_key.data, all->plans[0]->plan_key.data, KEY_HEX / 2) == 0;
	if (kept == 0 || same < kept)
		return EXIT_GOOD;
	return ask(cli, &all->plans[0]->plan_key, answer);
}

static enum exit_status check_prefix(const struct cli *cli, const char *prefix)
{
	size_t len = strlen(prefix);

	if (len == 0 || len > KEY_HEX || strspn(prefix, "0123456789abcdef") != len)
		return cli_usage(cli, "report takes a plan_key, or how one begins: up to 64 of 0-9 and a-f, not %s", prefix);
	return EXIT_GOOD;
}

static bool has_keys(const Streamd__V1__ReportAnswer *answer)
{
	for (size_t i = 0; i < answer->n_plans; i++) {
		if (answer->plans[i]->plan_key.len != KEY_HEX / 2)
			return false;
	}
	return true;
}

enum exit_status cli_report_figures(struct cli *cli)
{
	const char *prefix = cli->argument_count ? cli->argument[0] : "";
	Streamd__V1__ReportAnswer *answer;
	enum exit_status status = cli->argument_count ? check_prefix(cli, prefix) : EXIT_GOOD;

	if (status == EXIT_GOOD)
		status = ask(cli, NULL, &answer);
	if (status == EXIT_GOOD && !has_keys(answer))
		status = cli_fail_answer(cli);
	if (status == EXIT_GOOD && *prefix)
		status = narrow(cli, prefix, &answer);
	if (status != EXIT_GOOD)
		return status;
	return cli_print(cli, cli->format == FORMAT_JSON ? write_json : write_text, answer, NULL);
}
