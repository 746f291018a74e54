/* planned.h - plans of small requests as text, for tables of requests and what comes of them. */
#ifndef SD_PLANNED_H
#define SD_PLANNED_H

#include "graph_builder.h"
#include "streamd/planner.h"

struct planned {
	struct sd_request *request;
	const struct sd_plan *plan; /* NULL: refused */
	struct sd_diag diag;
};

/* Plans, without hooks. */
struct planned plan_of(struct sd_arena *mem, struct sd_request *request);

/* What options and device say, in words between blanks; engines and entries of parallel in byte order:
 *   apart topo              option cluster: none, topo
 *   memory single hcom      memory_priority, single_stream, hcom_parallel
 *   ge                      compat
 *   mode=cv                 auto_multi_stream
 *   dynamic dynamic=then    the root, or the body of that name, is of unknown shape
 *   multi ac=1              dynamic_multi_stream, ac_parallel
 *   parallel=AIcoreEngine:2 an entry of max_parallel_num
 *   engine=e1               a row of device.engines with nothing set; letters behind a slash set
 *                           i(ndependent), a(ttach), s(kip_assign_stream): engine=e1/ia
 *   scheduler=B             of the engine before it
 *   tasks=64                limit max_tasks_per_stream */
void set_words(struct sd_arena *mem, struct sd_request *request, const char *words);

/* Option explicit_streams: "a b | c d". */
void set_streams(struct sd_arena *mem, struct sd_request *request, const char *streams);

/* "a:0 b:1 c:-": logical streams as listed, without Data; or the code of the refusal. In `mem`. */
const char *streams_of(struct sd_arena *mem, const struct planned *planned);

/* "a>b b>c": sender and receiver of each sync by number; or the code of the refusal. In `mem`. */
const char *syncs_of(struct sd_arena *mem, const struct planned *planned);

/* "3021 r >w 3026 b >a 24": of each warning its code, whom it is about, whom else it names, its figures; or the code
 * of the refusal. In `mem`. */
const char *warnings_of(struct sd_arena *mem, const struct planned *planned);

#endif
