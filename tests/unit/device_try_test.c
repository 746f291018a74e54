/* device_try_test - a device that works is told so, and one that does not. */
#include "vendor_world.h"

#include "streamd/device_host.h"
#include "streamd/device_sim.h"
#include "streamd/device_try.h"

static struct sd_device *inner;

static enum sd_status no_wait(struct sd_device *d, sd_handle stream, sd_handle event, struct sd_diag *told)
{
	return SD_OK;
}

/* Copies nothing back. */
static enum sd_status no_copies(struct sd_device *d, sd_handle stream, const struct sd_task *task, uint32_t count, struct sd_diag *told)
{
	return inner->ops->submit(d, stream, task, task->kind == SD_TASK_COPY ? count - 1 : count, told);
}

static struct sd_device_trial trial;

START_TEST(what_works)
{
	OK(sd_sim_open(NULL, &device, &diag));
	OK(sd_device_try(device, &trial, &diag));
	ck_assert(trial.is_ordered && trial.is_copied);
	device->ops->close(device);
	OK(sd_host_open(NULL, &device, &diag));
	OK(sd_device_try(device, &trial, &diag));
	ck_assert(trial.is_ordered && trial.is_copied);
	ck_assert_uint_gt(trial.launch_ns, 0);
	ck_assert_uint_gt(trial.copy_ns, 0);
	device->ops->close(device);
	begin_acl();
	OK(sd_device_try(device, &trial, &diag));
	ck_assert(trial.is_ordered && trial.is_copied);
	end_well();
	begin_cuda();
	OK(sd_device_try(device, &trial, &diag));
	ck_assert(trial.is_ordered && trial.is_copied);
	end_well();
}
END_TEST

/* The table of a device that works, with one function that does not. */
START_TEST(what_does_not)
{
	struct sd_device_ops ops;

	OK(sd_sim_open(NULL, &device, &diag)); /* whose times are the same each time */
	inner = &(struct sd_device){ device->ops };
	ops = *device->ops;
	ops.event_wait = no_wait;
	device->ops = &ops;
	OK(sd_device_try(device, &trial, &diag));
	ck_assert(!trial.is_ordered && trial.is_copied);
	ops = *inner->ops;
	ops.submit = no_copies;
	OK(sd_device_try(device, &trial, &diag));
	ck_assert(trial.is_ordered && !trial.is_copied);
	device->ops->close(device);
}
END_TEST

/* Whatever call fails, it is told, and nothing is left. */
START_TEST(each_call_fails_once)
{
	uint64_t k = 0, failed = 0;
	bool was_met = true;

	while (was_met) {
		enum sd_status status;
		uint64_t before;

		begin_cuda();
		before = standin.standin_calls(NULL);
		standin.standin_fail(NULL, ++k, 719, NULL);
		status = sd_device_try(device, &trial, &diag);
		was_met = standin.standin_calls(NULL) - before >= k;
		standin.standin_fail(NULL, 0, 0, NULL);
		failed += status != SD_OK;
		ck_assert(status == SD_OK || diag.code != SD_CODE_NONE);
		forget_diag();
		end_well();
	}
	ck_assert_uint_gt(failed, 20);
}
END_TEST

RUN_TESTS("device_try", what_works, what_does_not, each_call_fails_once)
