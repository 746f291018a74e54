/* verify_sweep_test - plans with thousands of streams: bands of clocks, bounded memory, and
 * nodes not launched through which everything meets. */
#include "run_tests.h"
#include "streamd/verify.h"

/* A graph and a plan that grow: nodes in order, each on the stream given, commands made at the end. */
struct big {
	struct sd_arena mem;
	struct sd_request request;
	struct sd_plan plan;
	struct sd_verdict verdict;
	uint32_t node_max, edge_max;
	uint32_t *zero, *in_first;
	int64_t *task_count, *attached_task_count;
	struct sd_edge *in;
	struct sd_attr_range *attrs;
	uint64_t *present;
	struct sd_text string[2];
	struct sd_subgraph graph;
	struct sd_placement *node;
	struct sd_sync *sync;
};

static void *take(struct big *big, size_t count, size_t size)
{
	void *at = sd_arena_zero(&big->mem, count, size);

	ck_assert_ptr_nonnull(at);
	return at;
}

static struct big *big_make(uint32_t node_max, uint32_t edge_max, uint32_t streams)
{
	struct big *big = calloc(1, sizeof(*big));
	struct sd_graph *g = &big->request.graph;
	struct sd_limits *limits = &big->request.device.limits;

	sd_arena_init(&big->mem, 0);
	big->in_first = take(big, node_max + 1, sizeof(uint32_t));
	big->zero = take(big, node_max + 1, sizeof(uint32_t));
	big->task_count = take(big, node_max, sizeof(int64_t));
	big->attached_task_count = take(big, node_max, sizeof(int64_t));
	big->in = take(big, edge_max, sizeof(struct sd_edge));
	big->attrs = take(big, node_max, sizeof(struct sd_attr_range));
	big->present = take(big, node_max, sizeof(uint64_t));
	big->node = take(big, node_max, sizeof(struct sd_placement));
	big->sync = take(big, edge_max, sizeof(struct sd_sync));
	big->string[0] = SD_TEXT("");
	big->string[1] = SD_TEXT("Relu");
	big->plan.stream_count = big->plan.logical_stream_count = big->plan.main_stream_count = streams;
	limits->has_max_streams = limits->has_max_tasks_per_stream = limits->has_max_events = true; /* none */
	g->graph_count = 1, g->string_count = 2;
	g->graph = &big->graph, g->string = big->string, g->op_type = big->zero, g->engine = big->zero, g->graph_of = big->zero;
	g->in_first = big->in_first, g->in = big->in, g->task_count = big->task_count, g->attached_task_count = big->attached_task_count;
	g->attrs = big->attrs, g->attr_present = big->present;
	return big;
}

static uint32_t big_node(struct big *big, int32_t stream)
{
	uint32_t n = big->request.graph.node_count++;

	big->in_first[n] = big->in_first[n + 1] = big->request.graph.edge_count;
	big->task_count[n] = stream != SD_NO_STREAM;
	big->node[n] = (struct sd_placement){ .logical_stream = stream, .stream = stream };
	return n;
}

static void big_edge(struct big *big, uint32_t src)
{
	big->in[big->request.graph.edge_count++] = (struct sd_edge){ src, 0 };
	big->in_first[big->request.graph.node_count] = big->request.graph.edge_count;
}

static void big_sync(struct big *big, uint32_t record, uint32_t wait)
{
	uint32_t y = big->plan.sync_count++;

	big->sync[y] = (struct sd_sync){ .id = y, .record_node = record, .record_stream = (uint32_t)big->node[record].stream,
	                                 .wait_node = wait, .wait_stream = (uint32_t)big->node[wait].stream };
}

static int by_place(const void *left, const void *right)
{
	const struct sd_sync *a = left, *b = right;

	if (a->record_node != b->record_node)
		return a->record_node < b->record_node ? -1 : 1;
	return (a->wait_node > b->wait_node) - (a->wait_node < b->wait_node);
}

static void put_commands(struct big *big, uint32_t n, const uint32_t *waits, uint32_t *next_wait, uint32_t *next_record, struct sd_command *out, struct sd_stream *stream)
{
	uint32_t syncs = big->plan.sync_count;

	for (; *next_wait < syncs && big->sync[waits[*next_wait]].wait_node == n; (*next_wait)++) {
		out[stream->command_count++] = (struct sd_command){ .kind = SD_WAIT, .arg = waits[*next_wait] };
		stream->task_count += 2;
	}
	out[stream->command_count++] = (struct sd_command){ .kind = SD_LAUNCH, .arg = n };
	stream->task_count++;
	for (; *next_record < syncs && big->sync[*next_record].record_node == n; (*next_record)++) {
		out[stream->command_count++] = (struct sd_command){ .kind = SD_RECORD, .arg = *next_record };
		stream->task_count++;
	}
}

/* Numbers the syncs and writes the command lists: nodes of a stream in order, with their waits and records. */
static void big_finish(struct big *big)
{
	struct sd_plan *p = &big->plan;
	uint32_t nodes = big->request.graph.node_count, launches = 0, at = 0, i = 0, record = 0;
	struct sd_stream *stream = take(big, p->stream_count, sizeof(*stream));
	struct sd_summary *summary = take(big, p->stream_count, sizeof(*summary));
	struct sd_command *command;
	uint32_t *waits = take(big, p->sync_count + 1, sizeof(uint32_t)), *room = take(big, p->stream_count + 1, sizeof(uint32_t));
	uint32_t *count = take(big, nodes + 1, sizeof(uint32_t));

	qsort(big->sync, p->sync_count, sizeof(big->sync[0]), by_place);
	for (uint32_t y = 0; y < p->sync_count; y++) {
		big->sync[y].id = y;
		count[big->sync[y].wait_node + 1]++;
		room[big->sync[y].wait_stream]++;
		room[big->sync[y].record_stream]++;
	}
	for (uint32_t n = 0; n < nodes; n++) {
		count[n + 1] += count[n];
		launches += big->node[n].stream != SD_NO_STREAM;
		if (big->node[n].stream != SD_NO_STREAM)
			room[big->node[n].stream]++;
	}
	for (uint32_t y = 0; y < p->sync_count; y++)
		waits[count[big->sync[y].wait_node]++] = y;
	command = take(big, launches + 2 * (size_t)p->sync_count + 1, sizeof(*command));
	for (uint32_t s = 0; s < p->stream_count; s++) {
		stream[s] = (struct sd_stream){ .logical_id = s, .label_node = SD_NO_NODE, .initially_active = true, .first_command = at };
		summary[s] = (struct sd_summary){ .logical_id = s, .label_node = SD_NO_NODE, .physical_count = 1 };
		at += room[s];
	}
	for (uint32_t n = 0; n < nodes; n++) {
		if (big->node[n].stream != SD_NO_STREAM)
			put_commands(big, n, waits, &i, &record, command + stream[big->node[n].stream].first_command, &stream[big->node[n].stream]);
	}
	p->command_count = at;
	p->event_count = p->sync_count;
	p->node_count = big->graph.node_count = nodes;
	p->summary_count = p->stream_count;
	p->stream = stream, p->summary = summary, p->command = command, p->node = big->node, p->sync = big->sync;
}

static uint32_t big_judge(struct big *big)
{
	ck_assert_int_eq(sd_verify(&big->mem, &big->request, &big->plan, NULL, NULL, &big->verdict), SD_OK);
	return big->verdict.count;
}

static void big_free(struct big *big)
{
	sd_arena_finish(&big->mem);
	free(big);
}

/* Each node needs its neighbour's on the stream before: 2,000 streams of 15. */
static struct big *slanted(uint32_t streams, uint32_t rows)
{
	struct big *big = big_make(streams * rows + 2, 2 * streams * rows, streams);

	for (uint32_t r = 0; r < rows; r++) {
		for (uint32_t s = 0; s < streams; s++) {
			uint32_t n = big_node(big, (int32_t)s);

			if (s > 0) {
				big_edge(big, n - 1);
				big_sync(big, n - 1, n);
			}
		}
	}
	return big;
}

START_TEST(two_thousand_streams_fit)
{
	struct big *big = slanted(2000, 15);
	size_t before;

	big_finish(big);
	before = big->mem.used_bytes;
	ck_assert_uint_eq(big_judge(big), 0);
	ck_assert_uint_eq(big->mem.used_bytes, before);
	ck_assert_uint_lt(big->mem.peak_bytes - before, 100u << 20);
	big_free(big);
}
END_TEST

/* All streams wait for one node and are waited for by one: as many rows as streams are open at a time. */
static struct big *star(uint32_t streams, bool lost)
{
	struct big *big = big_make(streams + 3, 2 * streams + 1, streams);
	uint32_t root = big_node(big, 0);

	for (uint32_t s = 1; s < streams; s++) {
		uint32_t n = big_node(big, (int32_t)s);

		big_edge(big, root);
		big_sync(big, root, n);
	}
	big_node(big, 0);
	for (uint32_t s = 1; s < streams; s++) {
		big_edge(big, root + s);
		big_sync(big, root + s, root + streams);
	}
	if (lost) {
		big_node(big, 7);
		big_edge(big, root + streams - 1);
	}
	big_finish(big);
	return big;
}

START_TEST(streams_are_looked_at_in_bands)
{
	struct big *big = star(6000, false);

	ck_assert_uint_eq(big_judge(big), 0);
	ck_assert_uint_lt(big->mem.peak_bytes, 64u << 20);
	big_free(big);
}
END_TEST

START_TEST(an_edge_is_lost_in_the_last_band)
{
	struct big *big = star(6000, true);

	ck_assert_uint_eq(big_judge(big), 1);
	ck_assert_int_eq(big->verdict.violation[0].kind, SD_VIOLATION_UNORDERED);
	ck_assert_uint_eq(big->verdict.violation[0].a, 5999);
	ck_assert_uint_eq(big->verdict.violation[0].b, 6001);
	big_free(big);
}
END_TEST

/* `width` producers, `layers` fully connected layers of nodes not launched, `width` consumers. */
static struct big *ladder(uint32_t width, uint32_t layers, bool lost)
{
	struct big *big = big_make(width * (layers + 2), width * width * (layers + 1), width);

	for (uint32_t i = 0; i < width; i++)
		big_node(big, (int32_t)i);
	for (uint32_t layer = 1; layer <= layers + 1; layer++) {
		for (uint32_t i = 0; i < width; i++) {
			uint32_t n = big_node(big, layer > layers ? (int32_t)i : SD_NO_STREAM);

			for (uint32_t k = 0; k < width; k++) {
				big_edge(big, (layer - 1) * width + k);
				if (layer > layers && k != i && !(lost && i == 1 && k == 2))
					big_sync(big, k, n);
			}
		}
	}
	big_finish(big);
	return big;
}

START_TEST(layers_of_nodes_not_launched_do_not_explode)
{
	struct big *big = ladder(60, 100, false);

	ck_assert_uint_eq(big_judge(big), 0);
	big_free(big);
	big = ladder(60, 100, true);
	ck_assert_uint_eq(big_judge(big), 1);
	ck_assert_int_eq(big->verdict.violation[0].kind, SD_VIOLATION_UNORDERED);
	ck_assert_uint_eq(big->verdict.violation[0].a, 2);
	big_free(big);
}
END_TEST

RUN_TESTS("verify_sweep", two_thousand_streams_fit, streams_are_looked_at_in_bands,
	an_edge_is_lost_in_the_last_band, layers_of_nodes_not_launched_do_not_explode)
