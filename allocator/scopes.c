#include "scopes.h"
#include "mutants.h"

bool sd_scopes_meet(const struct sd_scopes *scopes, uint32_t a, uint32_t b)
{
	while (a != b) {
		const struct sd_scope *of_a = &scopes->at[a], *of_b = &scopes->at[b];

		if (of_a->depth == of_b->depth && of_a->functional == of_b->functional && (!scopes->functional[of_a->functional].loop || SD_MUTANT(scope_loop_bodies_apart)))
			return false;
		if (of_a->depth >= of_b->depth)
			a = of_a->parent;
		if (of_b->depth >= of_a->depth)
			b = of_b->parent;
	}
	return true;
}

static uint32_t scope_around(const struct sd_scopes *scopes, const struct sd_graph *graph, uint32_t node)
{
	return scopes->at[scopes->of_graph[graph->graph_of[node]]].parent;
}

uint32_t sd_scope_of_run(const struct sd_scopes *scopes, const struct sd_graph *graph, uint32_t node)
{
	enum sd_label_role role = sd_scopes_role(scopes, node);

	if (role == SD_ROLE_SWITCH || (role == SD_ROLE_END && !SD_MUTANT(scope_end_inside)))
		return scope_around(scopes, graph, node);
	return scopes->of_graph[graph->graph_of[node]];
}

uint32_t sd_scope_of_waits(const struct sd_scopes *scopes, const struct sd_graph *graph, uint32_t node)
{
	enum sd_label_role role = sd_scopes_role(scopes, node);

	if (role == SD_ROLE_SWITCH || (role == SD_ROLE_CONDITION && !SD_MUTANT(scope_condition_inside)))
		return scope_around(scopes, graph, node);
	return scopes->of_graph[graph->graph_of[node]];
}
