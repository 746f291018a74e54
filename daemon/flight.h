/* flight.h - identical requests join one running job.
 *
 * A flight belongs to the job, not to the call that began it: it goes on while any call
 * wants it. Only running jobs can be joined, so there are never more flights than
 * workers. Joining and ending happen under the lock of the jobs; what is planned is put
 * into the cache before its job ends. So one who finds no flight finds the plan. */
#ifndef SD_FLIGHT_H
#define SD_FLIGHT_H

#include "jobs.h"

enum sd_flight_by { SD_FLIGHT_BY_RAW, SD_FLIGHT_BY_KEY }; /* digest of the bytes, plan_key */

enum sd_flight {
	SD_FLIGHT_LEAD,   /* nobody has it: go on; identical ones join from now on */
	SD_FLIGHT_HIT,    /* `*plan` is it, with a reference */
	SD_FLIGHT_JOINED, /* its calls belong to another job now; nothing is left to do */
};

/* For a worker about its running job. */
enum sd_flight sd_flight_enter(struct sd_job *job, enum sd_flight_by by,
                               const unsigned char digest[SD_CACHE_KEY_BYTES], struct sd_blob **plan);

#endif
