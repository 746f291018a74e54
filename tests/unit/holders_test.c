/* holders_test - who holds most: the largest first, of equal ones the oldest, and how many there are beside them. */
#include "run_tests.h"

#include "holders.h"

#define MODELS 40u

static struct sd_pool *pool;
static sd_pool_id model[MODELS];
static struct sd_share share[MODELS];

/* The n-th model holds `streams` streams and n events. */
static void add_models(uint32_t (*streams)(uint32_t n))
{
	struct sd_pool_grant grant[MODELS];

	ck_assert_int_eq(sd_pool_create(&pool, &(struct sd_pool_limits){ 0 }), SD_OK);
	for (uint32_t n = 0; n < MODELS; n++) {
		const struct sd_pool_want want = { .count = streams(n) };
		uint32_t domain;

		ck_assert_int_eq(sd_pool_domain(pool, SD_TEXT("d"), &domain), SD_OK);
		ck_assert_int_eq(sd_pool_add_model(pool, domain, NULL, &model[n]), SD_OK);
		ck_assert_int_eq(sd_pool_acquire(pool, model[n], &want, want.count > 0, n, 0, grant, NULL, NULL), SD_OK);
	}
}

static uint32_t rising(uint32_t n)
{
	return n;
}

static uint32_t equal(uint32_t n)
{
	return 2;
}

static uint32_t in_disorder(uint32_t n)
{
	return n * 7 % 11;
}

static struct sd_ranking rank(enum sd_pool_resource resource, bool with_all, uint32_t most)
{
	struct sd_ranking ranking = { .resource = resource, .with_all = with_all, .most = most, .share = share };

	sd_rank_holders(pool, &ranking);
	return ranking;
}

START_TEST(the_largest_stand_first)
{
	struct sd_ranking ranking;

	add_models(rising);
	ranking = rank(SD_POOL_STREAMS, false, 3);
	ck_assert_uint_eq(ranking.count, 3);
	ck_assert_uint_eq(ranking.holders, MODELS - 1); /* the first holds none */
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_uint_eq(share[i].facts.model, model[MODELS - 1 - i]);
	ck_assert_uint_eq(rank(SD_POOL_EVENTS, true, MODELS).holders, MODELS);
	ck_assert_uint_eq(share[MODELS - 1].facts.model, model[0]);
	ck_assert_uint_eq(rank(SD_POOL_NOTIFIES, false, 3).count, 0);
	sd_pool_destroy(pool);
}
END_TEST

START_TEST(of_equal_ones_the_oldest)
{
	add_models(equal);
	ck_assert_uint_eq(rank(SD_POOL_STREAMS, false, 5).count, 5);
	for (uint32_t i = 0; i < 5; i++)
		ck_assert_uint_eq(share[i].facts.model, model[i]);
	sd_pool_destroy(pool);
}
END_TEST

START_TEST(in_whatever_order_they_come)
{
	add_models(in_disorder);
	for (uint32_t most = 1; most <= MODELS; most++) {
		struct sd_ranking ranking = rank(SD_POOL_STREAMS, true, most);

		ck_assert_uint_eq(ranking.count, most);
		for (uint32_t i = 1; i < most; i++)
			ck_assert(share[i - 1].held > share[i].held || (share[i - 1].held == share[i].held && share[i - 1].facts.model < share[i].facts.model));
		ck_assert_uint_eq(share[0].held, 10);
	}
	sd_pool_destroy(pool);
}
END_TEST

RUN_TESTS("holders", the_largest_stand_first, of_equal_ones_the_oldest, in_whatever_order_they_come)
