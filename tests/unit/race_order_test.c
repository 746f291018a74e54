/* race_order_test - random stories against all pairs of tasks, compared by reachability. */
#include "run_tests.h"

#include <stdarg.h>

#include "race_story.h"
#include "random.h"

enum { STREAMS = 4, CELLS = 5, EVENTS = 3, ITEMS = 40 };

/* What was told, and the order that follows from it. */
struct telling {
	char words[ITEMS * 12];
	size_t len;
	int count;
	int stream_of[ITEMS];                /* of an item; -1: the host */
	bool reads[ITEMS][CELLS], writes[ITEMS][CELLS];
	bool before[ITEMS][ITEMS];           /* [a][b]: a is done when b begins */
	int last[STREAMS], record[EVENTS];
	bool seen[ITEMS];                    /* done, as the host knows */
	int notified[EVENTS][ITEMS], given[EVENTS], taken[EVENTS];
};

static void follows(struct telling *t, int a, int b)
{
	for (int x = 0; x < t->count; x++)
		t->before[x][b] |= x == a || t->before[x][a];
}

static int item(struct telling *t, int stream)
{
	int i = t->count++;

	t->stream_of[i] = stream;
	if (t->last[stream] >= 0)
		follows(t, t->last[stream], i);
	for (int x = 0; x < i; x++)
		t->before[x][i] |= t->seen[x];
	t->last[stream] = i;
	return i;
}

__attribute__((format(printf, 2, 3)))
static void word(struct telling *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	t->len += (size_t)vsnprintf(t->words + t->len, sizeof(t->words) - t->len, format, args);
	va_end(args);
}

static void tell_task(struct telling *t, uint32_t *seed, int stream)
{
	int i = item(t, stream), uses = 1 + (int)random_below(seed, 2);

	word(t, "%c:", 'a' + stream);
	for (int u = 0; u < uses; u++) {
		int cell = (int)random_below(seed, CELLS);
		bool writes = random_below(seed, 3) == 0;

		(writes ? t->writes : t->reads)[i][cell] = true;
		word(t, "%c%d", writes ? 'w' : 'r', cell);
	}
	word(t, " ");
}

static void tell_sync(struct telling *t, uint32_t *seed, int stream)
{
	int number = (int)random_below(seed, EVENTS);

	switch (random_below(seed, 5)) {
	case 0:
		t->record[number] = item(t, stream);
		word(t, "%c!%d ", 'a' + stream, number + 1);
		break;
	case 1:
		if (t->record[number] >= 0) {
			follows(t, t->record[number], item(t, stream));
			word(t, "%c?%d ", 'a' + stream, number + 1);
		}
		break;
	case 2:
		t->notified[number][t->given[number]++] = item(t, stream);
		word(t, "%c+%d ", 'a' + stream, number + 1);
		break;
	case 3:
		if (t->taken[number] < t->given[number]) {
			follows(t, t->notified[number][t->taken[number]++], item(t, stream));
			word(t, "%c-%d ", 'a' + stream, number + 1);
		}
		break;
	case 4:
		for (int x = 0; t->last[stream] >= 0 && x < t->count; x++)
			t->seen[x] |= x == t->last[stream] || t->before[x][t->last[stream]];
		word(t, "%c. ", 'a' + stream);
		break;
	}
}

static void tell(struct telling *t, uint32_t *seed)
{
	memset(t, 0, sizeof(*t));
	memset(t->last, 0xff, sizeof(t->last));
	memset(t->record, 0xff, sizeof(t->record));
	for (int turn = 0, turns = 4 + (int)random_below(seed, ITEMS - 4); turn < turns; turn++) {
		int stream = (int)random_below(seed, STREAMS);

		if (random_below(seed, 2))
			tell_task(t, seed, stream);
		else
			tell_sync(t, seed, stream);
	}
}

static bool conflict(const struct telling *t, int a, int b, int cell)
{
	bool meet = (t->writes[a][cell] && (t->writes[b][cell] || t->reads[b][cell])) || (t->reads[a][cell] && t->writes[b][cell]);

	return meet && !t->before[a][b] && !t->before[b][a];
}

/* The item of a stream's task. */
static int task_at(const struct telling *t, int stream, uint64_t index)
{
	for (int i = 0; i < t->count; i++) {
		bool is_task = false;

		for (int cell = 0; cell < CELLS; cell++)
			is_task |= t->reads[i][cell] || t->writes[i][cell];
		if (t->stream_of[i] == stream && is_task && index-- == 0)
			return i;
	}
	return -1;
}

static void compare(const struct telling *t, uint32_t seed)
{
	bool cell_races[CELLS] = { false }, told[CELLS] = { false };
	struct sd_race_check *check;

	ck_assert_int_eq(sd_race_check_create(&check), SD_OK);
	ck_assert_int_eq(race_story(check, t->words), SD_OK);
	for (int cell = 0; cell < CELLS; cell++) {
		for (int b = 0; b < t->count; b++) {
			for (int a = 0; a < b; a++)
				cell_races[cell] |= conflict(t, a, b, cell);
		}
	}
	for (uint32_t i = 0; i < sd_race_count(check); i++) {
		const struct sd_race *race = sd_race_at(check, i);
		int a = task_at(t, (int)race->first.stream - 'a', race->first.index), b = task_at(t, (int)race->second.stream - 'a', race->second.index);

		for (uint64_t at = race->address; at < race->address + race->bytes; at += STORY_CELL_BYTES) {
			ck_assert_msg(conflict(t, a, b, (int)(at / STORY_CELL_BYTES)), "seed %u: %s: no race of items %d and %d", seed, t->words, a, b);
			told[at / STORY_CELL_BYTES] = true;
		}
	}
	for (int cell = 0; cell < CELLS; cell++) {
		/* Of a pair that meets in several places the first is told. */
		ck_assert_msg(!cell_races[cell] || told[cell] || sd_race_count(check) > 0, "seed %u: %s: nothing told of cell %d", seed, t->words, cell);
		ck_assert_msg(cell_races[cell] || !told[cell], "seed %u: %s: cell %d", seed, t->words, cell);
	}
	sd_race_check_destroy(check);
}

START_TEST(against_reachability)
{
	int with = 0, without = 0;

	for (uint32_t seed = 1; seed <= 4000; seed++) {
		static struct telling t;
		uint32_t state = seed;
		bool any = false;

		tell(&t, &state);
		compare(&t, seed);
		for (int b = 0; b < t.count; b++) {
			for (int a = 0; a < b; a++) {
				for (int cell = 0; cell < CELLS; cell++)
					any |= conflict(&t, a, b, cell);
			}
		}
		with += any;
		without += !any;
	}
	ck_assert_int_gt(with, 500);
	ck_assert_int_gt(without, 20);
}
END_TEST

/* The same story in another order of feeding: streams that must wait are gone on with. */
START_TEST(late_partners)
{
	static const char *const rows[][2] = {
		{ "a:w1 a+1 b-1 b:r1 b+2 c-2 c:w1", "c-2 c:w1 b-1 b:r1 b+2 a:w1 a+1" },
		{ "a:w1 a+1 b-1 b:w2 c:r1", "b-1 b:w2 c:r1 a:w1 a+1" },
		{ "b# c-1 a:w1 a>b b:r1 b+1 c:w1", "b# b:r1 b+1 c-1 c:w1 a:w1 a>b" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char early[128], late[128];

		race_found(rows[i][0], early, sizeof(early));
		race_found(rows[i][1], late, sizeof(late));
		ck_assert_int_eq(early[0] == '\0', late[0] == '\0');
	}
}
END_TEST

RUN_TESTS("race_order", against_reachability, late_partners)
