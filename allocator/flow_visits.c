/* How often each graph runs, by the choices that were made. */
#include "base/vec.h"
#include "streamd/flow.h"

struct maker {
	struct sd_arena *mem;
	const struct sd_flow *flow;
	const struct sd_choices *choices;
	struct sd_diag *diag;
	SD_VEC(struct sd_visit) visit;
	SD_VEC(uint32_t) group;
	uint32_t *slot_of, *slots_in;      /* slots_in: by graph */
	uint32_t *owners_first, *owner;    /* by graph, one more: into owner, its nodes with bodies */
	uint32_t *ordinal, *taken;
	uint64_t slot_count;
};

static enum sd_status no_memory(struct maker *m)
{
	return SD_FAIL1(m->diag, SD_CODE_HOST_SHORT, SD_NO_NODE, sd_arg_words("memory"));
}

uint32_t sd_flow_instance(const struct sd_flow *flow, uint32_t graph)
{
	uint32_t node = flow->parent[graph], k = 0;

	while (flow->body[flow->body_first[node] + k] != graph)
		k++;
	return k;
}

uint32_t sd_visit_up(const struct sd_visits *visits, uint32_t visit, uint32_t graph)
{
	while (visit != SD_NO_VISIT && visits->visit[visit].graph != graph)
		visit = visits->visit[visit].parent;
	return visit;
}

uint32_t sd_visit_of_body(const struct sd_flow *flow, const struct sd_visits *visits, uint32_t visit, uint32_t node, uint32_t instance,
                          uint32_t turn)
{
	uint32_t first = visits->group[visits->visit[visit].first_group + visits->ordinal[node]];

	switch ((enum sd_flow_kind)flow->kind[node]) {
	case SD_FLOW_ALWAYS: return first + instance;
	case SD_FLOW_CHOOSES: return visits->taken[node] == instance ? first : SD_NO_VISIT;
	case SD_FLOW_LOOPS: return turn < visits->taken[node] + (instance == 0) ? first + 2 * turn + instance : SD_NO_VISIT;
	}
	return SD_NO_VISIT;
}

static uint32_t bodies_of(const struct sd_flow *flow, uint32_t node)
{
	return flow->body_first[node + 1] - flow->body_first[node];
}

/* Slots within each graph, and which nodes of it have bodies. */
static enum sd_status lay_out(struct maker *m)
{
	const struct sd_flow *flow = m->flow;
	uint32_t *filled;

	m->slot_of = SD_NEW(m->mem, uint32_t, flow->node_count + 1);
	m->ordinal = SD_NEW0(m->mem, uint32_t, flow->node_count + 1);
	m->taken = SD_NEW0(m->mem, uint32_t, flow->node_count + 1);
	m->slots_in = SD_NEW0(m->mem, uint32_t, flow->graph_count);
	m->owners_first = SD_NEW0(m->mem, uint32_t, flow->graph_count + 1);
	m->owner = SD_NEW(m->mem, uint32_t, flow->graph_count);
	filled = SD_NEW0(m->mem, uint32_t, flow->graph_count);
	if (!m->slot_of || !m->ordinal || !m->taken || !m->slots_in || !m->owners_first || !m->owner || !filled)
		return no_memory(m);
	for (uint32_t n = 0; n < flow->node_count; n++) {
		m->slot_of[n] = m->slots_in[flow->runs_in[n]]++;
		if (bodies_of(flow, n) > 0)
			m->owners_first[flow->graph_of[n] + 1]++;
	}
	for (uint32_t g = 0; g < flow->graph_count; g++)
		m->owners_first[g + 1] += m->owners_first[g];
	for (uint32_t n = 0; n < flow->node_count; n++) {
		uint32_t g = flow->graph_of[n];

		if (bodies_of(flow, n) > 0) {
			m->ordinal[n] = filled[g]++;
			m->owner[m->owners_first[g] + m->ordinal[n]] = n;
		}
	}
	return SD_OK;
}

static enum sd_status choose(struct maker *m)
{
	const struct sd_flow *flow = m->flow;

	for (uint32_t n = 0; n < flow->node_count; n++) {
		uint32_t bodies = bodies_of(flow, n);
		bool chooses = flow->kind[n] == SD_FLOW_CHOOSES;

		if (bodies == 0 || flow->kind[n] == SD_FLOW_ALWAYS)
			continue;
		m->taken[n] = m->choices && m->choices->choose ? m->choices->choose(m->choices->arg, n, bodies) : !chooses;
		if (chooses && m->taken[n] >= bodies)
			return SD_FAIL2(m->diag, SD_CODE_NO_SUCH_BODY, n, sd_arg_int(m->taken[n]), sd_arg_int(bodies));
		if (!chooses && m->taken[n] >= SD_VISITS_MAX / 2)
			return SD_FAIL1(m->diag, SD_CODE_MANY_TURNS, n, sd_arg_int(SD_VISITS_MAX));
	}
	return SD_OK;
}

static enum sd_status add_visit(struct maker *m, uint32_t graph, uint32_t parent, uint32_t turn)
{
	if (!sd_vec_room(m->mem, &m->visit))
		return no_memory(m);
	if (m->visit.count == SD_VISITS_MAX || m->slot_count + m->slots_in[graph] > UINT32_MAX / 4)
		return SD_FAIL1(m->diag, SD_CODE_MANY_TURNS, m->flow->parent[graph], sd_arg_int(SD_VISITS_MAX));
	m->visit.at[m->visit.count++] = (struct sd_visit){ graph, parent, turn, (uint32_t)m->slot_count, 0 };
	m->slot_count += m->slots_in[graph];
	return SD_OK;
}

static enum sd_status visit_bodies(struct maker *m, uint32_t visit, uint32_t node)
{
	const struct sd_flow *flow = m->flow;
	const uint32_t *body = flow->body + flow->body_first[node];
	uint32_t bodies = bodies_of(flow, node), taken = m->taken[node];

	switch ((enum sd_flow_kind)flow->kind[node]) {
	case SD_FLOW_ALWAYS:
		for (uint32_t k = 0; k < bodies; k++)
			SD_TRY(add_visit(m, body[k], visit, 0));
		break;
	case SD_FLOW_CHOOSES: return add_visit(m, body[taken], visit, 0);
	case SD_FLOW_LOOPS:
		for (uint32_t turn = 0; turn <= taken; turn++) {
			SD_TRY(add_visit(m, body[0], visit, turn));
			if (turn < taken)
				SD_TRY(add_visit(m, body[1], visit, turn));
		}
		break;
	}
	return SD_OK;
}

static enum sd_status visit_below(struct maker *m, uint32_t visit)
{
	uint32_t graph = m->visit.at[visit].graph, first = m->owners_first[graph], count = m->owners_first[graph + 1] - first;

	m->visit.at[visit].first_group = m->group.count;
	for (uint32_t k = 0; k < count; k++) {
		if (!sd_vec_room(m->mem, &m->group))
			return no_memory(m);
		m->group.at[m->group.count++] = m->visit.count;
		SD_TRY(visit_bodies(m, visit, m->owner[first + k]));
	}
	return SD_OK;
}

enum sd_status sd_visits_make(struct sd_arena *mem, const struct sd_flow *flow, const struct sd_choices *choices, struct sd_visits *visits,
                              struct sd_diag *diag)
{
	struct maker m = { .mem = mem, .flow = flow, .choices = choices, .diag = diag };

	SD_TRY(lay_out(&m));
	SD_TRY(choose(&m));
	SD_TRY(add_visit(&m, 0, SD_NO_VISIT, 0));
	for (uint32_t v = 0; v < m.visit.count; v++)
		SD_TRY(visit_below(&m, v));
	*visits = (struct sd_visits){ m.visit.count, (uint32_t)m.slot_count, m.visit.at, m.slot_of, m.taken, m.ordinal, m.group.at };
	return SD_OK;
}
