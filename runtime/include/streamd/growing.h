/* growing.h - streams, events and notifies that an executor keeps from run to run.
 *
 * Each allocator holds a list that grows to what the largest model so far needed and never shrinks;
 * a failure keeps what is there, so that a later call goes on from there. Stream 0 is never theirs: it is
 * the caller's main stream, written in for each run, so that logical stream 0 of any plan runs there.
 *
 * Not for several threads at once. An allocator belongs to one main stream and goes before its
 * device; the streams go before the events. Graph Engine's figures: 2,023 streams, 1,023 notifies
 * at once (its checks refuse 2,024 and 1,024), 4,096 events. */
#ifndef SD_GROWING_H
#define SD_GROWING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "streamd/device.h"

#define SD_GROWING_STREAMS_END 2024u  /* fewer than this, slot 0 among them */
#define SD_GROWING_EVENTS_END 4097u
#define SD_GROWING_NOTIFIES_END 1024u
#define SD_GROWING_EVENT_FLAGS SD_EVENT_SYNC /* of the events of a session */

enum sd_growing_kind { SD_GROWING_STREAMS, SD_GROWING_EVENTS, SD_GROWING_NOTIFIES };

struct sd_growing;

/* An empty allocator over `device`; of streams, one with slot 0 that holds no stream. `priority` and
 * `flags` are of what it makes (an event's flags, for events). RESOURCE_EXHAUSTED: no memory. */
enum sd_status sd_growing_create(enum sd_growing_kind kind, struct sd_device *device, int32_t priority, uint32_t flags,
                                 struct sd_growing **growing, struct sd_diag *diag);

/* Destroys what it made (not slot 0 of streams). NULL is fine. */
void sd_growing_destroy(struct sd_growing *growing);

/* Grows to `count` and gives the whole list, which holds until the next call that grows. More than may be:
 * RESOURCE_EXHAUSTED (SD5028), nothing is made. What the device refuses is handed on. */
enum sd_status sd_growing_acquire(struct sd_growing *growing, uint32_t count, sd_handle **list, struct sd_diag *diag);

/* Of all that the list holds; of streams with slot 0. */
uint32_t sd_growing_size(const struct sd_growing *growing);

/* Writes the caller's stream into slot 0; of streams only. */
void sd_growing_set_main(struct sd_growing *growing, sd_handle main_stream);

/* The three allocators of a session. */
struct sd_growing_set {
	struct sd_growing *streams, *events, *notifies;
	bool is_owned; /* made here, and destroyed with the set */
};

/* Takes those of `given` (NULL: none) as they are, or makes its own where it has none.
 * INVALID_ARGUMENT (SD5029): one or two are given. */
enum sd_status sd_growing_set_open(struct sd_growing_set *set, const struct sd_growing_set *given, struct sd_device *device, struct sd_diag *diag);
void sd_growing_set_close(struct sd_growing_set *set);

/* What a model is loaded with. */
struct sd_growing_need {
	uint32_t streams;  /* all of the plan, with those inside bodies of known shape and attached ones */
	uint32_t occupied; /* of them, those inside such bodies and attached ones */
	uint32_t events, notifies, attached;
};

struct sd_growing_terms {
	uint32_t reusable; /* streams to acquire; 1: the main stream alone */
	uint32_t events, notifies, attached;
	bool is_degraded;  /* the whole plan runs on stream 0, since the device has not enough streams: */
	uint32_t need;     /* the streams that the plan needs */
	uint32_t free;     /* those that the device had; 0 also where it could not say */
};

/* The terms on which a model runs: those of its plan, or, where the device has too few streams left,
 * a single stream without events. `free_known`: the device said how many are free. */
struct sd_growing_terms sd_growing_terms_of(const struct sd_growing_need *need, bool free_known, uint32_t free_streams);

/* Streams that a device has left; UINT32_MAX where it has no limit. */
uint32_t sd_growing_free_streams(struct sd_device *device);

#endif
