/* devices_test - limits from profile and settings, ids on the wire, accounts of users. */
#include "run_tests.h"

#include <string.h>

#include "devices.h"

static struct sd_config config;
static struct sd_devices devices;
static char error[SD_CONFIG_ERROR_MAX];

static void set(const char *key, const char *value)
{
	ck_assert_msg(sd_config_set(&config, key, value, error), "%s", error);
}

START_TEST(limits_are_the_profiles_unless_stated)
{
	const struct sd_pool_limits *limits;

	sd_config_defaults(&config);
	set("pool.profile", "610lite");
	set("pool.streams_max", "100");
	set("pool.streams_reserved", "9");
	set("pool.huge_tasks_max", "5000");
	ck_assert(sd_devices_check(&config, error));
	ck_assert(sd_devices_open(&devices, &config));
	limits = sd_pool_get_limits(sd_devices_at(&devices, 0)->pool);
	ck_assert_uint_eq(limits->streams_max, 100);
	ck_assert_uint_eq(limits->streams_reserved, 9);
	ck_assert_uint_eq(limits->huge_streams_max, 16);
	ck_assert_int_eq(limits->tasks_max, 1024);
	ck_assert_int_eq(limits->huge_tasks_max, 5000);
	ck_assert_uint_eq(limits->events_max, 512);
	ck_assert(limits->has_huge);
	ck_assert_int_eq(limits->mode, SD_POOL_EXCLUSIVE);
	set("pool.mode", "shared");
	set("pool.profile", "ascend950");
	sd_devices_apply(&devices, &config);
	ck_assert_int_eq(limits->mode, SD_POOL_SHARED);
	ck_assert(limits->unlimited_depth);
	ck_assert_uint_eq(limits->events_max, 131072);
	ck_assert_uint_eq(sd_devices_at(&devices, 0)->change, 1);
	sd_devices_close(&devices);
}
END_TEST

START_TEST(what_cannot_be_is_told)
{
	sd_config_defaults(&config);
	set("pool.profile", "moon");
	ck_assert(!sd_devices_check(&config, error));
	ck_assert_ptr_nonnull(strstr(error, "moon"));
	set("pool.profile", "nano");
	set("pool.streams_reserved", "56");
	ck_assert(!sd_devices_check(&config, error));
	ck_assert_ptr_nonnull(strstr(error, "pool.streams_reserved = 56"));
	set("pool.streams_reserved", "55");
	ck_assert(sd_devices_check(&config, error));
	ck_assert(!sd_config_set(&config, "pool.mode", "other", error));
}
END_TEST

START_TEST(ids_tell_their_device)
{
	uint32_t domain;
	sd_pool_id model;

	sd_config_defaults(&config);
	set("pool.devices", "64");
	ck_assert(sd_devices_open(&devices, &config));
	ck_assert_ptr_null(sd_devices_at(&devices, 64));
	for (uint32_t i = 0; i < 64; i++) {
		struct sd_pool_device *device = sd_devices_at(&devices, i);
		uint64_t id;

		ck_assert_int_eq(sd_pool_domain(device->pool, SD_TEXT("d"), &domain), SD_OK);
		ck_assert_int_eq(sd_pool_add_model(device->pool, domain, NULL, &model), SD_OK);
		id = sd_id_on_wire(device, model);
		ck_assert_uint_eq(sd_id_device(id), i);
		ck_assert_uint_eq(sd_id_in_pool(id), model);
	}
	ck_assert_uint_eq(sd_id_device(UINT64_MAX), 63);
	sd_devices_close(&devices);
}
END_TEST

START_TEST(users_have_one_account_each)
{
	struct sd_pool_device *device;
	struct sd_user *first, *second;

	sd_config_defaults(&config);
	ck_assert(sd_devices_open(&devices, &config));
	device = sd_devices_at(&devices, 0);
	first = sd_device_user(device, 7);
	second = sd_device_user(device, 8);
	ck_assert_ptr_ne(first, second);
	ck_assert_ptr_eq(sd_device_user(device, 7), first);
	first->models = 1;
	sd_device_drop_user(device, first);
	ck_assert_ptr_eq(sd_device_user(device, 7), first);
	first->models = 0;
	sd_device_drop_user(device, first);
	sd_device_drop_user(device, second);
	ck_assert_ptr_null(device->users);
	sd_devices_close(&devices);
}
END_TEST

RUN_TESTS("devices", limits_are_the_profiles_unless_stated, what_cannot_be_is_told, ids_tell_their_device, users_have_one_account_each)
