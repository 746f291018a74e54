/* Plans a request, leases what loading the plan takes and gives it back, twice: example_lease FILE, made by
 * `streamctl convert GRAPH -o FILE.pb`. The second time the streams of the first are there. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "c/streamd_pool.h"
#include "streamd.pb-c.h"
#include "streamd/device.h"

static int fail(const struct sd_client_error *error)
{
	fprintf(stderr, "%s: %s\n", error->code, error->message);
	return 1;
}

static int64_t most_tasks(const Streamd__V1__Plan *plan, uint32_t logical_id)
{
	int64_t most = 0;

	for (size_t i = 0; i < plan->n_streams; i++) {
		if (plan->streams[i]->logical_id == logical_id && plan->streams[i]->task_count > most)
			most = plan->streams[i]->task_count;
	}
	return most;
}

/* One want for each stream of the plan, and one for those that the collectives of a logical stream use besides; the caller frees them. */
static struct sd_pool_want *wants_of(const Streamd__V1__Plan *plan, uint32_t *count)
{
	struct sd_pool_want *want = calloc(plan->n_streams + plan->n_summary + 1, sizeof(*want));

	*count = 0;
	for (size_t i = 0; want && i < plan->n_streams; i++) {
		const Streamd__V1__Stream *stream = plan->streams[i];

		want[(*count)++] = (struct sd_pool_want){ .priority = stream->priority, .task_count = stream->task_count, .count = 1,
		                                          .flags = stream->flags | SD_STREAM_PERSISTENT | (stream->huge ? SD_STREAM_HUGE : 0) };
	}
	for (size_t i = 0; want && i < plan->n_summary; i++) {
		const Streamd__V1__Summary *summary = plan->summary[i];

		if (summary->hccl_followed_stream_num)
			want[(*count)++] = (struct sd_pool_want){ .flags = SD_STREAM_FORCE_COPY | SD_STREAM_PERSISTENT, .count = summary->hccl_followed_stream_num,
			                                          .task_count = most_tasks(plan, summary->logic_stream_id) };
	}
	return want;
}

/* The plan's, and one for each notify: where one is recorded again in the next turn of a loop, whoever loads the plan may have to
 * wait, by an event of its own, until the last turn has seen it (loader.h). A session knows its graph and leases as many as it takes. */
static uint64_t events_of(const Streamd__V1__Plan *plan)
{
	return (uint64_t)plan->event_count + plan->notify_count;
}

/* A loader makes its streams here (sd_reuse_bind() of reuse.h does), and destroys those of slots that are gone. */
static void show(const struct sd_client_grants *grants)
{
	for (uint32_t i = 0; i < grants->count; i++) {
		const struct sd_pool_grant *grant = &grants->grant[i];

		printf("stream %" PRIu32 ": %s slot %" PRIu64 ", priority %" PRId32 ", flags 0x%" PRIx32 ", %" PRId64 " tasks\n", i,
		       grant->is_new ? "create" : "reuse", grant->slot, grant->key.priority, grant->key.flags, grant->task_count);
	}
}

/* Loads and unloads a model. */
static int serve(struct sd_client *client, const char *name, const struct sd_client_acquire_ask *ask)
{
	struct sd_client_model model;
	struct sd_client_error error;
	struct sd_client_returned returned;
	struct sd_client_grants grants;
	int failed = 0;

	if (sd_client_register(client, &(struct sd_client_model_ask){ .name = name }, &model, &error) != SD_OK)
		return fail(&error);
	if (sd_client_acquire(client, &model, ask, &grants, &error) != SD_OK)
		failed = fail(&error);
	printf("%s: %" PRIu32 " streams, %" PRIu32 " of them new, %" PRIu64 " events\n", name, grants.count, grants.new_streams, grants.events);
	show(&grants);
	sd_client_grants_finish(&grants);
	if (sd_client_unload(client, &model, &returned, &error) != SD_OK)
		failed = fail(&error);
	printf("%s: %" PRIu32 " leases given back\n", name, returned.released);
	sd_client_ids_finish(&returned.gone);
	return failed;
}

static int serve_twice(struct sd_client *client, const Streamd__V1__Plan *plan)
{
	uint32_t count;
	struct sd_pool_want *want = wants_of(plan, &count);
	const struct sd_client_acquire_ask ask = { .want = want, .want_count = count, .events = events_of(plan),
	                                           .notifies = plan->notify_count, .wait_ms = 10000 };
	int failed = !want || serve(client, "first", &ask) || serve(client, "second", &ask);

	free(want);
	return failed;
}

int main(int argc, char **argv)
{
	static unsigned char request[1 << 20];
	FILE *file = argc > 1 ? fopen(argv[1], "rb") : stdin;
	size_t bytes = file ? fread(request, 1, sizeof(request), file) : 0;
	Streamd__V1__PlanAnswer *answer;
	struct sd_client_error error;
	struct sd_client *client;
	struct sd_reply reply;
	int failed = 1;

	if (sd_client_open(&client, NULL, &error) != SD_OK)
		return fail(&error);
	if (sd_client_call(client, SD_METHOD_PLAN, request, bytes, 2000, &reply) != SD_OK) {
		fail(&reply.error);
	} else {
		answer = streamd__v1__plan_answer__unpack(NULL, reply.body_bytes, reply.body);
		if (answer) {
			failed = serve_twice(client, answer->plan);
			streamd__v1__plan_answer__free_unpacked(answer, NULL);
		}
	}
	sd_reply_finish(&reply);
	sd_client_close(client);
	return failed;
}
