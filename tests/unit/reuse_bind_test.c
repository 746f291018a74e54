/* reuse_bind_test - streams in slots, made by one call while another one waits for it. */
#include "note_device.h"
#include "vendor_world.h"

#include <pthread.h>
#include <stdatomic.h>

#include "reuse_impl.h"

static struct sd_reuse *reuse;
static atomic_bool is_open;      /* the gate at which the first stream is made */
static atomic_uint asked;        /* how often the device was asked to make one */
static atomic_bool first_fails;

/* The first one takes its time. */
static enum sd_status create_slowly(struct sd_device *d, int32_t priority, uint32_t flags, sd_handle *stream, int32_t *rt_id, struct sd_diag *told)
{
	if (atomic_fetch_add(&asked, 1) == 0) {
		while (!atomic_load(&is_open))
			usleep(100);
		if (atomic_load(&first_fails))
			return SD_FAIL1(told, SD_CODE_HOST_SHORT, SD_NO_NODE, sd_arg_words("patience"));
	}
	return note_stream_create(d, priority, flags, stream, rt_id, told);
}

struct asking {
	pthread_t thread;
	enum sd_status status;
	struct sd_diag diag;
	struct sd_reuse_stream stream;
};

static void *acquire(void *arg)
{
	static const struct sd_pool_want want = { .count = 1 };
	static const enum sd_reuse_role role = SD_REUSE_LOGICAL;
	struct asking *asking = arg;
	struct sd_pool_shortfall shortfall;
	sd_pool_id model;

	if (sd_reuse_add_model(reuse, SD_TEXT("all"), &model, NULL) == SD_OK)
		asking->status = sd_reuse_acquire(reuse, model, &want, &role, 1, &asking->stream, &shortfall, &asking->diag);
	return NULL;
}

/* How many calls have come to the slot whose stream is being made. */
static uint32_t users_now(void)
{
	struct sd_tree_node *first;
	uint32_t users;

	reuse_lock(reuse);
	first = sd_tree_first(&reuse->entries);
	users = first ? SD_TREE_OF(first, struct reuse_entry, node)->users : 0;
	reuse_unlock(reuse);
	return users;
}

/* Two models ask for the same kind; the second is granted the slot whose stream the first is making:
 * it begins when the device was asked, and the gate opens when it has come to the slot, too. */
static void ask_twice(struct asking *asking)
{
	const struct sd_pool_limits limits = { .mode = SD_POOL_SHARED, .keeps_idle = true };
	static struct sd_device slow;
	static struct sd_device_ops ops;

	ops = note_ops;
	ops.stream_create = create_slowly;
	slow.ops = &ops;
	OK(sd_reuse_create(&reuse, &slow, &limits, &diag));
	for (uint32_t i = 0; i < 2; i++) {
		asking[i].status = SD_INTERNAL;
		ck_assert_int_eq(pthread_create(&asking[i].thread, NULL, acquire, &asking[i]), 0);
		while (users_now() <= i || atomic_load(&asked) == 0)
			usleep(100);
	}
	ck_assert_uint_eq(asked, 1); /* the other one waits */
	atomic_store(&is_open, true);
	for (uint32_t i = 0; i < 2; i++)
		pthread_join(asking[i].thread, NULL);
}

START_TEST(both_get_the_stream_that_one_makes)
{
	struct asking asking[2] = { 0 };

	ask_twice(asking);
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(asking[i].status, SD_OK);
	ck_assert_uint_eq(asking[0].stream.stream, asking[1].stream.stream);
	ck_assert(!asking[0].stream.is_reused && asking[1].stream.is_reused);
	ck_assert_uint_eq(asking[1].stream.shared_with, 1);
	ck_assert_uint_eq(notes.streams, 1);
	sd_reuse_destroy(reuse);
}
END_TEST

/* Whoever waited in vain asks again, and makes one of its own; nothing that failed is in the books. */
START_TEST(failure_of_one_is_not_the_other_ones)
{
	struct asking asking[2] = { 0 };
	struct sd_reuse_stats stats;

	atomic_store(&first_fails, true);
	ask_twice(asking);
	ck_assert_int_eq(asking[0].status, SD_RESOURCE_EXHAUSTED);
	ck_assert_int_eq(asking[0].diag.code, SD_CODE_HOST_SHORT);
	ck_assert_int_eq(asking[1].status, SD_OK);
	ck_assert(!asking[1].stream.is_reused);
	ck_assert_uint_eq(asking[1].stream.shared_with, 0);
	sd_reuse_stats(reuse, &stats);
	ck_assert_uint_eq(stats.streams, 1);
	ck_assert_uint_eq(stats.pool.slots, 1);
	ck_assert_uint_eq(stats.pool.leases, 1);
	ck_assert_uint_eq(stats.create_failures, 1);
	sd_reuse_destroy(reuse);
}
END_TEST

/* A slot that was given up, and one that never had a stream. */
START_TEST(unbound)
{
	const struct sd_pool_grant grant = { .lease = 11, .slot = 101 };
	struct sd_reuse_stream stream;
	uint32_t failed;

	begin_acl();
	OK(sd_reuse_create(&reuse, device, NULL, &diag));
	OK(sd_reuse_unbind(reuse, 4711, true, &diag));
	OK(sd_reuse_bind(reuse, &grant, 1, &stream, &failed, &diag));
	standin.standin_fail("aclrtDestroyStreamForce", 1, 507000, NULL);
	FAILS(sd_reuse_unbind(reuse, 101, true, &diag), VENDOR_FAILED);
	FAILS(sd_reuse_bind(reuse, &grant, 1, &stream, &failed, &diag), STREAM_UNMADE); /* what is left of it is in the way */
	OK(sd_reuse_unbind(reuse, 101, true, &diag));
	OK(sd_reuse_bind(reuse, &grant, 1, &stream, &failed, &diag));
	ck_assert(!stream.is_reused);
	sd_reuse_destroy(reuse);
	end_well();
}
END_TEST

RUN_TESTS("reuse_bind", both_get_the_stream_that_one_makes, failure_of_one_is_not_the_other_ones, unbound)
