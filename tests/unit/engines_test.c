/* engines_test - the engine table of a device, and who runs each node. */
#include "run_tests.h"

#include "engines.h"
#include "graph_builder.h"

static struct sd_arena mem;

static struct sd_engines made(const struct sd_engine_row *row, uint32_t count)
{
	struct sd_plan_device device = { .engine = row, .engine_count = count };
	struct sd_engines engines;

	ck_assert_int_eq(sd_engines_make(&mem, &device, &engines, NULL), SD_OK);
	return engines;
}

static const struct sd_engine *engine_named(const struct sd_engines *engines, const char *name)
{
	uint32_t at = sd_engines_find(engines, (struct sd_text){ name, (uint32_t)strlen(name) });

	ck_assert_msg(at != SD_NO_ENGINE, "%s", name);
	return &engines->engine[at];
}

START_TEST(shipped_engines_stand_in_order)
{
	struct sd_engines engines = made(NULL, 0);

	ck_assert_uint_eq(engines.count, 15);
	for (uint32_t i = 0; i < engines.count; i++) {
		ck_assert_uint_eq(sd_engines_find(&engines, engines.engine[i].name), i);
		ck_assert_uint_eq(engines.engine[i].scheduler, engines.engine[0].scheduler);
		if (i > 0)
			ck_assert_int_lt(sd_text_compare(engines.engine[i - 1].name, engines.engine[i].name), 0);
	}
	ck_assert(engine_named(&engines, "DNN_HCCL")->independent);
	ck_assert(engine_named(&engines, "DNN_VM_GE_LOCAL")->skip_assign_stream);
	ck_assert(engine_named(&engines, "DNN_VM_RTS")->attach);
	ck_assert(!engine_named(&engines, "DNN_VM_RTS")->skip_assign_stream);
	ck_assert_int_eq(engine_named(&engines, "DNN_VM_HOST_CPU")->cost, 10);
	ck_assert_ptr_eq(engine_named(&engines, "AIcoreEngine"), &engines.engine[engines.aicore]);
	ck_assert_ptr_eq(engine_named(&engines, "VectorEngine"), &engines.engine[engines.vector]);
	ck_assert_ptr_eq(engine_named(&engines, "DNN_VM_CUSTOM"), &engines.engine[engines.custom]);
	ck_assert_uint_eq(sd_engines_find(&engines, SD_TEXT("AIcore")), SD_NO_ENGINE);
	ck_assert_uint_eq(sd_engines_find(&engines, SD_TEXT("")), SD_NO_ENGINE);
}
END_TEST

START_TEST(rows_of_the_device_overlay_and_add)
{
	const struct sd_engine_row rows[] = {
		{ .name = SD_TEXT("AAA"), .has_scheduler_id = true, .scheduler_id = SD_TEXT("TS_2") },
		{ .name = SD_TEXT("DNN_HCCL"), .has_independent = true, .independent = false, .has_priority = true, .priority = 0 },
		{ .name = SD_TEXT("DNN_VM_RTS"), .attach = false, .skip_assign_stream = true }, /* nothing stated */
		{ .name = SD_TEXT("zzz"), .has_attach = true, .attach = true, .has_scheduler_id = true, .scheduler_id = SD_TEXT("TS_2") },
	};
	struct sd_engines engines = made(rows, 4);

	ck_assert_uint_eq(engines.count, 17);
	ck_assert_ptr_eq(engine_named(&engines, "AAA"), &engines.engine[0]);
	ck_assert_ptr_eq(engine_named(&engines, "zzz"), &engines.engine[16]);
	ck_assert_int_eq(engines.engine[0].cost, 3);
	ck_assert(!engines.engine[0].attach && !engines.engine[0].independent);
	ck_assert(engines.engine[16].attach);
	ck_assert_uint_eq(engines.engine[0].scheduler, engines.engine[16].scheduler);
	ck_assert_uint_ne(engines.engine[0].scheduler, engine_named(&engines, "AIcoreEngine")->scheduler);
	ck_assert(!engine_named(&engines, "DNN_HCCL")->independent);
	ck_assert_int_eq(engine_named(&engines, "DNN_HCCL")->cost, 0);
	ck_assert(engine_named(&engines, "DNN_VM_RTS")->attach);
	ck_assert(!engine_named(&engines, "DNN_VM_RTS")->skip_assign_stream);
	ck_assert_ptr_eq(engine_named(&engines, "AIcoreEngine"), &engines.engine[engines.aicore]);
}
END_TEST

START_TEST(empty_names_are_refused)
{
	const struct sd_engine_row nameless = { .name = SD_TEXT("") };
	const struct sd_engine_row unscheduled = { .name = SD_TEXT("x"), .has_scheduler_id = true };
	struct sd_plan_device device = { .engine = &nameless, .engine_count = 1 };
	struct sd_engines engines;

	ck_assert_int_eq(sd_engines_make(&mem, &device, &engines, NULL), SD_INVALID_ARGUMENT);
	device.engine = &unscheduled;
	ck_assert_int_eq(sd_engines_make(&mem, &device, &engines, NULL), SD_INVALID_ARGUMENT);
}
END_TEST

/* The engine of the only node in the text; "none" if it states one that does not exist. */
static const char *placed(const char *text)
{
	struct sd_engines engines = made(NULL, 0);
	struct sd_request *request = request_of(&mem, text);
	uint32_t *engine;

	ck_assert_int_eq(sd_engines_place(&mem, request, &engines, &engine, NULL), SD_OK);
	return engine[0] == SD_NO_ENGINE ? "none" : engines.engine[engine[0]].name.at;
}

#define FUSED "_lxfusion_engine_name=DNN_VM_DVPP _lxfusion_op_kernel_lib_name=k "
#define SPECIFIED "_specified_engine_name=DNN_VM_AICPU _specified_kernel_lib_name=k "

START_TEST(first_rule_that_says_something_places)
{
	ck_assert_str_eq(placed("a Relu"), "AIcoreEngine");
	ck_assert_str_eq(placed("a NetOutput"), "DNN_VM_RTS");
	ck_assert_str_eq(placed("a NetOutput@DNN_VM_GE_LOCAL " FUSED), "DNN_VM_GE_LOCAL");
	ck_assert_str_eq(placed("a NetOutput@nobody " FUSED), "none");
	ck_assert_str_eq(placed("a NetOutput " FUSED SPECIFIED), "DNN_VM_DVPP");
	ck_assert_str_eq(placed("a NetOutput " SPECIFIED), "DNN_VM_AICPU");
	ck_assert_str_eq(placed("a Relu _specified_engine_name=nobody _specified_kernel_lib_name=k"), "none");
}
END_TEST

START_TEST(half_a_pair_says_nothing)
{
	ck_assert_str_eq(placed("a Relu _lxfusion_engine_name=DNN_VM_DVPP"), "AIcoreEngine");
	ck_assert_str_eq(placed("a Relu _lxfusion_engine_name=DNN_VM_DVPP _lxfusion_op_kernel_lib_name="), "AIcoreEngine");
	ck_assert_str_eq(placed("a Relu _lxfusion_engine_name= _lxfusion_op_kernel_lib_name=k"), "AIcoreEngine");
	ck_assert_str_eq(placed("a Relu _lxfusion_engine_name=DNN_VM_DVPP _specified_kernel_lib_name=k"), "AIcoreEngine");
	ck_assert_str_eq(placed("a Relu _lxfusion_engine_name=DNN_VM_DVPP " SPECIFIED), "DNN_VM_AICPU");
	ck_assert_str_eq(placed("a Relu _specified_engine_name=7 _specified_kernel_lib_name=k"), "AIcoreEngine");
}
END_TEST

START_TEST(unknown_types_can_be_rejected)
{
	struct sd_engines engines = made(NULL, 0);
	struct sd_request *request = request_of(&mem, "d Data; b MatMulV2 d; c Relu@AIcoreEngine b; n NetOutput c");
	struct sd_diag diag = { .code = SD_CODE_NONE, .node = SD_NO_NODE };
	uint32_t *engine;

	request->options.unknown_op = SD_UNKNOWN_REJECT;
	ck_assert_int_eq(sd_engines_place(&mem, request, &engines, &engine, &diag), SD_UNIMPLEMENTED);
	ck_assert_int_eq(diag.code, SD_CODE_NO_ENGINE_FOR_OP);
	ck_assert_uint_eq(diag.node, 1);
	ck_assert(sd_text_is(diag.arg[0].text, "MatMulV2"));

	request = request_of(&mem, "d Data; b MatMulV2@AIcoreEngine d; n NetOutput b");
	request->options.unknown_op = SD_UNKNOWN_REJECT;
	ck_assert_int_eq(sd_engines_place(&mem, request, &engines, &engine, NULL), SD_OK);
}
END_TEST

START_TEST(small_budgets_are_reported)
{
	struct sd_request *request = request_of(&mem, "d Data; b MatMulV2 d; n NetOutput b");
	struct sd_arena small;
	bool made_all = false;

	for (uint64_t fail_at = 1; !made_all; fail_at++) {
		struct sd_diag diag = { .code = SD_CODE_NONE, .node = SD_NO_NODE };
		struct sd_engines engines;
		uint32_t *engine;
		enum sd_status status;

		sd_arena_init(&small, 0);
		small.fail_at = fail_at;
		status = sd_engines_make(&small, &request->device, &engines, &diag);
		if (status == SD_OK)
			status = sd_engines_place(&small, request, &engines, &engine, &diag);
		made_all = status == SD_OK;
		if (!made_all)
			ck_assert_int_eq(diag.code, SD_CODE_LIMIT_MEMORY);
		sd_arena_finish(&small);
		ck_assert_uint_lt(fail_at, 100);
	}
}
END_TEST

RUN_TESTS("engines", shipped_engines_stand_in_order, rows_of_the_device_overlay_and_add, empty_names_are_refused,
          first_rule_that_says_something_places, half_a_pair_says_nothing, unknown_types_can_be_rejected,
          small_budgets_are_reported)
