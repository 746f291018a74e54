/* dfs and bfs: both give out nodes whose inputs are all there, and differ in which one. */
#include "sort_impl.h"

#include "base/heap.h"
#include "base/merge.h"
#include "mutants.h"

static bool is_input(enum sd_op op)
{
	switch (op) {
	case SD_OP_DATA:
	case SD_OP_REF_DATA:
	case SD_OP_AIPP_DATA:
	case SD_OP_ANN_DATA:
	case SD_OP_INPUT:
	case SD_OP_RECV:
	case SD_OP_SEND:
		return true;
	default:
		return false;
	}
}

static uint32_t list_starts(struct sd__sorter *s, const struct sd_subgraph *graph, uint32_t count, bool inputs)
{
	for (uint32_t node = graph->first_node + graph->node_count; node-- > graph->first_node;) {
		if (s->degree[node] == 0 && is_input(sd__op_of(s, node)) == (inputs != SD_MUTANT(sort_starts_swapped)))
			s->ready[count++] = node;
	}
	return count;
}

/* Fills `ready` with the nodes that wait for nothing; it is used up from its end, so that the
 * first input comes first and constants come last. */
static uint32_t start(struct sd__sorter *s, const struct sd_subgraph *graph)
{
	for (uint32_t node = graph->first_node; node < graph->first_node + graph->node_count; node++)
		s->degree[node] = s->adj->pred_first[node + 1] - s->adj->pred_first[node];
	return list_starts(s, graph, list_starts(s, graph, 0, false), true);
}

/* Writes the consumers that waited for `node` alone to `to`; answers how many. */
static uint32_t release(struct sd__sorter *s, uint32_t node, uint32_t *to)
{
	uint32_t count = 0;

	for (uint32_t i = s->adj->succ_first[node]; i < s->adj->succ_first[node + 1]; i++) {
		if (--s->degree[s->adj->succ[i]] == 0)
			to[count++] = s->adj->succ[i];
	}
	return count;
}

static int compare_ranks(const void *ctx, uint32_t a, uint32_t b)
{
	const uint32_t *rank = ctx;

	return rank[a] < rank[b] ? -1 : rank[a] > rank[b];
}

/* Moves what `node` releases into a heap. */
static void release_to_heap(struct sd__sorter *s, uint32_t node, uint32_t *heap, uint32_t *count)
{
	uint32_t released = release(s, node, s->spare);

	for (uint32_t i = 0; i < released; i++)
		sd_heap_push(heap, count, s->spare[i], compare_ranks, s->rank);
}

static void dfs_by_rank(struct sd__sorter *s, const struct sd_subgraph *graph)
{
	uint32_t *out = s->out + graph->first_node, starts = start(s, graph), count = 0;

	for (uint32_t i = 0; i < starts; i++)
		sd_heap_push(s->queue, &count, s->ready[i], compare_ranks, s->rank);
	while (count > 0) {
		*out = sd_heap_pop(s->queue, &count, compare_ranks, s->rank);
		release_to_heap(s, *out++, s->queue, &count);
	}
}

void sd__sort_dfs(struct sd__sorter *s, const struct sd_subgraph *graph)
{
	uint32_t *out = s->out + graph->first_node, count;

	if (s->rank) {
		dfs_by_rank(s, graph);
		return;
	}
	count = start(s, graph);
	while (count > 0) {
		*out = s->ready[--count];
		count += release(s, *out++, s->ready + count);
	}
}

static void bfs_by_rank(struct sd__sorter *s, const struct sd_subgraph *graph)
{
	uint32_t *out = s->out + graph->first_node, starts = start(s, graph), count = 0;

	while (count > 0 || starts > 0) {
		*out = count > 0 ? sd_heap_pop(s->queue, &count, compare_ranks, s->rank) : s->ready[--starts];
		release_to_heap(s, *out++, s->queue, &count);
	}
}

static int compare_names(const void *ctx, uint32_t a, uint32_t b)
{
	const uint32_t *rank = ctx;

	return SD_MUTANT(sort_bfs_as_released) ? 0 : (rank[a] > rank[b]) - (rank[a] < rank[b]);
}

void sd__sort_bfs(struct sd__sorter *s, const struct sd_subgraph *graph)
{
	uint32_t *out = s->out + graph->first_node, starts, head = 0, tail = 0;

	if (s->rank) {
		bfs_by_rank(s, graph);
		return;
	}
	starts = start(s, graph);
	while (head < tail || starts > 0) {
		uint32_t released;

		*out = head < tail ? s->queue[head++] : s->ready[--starts];
		released = release(s, *out++, s->queue + tail);
		sd_merge_sort(s->queue + tail, s->spare, released, compare_names, s->name_rank);
		tail += released;
	}
}
