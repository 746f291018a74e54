#include "base/check.h"
#include "plan_codec.h"

/* ---- lists: packed, left out when empty ---- */

static void put_list(struct sd_buffer *b, uint32_t field, const uint32_t *item, uint32_t count)
{
	size_t begun;

	if (count == 0)
		return;
	begun = sd_put_begin(b, field);
	for (uint32_t i = 0; i < count; i++)
		sd_put_varint(b, item[i]);
	sd_put_end(b, begun);
}

static void put_signed_list(struct sd_buffer *b, uint32_t field, const int32_t *item, uint32_t count)
{
	size_t begun;

	if (count == 0)
		return;
	begun = sd_put_begin(b, field);
	for (uint32_t i = 0; i < count; i++)
		sd_put_varint(b, (uint32_t)item[i] << 1 ^ (uint32_t)(item[i] >> 31));
	sd_put_end(b, begun);
}

/* An index + 1; SD_NO_NODE becomes 0. */
static void put_plus1(struct sd_buffer *b, uint32_t field, uint32_t index)
{
	sd_put_uint(b, field, index + 1);
}

/* ---- messages ---- */

static void put_command(struct sd_buffer *b, const struct sd_command *command)
{
	size_t begun = sd_put_begin(b, 9);

	sd_put_uint_always(b, command->kind + 1u, command->arg);
	sd_put_uint(b, 7, command->attached);
	sd_put_uint(b, 8, command->in);
	sd_put_end(b, begun);
}

static void put_stream(struct sd_buffer *b, const struct sd_plan *plan, const struct sd_stream *stream)
{
	size_t begun = sd_put_begin(b, 13);

	sd_put_uint(b, 1, stream->logical_id);
	put_plus1(b, 2, stream->label_node);
	sd_put_sint(b, 3, stream->priority);
	sd_put_uint(b, 4, stream->flags);
	sd_put_uint(b, 5, stream->attached);
	sd_put_uint(b, 6, stream->huge);
	sd_put_uint(b, 7, stream->initially_active);
	sd_put_uint(b, 8, (uint64_t)stream->task_count);
	for (uint32_t i = 0; i < stream->command_count; i++)
		put_command(b, &plan->command[stream->first_command + i]);
	sd_put_end(b, begun);
}

static void put_placement(struct sd_buffer *b, const struct sd_plan *plan, const struct sd_placement *node)
{
	size_t begun = sd_put_begin(b, 14);

	sd_put_sint(b, 1, node->logical_stream);
	sd_put_sint(b, 2, node->stream);
	put_signed_list(b, 3, plan->attached_logical + node->attached_first, node->attached_count);
	if (node->stream != SD_NO_STREAM)
		put_signed_list(b, 4, plan->attached_stream + node->attached_first, node->attached_count);
	put_list(b, 5, plan->attached_event + node->event_first, node->event_count);
	put_list(b, 6, plan->attached_notify + node->notify_first, node->notify_count);
	sd_put_uint(b, 7, (uint64_t)(int64_t)node->cube_cores);
	sd_put_uint(b, 8, (uint64_t)(int64_t)node->vector_cores);
	sd_put_uint(b, 9, node->host_wait);
	sd_put_end(b, begun);
}

static void put_sync(struct sd_buffer *b, const struct sd_sync *sync)
{
	size_t begun = sd_put_begin(b, 15);

	sd_put_uint(b, 1, sync->id);
	sd_put_uint(b, 2, sync->kind);
	sd_put_uint(b, 3, sync->record_node);
	sd_put_uint(b, 4, sync->record_stream);
	sd_put_uint(b, 5, sync->wait_node);
	sd_put_uint(b, 6, sync->wait_stream);
	sd_put_uint(b, 7, sync->cause);
	sd_put_end(b, begun);
}

static void put_activation(struct sd_buffer *b, const struct sd_plan *plan, const struct sd_activation *activation)
{
	size_t begun = sd_put_begin(b, 16);

	sd_put_uint(b, 1, activation->node);
	put_list(b, 2, plan->activated + activation->first, activation->count);
	sd_put_end(b, begun);
}

static void put_summary(struct sd_buffer *b, const struct sd_plan *plan, const struct sd_summary *summary)
{
	size_t begun = sd_put_begin(b, 17);

	sd_put_uint(b, 1, summary->logical_id);
	put_plus1(b, 2, summary->label_node);
	sd_put_uint(b, 3, summary->by_stream_pass);
	put_list(b, 4, plan->summary_attached + summary->attached_first, summary->attached_count);
	sd_put_uint(b, 5, summary->physical_count);
	sd_put_uint(b, 6, summary->follow_count);
	sd_put_uint(b, 7, summary->node_count);
	sd_put_end(b, begun);
}

/* A plan must not hold text of a request: it serves graphs with other names too. */
static void put_argument(struct sd_buffer *b, const struct sd_arg *arg)
{
	size_t begun = sd_put_begin(b, 3);

	SD_REQUIRE(arg->kind != SD_ARG_TEXT && arg->kind != SD_ARG_WORDS);
	sd_put_uint(b, 1, arg->kind);
	sd_put_uint(b, 2, (uint64_t)arg->number);
	sd_put_end(b, begun);
}

static void put_diagnostic(struct sd_buffer *b, const struct sd_diag *diag)
{
	const char *code = sd_code_text(diag->code);
	size_t begun = sd_put_begin(b, 18);
	uint32_t args = SD_DIAG_ARGS;

	while (args > 0 && diag->arg[args - 1].kind == SD_ARG_NONE)
		args--;
	sd_put_bytes(b, 1, code, strlen(code));
	put_plus1(b, 2, diag->node);
	for (uint32_t i = 0; i < args; i++)
		put_argument(b, &diag->arg[i]);
	sd_put_end(b, begun);
}

static void put_explanation(struct sd_buffer *b, const struct sd_explanation *explanation)
{
	size_t begun = sd_put_begin(b, 20);

	sd_put_uint(b, 1, explanation->node);
	sd_put_uint(b, 2, explanation->pass);
	sd_put_uint(b, 3, explanation->reason);
	sd_put_uint(b, 4, (uint64_t)((int64_t)explanation->from + 1));
	sd_put_uint(b, 5, (uint64_t)((int64_t)explanation->to + 1));
	put_plus1(b, 6, explanation->other);
	put_plus1(b, 7, explanation->through);
	sd_put_uint(b, 8, explanation->number);
	sd_put_end(b, begun);
}

static void put_explanations(struct sd_buffer *b, const struct sd_plan *plan)
{
	for (uint32_t i = 0; i < plan->explanation_count; i++)
		put_explanation(b, &plan->explanation[i]);
	for (uint32_t i = 0; i < plan->pass_count; i++)
		sd_put_bytes(b, 21, plan->pass_name[i].at, plan->pass_name[i].len);
}

static void put_simulated_launch(struct sd_buffer *b, const struct sd_simulated_launch *launch)
{
	size_t begun = sd_put_begin(b, 5);

	sd_put_uint(b, 1, launch->node);
	sd_put_uint(b, 2, launch->stream);
	sd_put_uint(b, 3, launch->attached);
	sd_put_uint(b, 4, (uint64_t)launch->began_ns);
	sd_put_uint(b, 5, (uint64_t)launch->ended_ns);
	sd_put_end(b, begun);
}

/* A pair of numbers as a message. */
static void put_pair(struct sd_buffer *b, uint32_t field, uint64_t first, uint64_t second)
{
	size_t begun = sd_put_begin(b, field);

	sd_put_uint(b, 1, first);
	sd_put_uint(b, 2, second);
	sd_put_end(b, begun);
}

static void put_simulation(struct sd_buffer *b, const struct sd_simulation *simulation)
{
	size_t begun = sd_put_begin(b, 22);

	sd_put_uint(b, 1, (uint64_t)simulation->makespan_ns);
	sd_put_uint(b, 2, (uint64_t)simulation->one_stream_ns);
	sd_put_uint(b, 3, simulation->assumed);
	for (uint32_t s = 0; s < simulation->stream_count; s++)
		put_pair(b, 4, (uint64_t)simulation->stream[s].busy_ns, (uint64_t)simulation->stream[s].overlap_ns);
	for (uint32_t i = 0; i < simulation->launch_count; i++)
		put_simulated_launch(b, &simulation->launch[i]);
	for (uint32_t i = 0; i < simulation->link_count; i++)
		put_pair(b, 6, simulation->link[i].launch, simulation->link[i].reason);
	sd_put_end(b, begun);
}

static void put_head(struct sd_buffer *b, const struct sd_plan *plan, const struct sd_identity *identity)
{
	sd_put_uint(b, 1, SD_PLAN_FORMAT);
	sd_put_bytes(b, 2, identity->graph_hash, SD_DIGEST_BYTES);
	sd_put_bytes(b, 3, identity->plan_key, SD_DIGEST_BYTES);
	sd_put_bytes(b, 4, identity->planner, strlen(identity->planner));
	sd_put_uint(b, 5, plan->mode);
	sd_put_uint(b, 6, plan->logical_stream_count);
	sd_put_uint(b, 7, plan->main_stream_count);
	sd_put_uint(b, 8, plan->attached_stream_count);
	sd_put_uint(b, 9, plan->stream_count);
	sd_put_uint(b, 10, plan->event_count);
	sd_put_uint(b, 11, plan->notify_count);
	put_list(b, 12, plan->notify_type, plan->notify_count);
}

/* Enough for nearly every plan: indices of up to a million, few attached streams. */
static size_t guess_bytes(const struct sd_plan *plan)
{
	return 256 + (size_t)plan->node_count * 12 + (size_t)plan->command_count * 10 + (size_t)plan->stream_count * 32 +
	       (size_t)plan->sync_count * 24 + (size_t)(plan->activation_count + plan->activated_count) * 8 +
	       (size_t)(plan->attached_count + plan->notify_count) * 8 +
	       (size_t)(plan->summary_count + plan->diagnostic_count) * 32 + (size_t)plan->explanation_count * 20 + (size_t)plan->pass_count * 24 +
	       (size_t)plan->simulation.launch_count * 24 + (size_t)plan->simulation.stream_count * 16 + (size_t)plan->simulation.link_count * 8;
}

enum sd_status sd_plan_encode(struct sd_arena *mem, const struct sd_plan *plan, const struct sd_identity *identity,
                              struct sd_text *bytes)
{
	struct sd_buffer b;

	sd_buffer_init(&b, mem, guess_bytes(plan));
	put_head(&b, plan, identity);
	for (uint32_t i = 0; i < plan->stream_count; i++)
		put_stream(&b, plan, &plan->stream[i]);
	for (uint32_t i = 0; i < plan->node_count; i++)
		put_placement(&b, plan, &plan->node[i]);
	for (uint32_t i = 0; i < plan->sync_count; i++)
		put_sync(&b, &plan->sync[i]);
	for (uint32_t i = 0; i < plan->activation_count; i++)
		put_activation(&b, plan, &plan->activation[i]);
	for (uint32_t i = 0; i < plan->summary_count; i++)
		put_summary(&b, plan, &plan->summary[i]);
	for (uint32_t i = 0; i < plan->diagnostic_count; i++)
		put_diagnostic(&b, &plan->diagnostic[i]);
	put_list(&b, 19, plan->inserted, plan->inserted_count);
	put_explanations(&b, plan);
	if (plan->simulated)
		put_simulation(&b, &plan->simulation);
	if (b.failed || b.len > UINT32_MAX)
		return SD_RESOURCE_EXHAUSTED;
	*bytes = (struct sd_text){ (const char *)b.data, (uint32_t)b.len };
	return SD_OK;
}
