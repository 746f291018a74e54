#include "rpc.h"

#include "canon.h"
#include "error.h"
#include "flight.h"
#include "graph_codec.h"
#include "plan_codec.h"
#include "streamd/planner.h"
#include "streamd/verify.h"
#include "wire.h"

/* Time since the last call, for the stages of a job. */
static uint64_t lap(uint64_t *since)
{
	uint64_t now = uv_hrtime(), spent = now - *since;

	*since = now;
	return spent;
}

static bool asked_to_stop(void *arg)
{
	struct sd_job *job = arg;

	return atomic_load_explicit(&job->stop, memory_order_relaxed);
}

/* The error's sentence is made here, while the names that it speaks of are at hand. */
static void end_with_error(struct sd_job *job, const struct sd_request *request, const struct sd_diag *diag)
{
	struct sd_names names = sd_graph_names(&request->graph);

	job->result.status = sd_code_status(diag->code);
	job->result.code = diag->code;
	job->result.body = sd_error_blob(diag, &names);
}

static enum sd_status no_memory(const struct sd_job *job, struct sd_diag *diag)
{
	return SD_FAIL1(diag, SD_CODE_LIMIT_MEMORY, SD_NO_NODE, sd_arg_int((int64_t)job->bounds.job_bytes_max));
}

static enum sd_status decode(const struct sd_job *job, struct sd_arena *arena, struct sd_text bytes,
                             struct sd_request *request, struct sd_diag *diag)
{
	struct sd_counts counts = { 0 };

	SD_TRY(sd_request_count(bytes, &counts, diag));
	SD_TRY(sd_admit(&counts, &job->bounds, diag));
	SD_TRY(sd_request_decode(arena, bytes, &counts, request, diag));
	request->passes = sd_site_passes;
	return SD_OK;
}

/* ---- Plan ---- */

struct clock {
	struct sd_job *job;
	uint64_t since;
};

/* The planner's last step is the proof; what was before it is planning. */
static void on_passed(void *arg, const char *pass)
{
	struct clock *clock = arg;
	enum sd_stage stage = strcmp(pass, "verify") == 0 ? SD_STAGE_VERIFY : SD_STAGE_PLAN;

	clock->job->result.stage_ns[stage] += lap(&clock->since);
}

static bool ask_to_stop(void *arg)
{
	return asked_to_stop(((struct clock *)arg)->job);
}

static void end_with_plan(struct sd_job *job, struct sd_blob *plan, enum sd_source source)
{
	job->result.body = plan;
	job->result.source = source;
}

/* Under load only what is known already is answered. */
static enum sd_status check_load(const struct sd_job *job, struct sd_diag *diag)
{
	if (job->fullness < SD_SHED_MISSES_AT)
		return SD_OK;
	return SD_FAIL3(diag, SD_CODE_SHED, SD_NO_NODE, sd_arg_int(job->fullness), sd_arg_words("what the daemon can hold"),
	                sd_arg_words("a plan that is not in the cache"));
}

static enum sd_status make(struct sd_job *job, struct sd_arena *arena, const struct sd_request *request,
                           const struct sd_identity *identity, struct sd_diag *diag)
{
	struct clock clock = { job, uv_hrtime() };
	struct sd_hooks hooks = { .arg = &clock, .stop = ask_to_stop, .passed = on_passed };
	const struct sd_plan *plan;
	struct sd_text bytes;
	struct sd_blob *blob;

	SD_TRY(sd_plan_make(arena, request, &hooks, &plan, diag));
	clock.since = uv_hrtime();
	if (sd_plan_encode(arena, plan, identity, &bytes) != SD_OK || !(blob = sd_blob_copy(bytes.at, bytes.len)))
		return no_memory(job, diag);
	sd_cache_store(job->jobs->cache, identity->plan_key, blob);
	end_with_plan(job, blob, SD_SOURCE_PLANNED);
	job->result.stage_ns[SD_STAGE_ENCODE] = lap(&clock.since);
	return SD_OK;
}

/* What a method asks for besides the plan. */
enum more { NOTHING_MORE = 0, EXPLANATIONS = 'E', SIMULATION = 'S' };

/* A digest of the bytes, of its own for each method: the same bytes ask for several plans. */
static void digest_raw(struct sd_text bytes, enum more more, unsigned char raw[SD_DIGEST_BYTES])
{
	char tagged[SD_DIGEST_BYTES + 1] = { (char)more };

	sd_digest(bytes, raw);
	if (more == NOTHING_MORE)
		return;
	memcpy(tagged + 1, raw, SD_DIGEST_BYTES);
	sd_digest((struct sd_text){ tagged, sizeof(tagged) }, raw);
}

/* Raw bytes, then canonical form, then the planner: whichever knows the plan first. */
static enum sd_status plan(struct sd_job *job, struct sd_arena *arena, enum more more, struct sd_request *request, struct sd_diag *diag)
{
	struct sd_text bytes = job->bytes;
	struct sd_identity identity;
	struct sd_blob *found = NULL;
	unsigned char raw[SD_DIGEST_BYTES];
	uint64_t since = uv_hrtime();
	enum sd_flight flight;

	digest_raw(bytes, more, raw);
	flight = sd_flight_enter(job, SD_FLIGHT_BY_RAW, raw, &found);
	if (flight == SD_FLIGHT_HIT)
		end_with_plan(job, found, SD_SOURCE_RAW);
	if (flight != SD_FLIGHT_LEAD)
		return SD_OK;
	SD_TRY(decode(job, arena, bytes, request, diag));
	request->options.explain |= more == EXPLANATIONS;
	request->options.simulate |= more == SIMULATION;
	if (sd_identify(arena, request, &identity) != SD_OK)
		return no_memory(job, diag);
	job->result.nodes = request->graph.node_count;
	job->result.stage_ns[SD_STAGE_PREPARE] = lap(&since);
	flight = sd_flight_enter(job, SD_FLIGHT_BY_KEY, identity.plan_key, &found);
	if (flight == SD_FLIGHT_JOINED)
		return SD_OK;
	if (flight == SD_FLIGHT_LEAD) {
		SD_TRY(check_load(job, diag));
		SD_TRY(make(job, arena, request, &identity, diag));
	} else {
		end_with_plan(job, found, SD_SOURCE_KEY);
	}
	sd_cache_link(job->jobs->cache, raw, identity.plan_key);
	return SD_OK;
}

static void run(struct sd_job *job, struct sd_arena *arena, enum more more)
{
	struct sd_request request = { 0 };
	struct sd_diag diag = { 0 };

	if (plan(job, arena, more, &request, &diag) != SD_OK)
		end_with_error(job, &request, &diag);
}

void sd_run_plan(struct sd_job *job, struct sd_arena *arena)
{
	run(job, arena, NOTHING_MORE);
}

void sd_run_explain(struct sd_job *job, struct sd_arena *arena)
{
	run(job, arena, EXPLANATIONS);
}

void sd_run_simulate(struct sd_job *job, struct sd_arena *arena)
{
	run(job, arena, SIMULATION);
}

/* ---- Verify ---- */

struct verify_parts {
	struct sd_text request, plan;
};

static enum sd_status split(struct sd_text bytes, struct verify_parts *parts, struct sd_diag *diag)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field field;

	while (sd_wire_next(&wire, &field)) {
		if (field.type == SD_WIRE_BYTES && field.number == 1)
			parts->request = field.bytes;
		else if (field.type == SD_WIRE_BYTES && field.number == 2)
			parts->plan = field.bytes;
	}
	if (!wire.bad)
		return SD_OK;
	return SD_FAIL2(diag, SD_CODE_BAD_WIRE, SD_NO_NODE, sd_arg_int((const char *)wire.at - bytes.at),
	                sd_arg_words("it is no VerifyRequest"));
}

static enum sd_status encode_verdict(struct sd_job *job, struct sd_arena *arena, const struct sd_request *request,
                                     const struct sd_plan *plan, const struct sd_verdict *verdict, struct sd_diag *diag)
{
	struct sd_names names = sd_graph_names(&request->graph);
	struct sd_buffer out;
	char line[SD_MESSAGE_MAX];

	sd_buffer_init(&out, arena, 256);
	for (uint32_t i = 0; i < verdict->count && i < SD_VIOLATIONS_MAX; i++)
		sd_put_bytes(&out, 1, line, sd_violation_text(&verdict->violation[i], &names, line, sizeof(line)));
	sd_put_uint(&out, 2, verdict->count);
	sd_put_uint(&out, 3, plan->stream_count);
	sd_put_uint(&out, 4, plan->sync_count);
	if (out.failed)
		return no_memory(job, diag);
	job->result.body = sd_blob_copy(out.data, out.len);
	return SD_OK;
}

static enum sd_status verify(struct sd_job *job, struct sd_arena *arena, struct sd_request *request, struct sd_diag *diag)
{
	struct verify_parts parts = { 0 };
	struct sd_identity identity;
	struct sd_plan plan;
	struct sd_verdict verdict = { 0 };
	uint64_t since = uv_hrtime();
	enum sd_status status;

	SD_TRY(split(job->bytes, &parts, diag));
	SD_TRY(decode(job, arena, parts.request, request, diag));
	job->result.nodes = request->graph.node_count;
	SD_TRY(sd_plan_decode(arena, parts.plan, request->graph.node_count, request->graph.graph_count, &plan, &identity, diag));
	job->result.stage_ns[SD_STAGE_PREPARE] = lap(&since);
	status = sd_verify(arena, request, &plan, asked_to_stop, job, &verdict);
	if (status == SD_RESOURCE_EXHAUSTED)
		return no_memory(job, diag);
	if (status != SD_OK) {
		*diag = verdict.why;
		return status;
	}
	job->result.stage_ns[SD_STAGE_VERIFY] = lap(&since);
	return encode_verdict(job, arena, request, &plan, &verdict, diag);
}

void sd_run_verify(struct sd_job *job, struct sd_arena *arena)
{
	struct sd_request request = { 0 };
	struct sd_diag diag = { 0 };

	if (verify(job, arena, &request, &diag) != SD_OK)
		end_with_error(job, &request, &diag);
}
