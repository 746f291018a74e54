/* streamd_pool.h - streams of a device, leased from the daemon.
 *
 * A loader's life: register a model, acquire what its plan needs, all of it or nothing, make a
 * stream for each slot with is_new and take the one it made before for the others, run, release,
 * unload. Grants are those of pool.h and go as they are into sd_reuse_bind(); a slot that is told
 * as gone goes into sd_reuse_unbind().
 *
 * What a model holds belongs to the connection of its client, and ends with it. So nothing here is
 * done a second time on another connection: when it is lost, every call about a model fails with
 * UNAVAILABLE, until the model is registered anew. The daemon forgets a model that it does not hear
 * of for its ttl_ms: call sd_client_heartbeat() at least every third of that, save while an acquire
 * waits, which keeps all models of its client by itself. A call that is given up (deadline,
 * sd_client_cancel()) leaves nothing behind that nobody knows of: what was granted at the last
 * moment is answered as granted, and when the daemon says nothing more the connection is closed.
 *
 * A refusal tells in error->message what is short, how much is left and who has it. */
#ifndef STREAMD_POOL_H
#define STREAMD_POOL_H

#include "streamd/pool.h"
#include "streamd_client.h"

struct sd_client_ids {
	uint64_t *id;               /* freed by sd_client_ids_finish() */
	size_t count;
};
void sd_client_ids_finish(struct sd_client_ids *slots);

/* ---- models ---- */

struct sd_client_model_ask {
	const char *name;           /* for people; NULL: empty */
	const char *domain;         /* who may share real streams; NULL: those of this process */
	uint32_t device;
	uint32_t priority;          /* of its waiting acquires: 0 most urgent .. 7 */
	uint32_t ttl_ms;            /* 0: the daemon's, at most that */
};

struct sd_client_model {
	uint64_t id;
	uint32_t ttl_ms;
	uint64_t connection;        /* of the client, on which it was registered */
};

enum sd_status sd_client_register(struct sd_client *client, const struct sd_client_model_ask *ask, struct sd_client_model *model,
                                  struct sd_client_error *error);

/* What went back, and what is no more. */
struct sd_client_returned {
	uint32_t released, already_released;
	struct sd_client_ids gone;  /* slots that are no more: whoever made streams for them destroys these */
};

/* Gives back all that the model holds, and forgets it. Finish returned->gone whatever came. `returned`
 * may be NULL: slots that are no more are told by the next call. */
enum sd_status sd_client_unload(struct sd_client *client, const struct sd_client_model *model, struct sd_client_returned *returned,
                                struct sd_client_error *error);

/* ---- leases ---- */

struct sd_client_acquire_ask {
	const struct sd_pool_want *want;
	uint32_t want_count;
	uint64_t events, notifies;
	uint32_t wait_ms;           /* how long to wait in line where there is too little; 0: refuse at once */
	uint64_t token;             /* the same one again answers the same leases; 0: none */
	bool dry_run;               /* says what would be, and changes nothing: no grants are answered */
};

struct sd_client_grants {
	struct sd_pool_grant *grant; /* owned; one for each slot, in the order of the wants; key.domain is 0 */
	uint32_t count;
	uint32_t new_streams;
	uint64_t events, notifies, waited_ms;
	struct sd_client_ids gone;  /* slots: destroy their streams before making new ones; filled on failure too */
};

/* All or nothing. RESOURCE_EXHAUSTED: what is short and who has it, or the line is full. Finish
 * `grants` whatever came. */
enum sd_status sd_client_acquire(struct sd_client *client, const struct sd_client_model *model, const struct sd_client_acquire_ask *ask,
                                 struct sd_client_grants *grants, struct sd_client_error *error);
void sd_client_grants_finish(struct sd_client_grants *grants);

struct sd_client_release_ask {
	const uint64_t *lease;
	size_t lease_count;
	bool is_broken;             /* their streams could not be made, or are damaged: nobody is given them again */
	uint64_t events, notifies;
};

/* All that is named, or nothing. A lease that was given back before is counted, and no error. */
enum sd_status sd_client_release(struct sd_client *client, const struct sd_client_model *model, const struct sd_client_release_ask *ask,
                                 struct sd_client_returned *returned, struct sd_client_error *error);

/* ---- staying ---- */

struct sd_client_heard {
	uint32_t renewed;           /* models */
	uint32_t ttl_ms;            /* the shortest of theirs; 0: there are none */
	struct sd_client_ids gone;  /* slots that are no more: idle ones that others wait for, or taken away */
	struct sd_client_ids taken; /* leases that an operator took away: nobody else gets their slots */
};

/* Keeps all models of the client. Fewer than were registered: those that are missing are no more. */
enum sd_status sd_client_heartbeat(struct sd_client *client, struct sd_client_heard *heard, struct sd_client_error *error);

/* ---- looking ---- */

#define SD_CLIENT_DOMAIN_MAX 520u

struct sd_client_slot {
	uint64_t slot;
	char domain[SD_CLIENT_DOMAIN_MAX];
	int32_t priority;
	uint32_t flags;
	uint64_t task_count;
	uint32_t tenants;
	bool is_broken;
};

/* By lease or slot. FAILED_PRECONDITION: it was one. */
enum sd_status sd_client_describe(struct sd_client *client, uint64_t id, struct sd_client_slot *slot, struct sd_client_error *error);

struct sd_client_pool_stats {
	uint64_t created, reused, destroyed; /* ever */
	uint64_t slots, slots_idle, leases, models, events, notifies;
	uint64_t waiting;           /* acquires in line */
	uint64_t refused, expired;
	uint64_t streams_max;       /* 0: no limit */
	uint64_t streams_reserved;
};

enum sd_status sd_client_pool_stats(struct sd_client *client, uint32_t device, struct sd_client_pool_stats *stats, struct sd_client_error *error);

#endif
