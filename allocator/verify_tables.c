/* Counts, ranges and placements: whatever can be told without looking at a command. */
#include "verify_internal.h"

#define SHARED_ABOVE 65500u /* events; up to here each has a number of its own */

#define COUNT(judge, detail, id) sd__violate((judge)->verdict, SD_VIOLATION_COUNT, (detail), SD_NO_NODE, SD_NO_NODE, -1, (int64_t)(id))

static bool range_holds(uint32_t first, uint32_t count, uint32_t total)
{
	return first <= total && count <= total - first;
}

static void check_totals(struct sd__judge *judge)
{
	const struct sd_plan *plan = judge->plan;

	if (plan->mode > SD_MODE_DYNAMIC)
		COUNT(judge, "there is no such mode", plan->mode);
	if ((uint64_t)plan->main_stream_count + plan->attached_stream_count != plan->logical_stream_count)
		COUNT(judge, "main and attached streams do not add up to the logical ones", plan->logical_stream_count);
	if (plan->stream_count < plan->logical_stream_count)
		COUNT(judge, "there are fewer physical streams than logical ones", plan->stream_count);
	if (plan->command_count > INT32_MAX || plan->stream_count > INT32_MAX)
		COUNT(judge, "more commands or streams than any device takes", plan->command_count);
}

static void check_stream(struct sd__judge *judge, uint32_t s)
{
	const struct sd_plan *plan = judge->plan;
	const struct sd_stream *stream = &plan->stream[s];
	const char *wrong = NULL;

	if (stream->logical_id >= sd__lanes(plan) && (stream->logical_id != s || !judge->relays[s]))
		wrong = "a physical stream is a piece of no logical stream";
	else if (s < sd__lanes(plan) && stream->logical_id != s)
		wrong = "the first piece of a logical stream does not have its number";
	else if (stream->attached != (stream->logical_id >= plan->main_stream_count && stream->logical_id < plan->logical_stream_count))
		wrong = "attached streams do not come behind the main ones";
	else if (stream->label_node != SD_NO_NODE && stream->label_node >= plan->node_count)
		wrong = "a stream has the label of no node";
	if (wrong)
		sd__violate(judge->verdict, SD_VIOLATION_COUNT, wrong, SD_NO_NODE, SD_NO_NODE, s, stream->logical_id);
}

/* Streams of inserted nodes. */
static enum sd_status find_relays(struct sd__judge *judge)
{
	const struct sd_plan *plan = judge->plan;

	SD__TAKE0(judge->relays, judge->mem, uint8_t, plan->stream_count + 1);
	for (uint32_t n = judge->real_nodes; n < plan->node_count; n++) {
		if (plan->node[n].stream >= 0 && (uint32_t)plan->node[n].stream < plan->stream_count)
			judge->relays[plan->node[n].stream]++;
	}
	return SD_OK;
}

static void check_streams(struct sd__judge *judge)
{
	const struct sd_plan *plan = judge->plan;
	uint32_t next = 0;

	for (uint32_t s = 0; s < plan->stream_count; s++) {
		const struct sd_stream *stream = &plan->stream[s];

		check_stream(judge, s);
		if (stream->first_command != next || stream->command_count > plan->command_count - next) {
			sd__violate(judge->verdict, SD_VIOLATION_COUNT, "the commands of the streams do not follow each other",
			            SD_NO_NODE, SD_NO_NODE, s, stream->first_command);
			return;
		}
		next += stream->command_count;
	}
	if (next != plan->command_count)
		COUNT(judge, "some commands are on no stream", plan->command_count - next);
}

/* Every entry has a logical stream; where the node launches, a piece of it. */
static const char *attached_fault(const struct sd__judge *judge, const struct sd_placement *place)
{
	const struct sd_plan *plan = judge->plan;

	for (uint32_t i = place->attached_first; i < place->attached_first + place->attached_count; i++) {
		int32_t stream = plan->attached_stream[i], logical = plan->attached_logical[i];

		if (logical < (int64_t)plan->main_stream_count || logical >= (int64_t)plan->logical_stream_count)
			return "an attached logical stream does not exist";
		if (stream == SD_NO_STREAM && place->stream == SD_NO_STREAM)
			continue;
		if (place->stream == SD_NO_STREAM)
			return "it has no task but an attached stream";
		if (stream < 0 || (uint32_t)stream >= plan->stream_count)
			return "an attached stream does not exist";
		if (logical != (int64_t)plan->stream[stream].logical_id)
			return "an attached stream is a piece of another logical stream";
	}
	return NULL;
}

static const char *placement_fault(const struct sd__judge *judge, uint32_t n, const struct sd_placement *place)
{
	const struct sd_plan *plan = judge->plan;
	const struct sd_stream *stream;

	if (!range_holds(place->attached_first, place->attached_count, plan->attached_count) ||
	    !range_holds(place->event_first, place->event_count, plan->attached_event_count) ||
	    !range_holds(place->notify_first, place->notify_count, plan->attached_notify_count))
		return "its attached resources lie outside the plan's tables";
	if (n >= judge->real_nodes)
		return place->logical_stream == place->stream && place->stream >= (int64_t)sd__lanes(plan) &&
		       place->stream < (int64_t)plan->stream_count && plan->stream[place->stream].logical_id == (uint32_t)place->stream &&
		       !place->attached_count ? NULL : "it is inserted, but has no stream of its own";
	if (place->logical_stream < SD_NO_STREAM || place->logical_stream >= (int64_t)plan->main_stream_count)
		return "its logical stream does not exist";
	if (judge->main_tasks[n] <= 0)
		return place->stream != SD_NO_STREAM ? "it has no task but a stream" : NULL;
	if (place->stream < 0 || place->stream >= (int64_t)plan->stream_count)
		return "it has tasks but no stream that exists";
	stream = &plan->stream[place->stream];
	/* Without a logical stream a node runs on the first one, or on a piece of it, whatever that is. */
	if (stream->logical_id != (place->logical_stream == SD_NO_STREAM ? 0 : (uint32_t)place->logical_stream))
		return "its stream is a piece of another logical stream";
	return NULL;
}

static void check_placements(struct sd__judge *judge)
{
	uint64_t attached = 0, events = 0, notifies = 0;

	for (uint32_t n = 0; n < judge->plan->node_count; n++) {
		const struct sd_placement *place = &judge->plan->node[n];
		const char *wrong = placement_fault(judge, n, place);

		if (!wrong)
			wrong = sd__asked_fault(judge, n);
		if (!wrong)
			wrong = attached_fault(judge, place);
		if (wrong)
			sd__violate(judge->verdict, SD_VIOLATION_PLACEMENT, wrong, n, SD_NO_NODE, place->stream, place->logical_stream);
		attached += place->attached_count;
		events += place->event_count;
		notifies += place->notify_count;
	}
	if (attached != judge->plan->attached_count || events != judge->plan->attached_event_count ||
	    notifies != judge->plan->attached_notify_count)
		COUNT(judge, "the tables of attached resources hold more or less than the nodes have", attached);
}

/* Notifies are for what edges ask for, and only where notifies are asked for and the
 * shape is known; edges lead to no attached stream, unless there are no others. */
static const char *cause_fault(const struct sd__judge *judge, const struct sd_sync *sync)
{
	const struct sd_plan *plan = judge->plan;
	bool by_edge = sync->cause <= SD_CAUSE_SUBGRAPH, from_attached = plan->stream[sync->record_stream].attached;
	bool notify = by_edge && judge->request->options.event == SD_NOTIFY && !judge->graph->graph[SD_ROOT].dynamic;

	if (sync->kind != (notify ? SD_SYNC_NOTIFY : SD_SYNC_EVENT))
		return "a sync is an event where a notify is asked for, or the other way round";
	if (by_edge && plan->main_stream_count > 0 && (from_attached || plan->stream[sync->wait_stream].attached))
		return "no edge leads to or from an attached stream";
	if (sync->cause == SD_CAUSE_ATTACHED && !from_attached && !plan->stream[sync->wait_stream].attached)
		return "a sync for attached streams is on none";
	if (sync->cause == SD_CAUSE_COVER && (!from_attached || !(judge->op[judge->graph->op_type[sync->wait_node]] & SD__OP_OUTPUT)))
		return "a cover does not lead from an attached stream to NetOutput";
	return NULL;
}

/* Syncs are numbered as listed, events and notifies each from 0; resources that nodes asked for follow. Where
 * there are very many events, some may have the number of an earlier one. */
static void check_sync(struct sd__judge *judge, const struct sd_sync *sync, uint32_t next[2])
{
	const struct sd_plan *plan = judge->plan;
	const char *wrong;

	if (sync->kind > SD_SYNC_NOTIFY || sync->cause > SD_CAUSE_HOST) {
		sd__violate(judge->verdict, SD_VIOLATION_COUNT, "a sync has no such kind or cause", SD_NO_NODE, SD_NO_NODE, -1, sync->id);
		return;
	}
	if (sync->record_node >= plan->node_count || sync->wait_node >= plan->node_count ||
	    sync->record_stream >= plan->stream_count || sync->wait_stream >= plan->stream_count)
		sd__violate(judge->verdict, SD_VIOLATION_COUNT, "a sync names a node or stream that does not exist",
		            SD_NO_NODE, SD_NO_NODE, -1, sync->id);
	else if ((wrong = cause_fault(judge, sync)) != NULL)
		sd__violate(judge->verdict, SD_VIOLATION_PAIRING, wrong, sync->record_node, sync->wait_node, -1, sync->id);
	if (judge->events_shared && sync->kind == SD_SYNC_EVENT && sync->id < next[sync->kind])
		return;
	/* Where bodies may share numbers, these are looked at together. */
	if (!judge->scopes.bodies && sync->id != next[sync->kind])
		sd__violate(judge->verdict, SD_VIOLATION_DENSE, "a sync does not have the next free number",
		            SD_NO_NODE, SD_NO_NODE, -1, sync->id);
	next[sync->kind]++;
}

/* Each number from `from` on is held by some node, and no number is told that is not. */
static enum sd_status check_resources(struct sd__judge *judge, const uint32_t *id, uint32_t id_count, uint32_t from, uint32_t total)
{
	uint32_t distinct = 0;
	uint8_t *seen;

	if (total < from || total - from > id_count) {
		COUNT(judge, "the number of events or notifies is not what is there", total);
		return SD_OK;
	}
	SD__TAKE0(seen, judge->mem, uint8_t, total - from + 1);
	for (uint32_t i = 0; i < id_count; i++) {
		if (id[i] < from || id[i] >= total) {
			sd__violate(judge->verdict, SD_VIOLATION_DENSE, "an attached event or notify has a number of something else",
			            SD_NO_NODE, SD_NO_NODE, -1, id[i]);
		} else if (!seen[id[i] - from]) {
			seen[id[i] - from] = 1;
			distinct++;
		}
	}
	if (distinct != total - from)
		COUNT(judge, "the number of events or notifies is not what is there", total);
	return SD_OK;
}

static enum sd_status check_syncs(struct sd__judge *judge)
{
	const struct sd_plan *plan = judge->plan;
	uint32_t next[2] = { 0, 0 }, events = 0;

	for (uint32_t y = 0; y < plan->sync_count; y++)
		events += plan->sync[y].kind == SD_SYNC_EVENT;
	judge->events_shared = !judge->scopes.bodies && events > SHARED_ABOVE && plan->event_count < events;
	for (uint32_t y = 0; y < plan->sync_count; y++)
		check_sync(judge, &plan->sync[y], next);
	if (judge->scopes.bodies && judge->verdict->count == 0)
		SD_TRY(sd__verify_numbers(judge, next));
	SD_TRY(check_resources(judge, plan->attached_event, plan->attached_event_count, next[SD_SYNC_EVENT], plan->event_count));
	SD_TRY(check_resources(judge, plan->attached_notify, plan->attached_notify_count, next[SD_SYNC_NOTIFY], plan->notify_count));
	if (judge->verdict->count == 0)
		sd__verify_notify_types(judge, next[SD_SYNC_NOTIFY]);
	return SD_OK;
}

static const char *activation_fault(const struct sd__judge *judge, const struct sd_activation *activation)
{
	const struct sd_plan *plan = judge->plan;

	if (activation->node >= plan->node_count || judge->main_tasks[activation->node] <= 0)
		return "an activation belongs to no launched node";
	if (sd__is_switch(judge, activation->node) && activation->count != 1)
		return "a StreamSwitch starts more than one stream";
	if (activation->node < judge->real_nodes && !sd_graph_has(judge->graph, activation->node, SD_ATTR_ACTIVE_LABEL_LIST) &&
	    !sd_graph_has(judge->graph, activation->node, SD_ATTR_SUBGRAPH_FIRST_ACTIVE) &&
	    !sd_graph_has(judge->graph, activation->node, SD_ATTR_IS_LOOP_ACTIVE))
		return "a node activates streams without being asked to";
	if (activation->count == 0 || !range_holds(activation->first, activation->count, plan->activated_count))
		return "an activation names no stream, or lies outside the plan's table";
	for (uint32_t i = activation->first; i < activation->first + activation->count; i++) {
		if (plan->activated[i] >= plan->stream_count)
			return "an activation names a stream that does not exist";
		if (i > activation->first && plan->activated[i] <= plan->activated[i - 1] && !sd__op_is(judge, activation->node, SD__OP_BRANCHES))
			return "the streams of an activation do not ascend";
	}
	return NULL;
}

/* The node that starts the next turn starts every stream that runs with the model, but its own. */
static void check_turn(struct sd__judge *judge, const uint8_t *activated, const struct sd_activation *turn)
{
	const struct sd_plan *plan = judge->plan;
	uint32_t i = turn->first, own = (uint32_t)plan->node[turn->node].stream;

	for (uint32_t s = 0; s < plan->stream_count; s++) {
		bool listed = i < turn->first + turn->count && plan->activated[i] == s;

		i += listed;
		if (listed != (!activated[s] && !sd__is_jumped_to(judge, s) && s != own))
			sd__violate(judge->verdict, SD_VIOLATION_COMMAND, "the next turn of a loop starts a stream too many, or leaves one out",
			            turn->node, SD_NO_NODE, s, -1);
	}
}

/* Exactly the streams that nothing but the next turn of a loop activates start with the model. */
static enum sd_status check_activations(struct sd__judge *judge)
{
	const struct sd_plan *plan = judge->plan;
	const struct sd_activation *turn = NULL;
	uint8_t *activated;

	SD__TAKE0(activated, judge->mem, uint8_t, plan->stream_count + 1);
	for (uint32_t i = 0; i < plan->activation_count; i++) {
		const struct sd_activation *activation = &plan->activation[i];
		const char *wrong = activation_fault(judge, activation);

		if (wrong)
			sd__violate(judge->verdict, SD_VIOLATION_COMMAND, wrong, activation->node < plan->node_count ? activation->node : SD_NO_NODE,
			            SD_NO_NODE, -1, i);
		else if (sd__turns(judge, activation->node))
			turn = activation;
		else
			for (uint32_t k = 0; k < activation->count; k++)
				activated[plan->activated[activation->first + k]] = 1;
	}
	for (uint32_t s = 0; s < plan->stream_count; s++) {
		if (sd__is_jumped_to(judge, s) && !activated[s]) {
			if (plan->stream[s].initially_active)
				sd__violate(judge->verdict, SD_VIOLATION_COMMAND, "a stream starts with the model although it begins with a label that is only jumped to",
				            SD_NO_NODE, SD_NO_NODE, s, -1);
		} else if (!activated[s] && !plan->stream[s].initially_active)
			sd__violate(judge->verdict, SD_VIOLATION_DEADLOCK, "a stream does not start with the model and nobody activates it",
			            SD_NO_NODE, SD_NO_NODE, s, -1);
		else if (activated[s] && plan->stream[s].initially_active)
			sd__violate(judge->verdict, SD_VIOLATION_COMMAND, "a stream starts with the model although a node activates it",
			            SD_NO_NODE, SD_NO_NODE, s, -1);
	}
	if (turn && judge->verdict->count == 0)
		check_turn(judge, activated, turn);
	return SD_OK;
}

static bool attached_ascend(const struct sd_plan *plan, const struct sd_summary *row)
{
	if (!range_holds(row->attached_first, row->attached_count, plan->summary_attached_count))
		return false;
	for (uint32_t i = row->attached_first; i < row->attached_first + row->attached_count; i++) {
		if (plan->summary_attached[i] < plan->main_stream_count || plan->summary_attached[i] >= plan->logical_stream_count ||
		    (i > row->attached_first && plan->summary_attached[i] <= plan->summary_attached[i - 1]))
			return false;
	}
	return true;
}

/* The summary, where there is one, tells each logical stream once, with the number of its pieces. */
static enum sd_status check_summary(struct sd__judge *judge)
{
	const struct sd_plan *plan = judge->plan;
	uint32_t *pieces;

	if (plan->summary_count == 0)
		return SD_OK;
	if (plan->summary_count != plan->logical_stream_count) {
		COUNT(judge, "the summary does not tell every logical stream once", plan->summary_count);
		return SD_OK;
	}
	SD__TAKE0(pieces, judge->mem, uint32_t, plan->summary_count + 1);
	for (uint32_t s = 0; s < plan->stream_count; s++)
		if (plan->stream[s].logical_id < plan->logical_stream_count)
			pieces[plan->stream[s].logical_id]++;
	for (uint32_t i = 0; i < plan->summary_count; i++) {
		const struct sd_summary *row = &plan->summary[i];

		if (row->logical_id != i || row->physical_count != pieces[i] || !attached_ascend(plan, row) ||
		    (row->label_node != SD_NO_NODE && row->label_node >= plan->node_count))
			COUNT(judge, "a line of the summary is not true", i);
	}
	return SD_OK;
}

enum sd_status sd__verify_tables(struct sd__judge *judge)
{
	check_totals(judge);
	if (judge->verdict->count > 0)
		return SD_OK;
	SD_TRY(find_relays(judge));
	check_streams(judge);
	if (judge->verdict->count > 0)
		return SD_OK;
	check_placements(judge);
	SD_TRY(check_syncs(judge));
	SD_TRY(check_activations(judge));
	return check_summary(judge);
}
