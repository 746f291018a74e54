/* engines.h - the engines of a device and which one runs which operator type: facts, no decisions.
 *
 * Engines are kept in byte order of their names: that order decides stream numbering,
 * so an engine's index compares like its name. */
#ifndef SD_ENGINES_H
#define SD_ENGINES_H

#include "base/arena.h"
#include "streamd/request.h"

#define SD_NO_ENGINE UINT32_MAX

/* What a graph of unknown shape makes of an engine. */
enum sd_engine_role {
	SD_ROLE_OTHER,
	SD_ROLE_OWNS,  /* computes or communicates: has a stream of its own */
	SD_ROLE_AICPU, /* the processors of the device */
};

struct sd_engine {
	struct sd_text name;
	int64_t cost;          /* lower = higher priority; 0 to 10 */
	bool independent;      /* its clusters have streams of their own */
	bool attach;           /* its clusters may join a producer's stream */
	bool skip_assign_stream; /* its nodes go where their neighbours are */
	bool idle;             /* one of the shipped engines whose nodes are no device task unless they say so */
	enum sd_engine_role role; /* of the shipped engine of that name */
	uint32_t scheduler;    /* equal numbers: same scheduler */
};

struct sd_engines {
	uint32_t count;
	const struct sd_engine *engine; /* ascending by name */
	uint32_t aicore, vector, custom; /* indices of AIcoreEngine, VectorEngine, DNN_VM_CUSTOM */
};

/* The shipped table, overlaid by device.engines: a key that is given replaces the row's, a name
 * that is not in the table starts from cost 3, no flag set, scheduler TS_1. */
enum sd_status sd_engines_make(struct sd_arena *mem, const struct sd_plan_device *device,
                               struct sd_engines *engines, struct sd_diag *diag);

/* Index of the engine; SD_NO_ENGINE if there is none of that name. */
uint32_t sd_engines_find(const struct sd_engines *engines, struct sd_text name);

/* The engine of every node: the one it states (SD_NO_ENGINE if there is none of that name), else
 * that of its _lxfusion_ pair, else of its _specified_ pair, else the one for its op type.
 * UNIMPLEMENTED (EZ3003) for an unknown type under unknown_op = reject. */
enum sd_status sd_engines_place(struct sd_arena *mem, const struct sd_request *request,
                                const struct sd_engines *engines, uint32_t **engine_of_node,
                                struct sd_diag *diag);

/* Who says which engine a node runs on, and its name, as sd_engines_place() finds it. */
enum sd_engine_source { SD_ENGINE_STATED, SD_ENGINE_BY_ATTRIBUTE, SD_ENGINE_BY_TYPE, SD_ENGINE_BY_DEFAULT };
enum sd_engine_source sd_engine_of(const struct sd_graph *graph, uint32_t node, struct sd_text *name);

#endif
