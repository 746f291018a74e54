/* critical.h - private: the critical chain of a run on the model. */
#ifndef SD_CRITICAL_H
#define SD_CRITICAL_H

#include "streamd/issue.h"
#include "streamd/machine.h"
#include "streamd/measure.h"
#include "streamd/simulation.h"

#define SD_NO_STEP UINT32_MAX

/* A step as it ran, and which stand in front of it. */
struct sd_ran {
	int64_t began_ns, ended_ns;
	uint32_t previous; /* step of the same stream; SD_NO_STEP: none */
	uint32_t partner;  /* of a wait its record, of a hold its activation */
	uint32_t launch;   /* of a launch: its number */
};

struct sd_critical {
	struct sd_arena *mem;
	const struct sd_issue *issue;
	const struct sd_ran *ran;              /* by step */
	const struct sd_engine_work *work;     /* by launch */
	const uint32_t *step_of;               /* by launch */
	const struct sd_machine_model *model;
};

/* Walks back from the launch that ended last. `link` has room for a link for each launch; answers how many there are, in the
 * order of time. False over budget. */
bool sd_critical_chain(const struct sd_critical *of, struct sd_chain_link *link, uint32_t *count);

#endif
