/* reuse_books_test - who has which stream: begin, end, models, domains, trim, figures. */
#include "note_device.h"
#include "vendor_world.h"

#include "streamd/reuse.h"

static struct sd_reuse *reuse;

static sd_pool_id load(const char *domain, enum sd_reuse_role role, int32_t priority, struct sd_reuse_stream *stream)
{
	const struct sd_pool_want want = { .priority = priority, .count = 1 };
	struct sd_pool_shortfall shortfall;
	sd_pool_id model;

	OK(sd_reuse_add_model(reuse, (struct sd_text){ domain, (uint32_t)strlen(domain) }, &model, &diag));
	OK(sd_reuse_acquire(reuse, model, &want, &role, 1, stream, &shortfall, &diag));
	return model;
}

static void begin(struct sd_pool_limits limits)
{
	begin_acl();
	OK(sd_reuse_create(&reuse, device, &limits, &diag));
}

static void unload(sd_pool_id model)
{
	OK(sd_reuse_unbound(reuse, model, &diag));
	OK(sd_reuse_remove_model(reuse, model, &diag));
}

START_TEST(nothing_yet)
{
	struct sd_reuse_stats stats, none = { 0 };

	begin_acl();
	OK(sd_reuse_create(&reuse, device, NULL, &diag)); /* slots come from outside */
	sd_reuse_stats(reuse, &stats);
	ck_assert_mem_eq(&stats, &none, sizeof(stats));
	ck_assert_uint_eq(sd_reuse_trim(reuse, 0), 0);
	sd_reuse_destroy(reuse);
	sd_reuse_destroy(NULL);
	end_well();
}
END_TEST

/* Models of different domains share no streams, not even idle ones. */
START_TEST(domains)
{
	struct sd_reuse_stream a, b, c;
	sd_pool_id first;

	begin((struct sd_pool_limits){ .mode = SD_POOL_SHARED, .keeps_idle = true });
	first = load("one", SD_REUSE_LOGICAL, 0, &a);
	load("two", SD_REUSE_LOGICAL, 0, &b);
	ck_assert_uint_ne(a.stream, b.stream);
	unload(first);
	load("two", SD_REUSE_LOGICAL, 0, &c);
	ck_assert_uint_eq(c.stream, b.stream);
	ck_assert_uint_eq(standin.standin_created(STANDIN_STREAM), 2);
	sd_reuse_destroy(reuse);
	end_well();
}
END_TEST

START_TEST(another_priority_or_flag_is_another_stream)
{
	struct sd_reuse_stream a, b;
	sd_pool_id first;

	begin((struct sd_pool_limits){ .keeps_idle = true });
	first = load("one", SD_REUSE_LOGICAL, 0, &a);
	unload(first);
	load("one", SD_REUSE_LOGICAL, 1, &b);
	ck_assert_uint_ne(a.stream, b.stream);
	ck_assert(!b.is_reused);
	first = load("one", SD_REUSE_LOGICAL, -5, &b); /* clamped: the same key as 0 */
	ck_assert_uint_eq(a.stream, b.stream);
	ck_assert(b.is_reused);
	sd_reuse_destroy(reuse);
	end_well();
}
END_TEST

/* The longest idle go first; what the device could not destroy is tried again, and counts. */
START_TEST(trimmed)
{
	struct sd_reuse_stream stream[4];
	struct sd_reuse_stats stats;
	enum sd_progress progress;

	begin((struct sd_pool_limits){ .keeps_idle = true });
	for (int i = 0; i < 4; i++)
		unload(load("one", SD_REUSE_LOGICAL, i, &stream[i]));
	ck_assert_uint_eq(sd_reuse_trim(reuse, 9), 0);
	ck_assert_uint_eq(sd_reuse_trim(reuse, 3), 1);
	FAILS(device->ops->stream_query(device, stream[0].stream, &progress, &diag), NO_SUCH_HANDLE);
	OK(device->ops->stream_query(device, stream[1].stream, &progress, &diag));
	standin.standin_fail("aclrtDestroyStream", 1, 507000, NULL);
	ck_assert_uint_eq(sd_reuse_trim(reuse, 2), 1); /* one fails, is left, and is tried again at once */
	standin.standin_fail("aclrtDestroyStream", 1 | STANDIN_AND_ALL_BEHIND, 507000, NULL);
	ck_assert_uint_eq(sd_reuse_trim(reuse, 0), 0);
	sd_reuse_stats(reuse, &stats);
	ck_assert_uint_eq(stats.streams, 2);
	ck_assert_uint_eq(stats.streams_left, 2);
	ck_assert_uint_eq(stats.pool.slots, 0);
	standin.standin_fail(NULL, 0, 0, NULL);
	ck_assert_uint_eq(sd_reuse_trim(reuse, 0), 2);
	ck_assert_uint_eq(standin.standin_live(STANDIN_STREAM), 0);
	sd_reuse_destroy(reuse);
	end_well();
}
END_TEST

/* The end takes all, held or not. */
START_TEST(destroyed_while_loaded)
{
	struct sd_reuse_stream stream;

	begin((struct sd_pool_limits){ .keeps_idle = true });
	for (int i = 0; i < 3; i++)
		load("one", SD_REUSE_LOGICAL, i, &stream);
	sd_reuse_destroy(reuse);
	ck_assert_uint_eq(standin.standin_calls("aclrtDestroyStreamForce"), 3);
	end_well();
}
END_TEST

/* A model's streams go by their roles, the one that runs the model by force, those of one role by age. */
START_TEST(roles_go_in_order)
{
	static const enum sd_reuse_role role[] = { SD_REUSE_LOGICAL, SD_REUSE_HEAD, SD_REUSE_FOLLOW, SD_REUSE_ENTRY, SD_REUSE_EXECUTION, SD_REUSE_LOGICAL };
	const struct sd_pool_limits limits = { .mode = SD_POOL_EXCLUSIVE };
	struct sd_pool_want want[6];
	struct sd_reuse_stream stream[7];
	struct sd_pool_shortfall shortfall;
	sd_pool_id model;

	for (int i = 0; i < 6; i++)
		want[i] = (struct sd_pool_want){ .priority = i, .count = i == 2 ? 2 : 1 };
	OK(sd_reuse_create(&reuse, note_device(), &limits, &diag));
	OK(sd_reuse_add_model(reuse, SD_TEXT("one"), &model, &diag));
	OK(sd_reuse_acquire(reuse, model, want, role, 6, stream, &shortfall, &diag));
	unload(model);
	ck_assert_str_eq(noted(), "3!0 4!0 6!1 2!0 5!0 1!0 7!0"); /* stream!by force */
	sd_reuse_destroy(reuse);
}
END_TEST

RUN_TESTS("reuse_books", nothing_yet, domains, another_priority_or_flag_is_another_stream, trimmed, destroyed_while_loaded, roles_go_in_order)
