/* on_host.h - a host device for a test, and tasks that write down how they ended. */
#ifndef SD_ON_HOST_H
#define SD_ON_HOST_H

#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "streamd/device_host.h"

#define DONE_MAX 4096
#define MS UINT64_C(1000000)
#define LONG_MS 60000 /* more than anything takes, under a sanitizer on a busy machine */

static struct sd_device *device;
static pthread_mutex_t done_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned done_count;
static struct {
	const char *name;
	enum sd_status status;
	uint64_t began_ns, ended_ns;
} done[DONE_MAX];

static inline void open_host(struct sd_host_options options)
{
	struct sd_diag diag = { 0 };

	done_count = 0;
	ck_assert_int_eq(sd_host_open(&options, &device, &diag), SD_OK);
}

static inline void close_host(void)
{
	device->ops->close(device);
}

static inline void on_done(void *arg, enum sd_status status, uint64_t began_ns, uint64_t ended_ns)
{
	pthread_mutex_lock(&done_lock);
	if (done_count < DONE_MAX) {
		done[done_count].name = arg;
		done[done_count].status = status;
		done[done_count].began_ns = began_ns;
		done[done_count++].ended_ns = ended_ns;
	}
	pthread_mutex_unlock(&done_lock);
}

static inline sd_handle new_stream(int32_t priority)
{
	struct sd_diag diag = { 0 };
	sd_handle stream;
	int32_t rt_id;

	ck_assert_int_eq(device->ops->stream_create(device, priority, 0, &stream, &rt_id, &diag), SD_OK);
	return stream;
}

static inline sd_handle new_event(void)
{
	sd_handle event;

	ck_assert_int_eq(device->ops->event_create(device, 0, &event, NULL), SD_OK);
	return event;
}

static inline sd_handle new_notify(void)
{
	sd_handle notify;

	ck_assert_int_eq(device->ops->notify_create(device, 0, &notify, NULL), SD_OK);
	return notify;
}

static inline struct sd_task named(const char *name)
{
	return (struct sd_task){ .name = name, .kind = SD_TASK_KERNEL, .done = on_done, .done_arg = (char *)(uintptr_t)name };
}

static inline enum sd_status give(sd_handle stream, struct sd_task task)
{
	return device->ops->submit(device, stream, &task, 1, NULL);
}

/* One that is over at once. */
static inline void give_kernel(sd_handle stream, const char *name)
{
	ck_assert_int_eq(give(stream, named(name)), SD_OK);
}

static inline void give_sleep(sd_handle stream, const char *name, uint64_t ns)
{
	struct sd_task task = named(name);

	task.kind = SD_TASK_SLEEP;
	task.duration_ns = ns;
	ck_assert_int_eq(give(stream, task), SD_OK);
}

/* Holds a core until it is opened. */
static inline void stay(void *gate)
{
	while (!atomic_load((atomic_bool *)gate))
		usleep(200);
}

static inline void give_gate(sd_handle stream, const char *name, atomic_bool *gate)
{
	struct sd_task task = named(name);

	task.run = stay;
	task.arg = gate;
	ck_assert_int_eq(give(stream, task), SD_OK);
}

static inline void finish_stream(sd_handle stream)
{
	struct sd_diag diag = { 0 };
	enum sd_status status = device->ops->stream_synchronize(device, stream, LONG_MS, &diag);
	char message[SD_MESSAGE_MAX];

	sd_diag_message(&diag, NULL, message, sizeof(message));
	ck_assert_msg(status == SD_OK, "%s: %s", sd_status_name(status), message);
}

static inline void record(sd_handle stream, sd_handle event)
{
	ck_assert_int_eq(device->ops->event_record(device, stream, event, NULL), SD_OK);
}

static inline void wait_on(sd_handle stream, sd_handle event)
{
	ck_assert_int_eq(device->ops->event_wait(device, stream, event, NULL), SD_OK);
}

/* Names of what is done, in order, between blanks. */
static inline const char *order(void)
{
	static char text[8192];

	text[0] = '\0';
	pthread_mutex_lock(&done_lock);
	for (unsigned i = 0; i < done_count; i++) {
		strcat(text, i ? " " : "");
		strcat(text, done[i].name);
	}
	pthread_mutex_unlock(&done_lock);
	return text;
}

#endif
