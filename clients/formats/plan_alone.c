#include "plan_alone.h"

#include "json_message.h"
#include "plan_read.h"

struct sd_text sd_plan_alone_text(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_string(value) ? (struct sd_text){ json_string_value(value), (uint32_t)json_string_length(value) } : SD_TEXT("");
}

static enum sd_status name_nodes(struct sd_json_reader *r, struct sd_plan_alone *alone)
{
	const json_t *nodes = json_object_get(alone->root, "nodes");
	size_t count = json_array_size(nodes);
	struct sd_text *name = count < UINT32_MAX ? SD_NEW(r->mem, struct sd_text, count) : NULL;

	if (!name)
		return sd_memory_fail(r->mem, r->diag);
	for (size_t i = 0; i < count; i++)
		name[i] = sd_plan_alone_text(json_array_get(nodes, i), "name");
	alone->graph.node_count = (uint32_t)count;
	alone->graph.name = name;
	return SD_OK;
}

/* Calls for every command that says which body it belongs to. */
static size_t each_body(const json_t *root, struct sd_text *name)
{
	const json_t *streams = json_object_get(root, "streams");
	size_t found = 0;

	for (size_t s = 0; s < json_array_size(streams); s++) {
		const json_t *commands = json_object_get(json_array_get(streams, s), "commands");

		for (size_t i = 0; i < json_array_size(commands); i++) {
			struct sd_text in = sd_plan_alone_text(json_array_get(commands, i), "in");

			if (in.len > 0 && name)
				name[found] = in;
			found += in.len > 0;
		}
	}
	return found;
}

/* The root, and each body that a command names. */
static enum sd_status name_bodies(struct sd_json_reader *r, struct sd_plan_alone *alone)
{
	size_t most = each_body(alone->root, NULL);
	struct sd_text *name = SD_NEW(r->mem, struct sd_text, most + 1);
	struct sd_subgraph *graph = SD_NEW0(r->mem, struct sd_subgraph, most + 1);
	struct sd__names names;
	uint32_t count = 1;

	if (!name || !graph || most >= UINT32_MAX || !sd__names_init(&names, r->mem, name, (uint32_t)most + 1))
		return sd_memory_fail(r->mem, r->diag);
	name[SD_ROOT] = graph[SD_ROOT].name = sd_plan_alone_text(alone->root, "graph_name");
	graph[SD_ROOT].parent = SD_NO_NODE;
	each_body(alone->root, name + 1);
	for (uint32_t i = 1; i <= most; i++) {
		name[count] = name[i];
		if (sd__names_add(&names, count) == SD__NO_NAME)
			graph[count++] = (struct sd_subgraph){ .name = name[i], .parent = SD_NO_NODE };
	}
	alone->graph.graph = graph;
	alone->graph.graph_count = count;
	return SD_OK;
}

enum sd_status sd_plan_alone_read(struct sd_arena *mem, struct sd_text text, struct sd_plan_alone *alone, struct sd_diag *diag)
{
	struct sd_json_reader r = { mem, diag, SD_CODE_BAD_PLAN };

	*alone = (struct sd_plan_alone){ .root = NULL };
	SD_TRY(sd_json_load(&r, NULL, text, &alone->root));
	SD_TRY(name_nodes(&r, alone));
	SD_TRY(name_bodies(&r, alone));
	return sd__plan_read(mem, alone->root, &alone->graph, &alone->plan, diag);
}

void sd_plan_alone_finish(struct sd_plan_alone *alone)
{
	json_decref(alone->root);
	alone->root = NULL;
}
