/* pool_messages_test - what is told of a pool. */
#include "run_tests.h"

#include <string.h>

#include "pool_messages.h"

#define ALL_FLAGS 0xf73fu /* all but CP_PROCESS_USE, which goes with few others */

static struct sd_pool_device device = { .number = 3 };

static sd_pool_id add_model(const char *domain, uint32_t *number)
{
	sd_pool_id model;

	ck_assert_int_eq(sd_pool_domain(device.pool, (struct sd_text){ domain, (uint32_t)strlen(domain) }, number), SD_OK);
	ck_assert_int_eq(sd_pool_add_model(device.pool, *number, NULL, &model), SD_OK);
	return model;
}

static void open_pool(struct sd_pool_limits limits)
{
	ck_assert_int_eq(sd_pool_create(&device.pool, &limits), SD_OK);
}

START_TEST(domains_are_told_as_they_were_stated)
{
	uint32_t stated, process;
	char out[SD_DOMAIN_TEXT_MAX];

	open_pool((struct sd_pool_limits){ .streams_max = 1 });
	add_model("=#tag", &stated);
	add_model("#0.77", &process);
	sd_domain_text(&device, stated, out);
	ck_assert_str_eq(out, "#tag");
	sd_domain_text(&device, process, out);
	ck_assert_str_eq(out, "process 0.77");
	sd_domain_text(&device, 99, out);
	ck_assert_str_eq(out, "");
	sd_pool_destroy(device.pool);
}
END_TEST

START_TEST(a_slot_is_told_with_the_names_of_its_flags)
{
	const struct sd_pool_want want = { .priority = 2, .flags = ALL_FLAGS, .task_count = 5, .count = 1 };
	struct sd_pool_grant grant;
	struct sd_pool_slot_facts facts;
	struct sd_slot_message slot;
	uint32_t domain;

	open_pool((struct sd_pool_limits){ .has_huge = true });
	ck_assert_int_eq(sd_pool_acquire(device.pool, add_model("=d", &domain), &want, 1, 0, 0, &grant, NULL, NULL), SD_OK);
	ck_assert_int_eq(sd_pool_describe(device.pool, grant.lease, &facts, NULL), SD_OK);
	sd_fill_slot(&device, &facts, &slot);
	ck_assert_uint_eq(sd_id_device(slot.message.slot), 3);
	ck_assert_str_eq(slot.message.domain, "d");
	ck_assert_uint_eq(slot.message.n_flag_names, 13);
	ck_assert_str_eq(slot.message.flag_names[0], "PERSISTENT");
	ck_assert_uint_eq(slot.message.task_count, 5);
	ck_assert_int_eq(slot.message.priority, 2);
	ck_assert_uint_eq(slot.message.tenants, 1);
	sd_pool_destroy(device.pool);
}
END_TEST

START_TEST(what_is_left)
{
	const struct sd_pool_want want = { .count = 3 };
	struct sd_pool_grant grant[3];
	struct sd_free left;
	uint32_t domain;

	open_pool((struct sd_pool_limits){ .streams_max = 10, .streams_reserved = 6, .events_max = 5 });
	ck_assert_int_eq(sd_pool_acquire(device.pool, add_model("=d", &domain), &want, 1, 5, 9, grant, NULL, NULL), SD_OK);
	sd_count_free(&device, &left);
	ck_assert_uint_eq(left.streams, 1);
	ck_assert_uint_eq(left.events, 0);
	ck_assert_uint_eq(left.notifies, UINT64_MAX);
	sd_pool_set_limits(device.pool, &(struct sd_pool_limits){ .streams_max = 2 });
	sd_count_free(&device, &left);
	ck_assert_uint_eq(left.streams, 0);
	sd_pool_destroy(device.pool);
}
END_TEST

START_TEST(figures_and_limits)
{
	Streamd__V1__PoolStatsAnswer stats;
	Streamd__V1__PoolLimits limits;

	open_pool((struct sd_pool_limits){ .streams_max = 10, .tasks_max = 7, .mode = SD_POOL_SHARED });
	device.refused = 4;
	device.expired = 5;
	sd_fill_pool_stats(&device, &stats, &limits);
	ck_assert_uint_eq(stats.refused, 4);
	ck_assert_uint_eq(stats.expired, 5);
	ck_assert_ptr_eq(stats.limits, &limits);
	ck_assert_uint_eq(limits.streams_max, 10);
	ck_assert_uint_eq(limits.tasks_per_stream_max, 7);
	ck_assert_int_eq(limits.mode, STREAMD__V1__POOL_MODE__POOL_MODE_SHARED);
	ck_assert_int_eq(limits.priority_most_urgent, 0);
	ck_assert_int_eq(limits.priority_least_urgent, 7);
	sd_pool_destroy(device.pool);
}
END_TEST

RUN_TESTS("pool_messages", domains_are_told_as_they_were_stated, a_slot_is_told_with_the_names_of_its_flags, what_is_left, figures_and_limits)
