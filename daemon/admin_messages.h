/* admin_messages.h - what the daemon is and does as messages: for the methods that tell it, and for the status page. */
#ifndef SD_ADMIN_MESSAGES_H
#define SD_ADMIN_MESSAGES_H

#include "jobs.h"
#include "metrics.h"
#include "streamd.pb-c.h"
#include "streamd/planner.h"

struct sd_server;

/* `gauge`: of sd_server_gauges(); `planner` is what the message points to. */
void sd_fill_status(const struct sd_server *server, const uint64_t gauge[SD_GAUGES], Streamd__V1__StatusAnswer *answer,
                    char planner[SD_PLANNER_VERSION_MAX]);
void sd_fill_cache_stats(struct sd_server *server, Streamd__V1__CacheStatsAnswer *answer);
void sd_fill_job(const struct sd_job_info *info, Streamd__V1__Job *job);

#endif
