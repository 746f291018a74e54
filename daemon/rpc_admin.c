#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "admin_messages.h"
#include "conn.h"
#include "packing.h"
#include "rpc.h"
#include "server.h"

#define PING_MAX (64u << 10)
#define JOBS_LISTED_MAX 1024u

/* ---- what the daemon is and allows ---- */

void sd_answer_status(struct sd_server *server, struct sd_call *call)
{
	Streamd__V1__StatusAnswer answer;
	char planner[SD_PLANNER_VERSION_MAX];
	uint64_t gauge[SD_GAUGES];

	sd_server_gauges(server, gauge);
	sd_fill_status(server, gauge, &answer, planner);
	sd_call_answer(call, sd_pack(&answer.base));
}

static void fill_limits(const struct sd_server *server, Streamd__V1__ServiceLimits *limits)
{
	const struct sd_config *config = &server->config;

	streamd__v1__service_limits__init(limits);
	limits->frame_bytes_max = config->frame_bytes_max;
	limits->nodes_max = config->nodes_max;
	limits->edges_max = config->edges_max;
	limits->attrs_max = config->attrs_max;
	limits->job_bytes_max = config->job_bytes_max;
	limits->connections_max = server->connections_max;
	limits->open_requests_max = (uint32_t)config->open_requests_max;
	limits->queue_jobs_max = (uint32_t)config->queue_jobs_max;
	limits->queue_bytes_max = config->queue_bytes_max;
	limits->deadline_ms_default = (uint32_t)config->deadline_ms_default;
	limits->deadline_ms_max = (uint32_t)config->deadline_ms_max;
	limits->batch_items_max = (uint32_t)config->batch_items_max;
	limits->batch_bytes_max = config->batch_bytes_max;
}

void sd_answer_limits(struct sd_server *server, struct sd_call *call)
{
	Streamd__V1__ServiceLimits limits;

	fill_limits(server, &limits);
	sd_call_answer(call, sd_pack(&limits.base));
}

struct sd_blob *sd_server_hello(const struct sd_server *server)
{
	Streamd__V1__ServerHello hello;
	Streamd__V1__ServiceLimits limits;
	char *methods[SD_METRIC_METHODS];

	streamd__v1__server_hello__init(&hello);
	fill_limits(server, &limits);
	for (uint32_t i = 0; i < sd_rpc_count(); i++)
		methods[i] = sd_unconst(sd_rpc_row(i)->name);
	hello.protocol = SD_PROTOCOL;
	hello.version = sd_unconst(SD_VERSION);
	hello.limits = &limits;
	hello.methods = methods;
	hello.n_methods = sd_rpc_count();
	return sd_pack(&hello.base);
}

/* ---- cache ---- */

void sd_answer_cache_stats(struct sd_server *server, struct sd_call *call)
{
	Streamd__V1__CacheStatsAnswer answer;

	sd_fill_cache_stats(server, &answer);
	sd_call_answer(call, sd_pack(&answer.base));
}

/* On a worker: to free a full cache takes milliseconds. */
void sd_run_cache_flush(struct sd_job *job, struct sd_arena *arena)
{
	Streamd__V1__CacheFlushAnswer answer;
	struct sd_cache_stats stats;

	streamd__v1__cache_flush_answer__init(&answer);
	sd_cache_flush(job->jobs->cache, &stats);
	answer.entries = stats.entries;
	answer.bytes = stats.bytes;
	job->result.body = sd_pack(&answer.base);
}

/* ---- life ---- */

void sd_answer_drain(struct sd_server *server, struct sd_call *call)
{
	Streamd__V1__DrainAnswer answer;
	struct sd_jobs_counts counts;

	streamd__v1__drain_answer__init(&answer);
	sd_jobs_count(&server->jobs, &counts);
	answer.jobs_running = counts.running;
	answer.jobs_queued = counts.queued;
	sd_call_answer(call, sd_pack(&answer.base));
	sd_drain_begin(server);
}

void sd_answer_ping(struct sd_server *server, struct sd_call *call)
{
	Streamd__V1__PingRequest *request = streamd__v1__ping_request__unpack(NULL, call->body_bytes, call->body);
	Streamd__V1__PingAnswer answer;

	streamd__v1__ping_answer__init(&answer);
	if (!request) {
		sd_call_cannot_decode(call, "the PingRequest cannot be decoded");
		return;
	}
	answer.payload = request->payload;
	if (request->payload.len > PING_MAX)
		sd_call_cannot_decode(call, "a payload has at most 64 KiB");
	else
		sd_call_answer(call, sd_pack(&answer.base));
	streamd__v1__ping_request__free_unpacked(request, NULL);
}

/* ---- jobs ---- */

struct listing {
	struct sd_job_info info[JOBS_LISTED_MAX];
	Streamd__V1__Job job[JOBS_LISTED_MAX];
	Streamd__V1__Job *pointer[JOBS_LISTED_MAX];
};

void sd_answer_jobs(struct sd_server *server, struct sd_call *call)
{
	Streamd__V1__JobsAnswer answer;
	struct listing *listing = malloc(sizeof(*listing));

	streamd__v1__jobs_answer__init(&answer);
	if (!listing) {
		sd_call_answer(call, NULL);
		return;
	}
	answer.n_jobs = sd_jobs_list(&server->jobs, listing->info, JOBS_LISTED_MAX);
	answer.jobs = listing->pointer;
	for (size_t i = 0; i < answer.n_jobs; i++) {
		sd_fill_job(&listing->info[i], &listing->job[i]);
		listing->pointer[i] = &listing->job[i];
	}
	sd_call_answer(call, sd_pack(&answer.base));
	free(listing);
}

/* All calls of the job are answered; without any the job ends by itself. */
static bool cancel_job(struct sd_server *server, uint64_t id)
{
	struct sd_call *call;
	bool exists;

	call = sd_jobs_find_call(&server->jobs, id, &exists);
	if (!exists)
		return false;
	while (call) {
		sd_call_fail_early(call, SD_CODE_CANCELLED, 0);
		call = sd_jobs_find_call(&server->jobs, id, &exists);
	}
	return true;
}

void sd_answer_cancel_job(struct sd_server *server, struct sd_call *call)
{
	Streamd__V1__CancelJobRequest *request = streamd__v1__cancel_job_request__unpack(NULL, call->body_bytes, call->body);
	Streamd__V1__Empty answer;

	streamd__v1__empty__init(&answer);
	if (!request) {
		sd_call_cannot_decode(call, "the CancelJobRequest cannot be decoded");
		return;
	}
	if (cancel_job(server, request->id))
		sd_call_answer(call, sd_pack(&answer.base));
	else
		sd_call_fail_with(call, SD_CODE_NO_SUCH_JOB, sd_arg_int((int64_t)request->id));
	streamd__v1__cancel_job_request__free_unpacked(request, NULL);
}
