/* explain_text_test - reasons in words: every sentence is whole, no word stands for two. */
#include "run_tests.h"

#include "streamd/explain.h"

static struct sd_text node_of(const void *of, uint32_t node)
{
	static const struct sd_text name[] = { { "zero", sizeof("zero") - 1 }, { "one", sizeof("one") - 1 }, { "two", sizeof("two") - 1 } };

	(void)of;
	return node < 3 ? name[node] : SD_TEXT("?");
}

static struct sd_text label_of(const void *of, uint32_t node)
{
	(void)of;
	(void)node;
	return SD_TEXT("side");
}

static struct sd_text engine_of(const void *of, uint32_t node)
{
	(void)of;
	(void)node;
	return SD_TEXT("Cube");
}

static const struct sd_names names = { .node = node_of, .label = label_of, .engine = engine_of };

static const char *text_of(enum sd_reason reason, const struct sd_names *from)
{
	static char text[SD_MESSAGE_MAX];
	struct sd_explanation why = { .node = 0, .reason = reason, .from = -1, .to = 3, .other = 1, .through = 2, .number = 7 };
	size_t len = sd_explanation_text(&why, from, text, sizeof(text));

	ck_assert_uint_eq(len, strlen(text));
	return text;
}

START_TEST(sentences_name_what_they_speak_of)
{
	ck_assert_str_eq(text_of(SD_REASON_FOLLOWS, &names), "goes on where 'one' leaves off");
	ck_assert_str_eq(text_of(SD_REASON_LABEL, &names), "carries the stream label 'side', whose nodes share a stream");
	ck_assert_str_eq(text_of(SD_REASON_ENGINE_STATED, &names), "runs on 'Cube', the engine that it states");
	ck_assert_str_eq(text_of(SD_REASON_CLUSTERED, &names), "is one of 7 nodes of its engine that are placed together, from 'one' on");
	ck_assert_str_eq(text_of(SD_REASON_IMPLIED_BY_SYNC, &names), "needs no sync with 'one': it waits for 'two', which runs behind 'one'");
}
END_TEST

START_TEST(without_names_nodes_have_numbers)
{
	ck_assert_str_eq(text_of(SD_REASON_FOLLOWS, NULL), "goes on where node 1 leaves off");
	ck_assert_str_eq(text_of(SD_REASON_ENGINE_STATED, NULL), "runs on the engine of node 0, the engine that it states");
}
END_TEST

START_TEST(every_sentence_is_whole)
{
	for (int reason = 0; reason < SD_REASONS; reason++) {
		const char *text = text_of((enum sd_reason)reason, &names);

		ck_assert_msg(!strpbrk(text, "{}") && strlen(text) > 10 && text[0] >= 'a' && text[0] <= 'z', "%s", text);
		ck_assert_msg(text[strlen(text) - 1] != '.', "%s", text);
	}
}
END_TEST

START_TEST(words_are_unique_and_like_names_of_passes)
{
	for (int a = 0; a < SD_REASONS; a++) {
		const char *word = sd_reason_word((enum sd_reason)a);

		ck_assert(sd_is_pass_name((struct sd_text){ word, (uint32_t)strlen(word) }));
		for (int b = 0; b < a; b++)
			ck_assert_str_ne(word, sd_reason_word((enum sd_reason)b));
	}
}
END_TEST

START_TEST(kinds_of_reasons)
{
	for (int reason = 0; reason < SD_REASONS; reason++) {
		const char *word = sd_reason_word((enum sd_reason)reason);
		bool implied = !strncmp(word, "implied_", 8) || !strcmp(word, "same_stream") || !strcmp(word, "later_producer");

		ck_assert_msg(sd_reason_is_sync((enum sd_reason)reason) == !strncmp(word, "sync_", 5), "%s", word);
		ck_assert_msg(sd_reason_is_implied((enum sd_reason)reason) == implied, "%s", word);
	}
}
END_TEST

START_TEST(names_of_passes)
{
	static const struct sd_text good[] = { { "a", sizeof("a") - 1 }, { "by_label", sizeof("by_label") - 1 }, { "x2", sizeof("x2") - 1 },
	                                       { "1234567890123456789012345678901234567890123456789012345678901234", sizeof("1234567890123456789012345678901234567890123456789012345678901234") - 1 } };
	static const struct sd_text bad[] = { { "", sizeof("") - 1 }, { "By", sizeof("By") - 1 }, { "a b", sizeof("a b") - 1 }, { "a\n", sizeof("a\n") - 1 }, { "\xc3\xa9", sizeof("\xc3\xa9") - 1 },
	                                      { "12345678901234567890123456789012345678901234567890123456789012345", sizeof("12345678901234567890123456789012345678901234567890123456789012345") - 1 } };

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		ck_assert(sd_is_pass_name(good[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert(!sd_is_pass_name(bad[i]));
}
END_TEST

START_TEST(cut_where_there_is_no_room)
{
	struct sd_explanation why = { .reason = SD_REASON_FOLLOWS, .other = 1, .through = SD_NO_NODE };
	char text[9];

	ck_assert_uint_eq(sd_explanation_text(&why, &names, text, sizeof(text)), 8);
	ck_assert_str_eq(text, "goes on ");
	ck_assert_uint_eq(sd_explanation_text(&why, &names, text, 0), 0);
}
END_TEST

RUN_TESTS("explain_text", sentences_name_what_they_speak_of, without_names_nodes_have_numbers, every_sentence_is_whole,
          words_are_unique_and_like_names_of_passes, kinds_of_reasons, names_of_passes, cut_where_there_is_no_room)
