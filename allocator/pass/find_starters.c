/* find_starters - streams that are started by a node instead of with the model.
 *
 * Rule   A launched node with `_active_label_list` starts the main streams of the nodes of its graph
 *        that carry one of these labels; not in a body of known shape of a model of unknown shape, which is a request of
 *        its own. A StreamSwitch must have such a list; nobody starts the stream that it is on. The first node with `subgraph_first_active` of a body starts
 *        the streams that run with the body (body_starts.h). A StreamSwitch whose labels lead to several streams
 *        starts one of its own, on which an inserted StreamActive starts the others; so does
 *        one that others wait for, or with which a body may end, if the stream that it starts has further starters. A StreamSwitchN
 *        starts one stream for each of its labels, in their order: that of the label, or the one of
 *        a StreamActive where the label leads to several, or to one that an earlier label leads to. The
 *        first node with `is_loop_active` and without list starts the next turn of an
 *        iteration loop; its StreamSwitch is the first one among its control producers or
 *        theirs.
 * Example b activates "1", c on stream 2 is labelled "1": b starts stream 2.
 * Differs A label that no node carries is an error; with compat ge it is a warning, and
 *        starts nothing. Labels are known in their own graph only. Graph Engine does not look at
 *        a StreamSwitchN.
 *        Each stream of a StreamSwitchN is taken to run, as that of a StreamSwitch is.
 * Cost   O(nodes + labelled * log labelled + entries * log labelled). */
#include "passes.h"

#include "base/merge.h"
#include "body_edges.h"
#include "body_starts.h"
#include "dynamic.h"
#include "mutants.h"

struct finder {
	struct sd_job *job;
	uint32_t labelled, *node;         /* labelled nodes with a stream, by (graph, label, stream) */
	SD_VEC(struct sd_starter) starter;
	SD_VEC(uint32_t) lane;
};

static int compare_labelled(const void *ctx, uint32_t a, uint32_t b)
{
	const struct sd_job *job = ctx;
	const uint32_t *graph = job->graph->graph_of;

	if (graph[a] != graph[b])
		return graph[a] < graph[b] ? -1 : 1;
	if (job->label[a] != job->label[b])
		return job->label[a] < job->label[b] ? -1 : 1;
	return job->stream[a] < job->stream[b] ? -1 : job->stream[a] > job->stream[b];
}

static enum sd_status list_labelled(struct finder *f)
{
	struct sd_job *job = f->job;
	uint32_t *spare;

	f->node = SD_NEW(job->mem, uint32_t, job->graph->node_count);
	spare = SD_NEW(job->mem, uint32_t, job->graph->node_count);
	SD_NEED(job, f->node && spare);
	for (uint32_t n = 0; n < job->graph->node_count; n++) {
		if (job->label[n] && job->stream[n] != SD_NO_STREAM)
			f->node[f->labelled++] = n;
	}
	sd_merge_sort(f->node, spare, f->labelled, compare_labelled, job);
	return SD_OK;
}

/* First labelled node of (graph, label) in the list. */
static uint32_t find_label(const struct finder *f, uint32_t graph, uint32_t label)
{
	uint32_t low = 0, high = f->labelled;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2, n = f->node[middle], g = f->job->graph->graph_of[n];

		if (g < graph || (g == graph && f->job->label[n] < label))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool has_label(const struct finder *f, uint32_t at, uint32_t graph, uint32_t label)
{
	return at < f->labelled && f->job->graph->graph_of[f->node[at]] == graph && f->job->label[f->node[at]] == label;
}

static enum sd_status add_lane(struct finder *f, const struct sd_starter *starter, uint32_t lane)
{
	uint32_t at = f->lane.count;

	while (at > starter->first && f->lane.at[at - 1] > lane)
		at--;
	if (at > starter->first && f->lane.at[at - 1] == lane)
		return SD_OK;
	if (!sd_vec_room(f->job->mem, &f->lane))
		SD_NEED(f->job, NULL);
	memmove(f->lane.at + at + 1, f->lane.at + at, (f->lane.count - at) * sizeof(*f->lane.at));
	f->lane.at[at] = lane;
	f->lane.count++;
	return SD_OK;
}

static enum sd_status start_label(struct finder *f, const struct sd_starter *starter, struct sd_text text, uint32_t entry)
{
	struct sd_job *job = f->job;
	uint32_t n = starter->node, graph = SD_MUTANT(start_labels_of_root) ? SD_ROOT : job->graph->graph_of[n], label = sd_label_find(&job->labels, text);
	uint32_t at = label ? find_label(f, graph, label) : f->labelled;

	if (!has_label(f, at, graph, label)) {
		if (job->options->compat == SD_GE && sd_job_op(job, n) != SD_OP_STREAM_SWITCH_N)
			return sd_job_warn(job, SD_CODE_LABEL_UNKNOWN, n, sd_arg_int(entry), (struct sd_arg){ 0 });
		return SD_FAIL1(job->diag, SD_CODE_LABEL_OF_NOBODY, n, sd_arg_text(text));
	}
	for (; has_label(f, at, graph, label); at++) {
		if (job->stream[f->node[at]] == job->stream[n] && !SD_MUTANT(start_itself))
			return SD_FAIL1(job->diag, SD_CODE_ACTIVATES_ITSELF, n, sd_arg_text(text));
		SD_TRY(add_lane(f, starter, (uint32_t)job->stream[f->node[at]]));
	}
	return SD_OK;
}

/* The list of labels; NULL where it is absent, empty, or no list of strings. */
static const struct sd_list *label_list(const struct sd_job *job, uint32_t node)
{
	const struct sd_value *value = sd_graph_attr(job->graph, node, SD_ATTR_ACTIVE_LABEL_LIST);

	if (!value || value->kind != SD_VALUE_LIST || value->list.item != SD_VALUE_STRING || !value->list.count)
		return NULL;
	return &value->list;
}

/* Adds a starter of the labels from entry `first` of a list up to entry `end`. */
static enum sd_status add_starter(struct finder *f, uint32_t n, const struct sd_list *list, uint32_t first, uint32_t end)
{
	struct sd_starter *starter;

	if (!sd_vec_room(f->job->mem, &f->starter))
		SD_NEED(f->job, NULL);
	starter = &f->starter.at[f->starter.count];
	*starter = sd_starter_of(n, f->lane.count);
	for (uint32_t i = first; i < end && !(SD_MUTANT(start_first_label) && i); i++)
		SD_TRY(start_label(f, starter, list->string[i], i));
	starter->count = f->lane.count - starter->first;
	f->starter.count += starter->count != 0;
	return SD_OK;
}

static enum sd_status look_at(struct finder *f, uint32_t n)
{
	struct sd_job *job = f->job;
	const struct sd_list *list = label_list(job, n);
	enum sd_op op = sd_job_op(job, n);

	if (!job->launched[n])
		return SD_OK;
	if (!list)
		return sd_op_leaves_stream(op) ? SD_FAIL0(job->diag, SD_CODE_SWITCH_WITHOUT_LIST, n) : SD_OK;
	if (op != SD_OP_STREAM_SWITCH_N)
		return add_starter(f, n, list, 0, list->count);
	for (uint32_t i = 0; i < list->count; i++)
		SD_TRY(add_starter(f, n, list, i, i + 1));
	return SD_OK;
}

/* Gives the starter of a body its lanes, beside those that it starts by label. */
static enum sd_status add_body(struct finder *f, const struct sd_body_starts *bodies, uint32_t graph, struct sd_starter *starter)
{
	for (uint32_t i = 0; i < bodies->count[graph]; i++)
		SD_TRY(add_lane(f, starter, bodies->lane.at[bodies->first[graph] + i]));
	starter->count = f->lane.count - starter->first;
	return SD_OK;
}

/* Copies the next starter by label; those of a StreamSwitchN one after the other. */
static enum sd_status copy_starter(struct finder *both, const struct finder *f, uint32_t n, uint32_t next)
{
	struct sd_starter *starter;

	if (!sd_vec_room(both->job->mem, &both->starter))
		SD_NEED(both->job, NULL);
	starter = &both->starter.at[both->starter.count++];
	*starter = sd_starter_of(n, both->lane.count);
	for (uint32_t k = 0; next < f->starter.count && f->starter.at[next].node == n && k < f->starter.at[next].count; k++)
		SD_TRY(add_lane(both, starter, f->lane.at[f->starter.at[next].first + k]));
	starter->count = both->lane.count - starter->first;
	return SD_OK;
}

/* Starters by label and starters of bodies, in flat order. */
static enum sd_status join_bodies(struct finder *f)
{
	struct sd_job *job = f->job;
	struct finder both = { .job = job };
	struct sd_body_starts bodies;
	uint32_t next = 0;

	if (job->graph->graph_count == 1)
		return SD_OK;
	SD_TRY(sd_body_starts_find(job, f->starter.at, f->starter.count, f->lane.at, &bodies));
	for (uint32_t i = 0; i < job->graph->node_count; i++) {
		uint32_t n = job->order.flat[i], graph = job->graph->graph_of[n];
		bool of_body = graph != SD_ROOT && bodies.node[graph] == n && bodies.count[graph];
		uint32_t before = both.starter.count;

		if (graph != SD_ROOT && bodies.node[graph] == n && sd_job_op(job, n) == SD_OP_STREAM_SWITCH_N)
			return SD_FAIL0(job->diag, SD_CODE_CHOICE_STARTS_BODY, n);
		for (; next < f->starter.count && f->starter.at[next].node == n; next++)
			SD_TRY(copy_starter(&both, f, n, next));
		if (of_body && both.starter.count == before)
			SD_TRY(copy_starter(&both, f, n, f->starter.count));
		if (of_body)
			SD_TRY(add_body(&both, &bodies, graph, &both.starter.at[both.starter.count - 1]));
	}
	f->starter.at = both.starter.at;
	f->starter.count = both.starter.count;
	f->lane.at = both.lane.at;
	return SD_OK;
}

/* The first StreamSwitch among the control producers of a node; SD_NO_NODE if there is none. */
static uint32_t switch_before(const struct sd_job *job, uint32_t node)
{
	const struct sd_adjacency *adj = &job->adjacency;

	for (uint32_t e = adj->pred_first[node] + adj->data_pred_count[node]; e < adj->pred_first[node + 1]; e++) {
		if (sd_job_op(job, adj->pred[e]) == SD_OP_STREAM_SWITCH)
			return adj->pred[e];
	}
	return SD_NO_NODE;
}

static void find_loop(struct sd_job *job)
{
	const struct sd_adjacency *adj = &job->adjacency;
	uint32_t i = 0, node;

	job->starts.loop_node = job->starts.loop_switch = SD_NO_NODE;
	while (i < job->graph->node_count && (!sd_graph_bool(job->graph, job->order.flat[i], SD_ATTR_IS_LOOP_ACTIVE) ||
	                                      (label_list(job, job->order.flat[i]) && !SD_MUTANT(start_loop_with_list))))
		i++;
	if (i == job->graph->node_count)
		return;
	node = job->starts.loop_node = job->order.flat[i];
	job->starts.loop_switch = switch_before(job, node);
	for (uint32_t e = adj->pred_first[node] + adj->data_pred_count[node];
	     job->starts.loop_switch == SD_NO_NODE && e < adj->pred_first[node + 1]; e++)
		job->starts.loop_switch = switch_before(job, adj->pred[e]);
}

/* Whether a starter cannot start its one stream itself. */
static bool needs_relay(const struct sd_job *job, const struct sd_starter *starter, const uint32_t *starters, const uint32_t *seen, bool ends)
{
	const struct sd_adjacency *adj = &job->adjacency;
	uint32_t node = starter->node, lane = job->starts.lane[starter->first];
	bool told = ends || adj->succ_first[node] != adj->succ_first[node + 1];

	switch (sd_job_op(job, node)) {
	case SD_OP_STREAM_SWITCH:
		return starter->count > 1 || (told && starters[lane] > 1 && !SD_MUTANT(start_no_relay));
	case SD_OP_STREAM_SWITCH_N:
		return starter->count > 1 || seen[lane] == node + 1;
	default:
		return false;
	}
}

/* What must wait for a StreamSwitch is told from a stream that it alone starts, and it starts exactly one; of a
 * StreamSwitchN each label does. In a body without NetOutput the owner's consumers may wait for it. */
static enum sd_status add_relays(struct sd_job *job)
{
	struct sd_starts *s = &job->starts;
	uint32_t *starters = SD_NEW0(job->mem, uint32_t, s->lane_count), *seen = SD_NEW0(job->mem, uint32_t, s->lane_count);
	uint32_t *output = SD_NEW(job->mem, uint32_t, job->graph->graph_count);

	SD_NEED(job, starters && seen && output);
	sd_body_outputs(job, output);
	for (uint32_t i = 0; i < s->count; i++) {
		for (uint32_t k = 0; k < s->at[i].count; k++)
			starters[s->lane[s->at[i].first + k]]++;
	}
	for (uint32_t i = 0; i < s->count; i++) {
		struct sd_starter *starter = &s->at[i];
		uint32_t graph = job->graph->graph_of[starter->node];
		bool ends = graph != SD_ROOT && output[graph] == SD_NO_NODE && !SD_MUTANT(start_body_tells_nobody);

		if (needs_relay(job, starter, starters, seen, ends)) {
			starter->relay_lane = s->lane_count++;
			s->relay_count++;
		}
		for (uint32_t k = 0; k < starter->count; k++)
			seen[s->lane[starter->first + k]] = starter->node + 1;
	}
	return SD_OK;
}

/* Who starts each lane. Behind a relay it is the relay, which has the number of its starter. */
static enum sd_status index_lanes(struct sd_job *job)
{
	struct sd_starts *s = &job->starts;
	uint32_t total = 0, *next;

	for (uint32_t i = 0; i < s->count; i++)
		total += s->at[i].count + 1;
	s->first_of_lane = SD_NEW0(job->mem, uint32_t, s->lane_count + 1u);
	s->of_lane = SD_NEW(job->mem, uint32_t, total);
	next = SD_NEW(job->mem, uint32_t, s->lane_count);
	SD_NEED(job, s->first_of_lane && s->of_lane && next);
	for (uint32_t i = 0; i < s->count; i++) {
		for (uint32_t k = 0; k < s->at[i].count; k++)
			s->first_of_lane[s->lane[s->at[i].first + k] + 1]++;
		if (s->at[i].relay_lane != SD_NO_NODE)
			s->first_of_lane[s->at[i].relay_lane + 1]++;
	}
	for (uint32_t lane = 0; lane < s->lane_count; lane++) {
		next[lane] = s->first_of_lane[lane];
		s->first_of_lane[lane + 1] += s->first_of_lane[lane];
	}
	for (uint32_t i = 0; i < s->count; i++) {
		for (uint32_t k = 0; k < s->at[i].count; k++)
			s->of_lane[next[s->lane[s->at[i].first + k]]++] = i;
		if (s->at[i].relay_lane != SD_NO_NODE)
			s->of_lane[next[s->at[i].relay_lane]++] = i;
	}
	return SD_OK;
}

enum sd_status sd__pass_find_starters(struct sd_job *job)
{
	struct finder f = { .job = job };
	uint32_t lanes = job->logical_stream_count, launched = 0;

	for (uint32_t n = 0; n < job->graph->node_count; n++) {
		launched += job->launched[n];
		if (job->stream[n] >= (int32_t)lanes)
			lanes = (uint32_t)job->stream[n] + 1;
	}
	job->starts.lane_count = lanes == 0 && launched ? 1 : lanes;
	SD_TRY(list_labelled(&f));
	for (uint32_t i = 0; i < job->graph->node_count; i++) {
		if (sd_dynamic_plans(job->graph, job->graph->graph_of[job->order.flat[i]]))
			SD_TRY(look_at(&f, job->order.flat[i]));
	}
	SD_TRY(join_bodies(&f));
	job->starts.count = f.starter.count;
	job->starts.at = f.starter.at;
	job->starts.lane = f.lane.at;
	SD_TRY(add_relays(job));
	find_loop(job);
	return index_lanes(job);
}
