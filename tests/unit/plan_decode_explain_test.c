/* plan_decode_explain_test - explanations in a plan's bytes: each speaks of what is there, by a pass with a name. */
#include "lib/wire_text.h"
#include "proto/plan_codec.h"
#include "run_tests.h"

/* Two nodes, two streams, one sync. */
#define HASH "0123456789abcdef0123456789abcdef"
#define HEAD "1=1 2\"" HASH "\" 3\"" HASH "\" 6=2 7=2 9=2 10=1 13{9{2=0} 9{3=0}} 13{} 14{} 14{} 15{5=1} "

static struct sd_arena mem;
static struct sd_plan plan;

static enum sd_status decode(const char *text, char message[SD_MESSAGE_MAX])
{
	struct sd_diag diag = { .code = SD_CODE_NONE };
	enum sd_status status;

	sd_arena_finish(&mem);
	status = sd_plan_decode(&mem, wire_text(&mem, text), 2, 2, &plan, NULL, &diag);
	sd_diag_message(&diag, NULL, message, SD_MESSAGE_MAX);
	return status;
}

START_TEST(what_is_read_stands_in_its_place)
{
	char message[SD_MESSAGE_MAX];

	ck_assert_msg(decode(HEAD "20{1=1 2=1 3=6 4=2147483647 5=1 6=2 7=1 8=9} 21\"by_label\" 21\"a_2\" 20{}", message) == SD_OK, "%s", message);
	ck_assert(plan.explained && plan.pass_count == 2 && plan.explanation_count == 2);
	ck_assert(sd_text_is(plan.pass_name[0], "by_label") && sd_text_is(plan.pass_name[1], "a_2"));
	ck_assert(plan.explanation[0].node == 1 && plan.explanation[0].pass == 1 && plan.explanation[0].reason == SD_REASON_BESIDE_CUBE);
	ck_assert(plan.explanation[0].from == INT32_MAX - 1 && plan.explanation[0].to == 0 && plan.explanation[0].number == 9);
	ck_assert(plan.explanation[0].other == 1 && plan.explanation[0].through == 0);
	ck_assert(plan.explanation[1].node == 0 && plan.explanation[1].from == -1 && plan.explanation[1].other == SD_NO_NODE);
	ck_assert_msg(decode(HEAD, message) == SD_OK, "%s", message);
	ck_assert(!plan.explained && plan.pass_count == 0 && plan.explanation_count == 0);
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(a_sync_is_one_of_the_plan)
{
	char text[1024], message[SD_MESSAGE_MAX];

	snprintf(text, sizeof(text), HEAD "20{3=%d} 21\"a\"", SD_REASON_SYNC_DATA);
	ck_assert_msg(decode(text, message) == SD_OK, "%s", message);
	snprintf(text, sizeof(text), HEAD "20{3=%d 8=1} 21\"a\"", SD_REASON_SYNC_HOST);
	ck_assert_int_eq(decode(text, message), SD_INVALID_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(message, "of no sync"));
	sd_arena_finish(&mem);
}
END_TEST

START_TEST(what_does_not_exist_is_refused)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{ "20{}", "by no pass" },
		{ "20{1=2} 21\"a\"", "about no node" },
		{ "20{2=1} 21\"a\"", "by no pass" },
		{ "20{3=1000} 21\"a\"", "a reason that is not known" },
		{ "20{4=2147483648} 21\"a\"", "an explanation's stream" },
		{ "20{5=-1} 21\"a\"", "an explanation's stream" },
		{ "20{6=3} 21\"a\"", "speaks of no node" },
		{ "20{7=3} 21\"a\"", "speaks of no node" },
		{ "20{8=4294967296} 21\"a\"", "more than 32 bits" },
		{ "21\"\"", "no proper name" },
		{ "21\"By\"", "no proper name" },
		{ "21\"a b\"", "no proper name" },
		{ "21\"12345678901234567890123456789012345678901234567890123456789012345\"", "no proper name" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[1024], message[SD_MESSAGE_MAX];

		snprintf(text, sizeof(text), "%s%s", HEAD, rows[i].text);
		ck_assert_msg(decode(text, message) == SD_INVALID_ARGUMENT, "%s is taken", rows[i].text);
		ck_assert_msg(strstr(message, rows[i].says) != NULL, "%s: %s", rows[i].text, message);
	}
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("plan_decode_explain", what_is_read_stands_in_its_place, a_sync_is_one_of_the_plan, what_does_not_exist_is_refused)
