/* graph_codec_test - whole requests: shape, failure of every allocation, protobuf-c as reference. */
#include "lib/decoding.h"
#include "lib/wire_text.h"
#include "proto/hash.h"
#include "proto/wire.h"
#include "run_tests.h"
#include "streamd.pb-c.h"

static const char sample[] =
	"1{1\"g\" 2{1\"d\" 2\"Data\" 3\"DNN_VM_GE_LOCAL\"}"
	"  2{1\"if\" 2\"If\" 4\"d:0\" 4\"\" 4\"^later\" 5\"then\" 5\"else\" 6{1\"x\" 2{5{1\"p\" 1\"q\"}}} 6{1\"_stream_label\" 2{1\"s\"}}}"
	"  2{1\"later\" 2\"Relu\" 3\"AIcoreEngine\" 4\"d\" 9{1=64 2[2 -1 8] 3\"float\"} 14\"tail\" 15\"buffer\"}"
	"  3{1\"then\" 2{1\"t\" 2\"Data\" 6{1\"_parent_node_index\" 2{2=0}}} 4=1}"
	"  3{1\"else\" 2{1\"e\" 2\"HcomAllReduce\" 13{1\"world\" 2=4096 3[0 1]}} 3{1\"k\" 3{1{1\"m\" 2{3~2.5}}}}}"
	"  2{1\"tail\" 2\"NetOutput\" 4\"if:0\" 4\"later:1\" 6{1\"l\" 2{6{1{1[1 2]}}}} 6{1\"m\" 3{1{1\"u\" 2{2=1}}}} 6{1\"n\" 4{1{}}}} 4{1\"graph attr\" 2{4=1}}}"
	"2{1=1 9{1\"AIcoreEngine\" 2=2} 10{1{1\"later\" 1\"t\"} 1{1\"tail\"}}}"
	"3{1\"ascend910b\" 2{1\"Mine\" 2=1 5\"TS_2\"} 3{1=7 5=1} 4{1=12}}";

START_TEST(a_request_becomes_arrays)
{
	struct decoding *d = decode(sample);
	const struct sd_graph *g = &d->request.graph;

	ck_assert_msg(d->status == SD_OK, "%s", d->message);
	ck_assert_uint_eq(g->node_count, 6);
	ck_assert_uint_eq(g->graph_count, 3);
	/* Root nodes first, wherever they stand; then each subgraph's. */
	ck_assert(sd_text_is(g->name[3], "tail") && sd_text_is(g->name[4], "t") && sd_text_is(g->name[5], "e"));
	ck_assert_uint_eq(g->graph[0].node_count, 4);
	ck_assert_uint_eq(g->graph[1].first_node, 4);
	ck_assert(sd_text_is(g->graph[0].name, "g") && sd_text_is(g->graph[2].name, "else"));
	ck_assert(!g->graph[0].dynamic && g->graph[1].dynamic && !g->graph[2].dynamic);
	ck_assert_uint_eq(g->graph[0].attrs.count, 1);
	ck_assert_uint_eq(g->graph[2].attrs.count, 1);
	ck_assert_uint_eq(g->graph[1].parent, 1);
	ck_assert_uint_eq(g->graph[2].instance, 1);
	ck_assert_uint_eq(g->graph_of[5], 2);
	ck_assert_uint_eq(g->in_first[6], 6);
	ck_assert_uint_eq(g->edge_count, 6);
	ck_assert(sd_text_is(g->string[0], ""));
	decoding_end(d);
}
END_TEST

START_TEST(a_request_needs_a_graph)
{
	static const struct refusal rows[] = {
		{ "", SD_CODE_EMPTY_GRAPH, "set graph" },
		{ "2{1=1}", SD_CODE_EMPTY_GRAPH, "set graph" },
	};
	struct decoding *d = decode("1{}");

	EXPECT_REFUSALS(rows, "", "");
	ck_assert_int_eq(d->status, SD_OK);
	ck_assert_uint_eq(d->request.graph.node_count, 0);
	ck_assert_uint_eq(d->request.graph.graph_count, 1);
	decoding_end(d);
}
END_TEST

/* Fails every allocation in turn, and all behind it; a run that is let through is like the first. */
START_TEST(every_allocation_may_fail)
{
	struct decoding *first = decode(sample);
	struct sd_arena job;
	struct sd_request request;
	uint64_t calls;

	sd_arena_init(&job, 0);
	ck_assert_int_eq(sd_request_decode(&job, first->bytes, &first->counts, &request, NULL), SD_OK);
	calls = job.calls;
	ck_assert_uint_gt(calls, 20);
	for (uint64_t k = 1; k <= calls; k++) {
		struct sd_diag diag = { .code = SD_CODE_NONE };

		sd_arena_finish(&job);
		job.fail_at = k;
		ck_assert_int_eq(sd_request_decode(&job, first->bytes, &first->counts, &request, &diag), SD_RESOURCE_EXHAUSTED);
		ck_assert_int_eq(diag.code, SD_CODE_LIMIT_MEMORY);
	}
	sd_arena_finish(&job);
	ck_assert_int_eq(sd_request_decode(&job, first->bytes, &first->counts, &request, NULL), SD_OK);
	ck_assert_uint_eq(job.calls, calls);
	ck_assert_mem_eq(request.graph.in, first->request.graph.in, first->request.graph.edge_count * sizeof(struct sd_edge));
	sd_arena_finish(&job);
	decoding_end(first);
}
END_TEST

START_TEST(a_minimal_node_is_small)
{
	struct decoding *d = decode("1{2{1\"a\" 2\"Op\"}}");
	struct sd_buffer b;
	struct sd_arena job;
	struct sd_counts counts;
	struct sd_request request;
	struct sd_text bytes;
	size_t graph;

	sd_buffer_init(&b, &d->mem, 1 << 20);
	graph = sd_put_begin(&b, 1);
	for (int i = 0; i < 30000; i++) {
		char name[16], input[16];
		size_t node = sd_put_begin(&b, 2);

		sd_put_bytes(&b, 1, name, (size_t)snprintf(name, sizeof(name), "n%d", i));
		sd_put_bytes(&b, 2, "Relu", 4);
		if (i > 0)
			sd_put_bytes(&b, 4, input, (size_t)snprintf(input, sizeof(input), "n%d:0", i - 1));
		sd_put_end(&b, node);
	}
	sd_put_end(&b, graph);
	bytes = (struct sd_text){ (const char *)b.data, (uint32_t)b.len };
	sd_arena_init(&job, 0);
	ck_assert_int_eq(sd_request_count(bytes, &counts, NULL), SD_OK);
	ck_assert_int_eq(sd_request_decode(&job, bytes, &counts, &request, NULL), SD_OK);
	ck_assert_uint_lt(job.peak_bytes, 200 * 30000);
	sd_arena_finish(&job);
	decoding_end(d);
}
END_TEST

/* ---- protobuf-c as reference ---- */

static uint64_t state;

static uint32_t draw(uint32_t bound)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 33) % bound;
}

static void put_word(struct sd_buffer *b, uint32_t field, const char *stem, uint32_t number, const char *tail)
{
	char word[48];

	sd_put_bytes(b, field, word, (size_t)snprintf(word, sizeof(word), "%s%u%s", stem, number, tail));
}

static void put_random_value(struct sd_buffer *b)
{
	size_t value = sd_put_begin(b, 2), list;

	switch (draw(4)) {
	case 0: put_word(b, 1, "text", draw(9), ""); break;
	case 1: sd_put_uint_always(b, 2, draw(1000)); break;
	case 2: sd_put_uint_always(b, 4, draw(2)); break;
	default:
		list = sd_put_begin(b, 5);
		for (uint32_t i = draw(4); i > 0; i--)
			sd_put_uint_always(b, 2, draw(300));
		sd_put_end(b, list);
	}
	sd_put_end(b, value);
}

static void put_random_node(struct sd_buffer *b, uint32_t n, uint32_t nodes)
{
	size_t node = sd_put_begin(b, 2);
	uint32_t attrs = draw(4);

	put_word(b, 1, "node:", n, "x");
	put_word(b, 2, "Type", draw(5), "");
	if (draw(2))
		put_word(b, 3, "Engine", draw(3), "");
	for (uint32_t i = draw(4); i > 0; i--) {
		if (draw(8) == 0)
			sd_put_end(b, sd_put_begin(b, 4));
		else
			put_word(b, 4, draw(4) ? "node:" : "^node:", draw(nodes), "x");
		if (draw(3) == 0)
			put_word(b, 4, "node:", draw(nodes), draw(2) ? "x:3" : draw(2) ? "x:0" : "x:-1");
	}
	for (uint32_t i = 0; i < attrs; i++) {
		size_t attr = sd_put_begin(b, 6);

		put_word(b, 1, "attr", (i * 7 + n) % 11 + i * 11, "");
		put_random_value(b);
		sd_put_end(b, attr);
	}
	if (draw(3) == 0)
		sd_put_uint_always(b, 7, draw(5));
	if (draw(5) == 0)
		put_word(b, 14, "node:", draw(nodes), "x");
	sd_put_end(b, node);
}

static struct sd_text random_request(struct sd_arena *mem, uint64_t seed)
{
	struct sd_buffer b;
	uint32_t nodes;
	size_t graph;

	state = seed * 0x9e3779b97f4a7c15u + 1;
	nodes = 1 + draw(40);
	sd_buffer_init(&b, mem, 4096);
	graph = sd_put_begin(&b, 1);
	for (uint32_t n = 0; n < nodes; n++)
		put_random_node(&b, n, nodes);
	sd_put_end(&b, graph);
	return (struct sd_text){ (const char *)b.data, (uint32_t)b.len };
}

/* The input text that an edge stands for, in one of the spellings of the generator. */
static bool edge_reads(const struct sd_graph *g, const struct sd_edge *edge, const char *text)
{
	char spelled[80];
	struct sd_text name;

	if (edge->src == SD_NO_NODE)
		return text[0] == '\0';
	name = g->name[edge->src];
	snprintf(spelled, sizeof(spelled), "%.*s:%d", (int)name.len, name.at, edge->port);
	if (strcmp(spelled, text) == 0)
		return true;
	snprintf(spelled, sizeof(spelled), "%s%.*s", edge->port == SD_CONTROL ? "^" : "", (int)name.len, name.at);
	return edge->port <= 0 && strcmp(spelled, text) == 0;
}

static void same_value(const struct sd_value *ours, const Streamd__V1__Value *theirs)
{
	switch (theirs->kind_case) {
	case STREAMD__V1__VALUE__KIND_S:
		ck_assert(ours->kind == SD_VALUE_STRING && sd_text_is(ours->string, theirs->s));
		break;
	case STREAMD__V1__VALUE__KIND_I:
		ck_assert(ours->kind == SD_VALUE_INT && ours->integer == theirs->i);
		break;
	case STREAMD__V1__VALUE__KIND_B:
		ck_assert(ours->kind == SD_VALUE_BOOL && ours->boolean == theirs->b);
		break;
	default:
		ck_assert(ours->kind == SD_VALUE_LIST && ours->list.count == theirs->list->n_i);
		for (size_t i = 0; i < theirs->list->n_i; i++)
			ck_assert(ours->list.integer[i] == theirs->list->i[i]);
	}
}

static const Streamd__V1__Attr *attr_named(const Streamd__V1__Node *node, struct sd_text name)
{
	for (size_t i = 0; i < node->n_attrs; i++) {
		if (sd_text_is(name, node->attrs[i]->name))
			return node->attrs[i];
	}
	ck_abort_msg("an attribute came from nowhere");
}

static void same_node(const struct sd_graph *g, uint32_t n, const Streamd__V1__Node *theirs)
{
	const struct sd_edge *edge = g->in + g->in_first[n];

	ck_assert(sd_text_is(g->name[n], theirs->name));
	ck_assert(sd_text_is(g->string[g->op_type[n]], theirs->op_type));
	ck_assert(sd_text_is(g->string[g->engine[n]], theirs->engine));
	ck_assert_uint_eq(g->in_first[n + 1] - g->in_first[n], theirs->n_inputs);
	for (size_t i = 0; i < theirs->n_inputs; i++)
		ck_assert_msg(edge_reads(g, &edge[i], theirs->inputs[i]), "input %s", theirs->inputs[i]);
	ck_assert_uint_eq(g->attrs[n].count, theirs->n_attrs);
	for (uint32_t i = 0; i < g->attrs[n].count; i++) {
		const struct sd_attr *attr = &g->attr[g->attrs[n].first + i];

		ck_assert(i == 0 || sd_text_compare(attr[-1].name, attr->name) < 0);
		same_value(&attr->value, attr_named(theirs, attr->name)->value);
	}
	ck_assert_int_eq(g->task_count[n], theirs->task_count__case == 0 ? SD_TASKS_UNKNOWN : theirs->task_count);
	for (size_t i = 0; i < theirs->n_overwrites; i++) {
		const struct sd_extra *extra = &g->extra[g->extra_of[n]];

		ck_assert(sd_text_is(g->name[g->overwrite[extra->overwrite_first + i]], theirs->overwrites[i]));
	}
}

START_TEST(protobuf_c_reads_the_same)
{
	for (uint64_t seed = 1; seed <= 400; seed++) {
		struct sd_arena mem = { 0 };
		struct sd_text bytes = random_request(&mem, seed);
		struct sd_counts counts;
		struct sd_request ours;
		Streamd__V1__PlanRequest *theirs =
			streamd__v1__plan_request__unpack(NULL, bytes.len, (const unsigned char *)bytes.at);

		ck_assert_ptr_nonnull(theirs);
		ck_assert_int_eq(sd_request_count(bytes, &counts, NULL), SD_OK);
		ck_assert_msg(sd_request_decode(&mem, bytes, &counts, &ours, NULL) == SD_OK, "seed %d", (int)seed);
		ck_assert_uint_eq(ours.graph.node_count, theirs->graph->n_nodes);
		for (uint32_t n = 0; n < ours.graph.node_count; n++)
			same_node(&ours.graph, n, theirs->graph->nodes[n]);
		streamd__v1__plan_request__free_unpacked(theirs, NULL);
		sd_arena_finish(&mem);
	}
}
END_TEST

START_TEST(the_key_of_the_hash_decides_nothing)
{
	for (uint64_t seed = 1; seed <= 50; seed++) {
		struct sd_arena mem = { 0 };
		struct sd_text bytes = random_request(&mem, seed);
		struct sd_counts counts;
		struct sd_request a, b;

		ck_assert_int_eq(sd_request_count(bytes, &counts, NULL), SD_OK);
		sd_hash_seed(seed, 1);
		ck_assert_int_eq(sd_request_decode(&mem, bytes, &counts, &a, NULL), SD_OK);
		sd_hash_seed(seed, 2);
		ck_assert_int_eq(sd_request_decode(&mem, bytes, &counts, &b, NULL), SD_OK);
		ck_assert_mem_eq(a.graph.in, b.graph.in, a.graph.edge_count * sizeof(struct sd_edge));
		ck_assert_mem_eq(a.graph.op_type, b.graph.op_type, a.graph.node_count * sizeof(uint32_t));
		ck_assert_mem_eq(a.graph.engine, b.graph.engine, a.graph.node_count * sizeof(uint32_t));
		sd_arena_finish(&mem);
	}
}
END_TEST

RUN_TESTS("graph_codec", a_request_becomes_arrays, a_request_needs_a_graph, every_allocation_may_fail,
          a_minimal_node_is_small, protobuf_c_reads_the_same, the_key_of_the_hash_decides_nothing)
