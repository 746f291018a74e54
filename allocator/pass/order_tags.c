/* order_tags - a wait for a tagged event comes behind the record of that tag.
 *
 * Rule   Nodes of the types below record or wait for the event that their attribute `tag` names.
 *        A wait comes behind the last record of its tag in front of it, in flat order and in its graph.
 *        Where there is none that is a hazard, unless `created_inside` is false: then it is recorded
 *        outside the graph.
 * Why    No edge stands between the two. A wait that nobody answers blocks for ever.
 * Example record "t" on stream 0, wait "t" on stream 1: a sync of cause order.
 * Differs Graph Engine does not take these operators.
 * Cost   O(nodes + tagged * log tagged). */
#include "passes.h"

#include "hazard.h"
#include "mutants.h"

static const char *const record_type[] = {
	"npu_tagged_event_record", "tagged_event_record", "tagged_event_record_on_stream",
};
static const char *const wait_type[] = {
	"npu_tagged_event_wait", "tagged_event_wait", "tagged_event_wait_on_stream",
};

enum tagged { TAGGED_NOT, TAGGED_RECORD, TAGGED_WAIT };

struct gathering {
	struct sd_job *job;
	uint8_t *of_type;   /* per type: enum tagged */
	uint32_t count, *node; /* in flat order */
	struct sd_text *text;
	uint32_t *tag, *last; /* per node above: number; per number: node that recorded it last */
};

static enum tagged tagged_type(struct sd_text type)
{
	for (size_t i = 0; i < sizeof(record_type) / sizeof(record_type[0]); i++) {
		if (sd_text_is(type, record_type[i]))
			return TAGGED_RECORD;
		if (sd_text_is(type, wait_type[i]))
			return TAGGED_WAIT;
	}
	return TAGGED_NOT;
}

static enum tagged tagged_node(const struct gathering *g, uint32_t node)
{
	return g->job->launched[node] ? g->of_type[g->job->graph->op_type[node]] : TAGGED_NOT;
}

static enum sd_status gather(struct gathering *g)
{
	struct sd_job *job = g->job;
	const struct sd_graph *graph = job->graph;
	uint32_t count = 0, tags;

	g->of_type = SD_NEW(job->mem, uint8_t, graph->string_count);
	SD_NEED(job, g->of_type);
	for (uint32_t i = 0; i < graph->string_count; i++)
		g->of_type[i] = (uint8_t)tagged_type(graph->string[i]);
	for (uint32_t n = 0; n < graph->node_count; n++)
		count += tagged_node(g, n) != TAGGED_NOT;
	g->node = SD_NEW(job->mem, uint32_t, count);
	g->text = SD_NEW(job->mem, struct sd_text, count);
	g->tag = SD_NEW(job->mem, uint32_t, count);
	g->last = SD_NEW(job->mem, uint32_t, count);
	SD_NEED(job, g->node && g->text && g->tag && g->last);
	memset(g->last, 0xff, count * sizeof(*g->last));
	for (uint32_t i = 0; i < graph->node_count && g->count < count; i++) {
		uint32_t n = job->order.flat[i];

		if (tagged_node(g, n) == TAGGED_NOT)
			continue;
		g->text[g->count] = SD_TEXT("");
		sd_graph_string(graph, n, SD_ATTR_TAG, &g->text[g->count]);
		g->node[g->count++] = n;
	}
	return sd_job_intern(job, g->text, g->count, 0, g->tag, &tags);
}

static bool recorded_outside(const struct sd_graph *graph, uint32_t node)
{
	return sd_graph_has(graph, node, SD_ATTR_CREATED_INSIDE) && !sd_graph_bool(graph, node, SD_ATTR_CREATED_INSIDE);
}

enum sd_status sd__pass_order_tags(struct sd_job *job)
{
	struct gathering g = { .job = job };

	SD_TRY(gather(&g));
	for (uint32_t i = 0; i < g.count; i++) {
		uint32_t node = g.node[i], *last = &g.last[g.tag[i]];

		if (tagged_node(&g, node) == TAGGED_RECORD)
			*last = SD_MUTANT(tags_first_record) && *last != SD_NO_NODE ? *last : node;
		else if (*last != SD_NO_NODE && (job->graph->graph_of[*last] == job->graph->graph_of[node] || SD_MUTANT(tags_of_other_graphs)))
			SD_TRY(sd_job_order(job, SD_MUTANT(tags_swapped) ? job->slots.of_node[node] : job->slots.sender[*last], SD_MUTANT(tags_swapped) ? job->slots.of_node[*last] : job->slots.of_node[node], SD_CAUSE_ORDER));
		else if (!recorded_outside(job->graph, node))
			SD_TRY(sd_hazard(job, SD_CODE_TAG_UNRECORDED, node, (struct sd_arg){ 0 }, (struct sd_arg){ 0 }));
	}
	return SD_OK;
}
