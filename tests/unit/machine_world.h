/* machine_world.h - a machine without overheads, and what the suites of the machine build on it. */
#ifndef MACHINE_WORLD_H
#define MACHINE_WORLD_H

#include "run_tests.h"

#include "streamd/machine.h"

#define US 1000

struct world {
	struct sd_arena mem;
	struct sd_machine *machine;
	int64_t began[64], ended[64]; /* by tag */
	uint32_t order[64], count;    /* tags as they ended */
};

static inline struct sd_machine_model bare_model(uint32_t cube, uint32_t vector)
{
	return (struct sd_machine_model){ .cube_cores = cube, .vector_cores = vector, .aicpu_servers = 2 };
}

static inline void world_open(struct world *w, struct sd_machine_model model)
{
	*w = (struct world){ .count = 0 };
	sd_arena_init(&w->mem, 0);
	w->machine = sd_machine_new(&w->mem, &model);
	ck_assert_ptr_nonnull(w->machine);
}

static inline void world_close(struct world *w)
{
	sd_arena_finish(&w->mem);
}

static inline uint32_t stream_of(struct world *w, int32_t priority)
{
	uint32_t stream;

	ck_assert_int_eq(sd_machine_add_stream(w->machine, priority, false, &stream), SD_OK);
	return stream;
}

static inline uint32_t signal_of(struct world *w)
{
	uint32_t signal;

	ck_assert_int_eq(sd_machine_add_signal(w->machine, &signal), SD_OK);
	return signal;
}

static inline void work(struct world *w, uint32_t stream, uint32_t cube, uint32_t vector, int64_t ns, uint64_t tag)
{
	const struct sd_machine_work work = { .cube = cube, .vector = vector, .duration_ns = ns };

	ck_assert_int_eq(sd_machine_add_work(w->machine, stream, &work, tag), SD_OK);
}

static inline bool next(struct world *w, int64_t until)
{
	struct sd_machine_end end;

	if (!sd_machine_next(w->machine, until, &end))
		return false;
	w->began[end.tag] = end.began_ns;
	w->ended[end.tag] = end.ended_ns;
	w->order[w->count++] = (uint32_t)end.tag;
	ck_assert_int_eq(end.ended_ns, sd_machine_now(w->machine));
	return true;
}

/* The time at which the last item ends. */
static inline int64_t span(struct world *w)
{
	int64_t at = sd_machine_now(w->machine);

	while (next(w, SD_MACHINE_FOR_EVER))
		at = sd_machine_now(w->machine);
	return at;
}

#endif
