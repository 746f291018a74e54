/* memory_pool_sound_test - random lives of a pool beside vector clocks: no block is handed out while a stream may use it. */
#include "run_tests.h"

#include "model_device.h"

#define SEEDS 60
#define STEPS 1200
#define LIVE 64
#define USES 20000

static struct {
	unsigned char *at;
	uint64_t bytes;
	sd_handle stream;
} live[LIVE];
static unsigned live_count;

/* Who used which bytes, at which step of that stream. */
static struct {
	const unsigned char *at;
	uint64_t bytes, step;
	sd_handle stream;
} use[USES];
static unsigned use_count;

static uint64_t state;

static unsigned draw(unsigned below)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (unsigned)(state >> 33) % below;
}

static void use_block(unsigned i, sd_handle stream)
{
	work(stream);
	if (use_count == USES) { /* those that are done say nothing any more */
		use_count = 0;
		for (unsigned k = 0; k < USES; k++) {
			if (model.finished[use[k].stream] < use[k].step)
				use[use_count++] = use[k];
		}
	}
	ck_assert_uint_lt(use_count, USES);
	use[use_count].at = live[i].at;
	use[use_count].bytes = live[i].bytes;
	use[use_count].stream = stream;
	use[use_count++].step = model.clock[stream][stream];
}

static bool overlap(const unsigned char *a, uint64_t a_bytes, const unsigned char *b, uint64_t b_bytes)
{
	return a < b + b_bytes && b < a + a_bytes;
}

static void check_handed_out(const unsigned char *at, uint64_t bytes, sd_handle stream)
{
	bool is_inside = false;

	for (unsigned i = 0; i < live_count; i++)
		ck_assert_msg(!overlap(at, bytes, live[i].at, live[i].bytes), "handed out twice");
	for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++) {
		const unsigned char *segment = held[i].memory;

		is_inside |= segment && at >= segment && at + bytes <= segment + held[i].bytes;
	}
	ck_assert(is_inside);
	for (unsigned i = 0; i < use_count; i++) {
		if (!overlap(at, bytes, use[i].at, use[i].bytes) || use[i].stream == stream || model.finished[use[i].stream] >= use[i].step)
			continue;
		ck_assert_msg(stream != SD_NO_HANDLE && model.clock[stream][use[i].stream] >= use[i].step, "stream %u may still use it",
		              (unsigned)use[i].stream);
	}
}

static void step_alloc(void)
{
	static const uint64_t size[] = { 100, 3000, 60000, 700000, 3 * MIB, 12 * MIB };
	uint64_t bytes = 1 + draw((unsigned)size[draw(6)]);
	sd_handle stream = draw(STREAMS); /* 0: the host */
	void *memory;

	if (live_count == LIVE || sd_memory_pool_alloc(pool, bytes, stream, draw(4) ? SD_PAGES_HUGE_FIRST : SD_PAGES_NORMAL_FIRST,
	                                               draw(2) ? "a" : "b", &memory, NULL) != SD_OK)
		return;
	check_handed_out(memory, bytes, stream);
	live[live_count].at = memory;
	live[live_count].bytes = bytes;
	live[live_count].stream = stream ? stream : 1 + draw(STREAMS - 1);
	use_block(live_count, live[live_count].stream);
	live_count++;
}

static void step_use(void)
{
	unsigned i = live_count ? draw(live_count) : 0;
	sd_handle stream = 1 + draw(STREAMS - 1);

	if (live_count == 0)
		return;
	if (stream != live[i].stream)
		ck_assert_int_eq(sd_memory_pool_use(pool, live[i].at, stream, NULL), SD_OK);
	use_block(i, stream);
}

/* On its own stream, or on one that was made to wait for it. */
static void step_free(void)
{
	unsigned i = live_count ? draw(live_count) : 0;
	sd_handle stream;

	if (live_count == 0)
		return;
	stream = live[i].stream;
	if (draw(4) == 0) {
		sd_handle event = 1 + draw(20), other = 1 + draw(STREAMS - 1);

		record(stream, event);
		wait_on(other, event);
		stream = other;
	} else if (draw(8) == 0) {
		for (sd_handle s = 1; s < STREAMS; s++)
			synchronize(s);
		stream = SD_NO_HANDLE;
	}
	give(live[i].at, stream);
	live[i] = live[--live_count];
}

static void step_order(void)
{
	sd_handle stream = 1 + draw(STREAMS - 1), event = 1 + draw(20);

	switch (draw(6)) {
	case 0:
	case 1:
		record(stream, event);
		break;
	case 2:
	case 3:
		wait_on(stream, event);
		break;
	case 4:
		finish_stream(stream); /* unseen, unless somebody asks */
		break;
	case 5:
		if (draw(3) == 0)
			synchronize(stream);
		else
			sd_memory_pool_trim(pool, draw(64) * MIB);
		break;
	}
}

static void live_through(unsigned seed, struct sd_memory_pool_stats *sum)
{
	struct sd_memory_pool_stats stats;

	state = seed;
	live_count = use_count = 0;
	memset(held, 0, sizeof(held));
	open_pool((24 + 8 * (seed % 5)) * MIB, (struct sd_memory_pool_options){ .reuse = seed % 8, .keep_bytes = seed % 3 ? 0 : 16 * MIB });
	model.events = 1000; /* below are the test's */
	for (unsigned i = 0; i < STEPS; i++) {
		unsigned what = draw(10);

		if (what < 4)
			step_alloc();
		else if (what < 5)
			step_use();
		else if (what < 8)
			step_free();
		else
			step_order();
		if (i % 10 == 0)
			ck_assert_msg(sd_memory_pool_is_sound(pool), "seed %u, step %u", seed, i);
	}
	stats = stats_of_pool();
	sum->by_stream += stats.by_stream;
	sum->by_event += stats.by_event;
	sum->by_query += stats.by_query;
	sum->by_fit += stats.by_fit;
	sum->by_wait += stats.by_wait;
	sum->by_growth += stats.by_growth;
	sum->failures += stats.failures;
	while (live_count)
		give(live[--live_count].at, SD_NO_HANDLE);
	close_pool();
}

START_TEST(beside_vector_clocks)
{
	struct sd_memory_pool_stats sum = { 0 };

	for (unsigned seed = 1; seed <= SEEDS; seed++)
		live_through(seed, &sum);
	/* Each way was taken often enough to mean something. */
	ck_assert_uint_gt(sum.by_stream, 500);
	ck_assert_uint_gt(sum.by_event, 100);
	ck_assert_uint_gt(sum.by_query, 50);
	ck_assert_uint_gt(sum.by_fit, 500);
	ck_assert_uint_gt(sum.by_wait, 50);
	ck_assert_uint_gt(sum.by_growth, 200);
	ck_assert_uint_gt(sum.failures, 50);
}
END_TEST

RUN_TESTS("memory_pool_sound", beside_vector_clocks)
