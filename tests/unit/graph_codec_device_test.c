/* graph_codec_device_test - the device: rows of engines, limits, figures of the model. */
#include "lib/decoding.h"
#include "lib/wire_text.h"
#include "run_tests.h"

START_TEST(nothing_stated_is_all_defaults)
{
	struct decoding *d = decode("1{}");
	const struct sd_plan_device *device = &d->request.device;

	ck_assert_uint_eq(device->profile.len, 0);
	ck_assert_uint_eq(device->engine_count, 0);
#define SD_X(limit) ck_assert(!device->limits.has_##limit);
	SD_LIMIT_LIST(SD_X)
#undef SD_X
	ck_assert(!device->limits.has_unlimited_depth);
#define SD_X(figure) ck_assert_int_eq(device->model.figure, -1);
	SD_MODEL_LIST(SD_X)
#undef SD_X
	decoding_end(d);
}
END_TEST

START_TEST(engines_are_sorted_and_keep_what_is_stated)
{
	struct decoding *d = decode("1{} 3{1\"nano\" 2{1\"z\" 2=0 5\"\" 6=0} 2{1\"b\" 3=1 4=0} 2{6=10 1\"c\"}}");
	const struct sd_plan_device *device = &d->request.device;
	const struct sd_engine_row *row = device->engine;

	ck_assert_msg(d->status == SD_OK, "%s", d->message);
	ck_assert(sd_text_is(device->profile, "nano"));
	ck_assert_uint_eq(device->engine_count, 3);
	ck_assert(sd_text_is(row[0].name, "b") && row[0].has_attach && row[0].attach);
	ck_assert(row[0].has_skip_assign_stream && !row[0].skip_assign_stream && !row[0].has_independent && !row[0].has_priority);
	ck_assert(sd_text_is(row[1].name, "c") && row[1].has_priority && row[1].priority == 10 && !row[1].has_scheduler_id);
	ck_assert(row[2].has_independent && !row[2].independent && row[2].has_scheduler_id && row[2].scheduler_id.len == 0);
	ck_assert(row[2].has_priority && row[2].priority == 0);
	decoding_end(d);
}
END_TEST

START_TEST(limits_have_their_places)
{
	struct decoding *d = decode("1{} 3{3{1=10 2=20 3=30 4=40 5=1 6=60 7=0}}");
	const struct sd_limits *l = &d->request.device.limits;

	ck_assert(l->max_streams == 10 && l->max_tasks_per_stream == 20 && l->max_huge_streams == 30);
	ck_assert(l->max_tasks_per_huge_stream == 40 && l->max_events == 60 && l->max_notifies == 0);
	ck_assert(l->has_max_notifies && l->has_unlimited_depth && l->unlimited_depth);
	decoding_end(d);
	d = decode("1{} 3{3{6=5}}");
	l = &d->request.device.limits;
	ck_assert(l->has_max_events && l->max_events == 5 && !l->has_max_notifies && !l->has_max_streams && !l->has_unlimited_depth);
	decoding_end(d);
}
END_TEST

START_TEST(figures_of_the_model_have_their_places)
{
	struct decoding *d = decode("1{} 3{4{1=1 2=2 3=3 4=4 5=5 6=6 7=7 8=8 9=9 10=10 11=11 12=12 13=13}}");
	const struct sd_model *m = &d->request.device.model;

	ck_assert(m->cube_cores == 1 && m->vector_cores == 2 && m->aicpu_servers == 3 && m->launch_gap_ns == 4);
	ck_assert(m->host_issue_ns == 5 && m->record_ns == 6 && m->wait_ns == 7 && m->event_latency_ns == 8);
	ck_assert(m->activate_ns == 9 && m->hbm_bytes_per_s == 10 && m->link_alpha_ns == 11 && m->link_bytes_per_s == 12);
	ck_assert_int_eq(m->contention_permille, 13);
	decoding_end(d);
	d = decode("1{} 3{4{3=0}}");
	ck_assert(d->request.device.model.aicpu_servers == 0 && d->request.device.model.cube_cores == -1);
	decoding_end(d);
}
END_TEST

START_TEST(bad_devices_are_refused)
{
	static const struct refusal rows[] = {
		{ "1\"\\xff\"", SD_CODE_BAD_NAME, "device profile" },
		{ "2{2=1}", SD_CODE_BAD_NAME, "'' is no valid name of an engine" },
		{ "2{1\"e\"} 2{1\"e\"}", SD_CODE_BAD_VALUE, "'e'; it must be listed once" },
		{ "2{1\"e\" 6=11}", SD_CODE_BAD_VALUE, "priority of an engine is 11; it must be 0 to 10" },
		{ "2{1\"e\" 6=-1}", SD_CODE_BAD_VALUE, "priority of an engine is -1" },
		{ "2{1\"e\" 5\"\\xff\"}", SD_CODE_BAD_NAME, "scheduler_id" },
		{ "3{1=-1}", SD_CODE_BAD_VALUE, "device.limits.max_streams is -1; it must be 0 (unlimited) or more" },
		{ "3{2=-1}", SD_CODE_BAD_VALUE, "device.limits.max_tasks_per_stream is -1" },
		{ "3{3=-1}", SD_CODE_BAD_VALUE, "device.limits.max_huge_streams is -1" },
		{ "3{4=-1}", SD_CODE_BAD_VALUE, "device.limits.max_tasks_per_huge_stream is -1" },
		{ "3{6=-1}", SD_CODE_BAD_VALUE, "device.limits.max_events is -1" },
		{ "3{7=-1}", SD_CODE_BAD_VALUE, "device.limits.max_notifies is -1" },
		{ "4{1=-1}", SD_CODE_BAD_VALUE, "device.model.cube_cores is -1" },
		{ "4{13=-1}", SD_CODE_BAD_VALUE, "device.model.contention_permille is -1" },
	};

	EXPECT_REFUSALS(rows, "1{} 3{", "}");
}
END_TEST

RUN_TESTS("graph_codec_device", nothing_stated_is_all_defaults, engines_are_sorted_and_keep_what_is_stated,
          limits_have_their_places, figures_of_the_model_have_their_places, bad_devices_are_refused)
