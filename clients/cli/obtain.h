/* obtain.h - private: the plan of a request, made here or by the daemon, with all that is needed to show it. */
#ifndef SD_CLI_OBTAIN_H
#define SD_CLI_OBTAIN_H

#include "local.h"
#include "remote.h"

struct obtained {
	struct sd_arena job;         /* of a plan made here */
	struct local_plan *made;     /* NULL: by the daemon */
	struct remote_plan got;      /* by the daemon */
	struct sd_request request;
	struct sd_plan plan;
	struct sd_identity identity;
};

/* The plan of the request's bytes, by `method` (PLAN or EXPLAIN) where the daemon makes it. A refusal is not told yet: it
 * is in `error`, for cli_report(). Give `plan` to cli_release() whatever came; names in `error` lie there. */
enum exit_status cli_obtain(struct cli *cli, enum sd_method method, struct sd_text bytes, struct obtained *plan, struct cli_error *error);

/* The same of plan->got, which a daemon answered to that request. */
enum exit_status cli_obtain_answer(struct cli *cli, struct sd_text bytes, struct obtained *plan, struct cli_error *error);

void cli_release(struct obtained *plan);

/* --local beside a flag that speaks to a daemon is wrong usage. */
enum exit_status cli_check_local(struct cli *cli);

#endif
