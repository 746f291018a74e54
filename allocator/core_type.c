#include "core_type.h"

enum sd_core sd_core_of(const struct sd_graph *graph, uint32_t node)
{
	struct sd_text type;

	if (!sd_graph_string(graph, node, SD_ATTR_CUBE_VECTOR_CORE_TYPE, &type))
		return SD_CORE_NONE;
	if (sd_text_is(type, "AIV") || sd_text_is(type, "MIX_AIV"))
		return SD_CORE_VECTOR;
	if (sd_text_is(type, "MIX") && sd_graph_bool(graph, node, SD_ATTR_MIX_IS_AIV))
		return SD_CORE_VECTOR;
	return SD_CORE_CUBE;
}
