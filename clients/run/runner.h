/* runner.h - a planned graph on a device: what each node does there, when it did it, and whether the graph was kept.
 *
 * A node is one task. On a device that really runs (host) a kernel keeps a core busy as long as its duration,
 * a collective takes time on its communicator and no core. How long: the node's duration_ns, else
 * SD_NODE_UNKNOWN_NS (node_work.h); with `random` every task has a length drawn by seed, run and launch, of
 * SD_RUN_SHORTEST_NS to SD_RUN_LONGEST_NS. */
#ifndef SD_RUNNER_H
#define SD_RUNNER_H

#include "edges.h"
#include "streamd/loader.h"
#include "streamd/measure.h"
#include "streamd/request.h"

#define SD_RUN_SHORTEST_NS UINT64_C(1000)
#define SD_RUN_LONGEST_NS UINT64_C(100000)
#define SD_RUN_TURNS_MAX 3u

struct sd_run_options {
	bool random;
	bool draws_choices;        /* bodies and one to SD_RUN_TURNS_MAX turns by seed and node, the same in each run; else `branch` and `turns` */
	bool takes_one_core;       /* what keeps cores busy takes one cube core: what it is on a machine whose cores are all alike */
	uint64_t seed;
	uint32_t branch;           /* the body that If and Case take, cut to those they have */
	uint32_t turns;            /* that loops take */
	bool checks_accesses;      /* tasks say what they read and write */
	int32_t priority;          /* of streams to which the plan gives none */
	int64_t timeout_ms;        /* of a run, for each stream; 0: for ever */
	bool runs_at_once;         /* as in loader.h */
	const struct sd_stream_source *source; /* of streams; NULL: the device makes new ones */
	void (*work)(void *arg);   /* what tasks do, on a device that runs nothing but functions; gets NULL. NULL: they take their time */
};

struct sd_runner {
	struct sd_arena *mem;
	const struct sd_request *request;
	const struct sd_plan *plan;
	struct sd_run_options options;
	struct sd_flow flow;
	const char *const *name;           /* by node: what its task is called */
	const struct sd_accesses *accesses;
	struct sd_model_run *model;
	struct sd_run_time *time;          /* by launch, in the order of issue */
	struct sd_seen *seen;              /* by slot */
	uint64_t run;                      /* runs so far */
};

/* Loads the plan of the request onto the device. Everything lies in `mem` or belongs to the model. */
enum sd_status sd_runner_open(struct sd_arena *mem, const struct sd_request *request, const struct sd_plan *plan, struct sd_device *device,
                              const struct sd_run_options *options, struct sd_runner *runner, struct sd_diag *diag);

/* The events that this takes on any device, for who leases them before: more than the plan's where turns of a loop are kept apart. */
enum sd_status sd_runner_events(struct sd_arena *mem, const struct sd_request *request, const struct sd_plan *plan,
                                const struct sd_run_options *options, uint32_t *events, struct sd_diag *diag);

/* One run; then whether it kept the edges. */
enum sd_status sd_runner_run(struct sd_runner *runner, struct sd_edges_verdict *verdict, struct sd_diag *diag);

/* Unloads; what fails is told and tried again once. */
enum sd_status sd_runner_close(struct sd_runner *runner, struct sd_diag *diag);

#endif
