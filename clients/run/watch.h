/* watch.h - runs a plan some times on a device, and keeps what was seen. */
#ifndef SD_WATCH_H
#define SD_WATCH_H

#include "kept.h"
#include "runner.h"

#define SD_WATCH_FAULTS_MAX 5 /* kept; more are counted */

/* An order that a run did not keep. */
struct sd_watch_fault {
	uint64_t run;           /* from 1 */
	uint32_t before, after; /* nodes; SD_NO_NODE before: `after` was not run to its end */
	uint64_t early_ns;
	bool by_device;         /* an order of the plan, which the device broke; else an edge of the graph */
};

struct sd_watch {
	struct sd_runner runner;
	struct sd_measure measure;
	uint64_t *span_ns;      /* by run */
	uint64_t edges, orders; /* looked at, in all runs */
	uint64_t broken;        /* of both */
	struct sd_watch_fault fault[SD_WATCH_FAULTS_MAX];
	uint32_t fault_count;
	struct sd_run_time **time; /* by run, if they are kept: the launches in the order of issue */
};

struct sd_watch_wish {
	struct sd_run_options options;
	uint32_t runs;
	bool keeps_times;
	bool has_edges;         /* false: the request is no more than the names of the plan */
};

/* Loads, and runs. Whatever comes, give it to sd_watch_end(), which unloads: it holds the model, of which `runner` tells.
 * Orders that were broken are no failure. The watch must stay where it is. */
enum sd_status sd_watch_plan(struct sd_arena *mem, const struct sd_request *request, const struct sd_plan *plan, struct sd_device *device,
                             const struct sd_watch_wish *wish, struct sd_watch *watch, struct sd_diag *diag);
enum sd_status sd_watch_end(struct sd_watch *watch, struct sd_diag *diag);

/* A sentence about a fault, cut at `cap`; before the watch is ended. */
void sd_watch_fault_text(const struct sd_watch *watch, const struct sd_watch_fault *fault, char *out, size_t cap);

#endif
