/* streamctl plan: here or by the daemon, printed alike. */
#include "cli.h"
#include "formats/annotate.h"
#include "formats/plan_dot.h"
#include "formats/plan_html.h"
#include "formats/plan_json.h"
#include "formats/plan_svg.h"
#include "formats/plan_text.h"
#include "formats/timeline_trace.h"
#include "obtain.h"

/* A plan with the request that it is for. */
struct answer {
	const struct sd_plan *plan;
	const struct sd_identity *identity;
	const struct sd_request *request;
	struct sd_text bytes; /* of the request */
};

/* What is drawn of a plan needs times. */
static enum sd_status write_picture(struct cli *cli, struct sd_emitter *out, const struct answer *answer, struct sd_diag *diag)
{
	struct sd_timeline timeline;

	SD_TRY(sd_timeline_make(&cli->mem, answer->request, answer->plan, &timeline, diag));
	if (cli->format == FORMAT_SVG)
		return sd_plan_write_svg(&cli->mem, out, &timeline, diag);
	if (cli->format == FORMAT_HTML)
		return sd_plan_write_html(&cli->mem, out, &timeline, answer->identity, diag);
	return sd_timeline_write_trace(&cli->mem, out, &timeline, diag);
}

static enum sd_status write_annotated(struct cli *cli, struct sd_emitter *out, const struct answer *answer, struct sd_diag *diag)
{
	struct sd_annotation annotation;

	SD_TRY(sd_annotation_make(&cli->mem, answer->request, answer->plan, &annotation, diag));
	if (!annotation.has_labels)
		cli_note(cli, "no labels are written, as bodies, activations or single_stream decide here; the ids tell the streams");
	if (cli->input_kind == SD_INPUT_DUMP)
		return sd_annotate_dump(&cli->mem, out, &annotation, cli->input, diag);
	return sd_annotate_request(&cli->mem, out, &annotation, answer->bytes, diag);
}

static enum sd_status write_answer(struct cli *cli, struct sd_emitter *out, const void *what, struct sd_diag *diag)
{
	const struct answer *answer = what;
	const struct sd_graph *graph = &answer->request->graph;

	switch (cli->format) {
	case FORMAT_TEXT: return sd_plan_write_text(&cli->mem, out, answer->plan, answer->identity, graph, diag);
	case FORMAT_DOT: return sd_plan_write_dot(&cli->mem, out, answer->plan, graph, diag);
	case FORMAT_SVG:
	case FORMAT_HTML:
	case FORMAT_TRACE: return write_picture(cli, out, answer, diag);
	case FORMAT_ANNOTATED: return write_annotated(cli, out, answer, diag);
	case FORMAT_JSON: break;
	}
	SD_TRY(sd_plan_write_json(&cli->mem, out, answer->plan, answer->identity, graph, diag));
	sd_emit_raw(out, "\n", 1);
	return SD_OK;
}

static void put_local_timing(struct sd_emitter *out, const struct timing *timing)
{
	sd_emit_pair_uint(out, "decode_ns", timing->decode_ns);
	sd_emit_pair_uint(out, "plan_ns", timing->plan_ns);
	sd_emit_pair_uint(out, "verify_ns", timing->verify_ns);
	sd_emit_pair_uint(out, "encode_ns", timing->encode_ns);
	sd_emit_key(out, "passes");
	sd_emit_open(out, '{');
	for (uint32_t i = 0; i < timing->pass_count; i++)
		sd_emit_pair_uint(out, timing->pass[i].name, timing->pass[i].ns);
	sd_emit_close(out, '}');
	sd_emit_pair_uint(out, "peak_bytes", timing->peak_bytes);
}

static void put_remote_timing(struct sd_emitter *out, const struct remote_plan *got)
{
	sd_emit_pair_uint(out, "plan_ns", got->answer.plan_ns);
	sd_emit_pair_uint(out, "verify_ns", got->answer.verify_ns);
	sd_emit_pair_uint(out, "round_trip_ns", got->round_trip_ns);
	sd_emit_key(out, "from_cache");
	sd_emit_bool(out, got->answer.from_cache);
}

static void print_timing(struct cli *cli, uint64_t read_ns, const struct obtained *plan)
{
	struct sd_emitter *out = sd_arena_alloc(&cli->mem, sizeof(*out));

	if (!out)
		return;
	sd_emit_start(out, stderr);
	sd_emit_open(out, '{');
	sd_emit_pair_uint(out, "read_ns", read_ns);
	if (plan->made)
		put_local_timing(out, &plan->made->timing);
	else
		put_remote_timing(out, &plan->got);
	sd_emit_close(out, '}');
	sd_emit_raw(out, "\n", 1);
	sd_emit_finish(out);
}

enum exit_status cli_plan(struct cli *cli)
{
	uint64_t start = cli_now_ns(), read_ns;
	enum exit_status status = cli_check_local(cli);
	struct sd_diag diag = { 0 };
	struct cli_error error;
	struct obtained plan;
	struct sd_text bytes;

	if (status != EXIT_GOOD)
		return status;
	if (cli->is_batch)
		return cli_plan_batch(cli);
	if (cli_request(cli, cli->argument[0], &bytes, &diag) != SD_OK)
		return cli_fail(cli, &diag, NULL);
	read_ns = cli_now_ns() - start;
	status = cli_obtain(cli, SD_METHOD_PLAN, bytes, &plan, &error);
	if (status == EXIT_GOOD) {
		status = cli_print(cli, write_answer, &(struct answer){ &plan.plan, &plan.identity, &plan.request, bytes }, &plan.request.graph);
		if (cli->timing)
			print_timing(cli, read_ns, &plan);
	} else {
		status = cli_report(cli, &error);
	}
	cli_release(&plan);
	return status;
}
