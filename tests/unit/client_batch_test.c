/* client_batch_test - many answers to one call: handed on as they come, once each, until the last, an error, or enough. */
#include "client_world.h"

static Streamd__V1__PlanBatchAnswer answer[3];
static Streamd__V1__PlanAnswer plan;
static Streamd__V1__Error refusal;
static Streamd__V1__BatchEnd end;

/* What was heard. */
static uint32_t heard, index_of[8], enough;
static enum sd_status status_of[8];
static size_t bytes_of[8];
static char code_of[8][16];

static bool hear(void *arg, const struct sd_client_item *item)
{
	index_of[heard] = item->index;
	status_of[heard] = item->status;
	bytes_of[heard] = item->answer_bytes;
	strcpy(code_of[heard], item->error.code);
	return ++heard != enough;
}

/* A plan for request 5, an error for request 2, the end. */
static void lay_out(void)
{
	heard = enough = 0;
	streamd__v1__plan_answer__init(&plan);
	streamd__v1__error__init(&refusal);
	streamd__v1__batch_end__init(&end);
	for (int i = 0; i < 3; i++) {
		streamd__v1__plan_batch_answer__init(&answer[i]);
		d.answer[i] = &answer[i].base;
	}
	plan.plan_ns = 77;
	refusal.code = sd_message_string("E18888");
	refusal.status = sd_message_string("INVALID_ARGUMENT");
	answer[0].index = 5;
	answer[0].answer = &plan;
	answer[1].index = 2;
	answer[1].error = &refusal;
	answer[2].end = &end;
}

static enum sd_status ask(uint32_t deadline_ms)
{
	return sd_client_plan_batch(client, "body", 4, deadline_ms, hear, NULL, &error);
}

START_TEST(all_are_handed_on_until_the_last)
{
	SCRIPT(ACCEPT, READ, ANSWER_NEXT, ANSWER_OTHER, ANSWER_NEXT, PING, READ_PONG, ANSWER_NEXT);
	lay_out();
	open_good();
	ck_assert_int_eq(ask(5000), SD_OK);
	finish();
	ck_assert_uint_eq(d.request.method, SD_METHOD_PLAN_BATCH);
	ck_assert_uint_eq(heard, 2);
	ck_assert(index_of[0] == 5 && status_of[0] == SD_OK && bytes_of[0] == 2);
	ck_assert(index_of[1] == 2 && status_of[1] == SD_INVALID_ARGUMENT);
	ck_assert_str_eq(code_of[1], "E18888");
}
END_TEST

START_TEST(an_error_ends_it)
{
	SCRIPT(ACCEPT, READ, ANSWER_NEXT, REFUSE);
	lay_out();
	open_good();
	ck_assert_int_eq(ask(5000), SD_INVALID_ARGUMENT);
	ck_assert_str_eq(error.message, "because");
	finish();
	ck_assert_uint_eq(heard, 1);
}
END_TEST

START_TEST(busy_is_tried_again_until_something_was_heard)
{
	SCRIPT(ACCEPT, READ, BUSY, READ, ANSWER_NEXT, BUSY);
	lay_out();
	open_good();
	ck_assert_int_eq(ask(5000), SD_RESOURCE_EXHAUSTED);
	finish();
	ck_assert_uint_eq(heard, 1);
	ck_assert_int_eq(d.requests, 2);
}
END_TEST

START_TEST(a_broken_connection_is_not_tried_again_once_something_was_heard)
{
	SCRIPT(ACCEPT, READ, ANSWER_NEXT, HANG_UP);
	lay_out();
	open_good();
	ck_assert_int_eq(ask(5000), SD_UNAVAILABLE);
	finish();
	ck_assert_uint_eq(heard, 1);
	ck_assert_int_eq(d.requests, 1);
}
END_TEST

START_TEST(enough_is_enough)
{
	SCRIPT(ACCEPT, READ, ANSWER_NEXT, ANSWER_NEXT, READ_CANCEL);
	lay_out();
	enough = 1;
	open_good();
	ck_assert_int_eq(ask(5000), SD_CANCELLED);
	finish();
	ck_assert_uint_eq(heard, 1);
}
END_TEST

START_TEST(nonsense_is_told)
{
	SCRIPT(ACCEPT, READ, ANSWER, READ_CANCEL);
	lay_out();
	open_good();
	ck_assert_int_eq(ask(5000), SD_INTERNAL);
	finish();
	ck_assert_uint_eq(heard, 0);
}
END_TEST

START_TEST(the_deadline_is_for_all_of_it)
{
	SCRIPT(ACCEPT, READ, ANSWER_NEXT, TIME_PASSES, READ_CANCEL);
	lay_out();
	open_good();
	ck_assert_int_eq(ask(150), SD_DEADLINE_EXCEEDED);
	finish();
	ck_assert_uint_eq(heard, 1);
}
END_TEST

RUN_TESTS("client_batch", all_are_handed_on_until_the_last, an_error_ends_it, busy_is_tried_again_until_something_was_heard,
          a_broken_connection_is_not_tried_again_once_something_was_heard, enough_is_enough, nonsense_is_told, the_deadline_is_for_all_of_it)
