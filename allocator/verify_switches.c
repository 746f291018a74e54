/* What each label of a StreamSwitchN leads to.
 *
 * Its list of streams has one place for each of its labels. There stands the one stream of the nodes of its
 * graph with that label; or, where they are on several, or on one that stands in front of it in the list, a stream with a
 * StreamActive inserted behind the node, and that one starts them. */
#include "verify_labels.h"

struct switches {
	struct sd__judge *judge;
	struct sd__labels labels;
	uint32_t *relay;      /* by stream: the inserted node on it; SD_NO_NODE: none */
	uint32_t *listed_by;  /* by node: its activation; SD__NONE: none */
	uint32_t *pieces;     /* by logical stream: how many streams it became */
	uint32_t round, *by_label, *by_list; /* by stream: the round in which a label was found to lead there, and a list to name it */
};

static void fault(const struct switches *s, uint32_t node, int64_t stream, const char *what)
{
	sd__violate(s->judge->verdict, SD_VIOLATION_COMMAND, what, node, SD_NO_NODE, stream, -1);
}

/* Notes the streams of a label in a new round; answers how many, with their pieces where the root is all there is. */
static uint32_t note_label(struct switches *s, uint32_t graph, struct sd_text label, uint32_t *only)
{
	uint32_t count = 0;

	s->round++;
	for (uint32_t at = sd__labels_first(&s->labels, graph, label); sd__labels_has(&s->labels, at, graph, label); at++) {
		uint32_t lane = s->labels.lane[s->labels.order[at]];

		if (s->by_label[lane] == s->round)
			continue;
		s->by_label[lane] = s->round;
		count += s->judge->scopes.bodies ? 1 : s->pieces[lane];
		*only = lane;
	}
	return count;
}

/* Whether the StreamActive on stream `at` starts what the label noted last leads to, and nothing else. */
static bool starts_label(const struct switches *s, uint32_t at, uint32_t count)
{
	const struct sd_plan *plan = s->judge->plan;
	const struct sd_activation *list;

	if (s->listed_by[s->relay[at]] == SD__NONE)
		return false;
	list = &plan->activation[s->listed_by[s->relay[at]]];
	for (uint32_t i = list->first; i < list->first + list->count; i++) {
		uint32_t stream = plan->activated[i], lane = plan->stream[stream].logical_id;

		if (lane >= sd__lanes(plan) || s->by_label[lane] != s->round)
			return false;
		/* Which pieces begin in bodies is asked elsewhere. */
		count -= !s->judge->scopes.bodies || stream == lane;
	}
	return count == 0;
}

static void check_switch(struct switches *s, const struct sd_activation *list)
{
	const struct sd__judge *judge = s->judge;
	const struct sd_plan *plan = judge->plan;
	const struct sd_value *labels = sd_graph_attr(judge->graph, list->node, SD_ATTR_ACTIVE_LABEL_LIST);

	if (!labels || labels->kind != SD_VALUE_LIST || labels->list.item != SD_VALUE_STRING || labels->list.count != list->count) {
		fault(s, list->node, -1, "a StreamSwitchN does not start one stream for each of its labels");
		return;
	}
	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t stream = plan->activated[list->first + i], only = SD__NONE, count;
		uint32_t relay = s->relay[stream];

		if (s->by_list[stream] == list->node + 1)
			fault(s, list->node, stream, "a StreamSwitchN starts one stream by two labels");
		s->by_list[stream] = list->node + 1;
		count = note_label(s, judge->graph->graph_of[list->node], labels->list.string[i], &only);
		if (relay != SD_NO_NODE && sd__stands_for(judge, relay) == list->node ? !starts_label(s, stream, count) : count != 1 || only != stream)
			fault(s, list->node, stream, "a label of a StreamSwitchN leads elsewhere than to the nodes that carry it");
	}
}

static enum sd_status index_plan(struct switches *s)
{
	struct sd__judge *judge = s->judge;
	const struct sd_plan *plan = judge->plan;
	uint32_t streams = plan->stream_count + plan->logical_stream_count + 1;

	SD__TAKE(s->relay, judge->mem, uint32_t, streams);
	SD__TAKE(s->listed_by, judge->mem, uint32_t, plan->node_count + 1);
	SD__TAKE0(s->pieces, judge->mem, uint32_t, streams);
	SD__TAKE0(s->by_label, judge->mem, uint32_t, streams);
	SD__TAKE0(s->by_list, judge->mem, uint32_t, streams);
	memset(s->relay, 0xff, streams * sizeof(uint32_t));
	memset(s->listed_by, 0xff, (plan->node_count + 1) * sizeof(uint32_t));
	for (uint32_t n = judge->real_nodes; n < plan->node_count; n++)
		s->relay[plan->node[n].stream] = n;
	for (uint32_t a = 0; a < plan->activation_count; a++)
		s->listed_by[plan->activation[a].node] = a;
	for (uint32_t i = 0; i < plan->stream_count; i++)
		s->pieces[plan->stream[i].logical_id < streams ? plan->stream[i].logical_id : 0]++;
	return SD_OK;
}

/* A StreamSwitchN of the plan: bodies of known shape of a model of unknown shape are requests of their own. */
static bool is_asked(const struct sd__judge *judge, uint32_t n)
{
	const struct sd_subgraph *graph = judge->graph->graph;

	return sd__op_is(judge, n, SD__OP_BRANCHES) && judge->main_slot[n] != SD__NONE &&
	       (!graph[SD_ROOT].dynamic || graph[judge->graph->graph_of[n]].dynamic);
}

enum sd_status sd__verify_switches(struct sd__judge *judge)
{
	struct switches s = { .judge = judge };
	const struct sd_plan *plan = judge->plan;
	bool any = false;

	for (uint32_t n = 0; n < judge->real_nodes && !any; n++)
		any = is_asked(judge, n);
	if (!any)
		return SD_OK;
	SD_TRY(index_plan(&s));
	SD_TRY(sd__labels_init(&s.labels, judge));
	for (uint32_t n = 0; n < judge->real_nodes; n++) {
		if (!is_asked(judge, n))
			continue;
		if (s.listed_by[n] == SD__NONE)
			fault(&s, n, -1, "a StreamSwitchN does not start one stream for each of its labels");
		else
			check_switch(&s, &plan->activation[s.listed_by[n]]);
	}
	return SD_OK;
}
