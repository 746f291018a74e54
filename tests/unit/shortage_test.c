/* shortage_test - who holds the rest: the largest first, escaped, and never more than there is room for. */
#include "run_tests.h"

#include <stdlib.h>
#include <string.h>

#include "acquire.h"
#include "conn.h"

static struct sd_pool_device device;
static struct sd_conn conn = { .uid = UINT32_MAX, .pid = INT32_MAX };
static char words[SD_HOLDERS_MAX];

static void hold(const char *name, uint32_t streams, uint32_t events)
{
	const struct sd_pool_want want = { .count = streams };
	struct sd_pool_grant *grant = calloc(streams + 1, sizeof(*grant));
	struct sd_holder *holder = calloc(1, sizeof(*holder) + strlen(name) + 1); /* lives until the test ends */
	uint32_t domain;

	ck_assert_ptr_nonnull(grant);
	ck_assert_ptr_nonnull(holder);
	holder->conn = &conn;
	memcpy(holder->name, name, strlen(name) + 1);
	ck_assert_int_eq(sd_pool_domain(device.pool, SD_TEXT("d"), &domain), SD_OK);
	ck_assert_int_eq(sd_pool_add_model(device.pool, domain, holder, &holder->model), SD_OK);
	ck_assert_int_eq(sd_pool_acquire(device.pool, holder->model, &want, 1, events, 0, grant, NULL, NULL), SD_OK);
	free(grant);
}

static void drop(void *arg, const struct sd_pool_model_facts *facts)
{
	free(facts->owner);
}

static void tell(enum sd_pool_resource resource)
{
	const struct sd_pool_shortfall shortfall = { resource, 5, 1, UINT32_MAX };
	struct sd_diag diag = { 0 };

	sd_shortage_tell(&device, &shortfall, words, &diag);
	ck_assert_ptr_eq(diag.arg[2].text.at, words);
}

static void open_pool(void)
{
	ck_assert_int_eq(sd_pool_create(&device.pool, &(struct sd_pool_limits){ 0 }), SD_OK);
}

static void close_pool(void)
{
	sd_pool_each_model(device.pool, drop, NULL);
	sd_pool_destroy(device.pool);
}

START_TEST(the_largest_first_and_of_equal_ones_the_oldest)
{
	open_pool();
	hold("few", 1, 9);
	hold("none", 0, 0);
	hold("old", 3, 0);
	hold("young", 3, 0);
	hold("most", 7, 1);
	tell(SD_POOL_STREAMS);
	ck_assert_str_eq(words, "4294967295, held by 'most' (uid 4294967295, pid 2147483647): 7, 'old' (uid 4294967295, pid 2147483647): 3, "
	                        "'young' (uid 4294967295, pid 2147483647): 3, and 1 more");
	tell(SD_POOL_EVENTS);
	ck_assert_str_eq(words, "4294967295, held by 'few' (uid 4294967295, pid 2147483647): 9, 'most' (uid 4294967295, pid 2147483647): 1");
	tell(SD_POOL_NOTIFIES);
	ck_assert_str_eq(words, "4294967295");
	ck_assert_uint_eq(device.refused, 3);
	close_pool();
}
END_TEST

START_TEST(names_of_any_length_fit)
{
	char name[200];

	for (size_t len = 0; len < sizeof(name); len += 7) {
		open_pool();
		memset(name, '\n', len);
		name[len] = '\0';
		for (int i = 0; i < 5; i++)
			hold(name, 1, 0);
		memset(words, 'x', sizeof(words));
		tell(SD_POOL_STREAMS);
		ck_assert_ptr_nonnull(memchr(words, '\0', sizeof(words)));
		ck_assert_ptr_null(strchr(words, '\n'));
		close_pool();
	}
}
END_TEST

RUN_TESTS("shortage", the_largest_first_and_of_equal_ones_the_oldest, names_of_any_length_fit)
