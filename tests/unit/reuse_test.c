/* reuse_test - numbers for resources that nodes ask for: who shares, and who is served first. */
#include "run_tests.h"

#include <stdio.h>

#include "reuse.h"

static struct sd_arena mem;
static struct sd_graph graph;
static struct sd_options options;
static struct sd_diag diag;
static struct sd_job job;
static struct sd_wishes wishes;

static void begin(enum sd_compat compat)
{
	sd_arena_finish(&mem);
	graph = (struct sd_graph){ .node_count = 10 };
	options.compat = compat;
	diag = (struct sd_diag){ .code = SD_CODE_NONE };
	job = (struct sd_job){ .mem = &mem, .graph = &graph, .options = &options, .diag = &diag };
	wishes = (struct sd_wishes){ { NULL, 0, 0 } };
}

static struct sd_wish *wish(uint32_t node, const char *group, const char *key)
{
	struct sd_wish *w = sd_wish_add(&job, &wishes);

	w->node = node;
	w->group = (struct sd_text){ group, (uint32_t)strlen(group) };
	w->key = (struct sd_text){ key, (uint32_t)strlen(key) };
	w->required = true;
	return w;
}

/* "5 6 -": the first number of each wish, from `next` on. */
static const char *served(uint32_t next, uint32_t behind)
{
	static char out[256];

	ck_assert_int_eq(sd_wishes_serve(&job, &wishes, &next), SD_OK);
	ck_assert_uint_eq(next, behind);
	out[0] = '\0';
	for (uint32_t i = 0; i < wishes.list.count; i++) {
		if (wishes.list.at[i].number == SD_NO_INDEX)
			sprintf(out + strlen(out), "%s-", i ? " " : "");
		else
			sprintf(out + strlen(out), "%s%u", i ? " " : "", wishes.list.at[i].number);
	}
	return out;
}

START_TEST(equal_keys_share)
{
	begin(SD_NATIVE);
	ck_assert_str_eq(served(3, 3), "");
	wish(0, "g", "k"), wish(1, "g", "k"), wish(2, "g", "m");
	ck_assert_str_eq(served(3, 5), "3 3 4");
	begin(SD_NATIVE);
	wish(0, "g", "k"), wish(1, "h", "k");
	ck_assert_str_eq(served(0, 2), "1 0");
}
END_TEST

START_TEST(keys_are_served_in_byte_order_groups_from_the_last)
{
	begin(SD_NATIVE);
	wish(0, "g", "z"), wish(0, "g", "a"), wish(1, "g", "ab");
	ck_assert_str_eq(served(0, 3), "2 0 1");
	begin(SD_NATIVE);
	wish(0, "a", "x"), wish(1, "b", "x"), wish(2, "a", "y");
	ck_assert_str_eq(served(0, 3), "1 0 2");
	/* A group counts from where something is required of it. */
	begin(SD_NATIVE);
	wish(0, "a", "x")->required = false;
	wish(1, "b", "x"), wish(2, "a", "y");
	ck_assert_str_eq(served(0, 2), "- 1 0");
}
END_TEST

START_TEST(parts_of_keys_are_told_apart_but_by_the_peer)
{
	for (int peer = 0; peer < 2; peer++) {
		begin(peer ? SD_GE : SD_NATIVE);
		wish(0, "g", "abc")->split = 1;
		wish(1, "g", "abc")->split = 2;
		ck_assert_str_eq(served(0, peer ? 1 : 2), peer ? "0 0" : "0 1");
	}
}
END_TEST

START_TEST(some_never_share)
{
	begin(SD_NATIVE);
	wish(0, "g", "k")->alone = true;
	wish(1, "g", "k")->alone = true;
	wish(2, "g", "k"), wish(3, "g", "k");
	ck_assert_str_eq(served(0, 3), "1 2 0 0");
}
END_TEST

START_TEST(what_is_not_required_goes_along)
{
	begin(SD_NATIVE);
	wish(0, "g", "k")->required = false;
	ck_assert_str_eq(served(0, 0), "-");
	/* Along with a required one of the same node, not of another. */
	begin(SD_NATIVE);
	wish(0, "g", "k")->required = false;
	wish(0, "g", "k");
	wish(1, "g", "k")->required = false;
	ck_assert_str_eq(served(0, 1), "0 0 -");
}
END_TEST

START_TEST(a_key_takes_as_many_as_its_first_wish_says)
{
	begin(SD_NATIVE);
	wish(0, "g", "k")->count = 3;
	wish(1, "g", "k"), wish(2, "g", "m");
	ck_assert_str_eq(served(0, 4), "0 0 3");
	ck_assert_uint_eq(wishes.list.at[1].count, 3);
}
END_TEST

START_TEST(types_of_a_key_agree)
{
	uint32_t next = 0;

	begin(SD_NATIVE);
	wish(4, "g", "k")->type = 1;
	wish(7, "g", "k")->type = 2;
	ck_assert_int_eq(sd_wishes_serve(&job, &wishes, &next), SD_INVALID_ARGUMENT);
	ck_assert_int_eq(diag.code, SD_CODE_BAD_GROUP_ATTR);
	ck_assert_uint_eq(diag.node, 7);
	begin(SD_NATIVE);
	wish(4, "g", "k")->type = 1;
	wish(7, "g", "m")->type = 2;
	ck_assert_str_eq(served(0, 2), "0 1");
}
END_TEST

START_TEST(keys_are_put_together)
{
	struct sd_text key;

	begin(SD_NATIVE);
	ck_assert(sd_wish_key(&job, SD_TEXT("a"), SD_TEXT("bc"), 12, &key) && sd_text_is(key, "abc_stream_12"));
	ck_assert(sd_wish_key(&job, SD_TEXT("a"), SD_TEXT(""), -1, &key) && sd_text_is(key, "a_stream_-1"));
	ck_assert(sd_wish_key(&job, SD_TEXT(""), SD_TEXT("b"), -2, &key) && sd_text_is(key, "b"));
	mem.fail_at = mem.calls + 1;
	ck_assert(!sd_wish_key(&job, SD_TEXT("a"), SD_TEXT("b"), 1, &key));
	begin(SD_NATIVE);
}
END_TEST

RUN_TESTS("reuse", equal_keys_share, keys_are_served_in_byte_order_groups_from_the_last, parts_of_keys_are_told_apart_but_by_the_peer,
          some_never_share, what_is_not_required_goes_along, a_key_takes_as_many_as_its_first_wish_says, types_of_a_key_agree, keys_are_put_together)
