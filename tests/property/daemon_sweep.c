/* daemon_sweep - every allocation of the daemon may fail while it answers a peer: then a call or its connection ends, nothing of it is
 * left, and the next peer is served.
 *
 * The C library's functions are wrapped by the linker. A peer says the same (PlanBatch with identical, different and refused requests,
 * Report, Plan) by frames with the first allocation failing, the second, and so on, and as far as bytes are given the same by gRPC.
 * usage: daemon_sweep FILE..: what gRPC peers send, as the corpus of the fuzz target holds it. Prints TAP lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frame.h"
#include "lib/daemon_here.h"
#include "lib/failing_memory.h"
#include "streamd.pb-c.h"

#define SAID_MAX 65536u

static const char *const settings[] = { "jobs.workers", "1", "batch.jobs_max", "3", "grpc.compress_above", "64", NULL };

static unsigned char said[SAID_MAX];
static size_t said_len;

/* ---- what a peer says by frames ---- */

static void say(enum sd_frame_kind kind, enum sd_method method, uint64_t id, const ProtobufCMessage *message)
{
	struct sd_frame frame = { .method = (uint16_t)method, .kind = (uint8_t)kind, .request_id = id };

	frame.body_bytes = (uint32_t)protobuf_c_message_pack(message, said + said_len + SD_FRAME_HEADER);
	sd_frame_write(said + said_len, &frame);
	said_len += SD_FRAME_HEADER + frame.body_bytes;
}

static char *word(const char *text)
{
	return (char *)(uintptr_t)text;
}

/* Two nodes in a row; a third kind of request has none. */
static void fill_request(Streamd__V1__PlanRequest *request, Streamd__V1__Graph *graph, Streamd__V1__Node node[2], Streamd__V1__Node *nodes[2],
                         char *inputs[1], const char *type)
{
	streamd__v1__plan_request__init(request);
	streamd__v1__graph__init(graph);
	for (int i = 0; i < 2; i++) {
		streamd__v1__node__init(&node[i]);
		node[i].name = word(i ? "b" : "a");
		node[i].op_type = word(type);
		nodes[i] = &node[i];
	}
	inputs[0] = word("a");
	node[1].inputs = inputs;
	node[1].n_inputs = 1;
	graph->nodes = nodes;
	graph->n_nodes = 2;
	request->graph = graph;
}

static void say_all(void)
{
	Streamd__V1__ClientHello hello;
	Streamd__V1__PlanBatchRequest batch;
	Streamd__V1__ReportRequest report;
	Streamd__V1__PlanRequest request[3], *list[6] = { &request[0], &request[1], &request[2], &request[0], &request[1], &request[0] };
	Streamd__V1__Graph graph[2];
	Streamd__V1__Node node[2][2], *nodes[2][2];
	char *inputs[2][1];
	uint64_t run_ns[] = { 5, 7 };
	uint8_t key[32] = { 1 };

	streamd__v1__client_hello__init(&hello);
	hello.protocol = SD_PROTOCOL;
	say(SD_FRAME_HELLO, 0, 0, &hello.base);
	fill_request(&request[0], &graph[0], node[0], nodes[0], inputs[0], "Relu");
	fill_request(&request[1], &graph[1], node[1], nodes[1], inputs[1], "MatMul");
	streamd__v1__plan_request__init(&request[2]);
	streamd__v1__plan_batch_request__init(&batch);
	batch.requests = list;
	batch.n_requests = 6;
	say(SD_FRAME_REQUEST, SD_METHOD_PLAN_BATCH, 1, &batch.base);
	streamd__v1__report_request__init(&report);
	report.plan_key = (ProtobufCBinaryData){ sizeof(key), key };
	report.device = word("sim");
	report.run_ns = run_ns;
	report.n_run_ns = 2;
	say(SD_FRAME_REQUEST, SD_METHOD_REPORT, 2, &report.base);
	say(SD_FRAME_REQUEST, SD_METHOD_PLAN, 3, &request[1].base);
}

/* ---- the sweep ---- */

/* One peer; answers how many allocations there were. */
static unsigned live(bool by_grpc, const unsigned char *at, size_t len, unsigned failing)
{
	int peer = daemon_here_connect(by_grpc);
	unsigned made;

	atomic_store(&calls, 0);
	atomic_store(&fail_at, failing);
	daemon_here_talk(peer, at, len, len, true);
	daemon_here_wait_for_jobs(peer, true);
	made = atomic_load(&calls);
	atomic_store(&fail_at, 0);
	close(peer);
	daemon_here_settle();
	sd_cache_flush(&daemon_here.cache, NULL);
	sd_reports_resize(&daemon_here.reports, 0);
	sd_reports_resize(&daemon_here.reports, 4);
	return made;
}

/* Whether one to whom nothing fails is answered all of it. */
static bool is_served(void)
{
	const uint64_t *counter = daemon_here.metrics.counter;
	uint64_t items = counter[SD_COUNTER_batch_items], errors = counter[SD_COUNTER_batch_errors], reports = counter[SD_COUNTER_reports];

	live(false, said, said_len, 0);
	return counter[SD_COUNTER_batch_items] == items + 6 && counter[SD_COUNTER_batch_errors] == errors + 1 && counter[SD_COUNTER_reports] == reports + 1;
}

/* With each allocation failing, and some more than there are. */
static void sweep(int number, const char *name, bool by_grpc, const unsigned char *at, size_t len)
{
	unsigned made = live(by_grpc, at, len, 0);

	for (unsigned failing = 1; failing < made + 8; failing++) {
		live(by_grpc, at, len, failing);
		if (!is_served()) {
			printf("not ok %d - %s: behind allocation %u, which failed, a peer was not served\n", number, name, failing);
			return;
		}
	}
	printf("ok %d - %s: %u allocations, each of which may fail\n", number, name, made);
}

static size_t read_file(const char *path, unsigned char *at)
{
	FILE *file = fopen(path, "rb");
	size_t len = file ? fread(at, 1, SAID_MAX, file) : 0;

	if (file)
		fclose(file);
	return len;
}

int main(int argc, char **argv)
{
	static unsigned char bytes[SAID_MAX];

	daemon_here_open(settings);
	say_all();
	sweep(1, "frames", false, said, said_len);
	for (int i = 1; i < argc; i++) {
		size_t len = read_file(argv[i], bytes);

		if (len)
			sweep(i + 1, argv[i], true, bytes + 1, len - 1);
		else
			printf("not ok %d - %s cannot be read\n", i + 1, argv[i]);
	}
	printf("1..%d\n", argc);
	return 0;
}
