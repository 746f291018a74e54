/* request.h - everything that a plan depends on: graph, options, device. */
#ifndef SD_REQUEST_H
#define SD_REQUEST_H

#include "graph.h"
#include "stream_pass.h"

enum sd_compat { SD_NATIVE, SD_GE };
enum sd_event_mode { SD_EVENT, SD_NOTIFY };
enum sd_sorting { SD_SORT_SUBMITTED, SD_SORT_BFS, SD_SORT_DFS, SD_SORT_RDFS, SD_SORT_STABLE };
enum sd_clustering { SD_CLUSTER_MERGE, SD_CLUSTER_TOPO, SD_CLUSTER_NONE };
enum sd_unknown_op { SD_UNKNOWN_AICORE, SD_UNKNOWN_REJECT };

struct sd_engine_streams {
	struct sd_text engine;
	int64_t streams; /* as stated; the planner refuses values below 1 */
};

struct sd_options {
	enum sd_compat compat;
	bool single_stream, hcom_parallel, dynamic_multi_stream, memory_priority;
	bool strict, memory_plan, explain, simulate;
	enum sd_event_mode event;
	enum sd_sorting topo_sorting;
	enum sd_clustering cluster;
	enum sd_unknown_op unknown_op;
	struct sd_text auto_multi_stream, ac_parallel;
	int64_t search_evaluations;
	uint32_t max_parallel_count;
	const struct sd_engine_streams *max_parallel; /* sorted by engine, each once */
	bool has_explicit_streams;
	uint32_t explicit_count;                      /* streams of the caller's partition */
	const uint32_t *explicit_first;               /* explicit_count + 1: into explicit_node */
	const uint32_t *explicit_node;
};

/* A row of device.engines: what is stated replaces the shipped row's. */
struct sd_engine_row {
	struct sd_text name;
	bool has_independent, independent, has_attach, attach, has_skip_assign_stream, skip_assign_stream;
	bool has_scheduler_id;
	struct sd_text scheduler_id;
	bool has_priority;
	int64_t priority; /* cost, 0 to 10 */
};

/* Limits of the device; each stated one replaces the profile's, 0 = unlimited. */
#define SD_LIMIT_LIST(X)                                                       \
	X(max_streams)                                                         \
	X(max_tasks_per_stream)                                                \
	X(max_huge_streams)                                                    \
	X(max_tasks_per_huge_stream)                                           \
	X(max_events)                                                          \
	X(max_notifies)

struct sd_limits {
#define SD_X(name) int64_t name; bool has_##name;
	SD_LIMIT_LIST(SD_X)
#undef SD_X
	bool unlimited_depth, has_unlimited_depth;
};

/* Figures of the device model; -1 = not stated, the default holds. */
#define SD_MODEL_LIST(X)                                                       \
	X(cube_cores) X(vector_cores) X(aicpu_servers) X(launch_gap_ns)        \
	X(host_issue_ns) X(record_ns) X(wait_ns) X(event_latency_ns)           \
	X(activate_ns) X(hbm_bytes_per_s) X(link_alpha_ns)                     \
	X(link_bytes_per_s) X(contention_permille)

struct sd_model {
#define SD_X(name) int64_t name;
	SD_MODEL_LIST(SD_X)
#undef SD_X
};

/* The device that is planned for. */
struct sd_plan_device {
	struct sd_text profile; /* empty: "default" */
	uint32_t engine_count;
	const struct sd_engine_row *engine; /* sorted by name, each once */
	struct sd_limits limits;
	struct sd_model model;
};

struct sd_request {
	struct sd_graph graph;
	struct sd_options options;
	struct sd_plan_device device;
	const struct sd_stream_pass *passes; /* custom stream passes; NULL: none. Set by the program, never by bytes */
};

#endif
