/* cluster_merge_test - clusters grow as the rule says, whatever is cached and ordered on the way.
 *
 * The rule in plain form: every node in turn looks at the clusters that feed it, those with
 * few consuming clusters first. One with its user label it joins. One with its engine and
 * label it joins if, without the direct edge, no way leads from that cluster to it. */
#include "run_tests.h"

#include "halfway.h"
#include "planned.h"
#include "random.h"

#define NODES_MAX 48

struct plain {
	const struct sd_job *job;
	uint32_t count, base;
	uint32_t engine[NODES_MAX], label[NODES_MAX], user[NODES_MAX], owner[NODES_MAX];
	bool input[NODES_MAX], cyclic;
	bool edge[NODES_MAX][NODES_MAX];  /* by position */
	bool feeds[NODES_MAX][NODES_MAX]; /* the same between clusters */
};

static void link_clusters(struct plain *p)
{
	memset(p->feeds, 0, sizeof(p->feeds));
	for (uint32_t a = 0; a < p->count; a++) {
		for (uint32_t b = 0; b < p->count; b++)
			p->feeds[p->owner[a]][p->owner[b]] |= p->edge[a][b] && p->owner[a] != p->owner[b];
	}
}

static void begin_plain(struct plain *p, const struct sd_job *job)
{
	const struct sd_adjacency *adj = &job->adjacency;

	*p = (struct plain){ .job = job, .count = job->graph->node_count };
	for (uint32_t i = 0; i < p->count; i++) {
		uint32_t n = job->order.node[i];
		bool fed = adj->pred_first[n] != adj->pred_first[n + 1];

		p->owner[i] = i;
		p->input[i] = !fed && sd_job_op(job, n) == SD_OP_DATA;
		p->engine[i] = p->input[i] ? SD_NO_INDEX : job->engine[n];
		p->label[i] = job->label[n];
		p->user[i] = p->input[i] ? 0 : job->user_label[n];
		for (uint32_t e = adj->pred_first[n]; e < adj->pred_first[n + 1]; e++)
			p->edge[job->order.pos[adj->pred[e]]][i] = true;
	}
	link_clusters(p);
}

static bool second_way(const struct plain *p, uint32_t parent, uint32_t child)
{
	uint32_t todo[NODES_MAX], count = 0;
	bool seen[NODES_MAX] = { false };

	todo[count++] = parent;
	seen[parent] = true;
	while (count) {
		uint32_t at = todo[--count];

		for (uint32_t c = 0; c < p->count; c++) {
			if (p->owner[c] != c || seen[c] || !p->feeds[at][c] || (at == parent && c == child))
				continue;
			if (c == child)
				return true;
			seen[c] = true;
			todo[count++] = c;
		}
	}
	return false;
}

static bool joins(struct plain *p, uint32_t parent, uint32_t child)
{
	bool way = second_way(p, parent, child);

	if (p->user[parent] && p->user[parent] == p->user[child]) {
		p->cyclic |= way;
		return true;
	}
	return p->engine[parent] == p->engine[child] && p->label[parent] == p->label[child] && !way;
}

static uint32_t consumers(const struct plain *p, uint32_t cluster)
{
	uint32_t count = 0;

	for (uint32_t c = 0; c < p->count; c++)
		count += p->feeds[cluster][c];
	return count;
}

static void plain_turn(struct plain *p, uint32_t node)
{
	uint32_t parent[NODES_MAX], degree[NODES_MAX], count = 0;

	for (uint32_t c = 0; c < p->count; c++) {
		uint32_t at = count;

		if (!p->feeds[c][p->owner[node]])
			continue;
		degree[count] = consumers(p, c);
		for (parent[count++] = c; at > 0 && degree[at - 1] > degree[at]; at--) {
			uint32_t d = degree[at], q = parent[at];

			degree[at] = degree[at - 1], parent[at] = parent[at - 1];
			degree[at - 1] = d, parent[at - 1] = q;
		}
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t a = p->owner[parent[i]], b = p->owner[node], keep = a < b ? a : b, gone = a < b ? b : a;

		if (a == b || !joins(p, a, b))
			continue;
		for (uint32_t k = 0; k < p->count; k++)
			p->owner[k] = p->owner[k] == gone ? keep : p->owner[k];
		link_clusters(p);
	}
}

/* Clusters of the pass and of the plain rule are the same, and in the same order. Answers
 * whether a cycle of clusters was closed. */
static bool check_clusters(const struct sd_job *job, const char *what)
{
	static struct plain p;
	uint32_t number[NODES_MAX], next = 0;

	begin_plain(&p, job);
	for (uint32_t i = 0; i < p.count; i++)
		plain_turn(&p, i);
	for (uint32_t i = 0; i < p.count; i++) {
		uint32_t k = job->cluster_of[job->order.node[i]];

		if (p.input[i]) {
			ck_assert_uint_eq(k, SD_NO_INDEX);
			continue;
		}
		if (p.owner[i] == i)
			number[i] = next++;
		ck_assert_msg(k == number[p.owner[i]], "%s: position %u is in %u, not %u", what, i, k, number[p.owner[i]]);
		ck_assert_uint_eq(job->clusters.at[k].engine, p.engine[p.owner[i]]);
		ck_assert_uint_eq(job->clusters.at[k].label, p.label[p.owner[i]]);
		ck_assert_uint_eq(job->clusters.at[k].user, p.user[p.owner[i]]);
	}
	ck_assert_uint_eq(job->clusters.count, next);
	return p.cyclic;
}

struct shape {
	uint32_t nodes, inputs, window, engines, inner, user; /* inner, user: of 100 nodes, so many have such a label */
	bool shared; /* inner labels and user labels are the same texts */
};

static char text[NODES_MAX * 320];

static void add_label(uint32_t *state, uint32_t percent, const char *key, const char *prefix)
{
	if (random_below(state, 100) < percent)
		sprintf(text + strlen(text), " %s=%s%u", key, prefix, random_below(state, 2));
}

static const char *random_graph(const struct shape *shape, uint32_t *state)
{
	static const char *const engine[] = { "AIcoreEngine", "DNN_HCCL", "DNN_VM_RTS" };

	text[0] = '\0';
	for (uint32_t i = 0; i < shape->nodes; i++) {
		bool data = random_below(state, 12) == 0;
		uint32_t edges = data ? 0 : random_below(state, shape->inputs + 1);

		sprintf(text + strlen(text), "n%u %s@%s", i, data ? "Data" : "Relu", engine[random_below(state, shape->engines)]);
		for (uint32_t k = 0; k < edges && i > 0; k++)
			sprintf(text + strlen(text), random_below(state, 8) ? " n%u" : " ^n%u",
			        i - 1 - random_below(state, i < shape->window ? i : shape->window));
		add_label(state, shape->inner, "_stream_label", "x");
		add_label(state, shape->user, "_user_stream_label", shape->shared ? "x" : "u");
		strcat(text, ";");
	}
	return text;
}

static uint32_t check_seeds(struct shape shape, uint32_t first, uint32_t count)
{
	struct sd_arena mem;
	uint32_t cycles = 0;

	sd_arena_init(&mem, 0);
	for (uint32_t seed = first; seed < first + count; seed++) {
		uint32_t state = seed + 1, size = shape.nodes;

		shape.nodes = 2 + random_below(&state, size - 1);
		cycles += check_clusters(job_behind(&mem, request_of(&mem, random_graph(&shape, &state)), SD_MULTI, "cluster"), text);
		shape.nodes = size;
		sd_arena_reset(&mem, 1 << 20);
	}
	sd_arena_finish(&mem);
	return cycles;
}

START_TEST(engines_alone)
{
	ck_assert_uint_eq(check_seeds((struct shape){ 14, 3, 14, 2, 0, 0, false }, 0, 1500), 0);
	ck_assert_uint_eq(check_seeds((struct shape){ 14, 2, 4, 3, 0, 0, false }, 5000, 700), 0);
}
END_TEST

START_TEST(inner_labels)
{
	ck_assert_uint_eq(check_seeds((struct shape){ 14, 3, 14, 2, 50, 0, false }, 10000, 1000), 0);
}
END_TEST

START_TEST(user_labels_close_cycles)
{
	ck_assert_uint_gt(check_seeds((struct shape){ 16, 3, 16, 2, 0, 40, false }, 20000, 1500), 100);
	ck_assert_uint_gt(check_seeds((struct shape){ 16, 2, 5, 3, 30, 50, false }, 25000, 1000), 30);
}
END_TEST

START_TEST(inner_labels_that_are_user_labels)
{
	ck_assert_uint_gt(check_seeds((struct shape){ 16, 4, 16, 2, 50, 40, true }, 30000, 2500), 100);
	ck_assert_uint_gt(check_seeds((struct shape){ 12, 5, 12, 1, 60, 40, true }, 35000, 1500), 50);
}
END_TEST

START_TEST(larger_graphs)
{
	check_seeds((struct shape){ NODES_MAX, 3, 12, 2, 10, 5, true }, 40000, 60);
	check_seeds((struct shape){ NODES_MAX, 2, 6, 2, 0, 0, false }, 41000, 60);
}
END_TEST

START_TEST(many_parents)
{
	check_seeds((struct shape){ 30, 24, 30, 2, 0, 0, false }, 50000, 150);
	check_seeds((struct shape){ 30, 24, 30, 2, 50, 40, true }, 51000, 400);
	check_seeds((struct shape){ NODES_MAX, 30, NODES_MAX, 3, 45, 45, true }, 52000, 100);
	ck_assert_uint_gt(check_seeds((struct shape){ 40, 24, 40, 2, 0, 30, false }, 53000, 200), 20);
}
END_TEST

static const char *clusters_of(struct sd_arena *mem, const char *graph, enum sd_clustering rule)
{
	static char out[512];
	struct sd_request *request = request_of(mem, graph);
	struct sd_job *job;

	request->options.cluster = rule;
	job = job_behind(mem, request, SD_MULTI, "cluster");
	out[0] = '\0';
	for (uint32_t k = 0; k < job->clusters.count; k++) {
		const struct sd_cluster *c = &job->clusters.at[k];

		sprintf(out + strlen(out), "%s%s", k ? " | " : "", names_of(mem, job->graph, job->clusters.node + c->first_node, c->node_count));
	}
	return out;
}

/* Two lists of parents with the same members: the one with fewer consumers is asked first, and
 * what the child has become by then decides about the other. */
START_TEST(parents_with_few_consumers_are_asked_first)
{
	struct sd_arena mem;

	sd_arena_init(&mem, 0);
	/* h is asked first and takes c to its engine; a, of another engine, then only has the user label. */
	ck_assert_str_eq(clusters_of(&mem, "a Relu@AIcoreEngine _stream_label=x; h Hcom@DNN_HCCL _user_stream_label=x; c Relu@AIcoreEngine a h _user_stream_label=x;"
	                             "e Relu@DNN_VM_RTS a", SD_CLUSTER_MERGE), "a | h c | e");
	/* now a is: c keeps the engine of a and, without a user label of its own, is nothing to h. */
	ck_assert_str_eq(clusters_of(&mem, "a Relu@AIcoreEngine _stream_label=x; h Hcom@DNN_HCCL _user_stream_label=x; c Relu@AIcoreEngine a h _user_stream_label=x;"
	                             "e Relu@DNN_VM_RTS h", SD_CLUSTER_MERGE), "a c | h | e");
	/* q feeds c by b too, until b is one with c; p has given them the engine of q by then. */
	ck_assert_str_eq(clusters_of(&mem, "q Relu@AIcoreEngine _stream_label=x; p Relu@AIcoreEngine _user_stream_label=x; b Hcom@DNN_HCCL q _user_stream_label=x;"
	                             "c Relu@DNN_VM_RTS p b q _user_stream_label=x", SD_CLUSTER_MERGE), "q p b c");
	/* as many: the one that stands first. */
	ck_assert_str_eq(clusters_of(&mem, "a Relu@AIcoreEngine _stream_label=x; h Hcom@DNN_HCCL _user_stream_label=x; c Relu@AIcoreEngine h a _user_stream_label=x",
	                             SD_CLUSTER_MERGE), "a c | h");
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(runs)
{
	struct sd_arena mem;

	sd_arena_init(&mem, 0);
	ck_assert_str_eq(clusters_of(&mem, "a Relu; d Data; b Relu; h Hcom@DNN_HCCL; c Relu; e Relu _stream_label=x; f Relu _stream_label=x", SD_CLUSTER_TOPO),
	                 "a b | h | c | e f");
	ck_assert_str_eq(clusters_of(&mem, "a Relu _user_stream_label=u; h Hcom@DNN_HCCL _user_stream_label=u; b Relu _user_stream_label=v", SD_CLUSTER_TOPO),
	                 "a h | b");
	ck_assert_str_eq(clusters_of(&mem, "a Relu; b Relu a; d Data; c Relu b d", SD_CLUSTER_NONE), "a | b | c");
	ck_assert_str_eq(clusters_of(&mem, "d Data; e Data", SD_CLUSTER_TOPO), "");
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("cluster_merge", engines_alone, inner_labels, user_labels_close_cycles, inner_labels_that_are_user_labels, larger_graphs, many_parents,
          parents_with_few_consumers_are_asked_first, runs)
