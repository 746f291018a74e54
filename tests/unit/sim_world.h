/* sim_world.h - a simulated device without overheads, and what the suites of its files build on it. */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include "run_tests.h"

#include "streamd/device_sim.h"

#define US UINT64_C(1000)

static inline struct sd_device *sim_with(struct sd_sim_options options)
{
	static const struct sd_machine_model bare = { .cube_cores = 4, .vector_cores = 8, .aicpu_servers = 2 };
	struct sd_device *device = NULL;
	struct sd_diag diag = { 0 };

	if (!options.model)
		options.model = &bare;
	ck_assert_int_eq(sd_sim_open(&options, &device, &diag), SD_OK);
	return device;
}

static inline struct sd_device *sim(void)
{
	return sim_with((struct sd_sim_options){ 0 });
}

static inline struct sd_device_facts facts_of(struct sd_device *d)
{
	struct sd_device_facts facts;

	d->ops->facts(d, &facts);
	return facts;
}

static inline sd_handle new_stream(struct sd_device *d)
{
	sd_handle stream = SD_NO_HANDLE;
	int32_t rt_id;

	ck_assert_int_eq(d->ops->stream_create(d, 0, 0, &stream, &rt_id, NULL), SD_OK);
	ck_assert_uint_ne(stream, SD_NO_HANDLE);
	return stream;
}

static inline sd_handle new_event(struct sd_device *d)
{
	sd_handle event = SD_NO_HANDLE;

	ck_assert_int_eq(d->ops->event_create(d, 0, &event, NULL), SD_OK);
	return event;
}

static inline sd_handle new_notify(struct sd_device *d)
{
	sd_handle notify = SD_NO_HANDLE;

	ck_assert_int_eq(d->ops->notify_create(d, 0, &notify, NULL), SD_OK);
	return notify;
}

static inline enum sd_status submit(struct sd_device *d, sd_handle stream, struct sd_task task)
{
	return d->ops->submit(d, stream, &task, 1, NULL);
}

static inline void sleeps(struct sd_device *d, sd_handle stream, uint64_t ns)
{
	ck_assert_int_eq(submit(d, stream, (struct sd_task){ .name = "nap", .kind = SD_TASK_SLEEP, .duration_ns = ns }), SD_OK);
}

static inline enum sd_status sync(struct sd_device *d, sd_handle stream)
{
	return d->ops->stream_synchronize(d, stream, SD_FOR_EVER, NULL);
}

/* The message of a diagnostic holds `part`. */
static inline void says(const struct sd_diag *diag, const char *part)
{
	char text[SD_MESSAGE_MAX];

	sd_diag_message(diag, NULL, text, sizeof(text));
	ck_assert_msg(strstr(text, part) != NULL, "'%s' is not in: %s", part, text);
}

#endif
