#include "onnx_scope.h"

#include "json_path.h"
#include "streamd/graph.h"

struct walk {
	struct sd_arena *mem;
	struct sd_diag *diag;
	struct onnx_sum *sum;
};

/* Names that a graph gives, and those from outside that were found: one table. */
struct defined {
	struct sd_text *name;
	struct sd__names names;
	uint32_t count;
};

static bool add(struct defined *d, struct sd_text name)
{
	d->name[d->count] = name;
	if (name.len == 0 || sd__names_add(&d->names, d->count) != SD__NO_NAME)
		return false;
	d->count++;
	return true;
}

static void add_values(struct defined *d, const struct onnx_values *values)
{
	for (uint32_t i = 0; i < values->count; i++)
		add(d, values->at[i].name);
}

static enum sd_status use(struct walk *w, struct onnx_scope *scope, struct defined *d, struct sd_text name)
{
	if (!add(d, name))
		return SD_OK;
	if (!sd_vec_room(w->mem, &scope->outside))
		return sd_memory_fail(w->mem, w->diag);
	scope->outside.at[scope->outside.count++] = name;
	return SD_OK;
}

static enum sd_status use_node(struct walk *w, struct onnx_scope *scope, struct defined *d, const struct onnx_node *node)
{
	for (uint32_t i = 0; i < node->input_count; i++)
		SD_TRY(use(w, scope, d, scope->model.text[node->input_first + i]));
	for (uint32_t k = 0; k < node->body_count; k++) {
		const struct onnx_scope *body = scope->body[node->body_first + k];

		for (uint32_t i = 0; i < body->outside.count; i++)
			SD_TRY(use(w, scope, d, body->outside.at[i]));
	}
	return SD_OK;
}

/* Behind the bodies of the graph, whose outsides are known. */
static enum sd_status find_outside(struct walk *w, struct onnx_scope *scope)
{
	const struct onnx_model *m = &scope->model;
	uint64_t most = (uint64_t)m->text_count + m->input.count + m->initializer.count + m->output.count + 1;
	struct defined d = { .count = 0 };

	for (uint32_t k = 0; k < m->body_count; k++)
		most += scope->body[k]->outside.count;
	if (most > ONNX_COUNT_MAX)
		return SD_FAIL1(w->diag, SD_CODE_BAD_MODEL, SD_NO_NODE, sd_arg_words("it has more values than can be numbered"));
	d.name = SD_NEW(w->mem, struct sd_text, most);
	if (!d.name || !sd__names_init(&d.names, w->mem, d.name, (uint32_t)most))
		return sd_memory_fail(w->mem, w->diag);
	add_values(&d, &m->input);
	add_values(&d, &m->initializer);
	for (uint32_t n = 0; n < m->node_count; n++) {
		for (uint32_t i = 0; i < m->node[n].output_count; i++)
			add(&d, m->text[m->node[n].output_first + i]);
	}
	for (uint32_t n = 0; n < m->node_count; n++)
		SD_TRY(use_node(w, scope, &d, &m->node[n]));
	for (uint32_t i = 0; i < m->output.count; i++)
		SD_TRY(use(w, scope, &d, m->output.at[i].name));
	return SD_OK;
}

static enum sd_status add_up(struct walk *w, const struct onnx_scope *scope)
{
	const struct onnx_model *m = &scope->model;

	w->sum->bodies += m->body_count;
	w->sum->nodes += (uint64_t)m->input.count + m->initializer.count + m->node_count + scope->outside.count + 1;
	if (w->sum->nodes > ONNX_COUNT_MAX || w->sum->bodies > ONNX_COUNT_MAX)
		return SD_FAIL1(w->diag, SD_CODE_BAD_MODEL, SD_NO_NODE, sd_arg_words("it has more nodes than can be numbered"));
	return SD_OK;
}

/* Calls itself for bodies, which may be SD_DEPTH_MAX deep. */
static enum sd_status fill(struct walk *w, struct onnx_scope *scope, uint32_t depth)
{
	const struct onnx_model *m = &scope->model;

	scope->body = SD_NEW(w->mem, struct onnx_scope *, m->body_count);
	if (!scope->body)
		return sd_memory_fail(w->mem, w->diag);
	if (m->body_count && depth == SD_DEPTH_MAX)
		return SD_FAIL1(w->diag, SD_CODE_BAD_MODEL, SD_NO_NODE, sd_arg_words("bodies nest deeper than 10"));
	for (uint32_t k = 0; k < m->body_count; k++) {
		scope->body[k] = SD_NEW0(w->mem, struct onnx_scope, 1);
		if (!scope->body[k])
			return sd_memory_fail(w->mem, w->diag);
		SD_TRY(sd__onnx_read_body(w->mem, m->body[k].graph, m->opset, &scope->body[k]->model, w->diag));
		SD_TRY(fill(w, scope->body[k], depth + 1));
	}
	SD_TRY(find_outside(w, scope));
	return add_up(w, scope);
}

enum sd_status sd__onnx_scopes(struct sd_arena *mem, struct sd_text file, struct onnx_scope **root, struct onnx_sum *sum, struct sd_diag *diag)
{
	struct walk w = { mem, diag, sum };

	*sum = (struct onnx_sum){ 0, 0 };
	*root = SD_NEW0(mem, struct onnx_scope, 1);
	if (!*root)
		return sd_memory_fail(mem, diag);
	SD_TRY(sd__onnx_read(mem, file, &(*root)->model, diag));
	return fill(&w, *root, 0);
}
