/* Which streams a node starts, in graphs with bodies.
 *
 * A node starts by label the main streams of the nodes of its own graph with that label. The
 * first StreamActive of a body starts the streams of its body: every main and attached logical stream that the body's own
 * nodes are on, but for its own, for those that a node of the body starts by label, and for
 * those that a graph around the body uses too, which run already. A further piece of a logical
 * stream is started by the first StreamActive of the body in which its first command runs; where
 * there is none, or it stands on the piece itself, by that of the body around, as long as that
 * is the same scope; in the root by whoever starts the logical stream there. */
#include "verify_labels.h"

#include "base/merge.h"

struct starts {
	struct sd__judge *judge;
	uint32_t *first_active;       /* by graph: its first StreamActive; SD_NO_NODE: none */
	uint32_t *lane, *graph, use_count; /* which graph uses which logical stream */
	uint32_t *order, *spare;      /* uses by logical stream, then by graph */
	uint32_t *activation;         /* by node; SD__NONE: none */
	uint32_t *listed_of, *listed_next; /* by graph: an activation of one of its nodes; by activation: the next one of that graph */
	uint32_t *piece_count;        /* by logical stream: further pieces that begin in the root */
	uint32_t *by_lane;            /* by logical stream: the latest activation in the root that starts it */
	uint32_t *by_first;           /* by stream: the graph whose first StreamActive starts it */
	uint32_t *by_label;           /* by logical stream: the graph of which a node starts it by label */
	uint32_t round, *by_round;    /* by logical stream: the round in which a node looked at was found to start it by label */
	struct sd__labels labels;
};

static int compare_uses(const void *context, uint32_t a, uint32_t b)
{
	const struct starts *starts = context;

	if (starts->lane[a] != starts->lane[b])
		return starts->lane[a] < starts->lane[b] ? -1 : 1;
	return (starts->graph[a] > starts->graph[b]) - (starts->graph[a] < starts->graph[b]);
}

static bool uses(const struct starts *starts, uint32_t graph, uint32_t lane)
{
	uint32_t low = 0, high = starts->use_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2, use = starts->order[middle];

		if (starts->lane[use] < lane || (starts->lane[use] == lane && starts->graph[use] < graph))
			low = middle + 1;
		else
			high = middle;
	}
	return low < starts->use_count && starts->lane[starts->order[low]] == lane && starts->graph[starts->order[low]] == graph;
}

static bool is_used_around(const struct starts *starts, uint32_t graph, uint32_t lane)
{
	const struct sd_graph *g = starts->judge->graph;

	while (graph != SD_ROOT) {
		graph = g->graph_of[g->graph[graph].parent];
		if (uses(starts, graph, lane))
			return true;
	}
	return false;
}

static void add_use(struct starts *starts, uint32_t graph, int32_t lane)
{
	if (lane < 0)
		return;
	starts->lane[starts->use_count] = (uint32_t)lane;
	starts->graph[starts->use_count] = graph;
	starts->order[starts->use_count] = starts->use_count;
	starts->use_count++;
}

static void find_uses(struct starts *starts)
{
	const struct sd__judge *judge = starts->judge;

	for (uint32_t n = 0; n < judge->real_nodes; n++) {
		const struct sd_placement *place = &judge->plan->node[n];
		uint32_t graph = judge->graph->graph_of[n];

		add_use(starts, graph, place->logical_stream);
		for (uint32_t i = place->attached_first; i < place->attached_first + place->attached_count; i++)
			add_use(starts, graph, judge->plan->attached_logical[i]);
		if (graph != SD_ROOT && judge->main_slot[n] != SD__NONE && starts->first_active[graph] == SD_NO_NODE &&
		    sd_graph_bool(judge->graph, n, SD_ATTR_SUBGRAPH_FIRST_ACTIVE))
			starts->first_active[graph] = n;
	}
	sd_merge_sort(starts->order, starts->spare, starts->use_count, compare_uses, starts);
}

static void fault(const struct starts *starts, uint32_t node, uint32_t stream)
{
	sd__violate(starts->judge->verdict, SD_VIOLATION_COMMAND, "a node starts a stream too many, or leaves one out", node, SD_NO_NODE, stream, -1);
}

/* Whether a node of the request, or one inserted behind it, starts streams by label. */
static bool has_labels(const struct sd__judge *judge, uint32_t n)
{
	return sd_graph_has(judge->graph, sd__stands_for(judge, n), SD_ATTR_ACTIVE_LABEL_LIST) && !sd__turns(judge, n);
}

/* Whether what a node starts by label is looked at here: a StreamSwitch starts one stream only, and the node inserted behind it the rest;
 * a StreamSwitchN has a place for each label (verify_switches.c). */
static bool starts_by_label(const struct starts *starts, uint32_t n)
{
	const struct sd__judge *judge = starts->judge;

	return has_labels(judge, n) && !sd__is_switch(judge, n) && !sd__op_is(judge, sd__stands_for(judge, n), SD__OP_BRANCHES);
}

/* Notes what the labels of a node start; answers how many logical streams that are. */
static uint32_t note_labels(struct starts *starts, uint32_t n)
{
	const struct sd__judge *judge = starts->judge;
	const struct sd_value *list = sd_graph_attr(judge->graph, sd__stands_for(judge, n), SD_ATTR_ACTIVE_LABEL_LIST);
	uint32_t graph = judge->graph->graph_of[n], count = 0;

	starts->round++;
	for (uint32_t i = 0; list->kind == SD_VALUE_LIST && list->list.item == SD_VALUE_STRING && i < list->list.count; i++) {
		for (uint32_t at = sd__labels_first(&starts->labels, graph, list->list.string[i]); sd__labels_has(&starts->labels, at, graph, list->list.string[i]); at++) {
			uint32_t lane = starts->labels.lane[starts->labels.order[at]];

			count += starts->by_round[lane] != starts->round;
			starts->by_round[lane] = starts->round;
			starts->by_label[lane] = graph;
		}
	}
	return count;
}

/* Whether the body's first StreamActive must start the logical stream. */
static bool must_start(const struct starts *starts, uint32_t graph, uint32_t lane)
{
	const struct sd__judge *judge = starts->judge;

	return judge->plan->node[starts->first_active[graph]].logical_stream != (int64_t)lane && starts->by_label[lane] != graph &&
	       !is_used_around(starts, graph, lane);
}

/* Where a piece begins: structured bodies begin with what their node waits for on it, though that may be nothing. */
static uint32_t graph_of_piece(const struct sd__judge *judge, uint32_t s)
{
	uint32_t graph = judge->slot[judge->slot_first[s]].wait_in, found = graph;

	while (graph != SD__NONE && graph != SD_ROOT) {
		uint32_t parent = judge->graph->graph[graph].parent;

		graph = judge->graph->graph_of[parent];
		found = sd__has_groups(judge, parent) ? graph : found;
	}
	return found;
}

/* The body whose first StreamActive starts a further piece; SD_ROOT: who starts the logical stream there; SD_NO_GRAPH: the model, or a jump. */
static uint32_t starter_of_piece(const struct starts *starts, uint32_t s)
{
	const struct sd__judge *judge = starts->judge;
	uint32_t graph = graph_of_piece(judge, s);

	if (graph == SD__NONE || sd__is_jumped_to(judge, s))
		return SD_NO_GRAPH;
	while (graph != SD_ROOT) {
		uint32_t first = starts->first_active[graph], around = judge->graph->graph_of[judge->graph->graph[graph].parent];

		if (first != SD_NO_NODE && judge->slot[judge->main_slot[first]].stream != s)
			return graph;
		if (judge->scopes.scope[graph] != judge->scopes.scope[around])
			return SD_NO_GRAPH;
		graph = around;
	}
	return SD_ROOT;
}

/* Whether a node that starts streams may start this one; those of its labels are noted. */
static bool may_start(const struct starts *starts, uint32_t n, uint32_t s, const uint32_t *piece_by)
{
	const struct sd__judge *judge = starts->judge;
	uint32_t graph = judge->graph->graph_of[n];
	bool first = n == starts->first_active[graph];

	if (s >= sd__lanes(judge->plan))
		return first ? piece_by[s] == graph : graph == SD_ROOT;
	return (starts_by_label(starts, n) && starts->by_round[s] == starts->round) || (first && uses(starts, graph, s) && must_start(starts, graph, s));
}

/* Every stream that the node starts is one that it may start, and all those of its labels are among them. */
static void check_node(struct starts *starts, uint32_t n, uint32_t a, const uint32_t *piece_by)
{
	const struct sd__judge *judge = starts->judge;
	const struct sd_plan *plan = judge->plan;
	uint32_t labelled = starts_by_label(starts, n) ? note_labels(starts, n) : 0;
	bool first = n == starts->first_active[judge->graph->graph_of[n]];

	if (!first && !starts_by_label(starts, n))
		return;
	for (uint32_t i = 0; a != SD__NONE && i < plan->activation[a].count; i++) {
		uint32_t s = plan->activated[plan->activation[a].first + i];

		labelled -= s < sd__lanes(plan) && starts_by_label(starts, n) && starts->by_round[s] == starts->round;
		if (first)
			starts->by_first[s] = judge->graph->graph_of[n];
		if (!may_start(starts, n, s, piece_by))
			fault(starts, n, s);
	}
	if (labelled > 0)
		fault(starts, n, (uint32_t)plan->node[n].stream);
}

/* The streams of a body that its first StreamActive must start are those that it does start. */
static void check_streams(struct starts *starts, uint32_t graph)
{
	const struct sd__judge *judge = starts->judge;
	const struct sd_subgraph *body = &judge->graph->graph[graph];
	uint32_t first = starts->first_active[graph];

	for (uint32_t n = body->first_node; n < body->first_node + body->node_count; n++) {
		const struct sd_placement *place = &judge->plan->node[n];

		if (judge->main_slot[n] == SD__NONE)
			continue;
		if (place->logical_stream >= 0 && must_start(starts, graph, (uint32_t)place->logical_stream) && starts->by_first[place->logical_stream] != graph)
			fault(starts, first, (uint32_t)place->logical_stream);
		for (uint32_t i = place->attached_first; i < place->attached_first + place->attached_count; i++) {
			uint32_t lane = (uint32_t)judge->plan->attached_logical[i];

			if (must_start(starts, graph, lane) && starts->by_first[lane] != graph)
				fault(starts, first, lane);
		}
	}
}

static void check_graph(struct starts *starts, uint32_t graph, const uint32_t *piece_by)
{
	const struct sd__judge *judge = starts->judge;
	const struct sd_subgraph *body = &judge->graph->graph[graph];

	for (uint32_t n = body->first_node; n < body->first_node + body->node_count; n++) {
		if (judge->main_slot[n] != SD__NONE && has_labels(judge, n))
			note_labels(starts, n);
	}
	for (uint32_t n = body->first_node; n < body->first_node + body->node_count; n++) {
		if (judge->main_slot[n] != SD__NONE && (starts_by_label(starts, n) || n == starts->first_active[graph])) {
			check_node(starts, n, starts->activation[n], piece_by);
		}
	}
	if (starts->first_active[graph] != SD_NO_NODE)
		check_streams(starts, graph);
}

/* In the root, who starts a logical stream starts those of its pieces that begin there, and nobody else does. */
static void check_root(struct starts *starts, const uint32_t *piece_by)
{
	const struct sd_plan *plan = starts->judge->plan;
	uint32_t lanes = sd__lanes(plan), *pieces = starts->piece_count;

	for (uint32_t s = lanes; s < plan->stream_count; s++)
		pieces[plan->stream[s].logical_id] += piece_by[s] == SD_ROOT;
	for (uint32_t a = starts->listed_of[SD_ROOT]; a != SD__NONE; a = starts->listed_next[a]) {
		const struct sd_activation *activation = &plan->activation[a];
		uint32_t missing = 0;

		/* Ascending: logical streams come in front of their pieces. */
		for (uint32_t i = activation->first; i < activation->first + activation->count; i++) {
			uint32_t s = plan->activated[i], lane = plan->stream[s].logical_id;

			if (s < lanes) {
				starts->by_lane[s] = a;
				missing += pieces[s];
			} else if (lane < lanes && piece_by[s] == SD_ROOT) {
				if (starts->by_lane[lane] != a)
					fault(starts, activation->node, s);
				else
					missing--;
			}
		}
		if (missing > 0)
			fault(starts, activation->node, activation->count > 0 ? plan->activated[activation->first] : 0);
	}
}

/* A piece that somebody must start is started by it, and by nobody else. */
static void check_pieces(struct starts *starts, const uint32_t *piece_by)
{
	const struct sd__judge *judge = starts->judge;
	const struct sd_plan *plan = judge->plan;

	for (uint32_t s = sd__lanes(plan); s < plan->stream_count; s++) {
		bool started = false;

		if (plan->stream[s].logical_id >= sd__lanes(plan) || piece_by[s] == SD_ROOT)
			continue;
		for (uint32_t i = judge->started_first[s]; i < judge->started_first[s + 1]; i++) {
			uint32_t by = judge->slot[judge->started_by[i]].node;

			started |= piece_by[s] != SD_NO_GRAPH && by == starts->first_active[piece_by[s]];
			if (piece_by[s] == SD_NO_GRAPH || by != starts->first_active[piece_by[s]])
				fault(starts, by, s);
		}
		if (piece_by[s] != SD_NO_GRAPH && !started)
			fault(starts, starts->first_active[piece_by[s]], s);
	}
}

static enum sd_status take_memory(struct starts *starts)
{
	struct sd__judge *judge = starts->judge;
	const struct sd_plan *plan = judge->plan;
	uint32_t graphs = judge->graph->graph_count;
	size_t uses_max = (size_t)plan->node_count + plan->attached_count + 1;

	SD__TAKE(starts->first_active, judge->mem, uint32_t, graphs);
	SD__TAKE(starts->activation, judge->mem, uint32_t, plan->node_count + 1);
	memset(starts->activation, 0xff, plan->node_count * sizeof(uint32_t));
	SD__TAKE(starts->listed_of, judge->mem, uint32_t, graphs);
	SD__TAKE(starts->listed_next, judge->mem, uint32_t, plan->activation_count + 1);
	SD__TAKE(starts->lane, judge->mem, uint32_t, uses_max);
	SD__TAKE(starts->graph, judge->mem, uint32_t, uses_max);
	SD__TAKE(starts->order, judge->mem, uint32_t, uses_max);
	SD__TAKE(starts->spare, judge->mem, uint32_t, uses_max);
	SD__TAKE0(starts->piece_count, judge->mem, uint32_t, plan->stream_count + plan->logical_stream_count + 1);
	SD__TAKE(starts->by_lane, judge->mem, uint32_t, plan->stream_count + plan->logical_stream_count + 1);
	memset(starts->by_lane, 0xff, (plan->stream_count + plan->logical_stream_count) * sizeof(uint32_t));
	SD__TAKE(starts->by_first, judge->mem, uint32_t, plan->stream_count + plan->logical_stream_count + 1);
	SD__TAKE(starts->by_label, judge->mem, uint32_t, plan->stream_count + plan->logical_stream_count + 1);
	SD__TAKE0(starts->by_round, judge->mem, uint32_t, plan->stream_count + plan->logical_stream_count + 1);
	memset(starts->by_first, 0xff, (plan->stream_count + plan->logical_stream_count) * sizeof(uint32_t));
	memset(starts->by_label, 0xff, (plan->stream_count + plan->logical_stream_count) * sizeof(uint32_t));
	for (uint32_t g = 0; g < graphs; g++) {
		starts->first_active[g] = SD_NO_NODE;
		starts->listed_of[g] = SD__NONE;
	}
	for (uint32_t a = plan->activation_count; a-- > 0;) {
		uint32_t n = plan->activation[a].node, graph = judge->graph->graph_of[n];

		if (sd__turns(judge, n))
			continue;
		starts->activation[n] = a;
		starts->listed_next[a] = starts->listed_of[graph];
		starts->listed_of[graph] = a;
	}
	return SD_OK;
}

enum sd_status sd__verify_starts(struct sd__judge *judge)
{
	struct starts starts = { .judge = judge };
	const struct sd_plan *plan = judge->plan;
	uint32_t *piece_by;

	if (!judge->scopes.bodies)
		return SD_OK;
	SD_TRY(take_memory(&starts));
	find_uses(&starts);
	SD_TRY(sd__labels_init(&starts.labels, judge));
	SD__TAKE(piece_by, judge->mem, uint32_t, plan->stream_count + 1);
	for (uint32_t s = sd__lanes(plan); s < plan->stream_count; s++)
		piece_by[s] = starter_of_piece(&starts, s);
	check_root(&starts, piece_by);
	check_pieces(&starts, piece_by);
	for (uint32_t g = 0; g < judge->graph->graph_count; g++)
		check_graph(&starts, g, piece_by);
	for (uint32_t n = judge->real_nodes; n < judge->graph->node_count; n++)
		check_node(&starts, n, starts.activation[n], piece_by);
	return SD_OK;
}
