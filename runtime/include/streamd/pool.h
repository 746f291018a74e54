/* pool.h - streams that models share: who gets which one, and when a new one is made.
 *
 * A pool belongs to one device. It speaks of slots: places for one stream each. Whoever loads a
 * model asks for slots by key (domain, priority, flags); the pool gives a slot with that very key
 * which the model does not hold, the one whose task count is nearest, or else says that a new
 * stream is to be made. It makes nothing itself, holds no lock and knows no clock: the daemon
 * arbitrates slots with it, a process binds them to real streams (reuse.h).
 *
 * The rule is Graph Engine's documented one (its ReusableStreamAllocator, which in public code
 * always creates), made exact:
 *   1. candidates: live slots of the key that the model does not hold;
 *      exclusive: that nobody holds; shared: that at most 255 other models hold;
 *   2. with room: tasks of all who hold it and those of the asker (exclusive: of the asker) are
 *      at most what such a stream takes;
 *   3. of these the one whose task count is nearest to the asked one; of two equally near the
 *      larger; of equal ones the lower slot number;
 *   4. its task count becomes the larger of its own and the asked one.
 *
 * Costs: O(log n) for each slot, and O(1) for each slot of the key that must be passed over
 * because the model holds it or it lacks room. */
#ifndef SD_POOL_H
#define SD_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "base/text.h"

#define SD_POOL_TENANTS_MAX 256u /* models in one stream */

struct sd_pool;

/* A number with a generation in its upper half: one that was given back is never taken for the
 * one that has its place now. Models, leases and slots have different ones. 0 is none. Bits 26 to
 * 31 are 0: who has several pools may write there which one it was, and takes it off again. */
typedef uint64_t sd_pool_id;

enum sd_pool_mode { SD_POOL_EXCLUSIVE, SD_POOL_SHARED };

/* 0 = unlimited, which means 2^24 streams and 2^32 - 1 events and notifies. */
struct sd_pool_limits {
	uint32_t streams_max;       /* slots of the device */
	uint32_t streams_reserved;  /* of them, kept from everybody */
	uint32_t huge_streams_max;  /* of them, with flag HUGE */
	bool has_huge;
	bool unlimited_depth;       /* rule 2 does not hold for PERSISTENT streams that are not AICPU */
	int64_t tasks_max, huge_tasks_max;
	uint32_t events_max, notifies_max;
	enum sd_pool_mode mode;
	bool keeps_idle;            /* a slot that nobody holds stays, to be given again */
};

struct sd_pool_key {
	uint32_t domain;            /* sd_pool_domain() */
	int32_t priority;           /* 0 most urgent .. 7; clamped, never refused */
	uint32_t flags;             /* enum sd_stream_flag, compared as a whole */
};

/* `count` slots of one kind. */
struct sd_pool_want {
	int32_t priority;
	uint32_t flags;
	int64_t task_count;
	uint32_t count;
};

struct sd_pool_grant {
	sd_pool_id lease;           /* the model's right to the slot */
	sd_pool_id slot;
	uint32_t want;              /* which entry of the wants it answers */
	struct sd_pool_key key;
	int64_t task_count;         /* by which the slot is found from now on */
	uint32_t shared_with;       /* other models that hold it */
	bool is_new;                /* no stream is in it yet: whoever got it makes one */
};

/* Why an acquire was refused, in figures. */
struct sd_pool_shortfall {
	enum sd_pool_resource { SD_POOL_STREAMS, SD_POOL_HUGE_STREAMS, SD_POOL_EVENTS, SD_POOL_NOTIFIES, SD_POOL_RESOURCES } resource;
	uint64_t needed, available, limit;
};

enum sd_status sd_pool_create(struct sd_pool **pool, const struct sd_pool_limits *limits);
void sd_pool_destroy(struct sd_pool *pool); /* NULL is fine */
/* What is held above a lowered limit stays. */
void sd_pool_set_limits(struct sd_pool *pool, const struct sd_pool_limits *limits);
const struct sd_pool_limits *sd_pool_get_limits(const struct sd_pool *pool);

/* The number of a domain, made on first use: it is for sd_pool_add_model(), and is forgotten when
 * neither a model nor a slot has it any more. */
enum sd_status sd_pool_domain(struct sd_pool *pool, struct sd_text name, uint32_t *domain);
/* The same where there is one already; false: there is none. */
bool sd_pool_find_domain(const struct sd_pool *pool, struct sd_text name, uint32_t *domain);
uint32_t sd_pool_domain_models(const struct sd_pool *pool, uint32_t domain); /* how many models have it */
struct sd_text sd_pool_domain_name(const struct sd_pool *pool, uint32_t domain); /* empty if there is none */

/* A model that may hold slots. `owner` is the caller's and comes back in figures. */
enum sd_status sd_pool_add_model(struct sd_pool *pool, uint32_t domain, void *owner, sd_pool_id *model);

/* All or nothing: fills one grant for each slot, in the order of the wants, and takes events and
 * notifies for the model; or changes nothing and says what is short. INVALID_ARGUMENT: flags that
 * cannot be, more tasks than a stream takes. NOT_FOUND: no such model. RESOURCE_EXHAUSTED: `shortfall`. */
enum sd_status sd_pool_acquire(struct sd_pool *pool, sd_pool_id model, const struct sd_pool_want *want, uint32_t want_count,
                               uint32_t events, uint32_t notifies, struct sd_pool_grant *grant,
                               struct sd_pool_shortfall *shortfall, struct sd_diag *diag);

/* Whether an acquire would be granted now, and why not; changes nothing. */
enum sd_status sd_pool_check(const struct sd_pool *pool, sd_pool_id model, const struct sd_pool_want *want, uint32_t want_count,
                             uint32_t events, uint32_t notifies, struct sd_pool_shortfall *shortfall, struct sd_diag *diag);

/* Gives back some of the events and notifies of a model. FAILED_PRECONDITION: it holds fewer; nothing is changed. */
enum sd_status sd_pool_release_events(struct sd_pool *pool, sd_pool_id model, uint64_t events, uint64_t notifies, struct sd_diag *diag);

/* How many slots the wants are, and how many new ones of them they would take now; changes nothing. */
enum sd_status sd_pool_measure(const struct sd_pool *pool, sd_pool_id model, const struct sd_pool_want *want, uint32_t want_count,
                               uint32_t *slots, uint32_t *new_slots, struct sd_diag *diag);

/* What became of the stream in a slot with a lease that was given back. */
struct sd_pool_parting {
	sd_pool_id slot;
	bool is_gone;               /* the slot is no more: its stream is to be destroyed */
};

/* Gives a lease back. `is_broken`: its stream could not be made or is damaged; nobody is given it
 * again, and it goes with its last tenant. NOT_FOUND for what never was a lease; FAILED_PRECONDITION
 * (already released) for what was one. */
enum sd_status sd_pool_release(struct sd_pool *pool, sd_pool_id lease, bool is_broken, struct sd_pool_parting *parting, struct sd_diag *diag);

/* Takes a slot away, whoever holds it: refused (FAILED_PRECONDITION) while others than `model` do,
 * unless forced; `model` may be 0. Leases on it become stale. Twice is fine. INVALID_ARGUMENT: 0. */
enum sd_status sd_pool_destroy_slot(struct sd_pool *pool, sd_pool_id model, sd_pool_id slot, bool force, struct sd_diag *diag);

/* Gives up slots that nobody holds until `keep` are left, the longest idle first; fills at most
 * `most` and answers how many: the streams in them are to be destroyed. */
uint32_t sd_pool_trim(struct sd_pool *pool, uint32_t keep, sd_pool_id *gone, uint32_t most);

/* The same for all idle slots of one domain. */
uint32_t sd_pool_trim_domain(struct sd_pool *pool, uint32_t domain, sd_pool_id *gone, uint32_t most);

/* Before an acquire that is short of streams: gives up idle slots that it would not be given, of the
 * model's own domain and of domains without models, as many as it is short of; none if they are too
 * few. The own ones come first in `gone`: `own` tells how many. At most `most`. */
uint32_t sd_pool_make_room(struct sd_pool *pool, sd_pool_id model, const struct sd_pool_want *want, uint32_t want_count,
                           sd_pool_id *gone, uint32_t most, uint32_t *own);

/* Gives back all leases, events and notifies of a model and forgets it. `parted` is called for each. */
enum sd_status sd_pool_remove_model(struct sd_pool *pool, sd_pool_id model,
                                    void (*parted)(void *arg, sd_pool_id lease, const struct sd_pool_parting *parting), void *arg);

/* What a slot is, by slot or by lease. NOT_FOUND, or FAILED_PRECONDITION (stale) for what was one. */
struct sd_pool_slot_facts {
	sd_pool_id slot;
	struct sd_pool_key key;
	int64_t task_count;
	uint32_t tenants;
	bool is_broken;
};
enum sd_status sd_pool_describe(const struct sd_pool *pool, sd_pool_id id, struct sd_pool_slot_facts *facts, struct sd_diag *diag);

struct sd_pool_stats {
	/* Ever. A slot whose first holder gave it back as broken counts as one that was never created. */
	uint64_t created, reused, destroyed;
	uint32_t slots, slots_idle, slots_huge, leases, models, domains;
	uint32_t streams;                      /* slots, less those of flag FORBIDDEN_DEFAULT, which cost none */
	uint32_t events, notifies;             /* held */
};
void sd_pool_stats(const struct sd_pool *pool, struct sd_pool_stats *stats);

struct sd_pool_model_facts {
	sd_pool_id model;
	uint32_t domain;
	void *owner;
	uint32_t leases, events, notifies;
};
enum sd_status sd_pool_model_facts(const struct sd_pool *pool, sd_pool_id model, struct sd_pool_model_facts *facts, struct sd_diag *diag);

/* Whose lease it is. NOT_FOUND, or FAILED_PRECONDITION (already released). */
enum sd_status sd_pool_lease_model(const struct sd_pool *pool, sd_pool_id lease, struct sd_pool_model_facts *facts, struct sd_diag *diag);

/* What is there of one key. */
struct sd_pool_key_facts {
	struct sd_pool_key key;
	uint32_t slots, idle;                  /* idle: that nobody holds */
};

/* In a fixed order: models by age, slots by number, leases of a model by age, keys by domain, priority and flags.
 * Keys are those that have slots; O(log n) for each of them. A visitor changes nothing. */
void sd_pool_each_model(const struct sd_pool *pool, void (*visit)(void *arg, const struct sd_pool_model_facts *facts), void *arg);
void sd_pool_each_slot(const struct sd_pool *pool, void (*visit)(void *arg, const struct sd_pool_slot_facts *facts), void *arg);
void sd_pool_each_key(const struct sd_pool *pool, void (*visit)(void *arg, const struct sd_pool_key_facts *facts), void *arg);
void sd_pool_each_lease(const struct sd_pool *pool, sd_pool_id model,
                        void (*visit)(void *arg, sd_pool_id lease, const struct sd_pool_slot_facts *facts), void *arg);

/* True if every count agrees with what is there; for tests. */
bool sd_pool_is_sound(const struct sd_pool *pool);

#endif
