/* reuse_unload_test - leases given back, streams destroyed, grants from outside. */
#include "vendor_world.h"

#include "streamd/reuse.h"

static struct sd_reuse *reuse;
static const enum sd_reuse_role logical = SD_REUSE_LOGICAL;

static void begin_reuse(enum sd_pool_mode mode, bool keeps_idle)
{
	struct sd_pool_limits limits = { .tasks_max = 2013, .mode = mode, .keeps_idle = keeps_idle };

	begin_acl();
	OK(sd_reuse_create(&reuse, device, &limits, &diag));
}

static sd_pool_id load(struct sd_reuse_stream *stream)
{
	const struct sd_pool_want want = { .task_count = 5, .count = 1 };
	struct sd_pool_shortfall shortfall;
	sd_pool_id model;

	OK(sd_reuse_add_model(reuse, SD_TEXT("all"), &model, &diag));
	OK(sd_reuse_acquire(reuse, model, &want, &logical, 1, stream, &shortfall, &diag));
	return model;
}

START_TEST(released)
{
	struct sd_reuse_stream stream;

	begin_reuse(SD_POOL_EXCLUSIVE, false);
	load(&stream);
	OK(sd_reuse_release(reuse, stream.lease, false, &diag));
	ck_assert_uint_eq(standin.standin_live(STANDIN_STREAM), 0);
	FAILS(sd_reuse_release(reuse, stream.lease, false, &diag), POOL_RELEASED);
	sd_reuse_destroy(reuse);
	end_well();
}
END_TEST

/* A shared stream is not destroyed before all who hold it have unbound it. */
START_TEST(unbound_before_destroyed)
{
	struct sd_reuse_stream a, b;
	sd_pool_id first, second;

	begin_reuse(SD_POOL_SHARED, true);
	first = load(&a);
	second = load(&b);
	ck_assert_uint_eq(a.stream, b.stream);
	ck_assert_uint_eq(b.shared_with, 1);
	ck_assert(b.is_reused && !a.is_reused);
	FAILS(sd_reuse_destroy_stream(reuse, first, a.slot, true, &diag), STILL_BOUND);
	OK(sd_reuse_unbound(reuse, first, &diag));
	FAILS(sd_reuse_destroy_stream(reuse, first, a.slot, true, &diag), STILL_BOUND);
	OK(sd_reuse_unbound(reuse, second, &diag));
	FAILS(sd_reuse_destroy_stream(reuse, first, a.slot, false, &diag), POOL_BUSY);
	OK(sd_reuse_destroy_stream(reuse, first, a.slot, true, &diag));
	OK(sd_reuse_destroy_stream(reuse, first, a.slot, false, &diag));
	ck_assert_uint_eq(standin.standin_calls("aclrtDestroyStreamForce"), 1);
	ck_assert_uint_eq(standin.standin_calls("aclrtDestroyStream"), 0);
	ck_assert_int_ne(sd_reuse_release(reuse, b.lease, false, NULL), SD_OK);
	OK(sd_reuse_remove_model(reuse, second, &diag));
	FAILS(sd_reuse_destroy_stream(reuse, first, 0, false, &diag), BAD_VALUE);
	FAILS(sd_reuse_unbound(reuse, second, &diag), POOL_NO_MODEL);
	sd_reuse_destroy(reuse);
	end_well();
}
END_TEST

/* What the device could not destroy stays, and is tried again. */
START_TEST(destroy_fails)
{
	struct sd_reuse_stream stream;
	struct sd_reuse_stats stats;
	sd_pool_id model;

	begin_reuse(SD_POOL_EXCLUSIVE, true);
	model = load(&stream);
	OK(sd_reuse_unbound(reuse, model, &diag));
	standin.standin_fail("aclrtDestroyStream", 1, 507000, NULL);
	FAILS(sd_reuse_destroy_stream(reuse, model, stream.slot, false, &diag), VENDOR_FAILED);
	sd_reuse_stats(reuse, &stats);
	ck_assert_uint_eq(stats.streams_left, 1);
	OK(sd_reuse_destroy_stream(reuse, model, stream.slot, false, &diag));
	sd_reuse_stats(reuse, &stats);
	ck_assert_uint_eq(stats.streams, 0);
	ck_assert_uint_eq(stats.streams_left, 0);
	sd_reuse_destroy(reuse);
	end_well();
}
END_TEST

/* Slots that somebody else arbitrates. */
START_TEST(grants_from_outside)
{
	struct sd_pool_grant grant[3] = { { .lease = 11, .slot = 101, .is_new = true }, { .lease = 12, .slot = 102 }, { .lease = 13, .slot = 103, .is_new = true } };
	struct sd_reuse_stream stream[3];
	struct sd_reuse_stats stats;
	uint32_t failed;

	begin_acl();
	OK(sd_reuse_create(&reuse, device, NULL, &diag));
	OK(sd_reuse_bind(reuse, grant, 1, stream, &failed, &diag));
	standin.standin_fail("aclrtStreamGetId", 2, 507000, NULL);
	FAILS(sd_reuse_bind(reuse, grant, 3, stream, &failed, &diag), VENDOR_FAILED);
	ck_assert_uint_eq(failed, 2);
	ck_assert_uint_eq(standin.standin_live(STANDIN_STREAM), 1);
	OK(sd_reuse_bind(reuse, grant, 3, stream, &failed, &diag));
	ck_assert(stream[0].is_reused && !stream[1].is_reused && !stream[2].is_reused);
	ck_assert_uint_eq(stream[1].lease, 12);
	OK(sd_reuse_unbind(reuse, 102, false, &diag));
	OK(sd_reuse_unbind(reuse, 102, false, &diag));
	sd_reuse_stats(reuse, &stats);
	ck_assert_uint_eq(stats.streams, 2);
	ck_assert_uint_eq(stats.create_failures, 1);
	sd_reuse_destroy(reuse);
	end_well();
}
END_TEST

RUN_TESTS("reuse_unload", released, unbound_before_destroyed, destroy_fails, grants_from_outside)
