#include "streamd/node_work.h"

#include <string.h>

#include "communicator.h"
#include "core_type.h"
#include "engines.h"

/* Operators that fill the cube cores where nothing is said about the kind of core. */
static bool is_cube_type(struct sd_text type)
{
	static const char *const part[] = { "MatMul", "Conv", "Gemm", "Attention" };

	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++) {
		for (size_t at = 0; at + strlen(part[i]) <= type.len; at++) {
			if (memcmp(type.at + at, part[i], strlen(part[i])) == 0)
				return true;
		}
	}
	return false;
}

static enum sd_engine_class core_of(const struct sd_graph *graph, uint32_t node)
{
	struct sd_text kind;

	switch (sd_core_of(graph, node)) {
	case SD_CORE_VECTOR: return SD_ENGINE_VECTOR;
	case SD_CORE_NONE: return is_cube_type(graph->string[graph->op_type[node]]) ? SD_ENGINE_CUBE : SD_ENGINE_VECTOR;
	case SD_CORE_CUBE: break;
	}
	sd_graph_string(graph, node, SD_ATTR_CUBE_VECTOR_CORE_TYPE, &kind);
	return sd_text_is(kind, "MIX") || sd_text_is(kind, "MIX_AIC") ? SD_ENGINE_MIX : SD_ENGINE_CUBE;
}

static enum sd_engine_class class_of(const struct sd_graph *graph, uint32_t node)
{
	static const struct {
		const char *engine;
		enum sd_engine_class class;
	} rows[] = {
		{ "VectorEngine", SD_ENGINE_VECTOR }, { "DNN_HCCL", SD_ENGINE_COMM }, { "DNN_VM_AICPU", SD_ENGINE_AICPU },
		{ "DNN_VM_AICPU_ASCEND", SD_ENGINE_AICPU }, { "DNN_VM_AICPU_FFTS_PLUS", SD_ENGINE_AICPU }, { "DNN_VM_AICPU_ASCEND_FFTS_PLUS", SD_ENGINE_AICPU },
		{ "DNN_VM_RTS", SD_ENGINE_NONE }, { "DNN_VM_GE_LOCAL", SD_ENGINE_NONE }, { "DSAEngine", SD_ENGINE_OTHER }, { "DNN_VM_DVPP", SD_ENGINE_OTHER },
	};
	struct sd_text engine;

	if (node >= graph->node_count)
		return SD_ENGINE_NONE;
	sd_engine_of(graph, node, &engine);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (sd_text_is(engine, rows[i].engine))
			return rows[i].class;
	}
	return core_of(graph, node);
}

/* Numbers of communicators, by their names: equal ones have equal numbers, which are not 0. */
static uint32_t communicator_of(const struct sd_graph *graph, uint32_t node)
{
	struct sd_text group = sd_communicator(graph, node);
	uint32_t hash = 2166136261u;

	for (uint32_t i = 0; i < group.len; i++)
		hash = (hash ^ (unsigned char)group.at[i]) * 16777619u;
	return hash ? hash : 1;
}

static uint32_t cores_of(int32_t fills, int32_t cap)
{
	uint32_t cores = fills > 0 ? (uint32_t)fills : 0;

	return cap > 0 && (cores == 0 || (uint32_t)cap < cores) ? (uint32_t)cap : cores;
}

bool sd_node_work(const struct sd_graph *graph, const struct sd_plan *plan, uint32_t node, struct sd_engine_work *work)
{
	const struct sd_placement *place = &plan->node[node];
	bool is_stated = node < graph->node_count && graph->extra_of[node] != UINT32_MAX;
	const struct sd_extra *extra = is_stated ? &graph->extra[graph->extra_of[node]] : NULL;
	bool is_timed = extra && extra->duration_ns >= 0;

	*work = (struct sd_engine_work){
		.engine = class_of(graph, node), .cube_cores = cores_of(extra ? extra->cube_cores : -1, place->cube_cores),
		.vector_cores = cores_of(extra ? extra->vector_cores : -1, place->vector_cores), .gang = extra && extra->gang,
		.duration_ns = is_timed ? (uint64_t)extra->duration_ns : SD_NODE_UNKNOWN_NS,
	};
	if (work->engine == SD_ENGINE_COMM)
		work->communicator = communicator_of(graph, node);
	if (is_timed || work->engine != SD_ENGINE_NONE)
		return is_timed;
	work->duration_ns = 0;
	return true;
}
