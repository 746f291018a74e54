/* shape_test - the walk that holds bytes to a shape, on a shape of its own. */
#include "lib/wire_text.h"
#include "proto/shape.h"
#include "run_tests.h"

struct counts {
	uint64_t text_bytes, leaves, numbers, reals, named;
};

#define COUNT(member) SD__COUNTER(struct counts, member)

static const struct sd__shape leaf = {
	.group = 1u << 2, .group_counter = COUNT(named),
	.row = { [1] = { SD__NUMBERS, COUNT(numbers), NULL }, [2] = { SD__TEXT, 0, NULL }, [3] = { SD__REALS, COUNT(reals), NULL } },
};
static const struct sd__shape top = { .row = {
	[1] = { SD__NUMBER, 0, NULL }, [2] = { SD__REAL, 0, NULL }, [3] = { SD__MESSAGE, COUNT(leaves), &leaf },
	[4] = { SD__MESSAGE_ONCE, 0, &leaf }, [5] = { SD__TEXT, 0, NULL },
} };

static struct sd_arena mem;
static struct counts counts;
static struct sd_text bytes;

static struct sd__walk walk(const char *text, bool *fits)
{
	struct sd__walk w = { .counter = &counts.text_bytes };

	counts = (struct counts){ 0 };
	bytes = wire_text(&mem, text);
	*fits = sd__shape_walk(&w, &top, bytes);
	return w;
}

START_TEST(everything_is_counted)
{
	bool fits;

	walk("1=1 1=2 2~0.5 3{1[1 2 3] 1=4 2\"ab\" 2\"c\"} 3{3[~1 2] 3~3} 4{} 5\"text\"", &fits);
	ck_assert(fits);
	ck_assert_uint_eq(counts.leaves, 2);
	ck_assert_uint_eq(counts.numbers, 4);
	ck_assert_uint_eq(counts.reals, 3);
	ck_assert_uint_eq(counts.named, 1);
	ck_assert_uint_eq(counts.text_bytes, 7);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(unknown_fields_are_skipped)
{
	bool fits;

	walk("6=1 19\"x\" 20{1\"y\"} 536870911%5 7~1 3{9\"z\"}", &fits);
	ck_assert(fits);
	ck_assert_uint_eq(counts.text_bytes, 0);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(what_does_not_fit_is_refused_where_it_stands)
{
	static const struct {
		const char *text;
		int at;
		const char *why;
	} rows[] = {
		{ "5\"abc\" 1\"x\"", 5, "wire type" },
		{ "1=1 2=1", 2, "wire type" },
		{ "5=1", 0, "wire type" },
		{ "3=1", 0, "wire type" },
		{ "3{2=1}", 2, "wire type" },
		{ "3{1~1}", 2, "wire type" },
		{ "3{3=1}", 2, "wire type" },
		{ "1%1", 0, "wire type" },
		{ "4{} 4{}", 2, "twice" },
		{ "3{1[1] #0a0180}", 5, "packed" },
		{ "3{3[] #1a03010203}", 4, "packed" },
		{ "1=1 #0b", 2, "cut off" },
		{ "3{2\"a\" #12}", 5, "cut off" },
		{ "6{1=1} #3200 #33", 6, "cut off" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool fits;
		struct sd__walk w = walk(rows[i].text, &fits);

		ck_assert_msg(!fits, "%s is taken", rows[i].text);
		ck_assert_msg(w.at - bytes.at == rows[i].at, "%s: at %d", rows[i].text, (int)(w.at - bytes.at));
		ck_assert_msg(strstr(w.why, rows[i].why) != NULL, "%s: %s", rows[i].text, w.why);
	}
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("shape", everything_is_counted, unknown_fields_are_skipped, what_does_not_fit_is_refused_where_it_stands)
