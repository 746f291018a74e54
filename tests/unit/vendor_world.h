/* vendor_world.h - a device over a stand-in, for the tests of device_vendor*.c and the ports. */
#ifndef SD_VENDOR_WORLD_H
#define SD_VENDOR_WORLD_H

#include "run_tests.h"

#include "standin_control.h"
#include "streamd/device_acl.h"
#include "streamd/device_cuda.h"

static struct standin_control standin;
static struct sd_device *device;
static struct sd_diag diag;

/* A device whose library was just loaded. */
static inline void begin_acl(void)
{
	static const struct sd_acl_options options = { .library = ACL_STANDIN, .busy_wait_ms = 1, .has = { .tasks_per_stream_max = 2013 } };

	standin = standin_open(ACL_STANDIN);
	standin.standin_reset();
	diag = (struct sd_diag){ 0 };
	ck_assert_int_eq(sd_acl_open(&options, &device, &diag), SD_OK);
}

static inline void begin_cuda(void)
{
	static const struct sd_cuda_options options = { .library = CUDA_STANDIN, .has = { .tasks_per_stream_max = 2013, .streams_max = 40, .events_max = 40, .notifies_max = 40 } };

	standin = standin_open(CUDA_STANDIN);
	standin.standin_reset();
	diag = (struct sd_diag){ 0 };
	ck_assert_int_eq(sd_cuda_open(&options, &device, &diag), SD_OK);
}

/* Closes it; the stand-in has nothing to complain about. */
static inline void end_well(void)
{
	device->ops->close(device);
	ck_assert_msg(standin.standin_complaints() == 0, "%s", standin.standin_complaint());
	for (int kind = 0; kind < STANDIN_KINDS; kind++)
		ck_assert_uint_eq(standin.standin_live(kind), 0);
}

static inline sd_handle make_stream(uint32_t flags)
{
	sd_handle stream;
	int32_t rt_id;

	ck_assert_int_eq(device->ops->stream_create(device, 0, flags, &stream, &rt_id, &diag), SD_OK);
	return stream;
}

static inline sd_handle make_event(void)
{
	sd_handle event;

	ck_assert_int_eq(device->ops->event_create(device, 0, &event, &diag), SD_OK);
	return event;
}

static inline void forget_diag(void)
{
	diag = (struct sd_diag){ 0 };
}

#define OK(call) ck_assert_int_eq((call), SD_OK)

/* The call fails with this code; what it said is forgotten. */
#define FAILS(call, expected)                                                                       \
	do {                                                                                        \
		ck_assert_int_eq((call), sd_code_status(SD_CODE_##expected));                       \
		ck_assert_str_eq(sd_code_text(diag.code), sd_code_text(SD_CODE_##expected));        \
		forget_diag();                                                                      \
	} while (0)

#endif
