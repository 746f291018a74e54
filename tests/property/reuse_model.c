/* reuse_model - streams are reused as a slow, plain list of streams says, over a device that is looked at.
 *
 * usage: reuse_model [SEED [RUNS]]
 * Each run has its own limits and plays random calls on streams of a stand-in library, whose calls
 * fail now and then. After each call the streams that are there, who holds them and what the
 * library has are those of the plain list; at the end all is given back. Prints one TAP line a run. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/plain_streams.h"
#include "lib/random.h"
#include "reuse_impl.h"
#include "standin_control.h"
#include "streamd/device_acl.h"

#define WANTS 3
#define COUNT_MAX 4
#define STEPS 500

static struct sd_reuse *reuse;
static struct sd_device *device;
static struct standin_control standin;
static uint32_t state;
static char why[160];
static uint64_t faults_met;

static bool fails(const char *what)
{
	snprintf(why, sizeof(why), "%s", what);
	return false;
}

/* ---- what the device has ---- */

static bool is_there(sd_handle handle)
{
	enum sd_progress progress;

	return device->ops->stream_query(device, handle, &progress, NULL) == SD_OK;
}

static bool agrees(void)
{
	struct sd_reuse_stats stats;
	uint32_t leases = 0, models = 0, left = 0;
	int64_t tasks;

	sd_reuse_stats(reuse, &stats);
	for (uint32_t i = 0; i < STREAMS; i++) {
		const struct stream *stream = &plain.stream[i];

		leases += stream->slot && !stream->is_left ? tenants_of(stream, &tasks) : 0;
		left += stream->is_left;
		if (stream->slot && !is_there(stream->handle))
			return fails("a stream is gone that is to be there");
	}
	for (uint32_t m = 0; m < MODELS; m++)
		models += plain.model[m].id != 0;
	if (stats.pool.leases != leases || stats.pool.models != models || stats.pool.slots != count_slots())
		return fails("leases, models or slots are counted otherwise");
	if (stats.streams != count_streams(false) || stats.streams_left != left || stats.create_failures != plain.failures)
		return fails("streams are counted otherwise");
	if (standin.standin_live(STANDIN_STREAM) != stats.streams || standin.standin_created(STANDIN_STREAM) != plain.creates)
		return fails("the library has another number of streams");
	return sd_pool_is_sound(reuse->pool) || fails("the pool is not sound");
}

/* ---- moves ---- */

enum fault { NONE, CREATE_FAILS, ID_FAILS, CREATE_EXHAUSTED, FAULTS };

struct plan {
	struct sd_pool_want want[WANTS];
	enum sd_reuse_role role[WANTS];
	struct stream *got[WANTS * COUNT_MAX]; /* NULL: a new one */
	uint32_t want_of[WANTS * COUNT_MAX];
	uint32_t count, fresh;
};

static void make_plan(uint32_t model, struct plan *plan)
{
	static const uint32_t flags[] = { 0, SD_STREAM_FORCE_COPY, SD_STREAM_FAST_SYNC };

	plan->count = plan->fresh = 0;
	for (uint32_t w = 0; w < WANTS; w++) {
		plan->want[w] = (struct sd_pool_want){ (int32_t)random_below(&state, 2), flags[random_below(&state, 3)], random_below(&state, 12), random_below(&state, COUNT_MAX + 1) };
		plan->role[w] = (enum sd_reuse_role)random_below(&state, SD_REUSE_ROLES);
		for (uint32_t i = 0; i < plan->want[w].count; i++) {
			struct stream *stream = choose(model, &plan->want[w]);

			if (stream)
				stream->is_chosen = true;
			plan->fresh += !stream;
			plan->want_of[plan->count] = w;
			plan->got[plan->count++] = stream;
		}
	}
}

/* Whoever is not chosen and idle went: `wished` of them. */
static bool note_gone(uint32_t wished)
{
	uint32_t gone = 0;

	for (uint32_t i = 0; i < STREAMS; i++) {
		struct stream *stream = &plain.stream[i];

		if (!stream->slot || stream->is_left || is_there(stream->handle))
			continue;
		if (!is_idle(stream) || stream->is_chosen)
			return fails("a stream gave way that is in use");
		forget(stream);
		gone++;
	}
	return gone == wished || fails("another number of idle streams gave way");
}

static bool take(uint32_t model, const struct plan *plan, const struct sd_reuse_stream *given)
{
	for (uint32_t i = 0; i < plan->count; i++) {
		const struct sd_pool_want *want = &plan->want[plan->want_of[i]];
		struct stream *stream = plan->got[i];
		int64_t tasks;

		if (given[i].is_reused != (stream != NULL) || given[i].want != plan->want_of[i])
			return fails("another choice between new and reused");
		if (!stream) {
			stream = empty_place();
			*stream = (struct stream){ .slot = given[i].slot, .handle = given[i].stream, .priority = want->priority, .flags = want->flags };
		}
		if (given[i].slot != stream->slot || given[i].stream != stream->handle || given[i].shared_with != tenants_of(stream, &tasks))
			return fails("another stream");
		stream->task_count = stream->task_count < want->task_count ? want->task_count : stream->task_count;
		stream->lease[model].id = given[i].lease;
		stream->lease[model].task_count = want->task_count;
		stream->lease[model].role = plan->role[plan->want_of[i]];
		stream->lease[model].age = ++plain.now;
	}
	return true;
}

/* What is reused keeps the task count that was asked for, and counts as used just now. */
static void give_up(const struct plan *plan)
{
	for (uint32_t i = 0; i < plan->count; i++) {
		struct stream *stream = plan->got[i];
		int64_t asked = plan->want[plan->want_of[i]].task_count;

		if (!stream)
			continue;
		stream->task_count = stream->task_count < asked ? asked : stream->task_count;
		if (is_idle(stream))
			stream->idle_since = ++plain.now;
	}
}

static uint32_t idle_and_not_chosen(void)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < STREAMS; i++)
		count += is_idle(&plain.stream[i]) && !plain.stream[i].is_chosen;
	return count;
}

static void unchoose(void)
{
	for (uint32_t i = 0; i < STREAMS; i++)
		plain.stream[i].is_chosen = false;
}

/* Those that are left are gone when all that can be is given up. */
static uint32_t clear_left(void)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < STREAMS; i++) {
		left += plain.stream[i].is_left;
		if (plain.stream[i].is_left)
			plain.stream[i] = (struct stream){ 0 };
	}
	return left;
}

/* How an acquire is to end, and what the fault does to it. `granted`: by the pool; the device may refuse yet. */
static enum sd_status expect(const struct plan *plan, enum fault fault, uint32_t at, uint32_t *gone, bool *granted)
{
	uint32_t most = plain.limits.streams_max, taken = count_slots(), idle = idle_and_not_chosen();
	bool is_met = fault != NONE && at <= plan->fresh;

	*gone = plan->fresh && most && taken + plan->fresh > most ? taken + plan->fresh - most : 0;
	*granted = *gone <= idle;
	if (!*granted) {
		*gone = 0;
		return SD_RESOURCE_EXHAUSTED;
	}
	plain.creates += is_met ? at - (fault != ID_FAILS) : plan->fresh;
	faults_met += is_met;
	if (!is_met)
		return SD_OK;
	if (fault == CREATE_EXHAUSTED && clear_left() + idle > *gone) { /* all that is idle gives way, and the second try succeeds */
		*gone = idle;
		plain.creates += plan->fresh - (at - 1);
		return SD_OK;
	}
	plain.failures++;
	return fault == CREATE_EXHAUSTED ? SD_RESOURCE_EXHAUSTED : SD_INTERNAL;
}

static bool acquire(void)
{
	static const char *const call[FAULTS] = { "", "aclrtCreateStreamWithConfig", "aclrtStreamGetId", "aclrtCreateStreamWithConfig" };
	static const int64_t code[FAULTS] = { 0, 507000, 507000, 207008 };
	uint32_t model = random_below(&state, MODELS), at = 1 + random_below(&state, 3), gone;
	enum fault fault = random_below(&state, 3) ? NONE : (enum fault)random_below(&state, FAULTS);
	struct sd_reuse_stream given[WANTS * COUNT_MAX];
	struct sd_pool_shortfall shortfall;
	enum sd_status status, wished;
	struct plan plan;
	bool well, granted;

	if (!plain.model[model].id)
		return true;
	make_plan(model, &plan);
	wished = expect(&plan, fault, at, &gone, &granted);
	standin.standin_fail(call[fault], fault ? at : 0, code[fault], NULL);
	status = sd_reuse_acquire(reuse, plain.model[model].id, plan.want, plan.role, WANTS, given, &shortfall, NULL);
	standin.standin_fail(NULL, 0, 0, NULL);
	plain.model[model].is_bound |= granted;
	well = status == wished || fails("granted where refused, or refused where granted");
	well = well && note_gone(gone);
	if (well && status == SD_OK)
		well = take(model, &plan, given);
	else if (well && granted)
		give_up(&plan);
	unchoose();
	return well;
}

static struct stream *any_stream(bool (*is_right)(const struct stream *stream))
{
	uint32_t at = random_below(&state, STREAMS);

	for (uint32_t tries = 0; tries < STREAMS; tries++, at = (at + 1) % STREAMS)
		if (plain.stream[at].slot && is_right(&plain.stream[at]))
			return &plain.stream[at];
	return NULL;
}

static bool has_tenants(const struct stream *stream)
{
	return !stream->is_left && !is_idle(stream);
}

static bool is_any(const struct stream *stream)
{
	return true;
}

static bool release(void)
{
	struct stream *stream = any_stream(has_tenants);
	uint32_t model = random_below(&state, MODELS);
	bool is_broken = random_below(&state, 6) == 0;

	if (!stream)
		return true;
	while (!stream->lease[model].id)
		model = (model + 1) % MODELS;
	if (sd_reuse_release(reuse, stream->lease[model].id, is_broken, NULL) != SD_OK)
		return fails("a lease cannot be released");
	let_go(stream, model, is_broken);
	return true;
}

static bool add_or_unbind(void)
{
	uint32_t model = random_below(&state, MODELS);

	if (plain.model[model].id) {
		plain.model[model].is_bound = false;
		return sd_reuse_unbound(reuse, plain.model[model].id, NULL) == SD_OK || fails("a model cannot say that it unbound");
	}
	plain.model[model].is_bound = false;
	return sd_reuse_add_model(reuse, SD_TEXT("all"), &plain.model[model].id, NULL) == SD_OK || fails("a model cannot be added");
}

/* The next lease of a model to go: by role, then by age. */
static struct stream *next_to_go(uint32_t model)
{
	struct stream *next = NULL;

	for (uint32_t i = 0; i < STREAMS; i++) {
		struct stream *stream = &plain.stream[i];

		if (stream->slot && stream->lease[model].id &&
		    (!next || stream->lease[model].role < next->lease[model].role ||
		     (stream->lease[model].role == next->lease[model].role && stream->lease[model].age < next->lease[model].age)))
			next = stream;
	}
	return next;
}

static bool remove_model(uint32_t model)
{
	enum sd_status status;
	struct stream *stream;

	if (!plain.model[model].id)
		return true;
	status = sd_reuse_remove_model(reuse, plain.model[model].id, NULL);
	if ((status == SD_OK) != !plain.model[model].is_bound)
		return fails("a model was removed while it is bound, or not although it is not");
	if (status != SD_OK)
		return true;
	while ((stream = next_to_go(model)))
		let_go(stream, model, false);
	if (sd_reuse_unbound(reuse, plain.model[model].id, NULL) != SD_NOT_FOUND && sd_reuse_unbound(reuse, plain.model[model].id, NULL) != SD_FAILED_PRECONDITION)
		return fails("a model that is gone still answers");
	plain.model[model].id = 0;
	return true;
}

static bool remove_any(void)
{
	return remove_model(random_below(&state, MODELS));
}

static bool is_held_by_bound(const struct stream *stream)
{
	for (uint32_t m = 0; m < MODELS; m++)
		if (stream->lease[m].id && plain.model[m].is_bound)
			return true;
	return false;
}

static bool destroy_stream(void)
{
	struct stream *stream = any_stream(is_any);
	uint32_t model = random_below(&state, MODELS);
	bool force = random_below(&state, 2), device_fails = random_below(&state, 4) == 0;
	enum sd_status status, wished = SD_OK;
	int64_t tasks;

	if (!stream)
		return true;
	if (is_held_by_bound(stream) || (!stream->is_left && !force && tenants_of(stream, &tasks) > (stream->lease[model].id != 0)))
		wished = SD_FAILED_PRECONDITION;
	else if (device_fails)
		wished = SD_INTERNAL;
	standin.standin_fail(force ? "aclrtDestroyStreamForce" : "aclrtDestroyStream", device_fails ? 1 : 0, 507000, NULL);
	status = sd_reuse_destroy_stream(reuse, plain.model[model].id, stream->slot, force, NULL);
	standin.standin_fail(NULL, 0, 0, NULL);
	faults_met += wished == SD_INTERNAL;
	if (status != wished)
		return fails("a stream was destroyed, or not");
	if (status == SD_OK) {
		forget(stream);
	} else if (status == SD_INTERNAL) {
		stream->is_left = true;
		memset(stream->lease, 0, sizeof(stream->lease));
	}
	return true;
}

static bool trim(void)
{
	uint32_t keep = random_below(&state, 8), idle = count_streams(true), count = 0, left = clear_left();

	for (; idle > keep; idle--, count++) {
		struct stream *oldest = NULL;

		for (uint32_t i = 0; i < STREAMS; i++)
			if (is_idle(&plain.stream[i]) && (!oldest || plain.stream[i].idle_since < oldest->idle_since))
				oldest = &plain.stream[i];
		forget(oldest);
	}
	return sd_reuse_trim(reuse, keep) == count + left || fails("another number of streams was given up");
}

/* What is gone stays gone, under every number that it ever had. */
static bool use_dead(void)
{
	if (plain.dead_lease && sd_reuse_release(reuse, plain.dead_lease, false, NULL) != SD_FAILED_PRECONDITION)
		return fails("a dead lease lives");
	if (plain.dead_slot && sd_reuse_destroy_stream(reuse, 0, plain.dead_slot, true, NULL) != SD_OK)
		return fails("a dead slot cannot be destroyed once more");
	return !plain.dead_handle || !is_there(plain.dead_handle) || fails("a dead stream lives");
}

static bool unload_all(void)
{
	struct sd_reuse_stats stats;

	for (uint32_t m = 0; m < MODELS; m++) {
		if (plain.model[m].id)
			sd_reuse_unbound(reuse, plain.model[m].id, NULL);
		plain.model[m].is_bound = false;
		if (!remove_model(m))
			return false;
	}
	sd_reuse_trim(reuse, 0);
	sd_reuse_stats(reuse, &stats);
	return (stats.streams == 0 && stats.pool.slots == 0 && stats.pool.leases == 0 && stats.pool.models == 0 && standin.standin_live(STANDIN_STREAM) == 0) ||
	       fails("something is left after all is unloaded");
}

static bool step(void)
{
	static bool (*const move[])(void) = { acquire, acquire, acquire, release, release, add_or_unbind, add_or_unbind, remove_any, destroy_stream, destroy_stream, trim, use_dead };

	return move[random_below(&state, sizeof(move) / sizeof(move[0]))]() && agrees();
}

static bool run(uint32_t seed)
{
	static const struct sd_acl_options options = { .library = ACL_STANDIN };
	uint32_t at = 0;
	bool well;

	memset(&plain, 0, sizeof(plain));
	state = seed + 1;
	plain.limits = (struct sd_pool_limits){ .streams_max = random_below(&state, 2) ? 6 + random_below(&state, 30) : 0, .tasks_max = random_below(&state, 2) ? 12 + random_below(&state, 30) : 0,
		                                .mode = random_below(&state, 2) ? SD_POOL_SHARED : SD_POOL_EXCLUSIVE, .keeps_idle = random_below(&state, 4) != 0 };
	standin.standin_reset();
	if (sd_acl_open(&options, &device, NULL) != SD_OK || sd_reuse_create(&reuse, device, &plain.limits, NULL) != SD_OK)
		return fails("no device, or no books");
	while (at < STEPS && step())
		at++;
	well = at == STEPS && unload_all();
	sd_reuse_destroy(reuse);
	device->ops->close(device);
	if (well && standin.standin_complaints())
		well = fails(standin.standin_complaint());
	if (!well)
		printf("#   step %u: %s\n", at, why);
	return well;
}

int main(int argc, char **argv)
{
	uint32_t first = argc > 1 ? (uint32_t)atoi(argv[1]) : 1, runs = argc > 2 ? (uint32_t)atoi(argv[2]) : 20, failed = 0;

	standin = standin_open(ACL_STANDIN);
	for (uint32_t i = 0; i < runs; i++) {
		bool well = run(first + i);

		printf("%s %u - seed %u\n", well ? "ok" : "not ok", i + 1, first + i);
		failed += !well;
	}
	printf("# %" PRIu64 " calls of the library were made to fail\n1..%u\n", faults_met, runs);
	return failed || runs == 0 ? 1 : 0;
}
