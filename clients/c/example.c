/* Plans a request: example FILE, made by `streamctl convert GRAPH -o FILE.pb`. */
#include <limits.h>
#include <stdio.h>

#include "c/streamd_client.h"
#include "streamd.pb-c.h"

int main(int argc, char **argv)
{
	static unsigned char request[1 << 20];
	FILE *file = argc > 1 ? fopen(argv[1], "rb") : stdin;
	size_t bytes = file ? fread(request, 1, sizeof(request), file) : 0;
	Streamd__V1__PlanAnswer *answer;
	struct sd_client_error error;
	struct sd_client *client;
	struct sd_reply reply;

	if (sd_client_open(&client, NULL, &error) != SD_OK) {
		fprintf(stderr, "%s: %s\n", error.code, error.message);
		return 1;
	}
	if (sd_client_call(client, SD_METHOD_PLAN, request, bytes, 2000, &reply) != SD_OK) {
		fprintf(stderr, "%s: %s\n", reply.error.code, reply.error.message);
		sd_client_close(client);
		return 1;
	}
	answer = streamd__v1__plan_answer__unpack(NULL, reply.body_bytes, reply.body);
	if (answer) {
		printf("%u streams, %u events\n", answer->plan->stream_count, answer->plan->event_count);
		streamd__v1__plan_answer__free_unpacked(answer, NULL);
	}
	sd_reply_finish(&reply);
	sd_client_close(client);
	return 0;
}
