/* pool_impl.h - what a pool is made of, between its files.
 *
 * pool.c opens it and knows its models; pool_parts.c makes and undoes its parts and keeps every
 * count; pool_choose.c applies the rule of pool.h and changes nothing that stays; pool_acquire.c
 * makes what was chosen so; pool_release.c gives back and gives up; pool_facts.c tells;
 * pool_sound.c recounts.
 *
 * The slots of one key form a tree by (task count, slot number). Every subtree knows its least
 * load, so that a walk in search of room passes over full slots unseen. */
#ifndef SD_POOL_IMPL_H
#define SD_POOL_IMPL_H

#include "slab.h"
#include "streamd/pool.h"
#include "tree.h"

/* Load of a slot: the tasks of all who hold it, or one of these. */
#define SD__LOAD_IDLE (-1)
#define SD__LOAD_CLOSED INT64_MAX /* nobody is given it: as many models as can be, or chosen just now */

/* Tasks of one tenant where a stream takes any number; 256 of them do not overflow. */
#define SD__TASKS_MAX (INT64_C(1) << 54)

enum sd__pool_kind { SD__POOL_DOMAIN, SD__POOL_MODEL, SD__POOL_LEASE, SD__POOL_SLOT };

struct sd__domain {
	struct sd_slab_item item;
	struct sd_tree_node by_name;
	char *name; /* owned, no NUL */
	uint32_t name_len;
	uint32_t models, slots;
	struct sd__domain *prev, *next; /* among those with slots and without models */
};

/* The slots of one key; there is one as long as it has slots. */
struct sd__bucket {
	struct sd_tree_node by_key;
	struct sd_pool_key key;
	struct sd__domain *domain;
	struct sd_tree slots; /* broken ones are not in it */
	uint32_t slot_count;  /* broken ones too */
	uint32_t idle_count;
};

struct sd__slot {
	struct sd_slab_item item;
	struct sd_tree_node by_tasks;
	struct sd__bucket *bucket;
	int64_t task_count;
	int64_t tasks_held;  /* of all tenants */
	int64_t least_load;  /* of its subtree */
	struct sd__lease *tenants, *maker; /* maker: the lease that made the stream, while it lasts */
	uint32_t tenant_count;
	bool is_broken, is_chosen;
	bool never_made; /* its maker gave it back as broken */
	struct sd__slot *prev, *next; /* among the idle ones, longest idle first */
	/* While an acquire is being worked out: */
	struct sd__slot *next_chosen;
	uint32_t want;
};

struct sd__lease {
	struct sd_slab_item item;
	struct sd__slot *slot;
	struct sd__model *model;
	int64_t task_count;
	struct sd__lease *slot_prev, *slot_next;
	struct sd__lease *model_prev, *model_next; /* by age */
	struct sd__lease *hash_next;
};

struct sd__model {
	struct sd_slab_item item;
	struct sd__domain *domain;
	void *owner;
	struct sd__lease *first, *last;
	uint32_t lease_count, events, notifies;
	struct sd__model *prev, *next; /* by age */
};

struct sd_pool {
	struct sd_pool_limits limits;
	struct sd_slab domains, models, leases, slots;
	struct sd_tree domain_names, buckets;
	struct sd__model *first_model, *last_model;
	struct sd__slot *first_idle, *last_idle;
	struct sd__domain *first_orphan; /* domains that nobody uses and that have slots */
	struct sd__lease **hash;         /* leases by (model, slot) */
	uint32_t hash_size;              /* a power of two */
	uint32_t idle_count, streams, huge_streams; /* streams: slots that cost one */
	uint64_t events, notifies;
	uint64_t created, reused, destroyed;
};

#define SD__SLOT_OF(node) SD_TREE_OF(node, struct sd__slot, by_tasks)

/* ---- pool_parts.c ---- */

bool sd__pool_init_parts(struct sd_pool *pool);
void sd__pool_finish_parts(struct sd_pool *pool);

int64_t sd__slot_load(const struct sd__slot *slot);
bool sd__flags_cost_stream(uint32_t flags);

/* Whether the model holds the slot. */
bool sd__pool_holds(const struct sd_pool *pool, const struct sd__model *model, const struct sd__slot *slot);

struct sd__bucket *sd__bucket_find(const struct sd_pool *pool, const struct sd_pool_key *key);
/* The same, made where there is none; NULL: no memory. */
struct sd__bucket *sd__bucket_make(struct sd_pool *pool, const struct sd_pool_key *key, struct sd__domain *domain);
void sd__bucket_drop_if_empty(struct sd_pool *pool, struct sd__bucket *bucket);

struct sd__domain *sd__domain_at(const struct sd_pool *pool, uint32_t number); /* NULL if there is none */
uint32_t sd__domain_number(const struct sd__domain *domain);
void sd__domain_drop_if_unused(struct sd_pool *pool, struct sd__domain *domain);

/* Room for so many more, so that what follows cannot fail. False: no memory. */
bool sd__pool_reserve(struct sd_pool *pool, uint64_t leases, uint64_t slots);

struct sd__slot *sd__slot_make(struct sd_pool *pool, struct sd__bucket *bucket, int64_t task_count);
struct sd__lease *sd__lease_make(struct sd_pool *pool, struct sd__model *model, struct sd__slot *slot, int64_t task_count);
void sd__lease_drop(struct sd_pool *pool, struct sd__lease *lease);
/* A slot that nobody holds is no more. */
void sd__slot_drop(struct sd_pool *pool, struct sd__slot *slot);
/* Nobody is given it from now on. */
void sd__slot_break(struct sd__slot *slot);

void sd__model_link(struct sd_pool *pool, struct sd__model *model);
void sd__model_unlink(struct sd_pool *pool, struct sd__model *model);

/* ---- pool_choose.c ---- */

/* What an acquire would get: slots that are there, in the order of the wants, and for the rest new ones. */
struct sd__choice {
	struct sd__slot *first, *last;
	uint64_t slots, streams, huge; /* asked for; of them, such as cost a stream, and huge ones */
	uint64_t reused, new_slots, new_streams, new_huge;
};

/* Marks what it chooses; sd__choice_undo takes the marks away. Fails only for wants that cannot be. Of the
 * last mark the trees are not told: who goes on looking in them calls sd__choice_show first. */
enum sd_status sd__choose(const struct sd_pool *pool, const struct sd__model *model, const struct sd_pool_want *want,
                          uint32_t want_count, struct sd__choice *choice, struct sd_diag *diag);
void sd__choice_show(const struct sd__choice *choice);
void sd__choice_undo(struct sd__choice *choice);

struct sd_pool_key sd__key_of(const struct sd__model *model, const struct sd_pool_want *want);

/* ---- finding by id ---- */

enum sd_status sd__find_model(const struct sd_pool *pool, sd_pool_id id, struct sd__model **model, struct sd_diag *diag);

#endif
