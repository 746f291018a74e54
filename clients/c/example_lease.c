/* Plans a request, leases what the plan needs and gives it back, twice: example_lease FILE, made by
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

/* One want for each stream of the plan; the caller frees them. */
static struct sd_pool_want *wants_of(const Streamd__V1__Plan *plan)
{
	struct sd_pool_want *want = calloc(plan->n_streams + 1, sizeof(*want));

	for (size_t i = 0; want && i < plan->n_streams; i++) {
		const Streamd__V1__Stream *stream = plan->streams[i];

		want[i] = (struct sd_pool_want){ .priority = stream->priority, .flags = stream->flags | SD_STREAM_PERSISTENT,
		                                 .task_count = stream->task_count, .count = 1 };
		if (stream->huge)
			want[i].flags |= SD_STREAM_HUGE;
	}
	return want;
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
	struct sd_pool_want *want = wants_of(plan);
	const struct sd_client_acquire_ask ask = { .want = want, .want_count = (uint32_t)plan->n_streams, .events = plan->event_count,
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
