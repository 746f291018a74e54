/* status_text.h - what the daemon does, as one JSON text: GET /status.json, which the status page reads.
 *
 * What the methods Status, Jobs, CacheStats, PoolStats and List tell, from the same messages, with
 * keys in a fixed order. Bounded in size: of each kind the first rows are shown, how many there are
 * beside them is said, and texts of peers are cut; below 512 KiB with 64 devices and every text at
 * its worst. Bounded in cost: made anew only when the last one is old enough, however many ask.
 * For the loop thread. */
#ifndef SD_STATUS_TEXT_H
#define SD_STATUS_TEXT_H

#include <stdint.h>

#include "blob.h"

struct sd_server;

#define SD_STATUS_ROWS 20u          /* of a kind, of one device */
#define SD_STATUS_DEVICE_ROWS 128u  /* of a kind, of all devices; each device has 2 at least */
#define SD_STATUS_NAME_MAX 64u      /* bytes of a name or a domain */
#define SD_STATUS_MESSAGE_MAX 400u  /* bytes of the message of an error */

/* How old the text may be when it is handed out, and which part of its time the loop may spend on it. */
#define SD_STATUS_AGE_MS 250u
#define SD_STATUS_SHARE 20u

struct sd_status_text {
	struct sd_blob *text;
	uint64_t made_ns, cost_ns;
};

/* A reference to the text of now, or of a moment ago; NULL: no memory. */
struct sd_blob *sd_status_text(struct sd_server *server);

void sd_status_finish(struct sd_status_text *kept);

#endif
