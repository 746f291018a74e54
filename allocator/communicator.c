#include "communicator.h"

const struct sd_comm *sd_comm_of(const struct sd_graph *graph, uint32_t node)
{
	const struct sd_extra *extra = graph->extra_of[node] == UINT32_MAX ? NULL : &graph->extra[graph->extra_of[node]];

	return extra && extra->has_comm ? &extra->comm : NULL;
}

struct sd_text sd_communicator(const struct sd_graph *graph, uint32_t node)
{
	const struct sd_comm *comm = sd_comm_of(graph, node);
	struct sd_text group = comm ? comm->group : SD_TEXT("");

	if (group.len == 0)
		sd_graph_string(graph, node, SD_ATTR_GROUP, &group);
	return group;
}
