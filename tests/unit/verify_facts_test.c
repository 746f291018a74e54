/* verify_facts_test - which nodes launch, and how many tasks they are. */
#include "run_tests.h"
#include "world.h"

START_TEST(what_launches_follows_engine_and_type)
{
	struct world *w = world_make("ab", "", "a", "0");

	WORLD_BREAKS(w, PLACEMENT);
	w = world_make("ab", "", "a", "0");
	w->task_count[1] = SD_TASKS_UNKNOWN;
	w->engine[1] = 5; /* a host engine launches nothing by default */
	WORLD_KEEPS(w);
	w = world_make("ab", "", "ab", "0");
	w->task_count[1] = SD_TASKS_UNKNOWN;
	w->engine[1] = 5;
	w->op_type[1] = 3; /* but for NetOutput */
	WORLD_KEEPS(w);
	w = world_make("ab", "", "a", "0");
	w->task_count[1] = SD_TASKS_UNKNOWN;
	w->string[2] = SD_TEXT("StatefulPartitionedCall");
	w->op_type[1] = 2;
	WORLD_KEEPS(w);
}
END_TEST

START_TEST(attributes_state_tasks)
{
	struct world *w;

	w = world_make("a", "", "a", "0");
	world_attr(w, 'a', SD_ATTR_NODE_SQE_NUM, 40);
	w->stream[0].task_count = 40;
	WORLD_KEEPS(w);
	w = world_make("a", "", "a", "0");
	world_attr(w, 'a', SD_ATTR_HCCL_TASK_NUM, 40); /* no collective: not looked at */
	WORLD_KEEPS(w);
	w = world_make("a", "", "a", "0");
	w->op_type[0] = 4;
	world_attr(w, 'a', SD_ATTR_HCCL_TASK_NUM, 40);
	w->stream[0].task_count = 40;
	WORLD_KEEPS(w);
	w = world_make("a", "", "a", "0");
	world_attr(w, 'a', SD_ATTR_NODE_SQE_NUM, 40);
	w->string[1] = SD_TEXT("Recv"); /* one more than it states */
	w->stream[0].task_count = 41;
	WORLD_KEEPS(w);
}
END_TEST

START_TEST(a_request_that_cannot_be_planned_gets_no_verdict)
{
	struct world *w = world_make("a", "", "a", "0");

	w->request.device.profile = SD_TEXT("abacus");
	ck_assert_int_eq(sd_verify(&w->mem, &w->request, &w->plan, NULL, NULL, &w->verdict), SD_INVALID_ARGUMENT);
	ck_assert_int_eq(w->verdict.why.code, SD_CODE_UNKNOWN_PROFILE);
	world_free(w);
}
END_TEST

RUN_TESTS("verify_facts", what_launches_follows_engine_and_type, attributes_state_tasks,
	a_request_that_cannot_be_planned_gets_no_verdict)
