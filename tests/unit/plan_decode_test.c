/* plan_decode_test - bytes that say they are a plan: counts, identity, damage, memory. */
#include "lib/random_plan.h"
#include "lib/wire_text.h"
#include "proto/plan_codec.h"
#include "run_tests.h"

#define HASH "0123456789abcdef0123456789abcdef"
#define HEAD "1=1 2\"" HASH "\" 3\"" HASH "\" 4\"0.1.0+12\" 9=1 6=1 7=1 "

static struct sd_arena mem;

static enum sd_status decode(const char *text, uint32_t nodes, char message[SD_MESSAGE_MAX])
{
	struct sd_diag diag = { .code = SD_CODE_NONE };
	struct sd_plan plan;
	enum sd_status status = sd_plan_decode(&mem, wire_text(&mem, text), nodes, 2, &plan, NULL, &diag);

	sd_diag_message(&diag, NULL, message, SD_MESSAGE_MAX);
	ck_assert_int_eq(diag.code, status == SD_OK ? SD_CODE_NONE : SD_CODE_BAD_PLAN);
	ck_assert_int_eq(plan.node_count - plan.inserted_count, status == SD_OK ? nodes : 0);
	sd_arena_finish(&mem);
	return status;
}

START_TEST(the_least_plan_is_read)
{
	char message[SD_MESSAGE_MAX];

	ck_assert_msg(decode(HEAD "13{7=1}", 0, message) == SD_OK, "%s", message);
	ck_assert_msg(decode(HEAD "13{7=1} 14{} 99\"newer\"", 1, message) == SD_OK, "%s", message);
	ck_assert_msg(decode(HEAD "13{7=1} 14{} 14{} 19=0", 1, message) == SD_OK, "%s", message);
}
END_TEST

START_TEST(bad_heads_are_refused)
{
	static const struct {
		const char *text;
		const char *says;
	} rows[] = {
		{ "", "format" },
		{ "2\"" HASH "\" 3\"" HASH "\"", "format" },
		{ "1=2 2\"" HASH "\" 3\"" HASH "\"", "format" },
		{ "1=1 3\"" HASH "\"", "digest" },
		{ "1=1 2\"" HASH "x\" 3\"" HASH "\"", "digest" },
		{ "1=1 2\"" HASH "\" 3\"short\"", "digest" },
		{ HEAD "4\"123456789012345678901234567890123456789012345678\" 13{}", "planner's name" },
		{ HEAD "4\"a\\x00b\" 13{}", "planner's name" },
		{ HEAD "13{} 14{}", "number of nodes" },
		{ HEAD, "counts of streams" },
		{ HEAD "13{} 13{}", "counts of streams" },
		{ HEAD "13{} 11=1", "counts of streams and notifies" },
		{ HEAD "13{} 12[5]", "counts of streams and notifies" },
		{ HEAD "13{} 11=1 12=4294967296", "notify's type" },
		{ HEAD "13{} 5=3", "mode" },
		{ HEAD "13{} 6=2", "more logical streams" },
		{ HEAD "13{} 7=99", "more logical streams" },
		{ HEAD "13{} 8=4294967297", "more logical streams" },
		{ HEAD "13{} 10=1", "more events" },
		{ HEAD "13{} 19=0", "number of nodes" },
		{ HEAD "13{} 14{} 19=0", "inserted node" }, /* of a graph without nodes there is none behind which it could stand */
		{ HEAD "13=1", "wire type" },
		{ HEAD "13{9{1\"x\"}}", "wire type" },
		{ HEAD "#6a7f", "cut off" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char message[SD_MESSAGE_MAX];

		ck_assert_msg(decode(rows[i].text, 0, message) == SD_INVALID_ARGUMENT, "%s is taken", rows[i].text);
		ck_assert_msg(strstr(message, rows[i].says) != NULL, "%s: %s", rows[i].text, message);
	}
}
END_TEST

/* Each byte of a plan flipped in several ways: taken or refused, but always in bounds. */
START_TEST(damage_is_safe)
{
	static const unsigned char flips[] = { 0x01, 0x02, 0x80, 0xff };

	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct sd_arena own = { 0 }, job = { 0 };
		const struct sd_plan *made = random_plan(&own, seed);
		struct sd_identity identity = { .planner = "p" };
		struct sd_text bytes;
		char *copy;

		ck_assert_int_eq(sd_plan_encode(&own, made, &identity, &bytes), SD_OK);
		copy = malloc(bytes.len);
		for (uint32_t i = 0; i < bytes.len * 4; i++) {
			struct sd_plan plan;

			memcpy(copy, bytes.at, bytes.len);
			copy[i / 4] = (char)(copy[i / 4] ^ flips[i % 4]);
			sd_plan_decode(&job, (struct sd_text){ copy, bytes.len }, made->node_count - made->inserted_count, RANDOM_PLAN_GRAPHS, &plan, NULL, NULL);
			sd_arena_reset(&job, SIZE_MAX);
		}
		free(copy);
		sd_arena_finish(&job);
		sd_arena_finish(&own);
	}
}
END_TEST

START_TEST(every_allocation_may_fail)
{
	struct sd_arena job;
	struct sd_plan *made = random_plan(&mem, 3), plan;
	struct sd_identity identity = { .planner = "p" };
	struct sd_text bytes;
	uint64_t calls;

	ck_assert_int_eq(sd_plan_encode(&mem, made, &identity, &bytes), SD_OK);
	sd_arena_init(&job, 0);
	ck_assert_int_eq(sd_plan_decode(&job, bytes, made->node_count - made->inserted_count, RANDOM_PLAN_GRAPHS, &plan, NULL, NULL), SD_OK);
	calls = job.calls;
	for (uint64_t k = 1; k <= calls; k++) {
		struct sd_diag diag = { .code = SD_CODE_NONE };

		sd_arena_finish(&job);
		job.fail_at = k;
		ck_assert_int_eq(sd_plan_decode(&job, bytes, made->node_count - made->inserted_count, RANDOM_PLAN_GRAPHS, &plan, NULL, &diag), SD_RESOURCE_EXHAUSTED);
		ck_assert_int_eq(diag.code, SD_CODE_LIMIT_MEMORY);
	}
	sd_arena_finish(&job);
	ck_assert_int_eq(sd_plan_decode(&job, bytes, made->node_count - made->inserted_count, RANDOM_PLAN_GRAPHS, &plan, NULL, NULL), SD_OK);
	ck_assert_ptr_null(plan_difference(made, &plan));
	sd_arena_finish(&job);
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("plan_decode", the_least_plan_is_read, bad_heads_are_refused, damage_is_safe, every_allocation_may_fail)
