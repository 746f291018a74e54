/* The numbers of syncs where bodies may share them.
 *
 * All gears of one Case count from the same number, a gear's syncs being those whose scope
 * lies in it; what comes next counts from the highest number reached. Gears come first, in
 * the order of their Cases, then everything else. */
#include "verify_internal.h"

#include "base/merge.h"

struct counter {
	struct sd__judge *judge;
	uint32_t *cases, *spare, case_count; /* nodes with gears */
	uint32_t *gear;                      /* by sync; SD_ROOT: none */
	uint32_t *count;                     /* by graph: syncs of a gear of the kind at hand */
	uint32_t *next;                      /* by graph: number of a gear's next sync; [SD_ROOT]: that of all others */
	uint32_t *lowest;                    /* by node: smallest number in its gears */
};

static bool has_gears(const struct sd__judge *judge, uint32_t n)
{
	return sd__op_is(judge, n, SD__OP_GEARS) && sd_graph_has(judge->graph, n, SD_ATTR_BATCH_NUM) && sd__is_choice(judge, n);
}

/* The outermost gear that the sync lies in; SD_ROOT: none. */
static uint32_t gear_of(const struct sd__judge *judge, const struct sd_sync *sync)
{
	uint32_t gear = SD_ROOT;

	for (uint32_t g = sd__run_in(judge, sync->record_node); g != SD_ROOT; g = judge->graph->graph_of[judge->graph->graph[g].parent]) {
		if (has_gears(judge, judge->graph->graph[g].parent))
			gear = g;
	}
	return gear;
}

static int compare_rank(const void *context, uint32_t a, uint32_t b)
{
	const uint32_t *rank = context;

	return (rank[a] > rank[b]) - (rank[a] < rank[b]);
}

/* Numbers for the gears of a Case, counted from `base`; answers the number behind them. */
static uint32_t count_gears(struct counter *c, uint32_t n, uint32_t base)
{
	uint32_t top = base;

	for (uint32_t k = 0; k < sd__body_count(c->judge, n); k++) {
		uint32_t gear = sd__body(c->judge, n, k);

		c->next[gear] = base;
		if (base + c->count[gear] > top)
			top = base + c->count[gear];
	}
	return top;
}

static void check_kind(struct counter *c, enum sd_sync_kind kind, uint32_t *total)
{
	const struct sd__judge *judge = c->judge;
	const struct sd_plan *plan = judge->plan;
	uint32_t base = 0;

	memset(c->count, 0, judge->graph->graph_count * sizeof(uint32_t));
	memset(c->lowest, 0xff, judge->graph->node_count * sizeof(uint32_t));
	for (uint32_t y = 0; y < plan->sync_count; y++) {
		uint32_t *lowest = c->gear[y] == SD_ROOT ? NULL : &c->lowest[judge->graph->graph[c->gear[y]].parent];

		c->count[c->gear[y]] += plan->sync[y].kind == kind;
		if (lowest && plan->sync[y].kind == kind && plan->sync[y].id < *lowest)
			*lowest = plan->sync[y].id;
	}
	/* Where the order of the nodes is not known, the numbers tell which Case comes first. */
	sd_merge_sort(c->cases, c->spare, c->case_count, compare_rank, judge->listed_in_order ? judge->rank : c->lowest);
	for (uint32_t i = 0; i < c->case_count; i++)
		base = count_gears(c, c->cases[i], base);
	c->next[SD_ROOT] = base;
	*total = base + c->count[SD_ROOT];
	for (uint32_t y = 0; y < plan->sync_count; y++) {
		const struct sd_sync *sync = &plan->sync[y];

		if (sync->kind == kind && sync->id != c->next[c->gear[y]]++)
			sd__violate(judge->verdict, SD_VIOLATION_DENSE, "a sync does not have the next free number", sync->record_node, sync->wait_node, -1, sync->id);
	}
}

enum sd_status sd__verify_numbers(struct sd__judge *judge, uint32_t next[2])
{
	struct counter c = { .judge = judge };
	uint32_t nodes = judge->graph->node_count;

	SD__TAKE(c.cases, judge->mem, uint32_t, nodes + 1);
	SD__TAKE(c.spare, judge->mem, uint32_t, nodes + 1);
	SD__TAKE(c.gear, judge->mem, uint32_t, judge->plan->sync_count + 1);
	SD__TAKE(c.count, judge->mem, uint32_t, judge->graph->graph_count);
	SD__TAKE0(c.next, judge->mem, uint32_t, judge->graph->graph_count);
	SD__TAKE(c.lowest, judge->mem, uint32_t, nodes + 1);
	for (uint32_t n = 0; n < judge->real_nodes; n++) {
		if (has_gears(judge, n))
			c.cases[c.case_count++] = n;
	}
	for (uint32_t y = 0; y < judge->plan->sync_count; y++)
		c.gear[y] = gear_of(judge, &judge->plan->sync[y]);
	for (int kind = SD_SYNC_EVENT; kind <= SD_SYNC_NOTIFY; kind++)
		check_kind(&c, (enum sd_sync_kind)kind, &next[kind]);
	return SD_OK;
}
