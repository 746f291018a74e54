/* run_report.h - private: what `streamctl run` tells, as text, JSON or a trace. */
#ifndef SD_CLI_RUN_REPORT_H
#define SD_CLI_RUN_REPORT_H

#include "cli.h"
#include "run/watch.h"
#include "streamd/race_check.h"

struct run_report {
	struct sd_text graph_name;
	const char *device;              /* its name: "host", "sim", "cuda@1" */
	uint32_t cores;                  /* of the host; 0: not the host */
	uint32_t runs;
	bool has_seed, has_edges, is_checked, missed;
	uint64_t seed;
	struct sd_text unproved;         /* why nobody can be sure of the order of the plan; empty: it was proved, or there is no graph */
	const struct sd_watch *seen;
	const struct sd_watch *expected; /* the same on a model of what it ran on */
	const struct sd_watch *planned;  /* the same on the device of the request, simulated; NULL: that is `expected` */
	const struct sd_race_check *races;
};

/* What one run took, of a sum over all. */
static inline uint64_t run_report_mean(const struct sd_measure *measure, uint64_t total)
{
	return measure->runs ? total / measure->runs : 0;
}

enum sd_status run_report_write(struct cli *cli, struct sd_emitter *out, const void *report, struct sd_diag *diag);

/* A line on standard error for each order that was broken and each race, as far as they are kept, and for a plan that is not proved. */
void run_report_faults(const struct run_report *report);

/* False: an order was broken or is left to luck, or a race found, or not all could be looked at. */
bool run_report_is_good(const struct run_report *report);

#endif
