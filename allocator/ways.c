#include "ways.h"
#include "mutants.h"

uint32_t sd_way_out(const struct sd_slots *slots, const struct sd_exit *exit, const struct sd_functional *fun, uint32_t k)
{
	const uint32_t *tail = slots->tail.at + exit->first_tail;
	uint32_t from = tail[k];

	if (from == SD_NO_INDEX && fun->loop && k)
		from = tail[0];
	if (from == SD_NO_INDEX || (slots->stream[from] != slots->stream[exit->slot] && !SD_MUTANT(ways_end_on_other_piece)))
		from = slots->front[exit->slot];
	return from;
}

uint32_t sd_way_in(const struct sd_job *job, const struct sd_functional *fun)
{
	const struct sd_graph *graph = job->graph;
	uint32_t n = fun->switch_node;

	if (fun->loop) {
		n = graph->graph[graph->body[graph->body_first[fun->node]]].first_node;
		while (job->scopes.role[n] != SD_ROLE_CONDITION)
			n++;
	}
	return job->slots.waits_at[n];
}

uint32_t sd_way_jump(const struct sd_job *job, const struct sd_functional *fun, uint32_t k)
{
	uint32_t jump = job->scopes.jump[fun->first_jump + k];

	return jump == SD_NO_NODE ? job->slots.waits_at[fun->end_node] : job->slots.of_node[jump];
}

const struct sd_functional *sd_way_label(const struct sd_job *job, uint32_t slot, enum sd_label_role *role)
{
	uint32_t node = job->slots.node[slot];
	const struct sd_scopes *scopes = &job->scopes;

	*role = sd_scopes_role(scopes, node);
	if (job->slots.kind[slot] != SD_SLOT_MAIN || (*role != SD_ROLE_HEAD && *role != SD_ROLE_END))
		return NULL;
	return &scopes->functional[scopes->at[scopes->of_graph[job->graph->graph_of[node]]].functional];
}

uint32_t sd_slot_graph(const struct sd_job *job, uint32_t slot)
{
	const struct sd_graph *graph = job->graph;
	uint32_t node = job->slots.node[slot], own = graph->graph_of[node];
	const struct sd_scope *scope = &job->scopes.at[job->slots.scope[slot]];

	if (job->slots.scope[slot] == job->scopes.of_graph[own])
		return own;
	return job->slots.kind[slot] == SD_SLOT_AGAIN ? graph->body[graph->body_first[node] + scope->body] : graph->graph_of[graph->graph[own].parent];
}

void sd_each_starter(const struct sd_job *job, uint32_t slot, sd_see see, void *ctx)
{
	uint32_t stream = job->slots.stream[slot];

	for (uint32_t i = job->starting.first[stream]; i < job->starting.first[stream + 1]; i++) {
		uint32_t from = job->starting.slot[i];

		if (sd_scopes_meet(&job->scopes, job->slots.scope[from], job->slots.scope[slot]))
			see(ctx, from);
	}
}

static void each_way_out(const struct sd_job *job, const struct sd_exit *exit, sd_see see, void *ctx)
{
	const struct sd_functional *fun = &job->scopes.functional[exit->functional];
	bool started = false;

	for (uint32_t k = 0; k < sd_ways_of(fun); k++) {
		uint32_t from = sd_way_out(&job->slots, exit, fun, k);

		if (from != SD_NO_INDEX)
			see(ctx, from);
		else if (!started)
			sd_each_starter(job, exit->slot, see, ctx);
		started |= from == SD_NO_INDEX;
	}
}

void sd_each_way(const struct sd_job *job, uint32_t slot, sd_see see, void *ctx)
{
	const struct sd_exit *exit = sd_slots_exit(&job->slots, slot);
	enum sd_label_role role;
	const struct sd_functional *fun = sd_way_label(job, slot, &role);

	if (exit)
		each_way_out(job, exit, see, ctx);
	else if (job->slots.front[slot] != SD_NO_INDEX)
		see(ctx, job->slots.front[slot]);
	else
		sd_each_starter(job, slot, see, ctx);
	if (fun && role == SD_ROLE_HEAD)
		see(ctx, job->slots.of_node[fun->switch_node]);
	for (uint32_t k = 0; fun && role == SD_ROLE_END && k < sd_ways_of(fun); k++)
		see(ctx, sd_way_jump(job, fun, k));
}
