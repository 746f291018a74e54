#include "verify_sweep.h"

enum sd_status sd__branch_init(struct sd__sweep *sweep)
{
	struct sd__judge *judge = sweep->judge;
	struct sd__branch *branch = &sweep->branch;
	uint32_t streams = judge->plan->stream_count, graphs = judge->graph->graph_count, jumps = judge->scopes.jump_count;

	*branch = (struct sd__branch){ .unused = SD__NONE };
	if (!judge->scopes.branches)
		return SD_OK;
	SD__TAKE(branch->top, judge->mem, uint32_t, streams + 1);
	SD__TAKE0(branch->scope, judge->mem, uint32_t, streams + 1);
	SD__TAKE(branch->row_of_body, judge->mem, uint32_t, graphs);
	SD__TAKE(branch->row_of_jump, judge->mem, uint32_t, jumps + 1);
	memset(branch->top, 0xff, streams * sizeof(uint32_t));
	memset(branch->row_of_body, 0xff, graphs * sizeof(uint32_t));
	memset(branch->row_of_jump, 0xff, jumps * sizeof(uint32_t));
	return SD_OK;
}

void sd__branch_begin(struct sd__sweep *sweep, uint32_t stream, uint32_t scope)
{
	sweep->branch.scope[stream] = scope;
}

/* One of two ways was taken: `row` is what is known behind either. Gives up the hold on both. */
static uint32_t either(struct sd__sweep *sweep, uint32_t row, uint32_t other)
{
	if (row == SD__NONE)
		return other;
	if (row != other) {
		row = sd__row_own(&sweep->rows, row);
		if (sweep->may)
			sd__row_join(sd__row(&sweep->rows, row), sd__row(&sweep->rows, other), sweep->rows.width);
		else
			sd__row_meet(sd__row(&sweep->rows, row), sd__row(&sweep->rows, other), sweep->rows.width);
	}
	sd__row_drop(&sweep->rows, other);
	return row;
}

/* The slot of the label where lowered bodies end; SD__NONE: they end nowhere. */
static uint32_t end_slot(const struct sd__judge *judge, uint32_t n)
{
	uint32_t label = judge->scopes.lowered[n] ? judge->scopes.end_label[n] : SD_NO_NODE;

	return label == SD_NO_NODE ? SD__NONE : judge->main_slot[label];
}

static bool ends_here(const struct sd__judge *judge, uint32_t n, uint32_t stream)
{
	uint32_t end = end_slot(judge, n);

	return end != SD__NONE && judge->slot[end].stream == stream;
}

static uint32_t learn_jump(struct sd__sweep *sweep, uint32_t row, uint32_t j)
{
	uint32_t known = sweep->branch.row_of_jump[j];

	if (known == SD__NONE)
		return row;
	row = sd__row_own(&sweep->rows, row);
	sd__learn(sweep, sd__row(&sweep->rows, row), sweep->judge->main_slot[sweep->judge->scopes.jump[j].from], known);
	sweep->branch.row_of_jump[j] = SD__NONE;
	return row;
}

/* What is known at the end label of node `n` if it is reached through this scope (SD__NONE: the body of the loop does not run). */
static uint32_t row_of_way(struct sd__sweep *sweep, const struct sd__frame *frame, uint32_t scope, uint32_t at)
{
	const struct sd__judge *judge = sweep->judge;
	uint32_t row, n = judge->slot[at].node;

	if (scope != SD__NONE && sweep->branch.row_of_body[scope] != SD__NONE) {
		row = sweep->branch.row_of_body[scope];
		sweep->branch.row_of_body[scope] = SD__NONE;
	} else {
		row = sd__row_share(&sweep->rows, frame->entry);
	}
	for (uint32_t j = sd__jumps_first(judge, n, at); j < sd__jumps_end(judge, n, at); j++) {
		if (judge->scopes.jump[j].taken == scope)
			row = learn_jump(sweep, row, j);
	}
	return row;
}

/* What is known behind all bodies of a frame's node. */
static uint32_t row_behind(struct sd__sweep *sweep, const struct sd__frame *frame, uint32_t stream, uint32_t at)
{
	const struct sd__judge *judge = sweep->judge;
	uint32_t ways = sd__ways(judge, frame->node), turning = sd__turning_body(judge, frame->node), row = SD__NONE;

	if (!ends_here(judge, frame->node, stream)) {
		row = frame->behind;
		return frame->taken < ways ? either(sweep, row, sd__row_share(&sweep->rows, frame->entry)) : row;
	}
	if (turning != SD__NONE) {
		row = row_of_way(sweep, frame, turning, at);
		return either(sweep, row, row_of_way(sweep, frame, SD__NONE, at));
	}
	for (uint32_t k = 0; k < ways; k++)
		row = either(sweep, row, row_of_way(sweep, frame, sd__body(judge, frame->node, k), at));
	return row;
}

/* Leaves the body that the stream is in. */
static void leave_body(struct sd__sweep *sweep, struct sd__frame *frame, uint32_t stream)
{
	uint32_t row = sweep->row_of_stream[stream];

	if (ends_here(sweep->judge, frame->node, stream))
		sweep->branch.row_of_body[sweep->branch.scope[stream]] = row;
	else
		frame->behind = either(sweep, frame->behind, row);
	frame->taken++;
}

static void close_frame(struct sd__sweep *sweep, uint32_t stream, uint32_t at)
{
	struct sd__branch *branch = &sweep->branch;
	uint32_t top = branch->top[stream];
	struct sd__frame *frame = &branch->frame.at[top];

	sweep->row_of_stream[stream] = row_behind(sweep, frame, stream, at);
	sd__row_drop(&sweep->rows, frame->entry);
	branch->scope[stream] = sd__scope_up(sweep->judge, branch->scope[stream]);
	branch->top[stream] = frame->up;
	frame->up = branch->unused;
	branch->unused = top;
}

static bool open_frame(struct sd__sweep *sweep, uint32_t stream, uint32_t scope)
{
	struct sd__branch *branch = &sweep->branch;
	uint32_t frame = branch->unused;

	if (frame != SD__NONE)
		branch->unused = branch->frame.at[frame].up;
	else if (!sd_vec_room(sweep->judge->mem, &branch->frame))
		return false;
	else
		frame = branch->frame.count++;
	branch->frame.at[frame] = (struct sd__frame){
		.up = branch->top[stream], .node = sweep->judge->graph->graph[scope].parent,
		.entry = sd__row_share(&sweep->rows, sweep->row_of_stream[stream]), .behind = SD__NONE,
	};
	branch->top[stream] = frame;
	branch->scope[stream] = scope;
	return true;
}

bool sd__branch_to(struct sd__sweep *sweep, uint32_t stream, uint32_t scope, uint32_t at)
{
	const struct sd__judge *judge = sweep->judge;
	struct sd__branch *branch = &sweep->branch;

	while (!sd__scope_holds(judge, branch->scope[stream], scope)) {
		uint32_t up = sd__scope_up(judge, branch->scope[stream]), next = SD__NONE;
		struct sd__frame *frame;

		/* A stream that was started in a body holds nothing of what is around it. */
		if (branch->top[stream] == SD__NONE) {
			branch->scope[stream] = up;
			continue;
		}
		frame = &branch->frame.at[branch->top[stream]];
		leave_body(sweep, frame, stream);
		if (sd__scope_holds(judge, up, scope) && up != scope)
			next = sd__scope_towards(judge, up, scope);
		if (next != SD__NONE && judge->graph->graph[next].parent == frame->node) {
			sweep->row_of_stream[stream] = sd__row_share(&sweep->rows, frame->entry);
			branch->scope[stream] = next;
		} else {
			close_frame(sweep, stream, at);
		}
	}
	while (branch->scope[stream] != scope) {
		if (!open_frame(sweep, stream, sd__scope_towards(judge, branch->scope[stream], scope)))
			return false;
	}
	return true;
}

void sd__branch_jumped(struct sd__sweep *sweep, uint32_t at)
{
	const struct sd__judge *judge = sweep->judge;
	uint32_t n = judge->slot[at].node, stream = judge->slot[at].stream;

	/* Those that are taken in one way of several were looked at where the ways meet; if no frame was open, none is certain. */
	for (uint32_t j = sd__jumps_first(judge, n, at); j < sd__jumps_end(judge, n, at); j++) {
		uint32_t taken = judge->scopes.jump[j].taken;

		if (taken != SD__NONE && taken == judge->scopes.live[judge->slot[at].run_in])
			sweep->row_of_stream[stream] = learn_jump(sweep, sweep->row_of_stream[stream], j);
		else if (sweep->branch.row_of_jump[j] != SD__NONE)
			sd__row_drop(&sweep->rows, sweep->branch.row_of_jump[j]);
		sweep->branch.row_of_jump[j] = SD__NONE;
	}
}

void sd__branch_jumps(struct sd__sweep *sweep, uint32_t at, uint32_t row)
{
	const struct sd__scopes *scopes = &sweep->judge->scopes;
	uint32_t n = sweep->judge->slot[at].node;

	if (sweep->judge->main_slot[n] != at)
		return;
	for (uint32_t i = scopes->leads_first[n]; i < scopes->leads_first[n + 1]; i++) {
		if (sweep->judge->main_slot[scopes->jump[scopes->leads[i]].to] != SD__NONE)
			sweep->branch.row_of_jump[scopes->leads[i]] = sd__row_share(&sweep->rows, row);
	}
}

void sd__branch_end(struct sd__sweep *sweep, uint32_t stream)
{
	struct sd__branch *branch = &sweep->branch;

	while (branch->top[stream] != SD__NONE) {
		uint32_t top = branch->top[stream];
		struct sd__frame *frame = &branch->frame.at[top];

		sd__row_drop(&sweep->rows, frame->entry);
		if (frame->behind != SD__NONE)
			sd__row_drop(&sweep->rows, frame->behind);
		for (uint32_t k = 0; ends_here(sweep->judge, frame->node, stream) && k < sd__body_count(sweep->judge, frame->node); k++) {
			uint32_t *row = &branch->row_of_body[sd__body(sweep->judge, frame->node, k)];

			if (*row != SD__NONE)
				sd__row_drop(&sweep->rows, *row);
			*row = SD__NONE;
		}
		branch->top[stream] = frame->up;
		frame->up = branch->unused;
		branch->unused = top;
	}
}
