/* stack_test - what settings put in front of a device, and that it works there. */
#include "run_tests.h"

#include "streamd/device_host.h"
#include "streamd/stack.h"

static struct sd_device *host;
static char text[1 << 14];

static void append(void *arg, const char *line)
{
	strcat(arg, line);
	strcat(arg, "\n");
}

#define OK(call) ck_assert_int_eq((call), SD_OK)

static struct sd_settings set(const char *aggregation, const char *log, const char *check)
{
	struct sd_settings settings;
	const char *value[SD_SETTINGS] = { [SD_SET_LAUNCH_AGGREGATION] = aggregation, [SD_SET_EVENT_LOG] = log, [SD_SET_MEM_CHECK] = check };

	for (uint32_t i = 0; i < SD_SETTINGS; i++)
		if (value[i])
			setenv(sd_setting_row(i)->alias, value[i], 1);
		else
			unsetenv(sd_setting_row(i)->alias);
	OK(sd_settings_read(&settings, NULL, NULL, NULL));
	return settings;
}

/* Two streams write the same memory, nothing orders them; so many tasks each, one call at a time. */
static void use(struct sd_device *device, void *memory, uint32_t tasks)
{
	struct sd_access access = { (uintptr_t)memory, 8, true };
	struct sd_task task = { .name = "write", .kind = SD_TASK_KERNEL, .duration_ns = 1, .access = &access, .access_count = 1 };
	sd_handle stream[2], event;
	int32_t rt_id;

	OK(device->ops->event_create(device, 0, &event, NULL));
	for (int s = 0; s < 2; s++) {
		OK(device->ops->stream_create(device, 0, 0, &stream[s], &rt_id, NULL));
		for (uint32_t i = 0; i < tasks; i++)
			OK(device->ops->submit(device, stream[s], &task, 1, NULL));
		OK(device->ops->event_record(device, stream[s], event, NULL));
	}
	for (int s = 0; s < 2; s++) {
		OK(device->ops->stream_synchronize(device, stream[s], SD_FOR_EVER, NULL));
		OK(device->ops->stream_destroy(device, stream[s], false, NULL));
	}
	OK(device->ops->event_destroy(device, event, NULL));
}

/* Answers how many submissions the device saw. */
static uint64_t play(struct sd_settings settings, uint64_t *races)
{
	struct sd_device_facts facts;
	struct sd_stack stack;
	bool missed;
	void *memory;

	text[0] = '\0';
	OK(sd_host_open(NULL, &host, NULL));
	OK(sd_stack_open(&stack, host, &settings, append, text, NULL));
	OK(stack.front->ops->memory_alloc(stack.front, 64, SD_PAGES_NORMAL_FIRST, &memory, NULL));
	use(stack.front, memory, 30);
	OK(stack.front->ops->memory_free(stack.front, memory, NULL));
	*races = stack.checked ? sd_race_count(sd_race_device_check(stack.checked, &missed)) : 0;
	host->ops->facts(host, &facts);
	ck_assert_uint_eq(facts.tasks_submitted, 60);
	sd_stack_close(&stack);
	host->ops->close(host);
	return facts.submissions;
}

START_TEST(nothing_in_front)
{
	struct sd_settings settings = set(NULL, NULL, NULL);
	struct sd_stack stack;
	uint64_t races;

	OK(sd_host_open(NULL, &host, NULL));
	OK(sd_stack_open(&stack, host, &settings, append, text, NULL));
	ck_assert_ptr_eq(stack.front, host);
	sd_stack_close(&stack);
	host->ops->close(host);
	ck_assert_uint_eq(play(settings, &races), 60);
	ck_assert_uint_eq(races, 0);
	ck_assert_str_eq(text, "");
}
END_TEST

/* Launches that follow each other go over together, or each alone. */
START_TEST(launches_are_aggregated)
{
	uint64_t races;

	ck_assert_uint_le(play(set("1", NULL, NULL), &races), 20);
	ck_assert_uint_eq(play(set("0", NULL, NULL), &races), 60);
}
END_TEST

START_TEST(accesses_are_checked)
{
	uint64_t races;

	play(set(NULL, NULL, "1"), &races);
	ck_assert_uint_gt(races, 0);
}
END_TEST

START_TEST(events_are_logged)
{
	uint64_t races;

	play(set("1", "1", "1"), &races);
	ck_assert_uint_gt(races, 0);
	ck_assert_ptr_eq(strstr(text, "launch_aggregation 1, by ASCEND_LAUNCH_TASK_OPTIMIZE\n"), text);
	ck_assert_ptr_nonnull(strstr(text, "event_log 1, by ASCEND_LOG_EVENT_ENABLE\nmem_check 1, by ASCEND_MEM_CHECK\n"));
	ck_assert_ptr_nonnull(strstr(text, "stream 1 records event 1\n"));
	ck_assert_ptr_nonnull(strstr(text, "the host waited for stream 2\n"));
	ck_assert_ptr_nonnull(strstr(text, "device host: 0 of "));
}
END_TEST

RUN_TESTS("stack", nothing_in_front, launches_are_aggregated, accesses_are_checked, events_are_logged)
