/* Subgraphs are a flat list; nodes name them as their bodies. Here the names become a tree,
 * or an error: every subgraph has one owner, and all of them hang below the root. */
#include "graph_decode.h"

static enum sd_status wrong_owner(struct sd__decode *d, uint32_t node, struct sd_text name, const char *how)
{
	return SD_FAIL2(d->diag, SD_CODE_BODY_OWNER, node, sd_arg_text(name), sd_arg_words(how));
}

enum sd_status sd__decode_body(struct sd__decode *d, uint32_t node, struct sd_text name)
{
	uint32_t graph = sd__names_find(&d->graph_names, name);
	struct sd_subgraph *g;

	if (graph == SD__NO_NAME)
		return wrong_owner(d, node, name, "does not exist");
	g = &d->graph[graph];
	if (g->parent != SD_NO_NODE)
		return wrong_owner(d, node, name, "is named twice");
	SD_REQUIRE(d->bodies < d->counts->bodies);
	g->parent = node;
	g->instance = d->bodies - d->body_first[node];
	d->body[d->bodies++] = graph;
	return SD_OK;
}

static uint32_t graph_above(const struct sd__decode *d, uint32_t graph)
{
	return d->graph_of[d->graph[graph].parent];
}

/* `steps` graphs up from `graph`, or the root where that comes first. */
static uint32_t climb(const struct sd__decode *d, uint32_t graph, uint64_t steps)
{
	while (steps-- > 0 && graph != SD_ROOT)
		graph = graph_above(d, graph);
	return graph;
}

enum sd_status sd__check_bodies(struct sd__decode *d)
{
	for (uint32_t g = 1; g < d->counts->graphs; g++) {
		if (d->graph[g].parent == SD_NO_NODE)
			return wrong_owner(d, SD_NO_NODE, d->graph[g].name, "is named by no node");
	}
	for (uint32_t g = 1; g < d->counts->graphs; g++) {
		uint32_t top;

		if (climb(d, g, SD_DEPTH_MAX) == SD_ROOT)
			continue;
		/* Who has not arrived after as many steps as there are graphs goes round in a ring. */
		top = climb(d, g, d->counts->graphs);
		return SD_FAIL2(d->diag, SD_CODE_BODY_NESTING, SD_NO_NODE, sd_arg_text(d->graph[top == SD_ROOT ? g : top].name),
		                sd_arg_words(top == SD_ROOT ? "lies too deep" : "is nested in itself"));
	}
	return SD_OK;
}
