/* local.h - private: a plan without a daemon, step for step what the daemon does.
 *
 * Request bytes are counted, decoded, planned, proved, identified and encoded; the plan is
 * then read back from those bytes, as a client would, so that both ways print the same. */
#ifndef SD_CLI_LOCAL_H
#define SD_CLI_LOCAL_H

#include "base/arena.h"
#include "proto/plan_codec.h"
#include "streamd/request.h"

#define TIMED_PASSES_MAX 64

struct timed_pass {
	const char *name;
	uint64_t ns;
};

struct timing {
	uint64_t decode_ns, plan_ns, verify_ns, encode_ns; /* plan_ns: the passes only */
	uint32_t pass_count;
	struct timed_pass pass[TIMED_PASSES_MAX];
	size_t peak_bytes;   /* most that the job's arena held */
};

struct local_plan {
	struct sd_request request;
	struct sd_plan plan;
	struct sd_identity identity;
	struct timing timing;
};

/* Told when a pass has ended. */
struct local_watch {
	void (*passed)(void *arg, const struct local_plan *made, const char *pass);
	void *arg;
};

/* Plans; `watch` may be NULL. After a failure `made->request.graph` names the nodes that the diagnostic speaks of.
 * Everything lies in `mem`; `bytes` must outlive it. */
enum sd_status sd_local_plan(struct sd_arena *mem, struct sd_text bytes, const struct local_watch *watch, struct local_plan *made, struct sd_diag *diag);

#endif
