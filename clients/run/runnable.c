#include "runnable.h"

#include "formats/json_path.h"

struct checker {
	const struct sd_plan *plan;
	struct sd_diag *diag;
	bool *launched; /* by node */
};

static enum sd_status no_such(const struct checker *c, const char *what, int64_t number, const char *where)
{
	return SD_FAIL3(c->diag, SD_CODE_PLAN_NUMBER, SD_NO_NODE, sd_arg_words(what), sd_arg_int(number), sd_arg_words(where));
}

static enum sd_status bad_launch(const struct checker *c, uint32_t node, const char *what)
{
	return SD_FAIL1(c->diag, SD_CODE_PLAN_LAUNCH, node, sd_arg_words(what));
}

static enum sd_status check_launch(struct checker *c, uint32_t stream, const struct sd_command *command)
{
	uint32_t node = command->arg;

	if (c->plan->node[node].stream == SD_NO_STREAM)
		return bad_launch(c, node, "launched and has no stream");
	if (command->attached)
		return SD_OK;
	if ((uint32_t)c->plan->node[node].stream != stream)
		return bad_launch(c, node, "not launched on the stream on which it is placed");
	if (c->launched[node])
		return bad_launch(c, node, "launched twice");
	c->launched[node] = true;
	return SD_OK;
}

static enum sd_status check_command(struct checker *c, uint32_t stream, const struct sd_command *command)
{
	switch (command->kind) {
	case SD_LAUNCH:
		return check_launch(c, stream, command);
	case SD_RECORD:
	case SD_WAIT:
		return command->arg < c->plan->event_count ? SD_OK : no_such(c, "event", command->arg, "a command names");
	case SD_NOTIFY_RECORD:
	case SD_NOTIFY_WAIT:
		return command->arg < c->plan->notify_count ? SD_OK : no_such(c, "notify", command->arg, "a command names");
	}
	return command->arg < c->plan->activation_count ? SD_OK : no_such(c, "activation", command->arg, "a command makes");
}

static enum sd_status check_activations(const struct checker *c)
{
	for (uint32_t i = 0; i < c->plan->activated_count; i++) {
		if (c->plan->activated[i] >= c->plan->stream_count)
			return no_such(c, "stream", c->plan->activated[i], "is activated");
	}
	for (uint32_t i = 0; i < c->plan->activation_count; i++) {
		if (c->plan->activation[i].node >= c->plan->node_count)
			return no_such(c, "activation", i, "a command makes");
	}
	return SD_OK;
}

static enum sd_status check_syncs(const struct checker *c)
{
	for (uint32_t i = 0; i < c->plan->sync_count; i++) {
		const struct sd_sync *sync = &c->plan->sync[i];
		uint32_t most = sync->kind == SD_SYNC_EVENT ? c->plan->event_count : c->plan->notify_count;

		if (sync->id >= most)
			return no_such(c, sync->kind == SD_SYNC_EVENT ? "event" : "notify", sync->id, "a sync names");
		if (sync->record_stream >= c->plan->stream_count || sync->wait_stream >= c->plan->stream_count)
			return no_such(c, "stream", sync->record_stream >= c->plan->stream_count ? sync->record_stream : sync->wait_stream, "a sync names");
	}
	return SD_OK;
}

static enum sd_status check_nodes(const struct checker *c)
{
	for (uint32_t n = 0; n < c->plan->node_count; n++) {
		int32_t stream = c->plan->node[n].stream;

		if (stream != SD_NO_STREAM && (stream < 0 || (uint32_t)stream >= c->plan->stream_count))
			return no_such(c, "stream", stream, "a node is placed on");
		if (stream != SD_NO_STREAM && !c->launched[n])
			return bad_launch(c, n, "placed on a stream and never launched");
	}
	return SD_OK;
}

enum sd_status sd_runnable_check(struct sd_arena *mem, const struct sd_plan *plan, struct sd_diag *diag)
{
	struct checker c = { .plan = plan, .diag = diag, .launched = SD_NEW0(mem, bool, plan->node_count + 1) };

	if (!c.launched)
		return sd_memory_fail(mem, diag);
	SD_TRY(check_activations(&c));
	SD_TRY(check_syncs(&c));
	for (uint32_t s = 0; s < plan->stream_count; s++) {
		for (uint32_t i = 0; i < plan->stream[s].command_count; i++)
			SD_TRY(check_command(&c, s, &plan->command[plan->stream[s].first_command + i]));
	}
	return check_nodes(&c);
}
