/* report_run.h - private: what a run took, told to the daemon. */
#ifndef SD_CLI_REPORT_RUN_H
#define SD_CLI_REPORT_RUN_H

#include "run_report.h"
#include "run_subject.h"

/* Sends what was seen, and notes the figures so far. What keeps it from that is told. */
enum exit_status cli_report_run(struct cli *cli, const struct run_subject *subject, const struct run_report *report);

#endif
