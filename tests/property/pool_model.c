/* pool_model - the pool decides as a slow, plain one does that looks at every slot.
 *
 * usage: pool_model [SEED [RUNS]]
 * Each run has its own limits and plays some thousand random calls; after each of them figures
 * agree, and every so often the pool recounts itself. Prints one TAP line a run. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/random.h"
#include "streamd/device.h"
#include "streamd/pool.h"

#define SLOTS 4096
#define MODELS 24
#define LEASES 4096
#define WANTS 4
#define STEPS 2500

/* ---- the plain pool ---- */

struct slot {
	sd_pool_id id; /* 0: none */
	struct sd_pool_key key;
	int64_t task_count;
	bool is_broken, is_chosen;
};

struct lease {
	sd_pool_id id;
	uint32_t model, slot; /* places */
	int64_t task_count;
};

struct model {
	sd_pool_id id;
	uint32_t domain, events, notifies;
};

static struct {
	struct sd_pool_limits limits;
	struct slot slot[SLOTS];
	struct lease lease[LEASES];
	struct model model[MODELS];
	sd_pool_id dead_lease, dead_model, dead_slot;
} plain;

static uint32_t tenants_of(uint32_t slot, int64_t *tasks)
{
	uint32_t count = 0;

	*tasks = 0;
	for (uint32_t i = 0; i < LEASES; i++) {
		if (plain.lease[i].id && plain.lease[i].slot == slot) {
			count++;
			*tasks += plain.lease[i].task_count;
		}
	}
	return count;
}

static bool holds(uint32_t model, uint32_t slot)
{
	for (uint32_t i = 0; i < LEASES; i++) {
		if (plain.lease[i].id && plain.lease[i].slot == slot && plain.lease[i].model == model)
			return true;
	}
	return false;
}

static bool same_key(struct sd_pool_key a, struct sd_pool_key b)
{
	return a.domain == b.domain && a.priority == b.priority && a.flags == b.flags;
}

static int64_t tasks_max(uint32_t flags)
{
	if (plain.limits.unlimited_depth && (flags & SD_STREAM_PERSISTENT) && !(flags & SD_STREAM_AICPU))
		return 0;
	return flags & SD_STREAM_HUGE ? plain.limits.huge_tasks_max : plain.limits.tasks_max;
}

static bool is_candidate(uint32_t model, uint32_t at, struct sd_pool_key key, int64_t asked)
{
	const struct slot *slot = &plain.slot[at];
	int64_t tasks, most = tasks_max(key.flags);
	uint32_t tenants;

	if (!slot->id || slot->is_broken || slot->is_chosen || !same_key(slot->key, key) || holds(model, at))
		return false;
	tenants = tenants_of(at, &tasks);
	if (plain.limits.mode == SD_POOL_EXCLUSIVE)
		return tenants == 0;
	return tenants < SD_POOL_TENANTS_MAX && (most == 0 || tasks + asked <= most);
}

/* Nearest task count, the larger of two, the lower number. */
static bool is_better(const struct slot *a, const struct slot *b, int64_t asked)
{
	int64_t x = llabs(a->task_count - asked), y = llabs(b->task_count - asked);

	if (x != y)
		return x < y;
	return a->task_count != b->task_count ? a->task_count > b->task_count : (uint32_t)a->id < (uint32_t)b->id;
}

static uint32_t choose(uint32_t model, struct sd_pool_key key, int64_t asked)
{
	uint32_t best = SLOTS;

	for (uint32_t i = 0; i < SLOTS; i++) {
		if (is_candidate(model, i, key, asked) && (best == SLOTS || is_better(&plain.slot[i], &plain.slot[best], asked)))
			best = i;
	}
	return best;
}

/* ---- one run ---- */

static struct sd_pool *pool;
static uint32_t state;
static char why[160];

static bool fails(const char *what)
{
	snprintf(why, sizeof(why), "%s", what);
	return false;
}

static uint32_t place_of(sd_pool_id slot)
{
	for (uint32_t i = 0; i < SLOTS; i++) {
		if (plain.slot[i].id == slot)
			return i;
	}
	return SLOTS;
}

static uint32_t count_streams(uint32_t flags)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < SLOTS; i++)
		count += plain.slot[i].id && (!flags || (plain.slot[i].key.flags & flags));
	return count;
}

static uint32_t held_events(void)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < MODELS; i++)
		count += plain.model[i].id ? plain.model[i].events : 0;
	return count;
}

static bool is_over(uint64_t taken, uint64_t needed, uint64_t limit)
{
	return limit && needed && taken + needed > limit;
}

struct expected {
	uint32_t slot; /* place; SLOTS: a new one */
	uint32_t want;
};

static uint32_t expect(uint32_t model, const struct sd_pool_want *want, uint32_t wants, struct expected *expected, uint32_t *fresh, uint32_t *huge)
{
	uint32_t count = 0;

	*fresh = *huge = 0;
	for (uint32_t w = 0; w < wants; w++) {
		struct sd_pool_key key = { plain.model[model].domain, want[w].priority, want[w].flags };

		for (uint32_t i = 0; i < want[w].count; i++) {
			uint32_t at = choose(model, key, want[w].task_count);

			expected[count++] = (struct expected){ at, w };
			if (at < SLOTS)
				plain.slot[at].is_chosen = true;
			*fresh += at == SLOTS;
			*huge += at == SLOTS && (key.flags & SD_STREAM_HUGE);
		}
	}
	for (uint32_t i = 0; i < SLOTS; i++)
		plain.slot[i].is_chosen = false;
	return count;
}

static bool take(uint32_t model, const struct sd_pool_want *want, const struct expected *expected, const struct sd_pool_grant *grant)
{
	uint32_t at = expected->slot, lease = 0;
	int64_t tasks, asked = want[expected->want].task_count;

	if (grant->is_new != (at == SLOTS) || grant->want != expected->want)
		return fails("another choice between new and reused");
	if (at == SLOTS) {
		at = place_of(0);
		plain.slot[at] = (struct slot){ .id = grant->slot, .key = grant->key, .task_count = asked };
	}
	while (plain.lease[lease].id)
		lease++;
	if (grant->slot != plain.slot[at].id || grant->shared_with != tenants_of(at, &tasks))
		return fails("another slot");
	plain.lease[lease] = (struct lease){ grant->lease, model, at, asked };
	if (plain.slot[at].task_count < asked)
		plain.slot[at].task_count = asked;
	return grant->task_count == plain.slot[at].task_count || fails("another task count");
}

static void random_wants(struct sd_pool_want *want, uint32_t wants)
{
	static const uint32_t flags[] = { 0, SD_STREAM_PERSISTENT, SD_STREAM_HUGE, SD_STREAM_AICPU };

	for (uint32_t i = 0; i < wants; i++)
		want[i] = (struct sd_pool_want){ (int32_t)random_below(&state, 2), flags[random_below(&state, plain.limits.has_huge ? 4 : 2)],
		                                 random_below(&state, 12), random_below(&state, 5) };
}

static bool acquire(void)
{
	uint32_t model = random_below(&state, MODELS), wants = 1 + random_below(&state, WANTS), events = random_below(&state, 3), slots, new_slots;
	struct sd_pool_want want[WANTS];
	struct sd_pool_grant grant[WANTS * 5];
	struct expected expected[WANTS * 5];
	struct sd_pool_shortfall shortfall = { 0 };
	uint32_t fresh, huge, count;
	enum sd_status status, wished = SD_OK;

	if (!plain.model[model].id)
		return true;
	random_wants(want, wants);
	count = expect(model, want, wants, expected, &fresh, &huge);
	if (sd_pool_measure(pool, plain.model[model].id, want, wants, &slots, &new_slots, NULL) != SD_OK || slots != count || new_slots != fresh)
		return fails("measure says something else");
	if (is_over(count_streams(0), fresh, plain.limits.streams_max - plain.limits.streams_reserved) ||
	    is_over(count_streams(SD_STREAM_HUGE), huge, plain.limits.huge_streams_max) || is_over(held_events(), events, plain.limits.events_max))
		wished = SD_RESOURCE_EXHAUSTED;
	status = sd_pool_acquire(pool, plain.model[model].id, want, wants, events, 0, grant, &shortfall, NULL);
	if (status != wished)
		return fails("granted where refused, or refused where granted");
	if (status == SD_OK)
		plain.model[model].events += events;
	for (uint32_t i = 0; status == SD_OK && i < count; i++) {
		if (!take(model, want, &expected[i], &grant[i]))
			return false;
	}
	return true;
}

/* What a lease that goes does to its slot. */
static bool let_go(uint32_t lease, bool is_broken)
{
	uint32_t at = plain.lease[lease].slot;
	int64_t tasks;

	plain.dead_lease = plain.lease[lease].id;
	plain.lease[lease].id = 0;
	plain.slot[at].is_broken |= is_broken;
	if (tenants_of(at, &tasks) || (plain.limits.keeps_idle && !plain.slot[at].is_broken))
		return false;
	plain.dead_slot = plain.slot[at].id;
	plain.slot[at].id = 0;
	return true;
}

static bool release(void)
{
	uint32_t lease = random_below(&state, LEASES), tries = LEASES;
	bool is_broken = random_below(&state, 10) == 0;
	struct sd_pool_parting parting;
	sd_pool_id slot;

	while (tries-- && !plain.lease[lease].id)
		lease = (lease + 1) % LEASES;
	if (!plain.lease[lease].id)
		return true;
	slot = plain.slot[plain.lease[lease].slot].id;
	if (sd_pool_release(pool, plain.lease[lease].id, is_broken, &parting, NULL) != SD_OK || parting.slot != slot)
		return fails("a lease cannot be released");
	return parting.is_gone == let_go(lease, is_broken) || fails("a slot stays that should go, or goes");
}

static void parted(void *arg, sd_pool_id id, const struct sd_pool_parting *parting)
{
	bool *agrees = arg;

	for (uint32_t i = 0; i < LEASES; i++) {
		if (plain.lease[i].id == id) {
			*agrees &= let_go(i, false) == parting->is_gone;
			return;
		}
	}
	*agrees = false;
}

static bool unload_or_register(void)
{
	uint32_t at = random_below(&state, MODELS);
	struct model *model = &plain.model[at];
	bool agrees = true;
	char name[2] = { (char)('a' + random_below(&state, 2)), 0 };

	if (!model->id) {
		if (sd_pool_domain(pool, (struct sd_text){ name, 1 }, &model->domain) != SD_OK ||
		    sd_pool_add_model(pool, model->domain, model, &model->id) != SD_OK)
			return fails("a model cannot be added");
		return true;
	}
	if (sd_pool_remove_model(pool, model->id, parted, &agrees) != SD_OK)
		return fails("a model cannot be removed");
	for (uint32_t i = 0; i < LEASES; i++)
		agrees &= !plain.lease[i].id || plain.lease[i].model != at;
	plain.dead_model = model->id;
	*model = (struct model){ 0 };
	return agrees || fails("a model left something");
}

static bool destroy_slot(void)
{
	uint32_t at = random_below(&state, SLOTS);
	bool force = random_below(&state, 2);
	int64_t tasks;
	enum sd_status status;

	for (uint32_t tries = SLOTS; tries && !plain.slot[at].id; tries--)
		at = (at + 1) % SLOTS;
	if (!plain.slot[at].id)
		return true;
	status = sd_pool_destroy_slot(pool, 0, plain.slot[at].id, force, NULL);
	if ((status == SD_OK) != (force || tenants_of(at, &tasks) == 0))
		return fails("a slot was destroyed, or not");
	if (status != SD_OK)
		return true;
	plain.dead_slot = plain.slot[at].id;
	for (uint32_t i = 0; i < LEASES; i++)
		plain.lease[i].id = plain.lease[i].slot == at ? 0 : plain.lease[i].id;
	plain.slot[at].id = 0;
	return true;
}

static bool trim(void)
{
	sd_pool_id gone[64];
	struct sd_pool_stats stats;
	uint32_t count, keep = random_below(&state, 40);
	int64_t tasks;

	sd_pool_stats(pool, &stats);
	count = sd_pool_trim(pool, keep, gone, 64);
	if (count != (stats.slots_idle <= keep ? 0 : stats.slots_idle - keep < 64 ? stats.slots_idle - keep : 64))
		return fails("another number of idle slots was given up");
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = place_of(gone[i]);

		if (at == SLOTS || tenants_of(at, &tasks))
			return fails("a slot in use was given up");
		plain.slot[at].id = 0;
	}
	return true;
}

/* Room is made only for what then fits, and from idle slots alone. */
static bool make_room(void)
{
	uint32_t model = random_below(&state, MODELS), own, count, slots, fresh;
	struct sd_pool_want want[WANTS];
	struct sd_pool_grant grant[WANTS * 5];
	sd_pool_id gone[64];
	int64_t tasks;

	if (!plain.model[model].id || !plain.limits.streams_max)
		return true;
	random_wants(want, WANTS);
	sd_pool_measure(pool, plain.model[model].id, want, WANTS, &slots, &fresh, NULL);
	count = sd_pool_make_room(pool, plain.model[model].id, want, WANTS, gone, 64, &own);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = place_of(gone[i]);

		if (at == SLOTS || tenants_of(at, &tasks) || (i < own) != (plain.slot[at].key.domain == plain.model[model].domain))
			return fails("room was made of what is not to be given up");
		plain.slot[at].id = 0;
	}
	if (count && (sd_pool_measure(pool, plain.model[model].id, want, WANTS, &slots, &own, NULL) != SD_OK || own != fresh))
		return fails("room was made of what the model would have been given");
	if (count && sd_pool_acquire(pool, plain.model[model].id, want, WANTS, 0, 0, grant, NULL, NULL) != SD_OK)
		return fails("room was made, and it was too little");
	for (uint32_t i = 0; count && i < slots; i++) { /* as it was */
		struct sd_pool_parting parting;

		sd_pool_release(pool, grant[i].lease, grant[i].is_new, &parting, NULL);
		if (!grant[i].is_new && place_of(grant[i].slot) < SLOTS) {
			struct slot *slot = &plain.slot[place_of(grant[i].slot)];

			if (slot->task_count < grant[i].task_count)
				slot->task_count = grant[i].task_count;
		}
		if (parting.is_gone && place_of(parting.slot) < SLOTS)
			plain.slot[place_of(parting.slot)].id = 0;
	}
	return true;
}

/* What is gone stays gone, under every number it ever had. */
static bool use_dead(void)
{
	struct sd_pool_parting parting;
	struct sd_pool_slot_facts facts;
	struct sd_pool_model_facts model;

	if (plain.dead_lease && (sd_pool_release(pool, plain.dead_lease, false, &parting, NULL) != SD_FAILED_PRECONDITION ||
	                         sd_pool_describe(pool, plain.dead_lease, &facts, NULL) != SD_FAILED_PRECONDITION))
		return fails("a dead lease lives");
	if (plain.dead_slot && (sd_pool_describe(pool, plain.dead_slot, &facts, NULL) != SD_FAILED_PRECONDITION ||
	                        sd_pool_destroy_slot(pool, 0, plain.dead_slot, true, NULL) != SD_OK))
		return fails("a dead slot lives");
	if (plain.dead_model && sd_pool_model_facts(pool, plain.dead_model, &model, NULL) != SD_FAILED_PRECONDITION)
		return fails("a dead model lives");
	return true;
}

static bool agrees(uint32_t step)
{
	struct sd_pool_stats stats;

	sd_pool_stats(pool, &stats);
	if (stats.slots != count_streams(0) || stats.events != held_events())
		return fails("counts differ");
	return step % 16 || sd_pool_is_sound(pool) || fails("the pool is not sound");
}

static bool step(uint32_t number)
{
	static bool (*const move[])(void) = { acquire, acquire, acquire, acquire, release, release, release, unload_or_register,
	                                      destroy_slot, trim, make_room, use_dead };

	return move[random_below(&state, sizeof(move) / sizeof(move[0]))]() && agrees(number);
}

static bool run(uint32_t seed)
{
	uint32_t at = 0;

	memset(&plain, 0, sizeof(plain));
	state = seed + 1;
	plain.limits = (struct sd_pool_limits){
		.streams_max = random_below(&state, 3) ? 8 + random_below(&state, 120) : 0, .has_huge = random_below(&state, 2),
		.huge_streams_max = random_below(&state, 2) ? 4 + random_below(&state, 20) : 0, .tasks_max = random_below(&state, 2) ? 12 + random_below(&state, 60) : 0,
		.huge_tasks_max = random_below(&state, 2) * 40, .unlimited_depth = random_below(&state, 2), .events_max = random_below(&state, 2) * 50,
		.mode = random_below(&state, 3) ? SD_POOL_SHARED : SD_POOL_EXCLUSIVE, .keeps_idle = random_below(&state, 2),
	};
	plain.limits.streams_reserved = plain.limits.streams_max ? random_below(&state, 5) : 0;
	if (sd_pool_create(&pool, &plain.limits) != SD_OK)
		return fails("no pool");
	while (at < STEPS && step(at))
		at++;
	sd_pool_destroy(pool);
	if (at < STEPS)
		printf("#   step %u: %s\n", at, why);
	return at == STEPS;
}

int main(int argc, char **argv)
{
	uint32_t first = argc > 1 ? (uint32_t)atoi(argv[1]) : 1, runs = argc > 2 ? (uint32_t)atoi(argv[2]) : 12, failed = 0;

	for (uint32_t i = 0; i < runs; i++) {
		bool well = run(first + i);

		printf("%s %u - seed %u\n", well ? "ok" : "not ok", i + 1, first + i);
		failed += !well;
	}
	printf("1..%u\n", runs);
	return failed || runs == 0 ? 1 : 0;
}
