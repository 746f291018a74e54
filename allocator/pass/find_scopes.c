/* find_scopes - when each body runs, and where its labels lead.
 *
 * Rule   The bodies of If, Case and their kin, and those of While and For, where there are
 *        several, are scopes (scopes.h); other bodies run with their parent. Bodies of such a
 *        node are lowered when one of them holds a LabelSet. Of a lowered choice one
 *        LabelSwitchByIndex jumps to the first LabelSet of the chosen body; a LabelGotoEx jumps
 *        to the end label, the LabelSet with `_subgraph_end_node` and its number. Of a lowered
 *        loop the switch stands in the condition; the goto leads back to the condition's label.
 * Why    What is ordered, and by which syncs, depends on what runs together.
 * Cost   O(nodes). */
#include "passes.h"
#include "mutants.h"

struct finder {
	struct sd_job *job;
	struct sd_scopes *scopes;
	uint32_t jumps;
};

static bool is_choice(enum sd_op op)
{
	return op == SD_OP_IF || op == SD_OP__IF || op == SD_OP_STATELESS_IF || (op == SD_OP_CASE && !SD_MUTANT(scope_case_inline)) || op == SD_OP_STATELESS_CASE;
}

static bool is_loop(enum sd_op op)
{
	return op == SD_OP_WHILE || op == SD_OP__WHILE || op == SD_OP_STATELESS_WHILE || op == SD_OP_FOR;
}

static bool holds_label(const struct sd_job *job, uint32_t graph)
{
	const struct sd_subgraph *body = &job->graph->graph[graph];

	for (uint32_t n = body->first_node; n < body->first_node + body->node_count; n++) {
		if (sd_job_op(job, n) == SD_OP_LABEL_SET && job->launched[n])
			return true;
	}
	return false;
}

static enum sd_status open_functional(struct finder *f, uint32_t node)
{
	struct sd_job *job = f->job;
	const uint32_t *bodies = job->graph->body + job->graph->body_first[node];
	uint32_t number = f->scopes->functional_count++, outer = f->scopes->of_graph[job->graph->graph_of[node]];
	struct sd_functional *fun = &f->scopes->functional[number];
	enum sd_op op = sd_job_op(job, node);

	*fun = (struct sd_functional){
		.node = node, .loop = is_loop(op), .body_count = job->graph->body_first[node + 1] - job->graph->body_first[node],
		.switch_node = SD_NO_NODE, .end_node = SD_NO_NODE, .first_jump = f->jumps,
	};
	f->scopes->functional_of[node] = number;
	f->jumps += fun->body_count;
	if (fun->body_count > !SD_MUTANT(scope_of_one_body) && (fun->loop || is_choice(op)))
		fun->form = SD_FORM_STRUCTURED;
	if (fun->form == SD_FORM_STRUCTURED && fun->loop && fun->body_count > 2)
		return SD_FAIL1(job->diag, SD_CODE_BODIES_OF_LOOP, node, sd_arg_int(fun->body_count));
	for (uint32_t k = 0; k < fun->body_count; k++) {
		f->scopes->jump[fun->first_jump + k] = SD_NO_NODE;
		f->scopes->of_graph[bodies[k]] = outer;
		if (fun->form == SD_FORM_INLINE)
			continue;
		f->scopes->of_graph[bodies[k]] = f->scopes->count;
		f->scopes->at[f->scopes->count++] = (struct sd_scope){ outer, f->scopes->at[outer].depth + !SD_MUTANT(scope_depth_stays), number, k };
		if (holds_label(job, bodies[k]))
			fun->form = SD_FORM_LOWERED;
	}
	return SD_OK;
}

/* A label node that a body cannot have: it has one already, or has no use for it. */
static enum sd_status misplaced(const struct finder *f, uint32_t node)
{
	return SD_FAIL0(f->job->diag, SD_CODE_MISPLACED_LABEL, node);
}

static enum sd_status read_switch(struct finder *f, struct sd_functional *fun, uint32_t body, uint32_t node)
{
	if (fun->switch_node != SD_NO_NODE || (fun->loop && body != 0))
		return misplaced(f, node);
	fun->switch_node = node;
	f->scopes->role[node] = fun->loop ? SD_ROLE_LOOP_SWITCH : SD_ROLE_SWITCH;
	if (fun->loop)
		f->scopes->jump[fun->first_jump] = node;
	return SD_OK;
}

static enum sd_status read_goto(struct finder *f, struct sd_functional *fun, uint32_t body, uint32_t node)
{
	uint32_t *jump = &f->scopes->jump[fun->first_jump + body];

	if (*jump != SD_NO_NODE || (fun->loop && body == 0))
		return misplaced(f, node);
	*jump = node;
	f->scopes->role[node] = SD_ROLE_GOTO;
	return SD_OK;
}

static enum sd_status read_label(struct finder *f, struct sd_functional *fun, uint32_t body, uint32_t node, uint32_t *head)
{
	if (sd_graph_bool(f->job->graph, node, SD_ATTR_SUBGRAPH_END_NODE)) {
		if (fun->end_node != SD_NO_NODE || (fun->loop && body == 0))
			return misplaced(f, node);
		fun->end_node = node;
		f->scopes->role[node] = SD_ROLE_END;
	} else if (*head == SD_NO_NODE) {
		*head = node;
		f->scopes->role[node] = fun->loop && body == 0 ? SD_ROLE_CONDITION : SD_ROLE_HEAD;
	}
	return SD_OK;
}

/* The label nodes of one body, in the order in which they are listed. */
static enum sd_status read_body(struct finder *f, struct sd_functional *fun, uint32_t body)
{
	struct sd_job *job = f->job;
	uint32_t graph_number = job->graph->body[job->graph->body_first[fun->node] + body], head = SD_NO_NODE;
	const struct sd_subgraph *graph = &job->graph->graph[graph_number];

	for (uint32_t i = 0; i < graph->node_count; i++) {
		uint32_t n = job->order.node[graph->first_node + i];
		enum sd_op op = job->launched[n] ? sd_job_op(job, n) : SD_OP_OTHER;

		if (op == SD_OP_LABEL_SWITCH_BY_INDEX)
			SD_TRY(read_switch(f, fun, body, n));
		else if (op == SD_OP_LABEL_GOTO_EX)
			SD_TRY(read_goto(f, fun, body, n));
		else if (op == SD_OP_LABEL_SET)
			SD_TRY(read_label(f, fun, body, n, &head));
	}
	if (head == SD_NO_NODE)
		return SD_FAIL1(job->diag, SD_CODE_LABEL_MISSING, fun->node, sd_arg_words("the first LabelSet of one of its bodies"));
	return SD_OK;
}

/* Every way out of a body must lead to the end label. */
static enum sd_status check_jumps(const struct finder *f, const struct sd_functional *fun)
{
	const struct sd_graph *graph = f->job->graph;
	int64_t at = -1, to = -1;

	if (fun->switch_node == SD_NO_NODE)
		return SD_FAIL1(f->job->diag, SD_CODE_LABEL_MISSING, fun->node, sd_arg_words("the LabelSwitchByIndex"));
	if (fun->end_node == SD_NO_NODE)
		return SD_FAIL1(f->job->diag, SD_CODE_LABEL_MISSING, fun->node, sd_arg_words("the LabelSet with _subgraph_end_node"));
	sd_graph_int(graph, fun->end_node, SD_ATTR_LABEL_SWITCH_INDEX, &at);
	for (uint32_t k = 0; k < fun->body_count; k++) {
		uint32_t jump = f->scopes->jump[fun->first_jump + k];
		bool falls = graph->graph_of[fun->end_node] == graph->body[graph->body_first[fun->node] + k];

		if (jump == SD_NO_NODE && !falls)
			return SD_FAIL1(f->job->diag, SD_CODE_LABEL_MISSING, fun->node, sd_arg_words("the LabelGotoEx of one of its bodies"));
		if (jump == SD_NO_NODE || fun->loop)
			continue;
		to = -1;
		sd_graph_int(graph, jump, SD_ATTR_LABEL_SWITCH_INDEX, &to);
		if (to != at && !SD_MUTANT(scope_jump_anywhere))
			return SD_FAIL2(f->job->diag, SD_CODE_JUMP_NOWHERE, jump, sd_arg_int(to), sd_arg_node(fun->end_node));
	}
	return SD_OK;
}

static enum sd_status make_room(struct finder *f)
{
	struct sd_job *job = f->job;
	const struct sd_graph *graph = job->graph;
	uint32_t bodies = graph->graph_count;

	f->scopes->at = SD_NEW0(job->mem, struct sd_scope, bodies);
	f->scopes->of_graph = SD_NEW0(job->mem, uint32_t, bodies);
	SD_NEED(job, f->scopes->at && f->scopes->of_graph);
	f->scopes->count = 1;
	if (bodies == 1)
		return SD_OK;
	f->scopes->functional = SD_NEW(job->mem, struct sd_functional, bodies - 1);
	f->scopes->jump = SD_NEW(job->mem, uint32_t, bodies - 1);
	f->scopes->functional_of = SD_NEW(job->mem, uint32_t, graph->node_count);
	f->scopes->role = SD_NEW0(job->mem, uint8_t, graph->node_count);
	SD_NEED(job, f->scopes->functional && f->scopes->jump && f->scopes->functional_of && f->scopes->role);
	memset(f->scopes->functional_of, 0xff, (size_t)graph->node_count * sizeof(*f->scopes->functional_of));
	return SD_OK;
}

enum sd_status sd__pass_find_scopes(struct sd_job *job)
{
	struct finder f = { .job = job, .scopes = &job->scopes };

	SD_TRY(make_room(&f));
	if (job->graph->graph_count == 1)
		return SD_OK;
	for (uint32_t i = 0; i < job->graph->node_count; i++) {
		uint32_t n = job->order.flat[i];

		if (job->graph->body_first[n] != job->graph->body_first[n + 1])
			SD_TRY(open_functional(&f, n));
	}
	for (uint32_t i = 0; i < job->scopes.functional_count; i++) {
		struct sd_functional *fun = &job->scopes.functional[i];

		if (fun->form != SD_FORM_LOWERED)
			continue;
		for (uint32_t k = 0; k < fun->body_count; k++)
			SD_TRY(read_body(&f, fun, k));
		SD_TRY(check_jumps(&f, fun));
	}
	return SD_OK;
}
