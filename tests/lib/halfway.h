/* halfway.h - a planning run that ends behind a pass, to look at what that pass leaves. */
#ifndef SD_HALFWAY_H
#define SD_HALFWAY_H

#include "chain.h"

/* Runs the rows of `when` over the root graph, up to and with pass `last`. Bodies there may be with
 * SD_EXPLICIT only, which has no rows for single graphs. The run must go well; a failure ends the
 * program. The job lies in `mem`. */
struct sd_job *job_behind(struct sd_arena *mem, struct sd_request *request, enum sd_when when, const char *last);

#endif
