/* run_subject.h - private: what is run or simulated, by the arguments PLAN, or INPUT [PLAN]. */
#ifndef SD_CLI_RUN_SUBJECT_H
#define SD_CLI_RUN_SUBJECT_H

#include "obtain.h"

struct run_subject {
	struct obtained planned; /* what was planned for this run */
	struct sd_request request;
	struct sd_plan plan;
	unsigned char plan_key[SD_DIGEST_BYTES];
	bool has_key;            /* false: a plan that was given and says none */
	bool has_edges;          /* false: the request is no more than the names of the plan, and its tasks take time and no core */
	struct sd_text unproved; /* of a plan that was given: why nobody can be sure of its order; empty: it was proved */
};

/* Reads the arguments, and plans where there is no plan. What is wrong is told. Give it to cli_drop_subject() whatever came. */
enum exit_status cli_take_subject(struct cli *cli, struct run_subject *subject);
void cli_drop_subject(struct run_subject *subject);

#endif
