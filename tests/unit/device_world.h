/* device_world.h - the same test on every device: sim, host, acl and cuda over their stand-ins, a queue in front of host. */
#ifndef SD_DEVICE_WORLD_H
#define SD_DEVICE_WORLD_H

#include "run_tests.h"

#include <stdatomic.h>

#include "standin_control.h"
#include "streamd/device_acl.h"
#include "streamd/device_cuda.h"
#include "streamd/device_host.h"
#include "streamd/device_sim.h"
#include "streamd/task_queue.h"

enum kind { SIM, HOST, ACL, CUDA, QUEUE, KINDS }; /* QUEUE: launches in front of host */

#define MOST 6 /* streams, events and notifies at one time */

static enum kind kind;
static const char *const kind_name[KINDS] = { "sim", "host", "acl", "cuda", "queue" };
static struct sd_device *device, *behind;
static struct standin_control standin;
static struct sd_diag diag;
static atomic_int ran, told[SD_UNAVAILABLE + 1];

static inline void run(void *arg)
{
	atomic_fetch_add(&ran, 1);
}

static inline void done(void *arg, enum sd_status status, uint64_t began_ns, uint64_t ended_ns)
{
	atomic_fetch_add(&told[status], 1);
}

static const struct sd_task count = { .name = "count", .kind = SD_TASK_KERNEL, .duration_ns = 1000, .run = run, .done = done };

static inline void open_acl(void)
{
	static const struct sd_acl_options acl = { .library = ACL_STANDIN };

	standin = standin_open(ACL_STANDIN);
	standin.standin_reset();
	standin.standin_limit(STANDIN_STREAM, MOST);
	standin.standin_limit(STANDIN_EVENT, MOST);
	standin.standin_limit(STANDIN_NOTIFY, MOST);
	ck_assert_int_eq(sd_acl_open(&acl, &device, &diag), SD_OK);
}

static inline void open_kind(enum kind of)
{
	static const struct sd_device_facts few = { .streams_max = MOST, .events_max = MOST, .notifies_max = MOST, .memory_bytes = 8 << 20 };
	static const struct sd_sim_options sim = { .streams_max = MOST, .events_max = MOST, .notifies_max = MOST, .memory_bytes = 8 << 20 };
	static const struct sd_host_options host = { .has = few, .cores = 2, .stuck_after_ms = 5000 };
	static const struct sd_cuda_options cuda = { .library = CUDA_STANDIN, .has = few };

	kind = of;
	diag = (struct sd_diag){ 0 };
	atomic_store(&ran, 0);
	for (int i = 0; i <= SD_UNAVAILABLE; i++)
		atomic_store(&told[i], 0);
	if (kind == SIM)
		ck_assert_int_eq(sd_sim_open(&sim, &device, &diag), SD_OK);
	if (kind == HOST || kind == QUEUE)
		ck_assert_int_eq(sd_host_open(&host, &device, &diag), SD_OK);
	if (kind == ACL)
		open_acl();
	if (kind == CUDA) {
		standin = standin_open(CUDA_STANDIN);
		standin.standin_reset();
		ck_assert_int_eq(sd_cuda_open(&cuda, &device, &diag), SD_OK);
	}
	behind = NULL;
	if (kind == QUEUE) {
		behind = device;
		ck_assert_int_eq(sd_task_queue_open(NULL, behind, &device, &diag), SD_OK);
	}
}

static inline void close_kind(void)
{
	device->ops->close(device);
	if (behind)
		behind->ops->close(behind);
	if (kind == ACL || kind == CUDA)
		ck_assert_msg(standin.standin_complaints() == 0, "%s", standin.standin_complaint());
}

#define EACH_KIND for (enum kind of = SIM; of < KINDS; of++)

#define IS(call, status)                                                                                                           \
	do {                                                                                                                       \
		enum sd_status got_ = (call);                                                                                      \
		char words_[SD_MESSAGE_MAX] = "";                                                                                  \
		if (diag.code != SD_CODE_NONE)                                                                                     \
			sd_diag_message(&diag, NULL, words_, sizeof(words_));                                                      \
		ck_assert_msg(got_ == (status), "%s: %s is %d, not %d: %s", kind_name[kind], #call, (int)got_, (int)(status), words_); \
		diag = (struct sd_diag){ 0 };                                                                                      \
	} while (0)
#define OK(call) IS(call, SD_OK)

/* The call is refused for want of something, and its sentence says of what. */
static inline void is_short_of(enum sd_status status, const char *what)
{
	char words[SD_MESSAGE_MAX];

	ck_assert_msg(status == SD_RESOURCE_EXHAUSTED, "%s: %s: %d", kind_name[kind], what, (int)status);
	sd_diag_message(&diag, NULL, words, sizeof(words));
	ck_assert_msg(strstr(words, what) != NULL, "%s: '%s' is not in: %s", kind_name[kind], what, words);
	diag = (struct sd_diag){ 0 };
}

static inline sd_handle new_stream(int32_t priority, uint32_t flags)
{
	sd_handle stream;
	int32_t rt_id;

	OK(device->ops->stream_create(device, priority, flags, &stream, &rt_id, &diag));
	return stream;
}

static inline sd_handle new_event(void)
{
	sd_handle event;

	OK(device->ops->event_create(device, 0, &event, &diag));
	return event;
}

static inline void finish(sd_handle stream)
{
	OK(device->ops->stream_synchronize(device, stream, SD_FOR_EVER, &diag));
}

static inline enum sd_progress progress_of(sd_handle event)
{
	enum sd_progress progress;

	OK(device->ops->event_query(device, event, &progress, &diag));
	return progress;
}

static inline struct sd_device_facts facts_now(void)
{
	struct sd_device_facts facts;

	device->ops->facts(device, &facts);
	return facts;
}

#endif
