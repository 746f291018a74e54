/* The graph by position. */
#include "base/merge.h"
#include "canon_parts.h"

/* What a node of sd_extra states; what it does not state is told by the bit alone, so that a
 * record of defaults is like no record. */
enum stated {
	HAS_DURATION = 1, HAS_CUBE = 2, HAS_VECTOR = 4, HAS_GANG = 8,
	HAS_OVERWRITES = 16, HAS_WRITES = 32, HAS_OUTPUTS = 64, HAS_COMM = 128,
};

static unsigned what_is_stated(const struct sd_extra *x)
{
	return (x->duration_ns >= 0 ? HAS_DURATION : 0u) | (x->cube_cores >= 0 ? HAS_CUBE : 0u) |
	       (x->vector_cores >= 0 ? HAS_VECTOR : 0u) | (x->gang ? HAS_GANG : 0u) |
	       (x->overwrite_count ? HAS_OVERWRITES : 0u) | (x->write_count ? HAS_WRITES : 0u) |
	       (x->has_outputs ? HAS_OUTPUTS : 0u) | (x->has_comm ? HAS_COMM : 0u);
}

static void put_signed_list(struct sd__sponge *s, const int64_t *item, uint32_t count)
{
	sd__sponge_number(s, count);
	for (uint32_t i = 0; i < count; i++)
		sd__sponge_signed(s, item[i]);
}

static void put_outputs(struct sd__sponge *s, const struct sd_graph *g, const struct sd_extra *x)
{
	sd__sponge_number(s, x->output_count);
	for (uint32_t i = 0; i < x->output_count; i++) {
		const struct sd_output *output = &g->output[x->output_first + i];

		sd__sponge_signed(s, output->bytes);
		put_signed_list(s, g->shape + output->shape_first, output->shape_count);
		sd__sponge_text(s, output->dtype);
	}
}

static void put_references(struct sd__sponge *s, const struct sd_graph *g, const struct sd_extra *x)
{
	sd__sponge_number(s, x->overwrite_count);
	for (uint32_t i = 0; i < x->overwrite_count; i++)
		sd__sponge_number(s, g->overwrite[x->overwrite_first + i]);
	sd__sponge_number(s, x->write_count);
	for (uint32_t i = 0; i < x->write_count; i++)
		sd__sponge_text(s, g->write[x->write_first + i]);
}

static void put_extra(struct sd__sponge *s, const struct sd_graph *g, uint32_t node)
{
	const struct sd_extra *x = g->extra_of[node] == UINT32_MAX ? NULL : &g->extra[g->extra_of[node]];
	unsigned stated = x ? what_is_stated(x) : 0;

	sd__sponge_number(s, stated);
	if (stated == 0)
		return;
	sd__sponge_signed(s, x->duration_ns);
	sd__sponge_signed(s, x->cube_cores);
	sd__sponge_signed(s, x->vector_cores);
	put_references(s, g, x);
	put_outputs(s, g, x);
	if (!x->has_comm)
		return;
	sd__sponge_text(s, x->comm.group);
	sd__sponge_signed(s, x->comm.bytes);
	put_signed_list(s, g->rank + x->comm.rank_first, x->comm.rank_count);
}

static void put_node(struct sd__canon *canon, const struct sd_graph *g, uint32_t node)
{
	struct sd__sponge *s = &canon->sponge;

	sd__sponge_number(s, g->op_type[node]);
	sd__sponge_number(s, g->engine[node]);
	sd__sponge_signed(s, g->task_count[node]);
	sd__sponge_signed(s, g->attached_task_count[node]);
	sd__sponge_number(s, g->in_first[node + 1] - g->in_first[node]);
	for (uint32_t e = g->in_first[node]; e < g->in_first[node + 1]; e++) {
		/* SD_NO_NODE, a slot that is not connected, becomes 0. */
		sd__sponge_number(s, (uint32_t)(g->in[e].src + 1));
		sd__sponge_signed(s, g->in[e].port);
	}
	sd__sponge_number(s, g->body_first[node + 1] - g->body_first[node]);
	for (uint32_t b = g->body_first[node]; b < g->body_first[node + 1]; b++)
		sd__sponge_number(s, g->body[b]);
	sd__canon_attrs(canon, g->attr + g->attrs[node].first, g->attrs[node].count);
	put_extra(s, g, node);
}

void sd__canon_graph(struct sd__canon *canon)
{
	const struct sd_graph *g = &canon->request->graph;
	struct sd__sponge *s = &canon->sponge;

	/* Texts are numbered by first use, so the numbers are as canonical as the texts. */
	sd__sponge_number(s, g->string_count);
	for (uint32_t i = 0; i < g->string_count; i++)
		sd__sponge_text(s, g->string[i]);
	sd__sponge_number(s, g->graph_count);
	for (uint32_t i = 0; i < g->graph_count; i++) {
		sd__sponge_number(s, g->graph[i].dynamic);
		sd__sponge_number(s, g->graph[i].node_count);
		sd__canon_attrs(canon, g->attr + g->graph[i].attrs.first, g->graph[i].attrs.count);
	}
	for (uint32_t n = 0; n < g->node_count; n++)
		put_node(canon, g, n);
}

/* ---- names, where their order matters ---- */

void sd__canon_name_ranks(struct sd__canon *canon)
{
	const struct sd_graph *g = &canon->request->graph;
	const uint32_t *rank = sd_text_ranks(canon->mem, g->name, g->node_count);

	canon->over_budget |= !rank;
	for (uint32_t n = 0; rank && n < g->node_count; n++)
		sd__sponge_number(&canon->sponge, rank[n]);
}

void sd__canon_names(struct sd__canon *canon)
{
	const struct sd_graph *g = &canon->request->graph;

	for (uint32_t n = 0; n < g->node_count; n++)
		sd__sponge_text(&canon->sponge, g->name[n]);
	for (uint32_t i = 0; i < g->graph_count; i++)
		sd__sponge_text(&canon->sponge, g->graph[i].name);
}
