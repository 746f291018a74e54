/* canon_test - identity as a whole: names, the planner, memory. */
#include "lib/decoding.h"
#include "lib/identifying.h"
#include "run_tests.h"
#include "streamd/planner.h"

START_TEST(names_of_nodes_do_not_matter)
{
	static const char *const rows[] = {
		"1{1\"g\" 2{1\"a\" 2\"If\" 5\"s\"} 2{1\"b\" 2\"Op\" 4\"a\" 4\"^a\" 14\"c\"} 3{1\"s\" 2{1\"c\" 2\"Op\"}}} 2{10{1{1\"b\" 1\"c\"}}}",
		"1{1\"h\" 2{1\"z\" 2\"If\" 5\"t\"} 2{1\"a\" 2\"Op\" 4\"z:0\" 4\"z:-1\" 14\"m\"} 3{1\"t\" 2{1\"m\" 2\"Op\"}}} 2{10{1{1\"a\" 1\"m\"}}}",
		"1{3{2{2\"Op\" 1\"m\"} 1\"t\"} 2{5\"t\" 2\"If\" 1\"z\"} 2{14\"m\" 1\"a\" 4\"z:0\" 4\"z:-1\" 2\"Op\"}} 2{10{1{1\"a\" 1\"m\"}}}",
	};

	EXPECT_EQUAL(OF_GRAPH, rows, "", "");
	EXPECT_EQUAL(OF_PLAN, rows, "", "");
}
END_TEST

START_TEST(the_order_of_names_matters_where_a_rule_compares_them)
{
	static const char *const orders[] = {
		"1{2{1\"a\" 2\"Op\"} 2{1\"b\" 2\"Op\"} 2{1\"c\" 2\"Op\"}}",
		"1{2{1\"a\" 2\"Op\"} 2{1\"c\" 2\"Op\"} 2{1\"b\" 2\"Op\"}}",
		"1{2{1\"c\" 2\"Op\"} 2{1\"b\" 2\"Op\"} 2{1\"a\" 2\"Op\"}}",
	};
	static const char *const renamed[] = {
		"1{2{1\"a\" 2\"Op\"} 2{1\"c\" 2\"Op\"} 2{1\"b\" 2\"Op\"}}",
		"1{2{1\"x1\" 2\"Op\"} 2{1\"x3\" 2\"Op\"} 2{1\"x2\" 2\"Op\"}}",
	};

	EXPECT_EQUAL(OF_PLAN, orders, "", "");
	for (int sorting = SD_SORT_SUBMITTED; sorting <= SD_SORT_STABLE; sorting++) {
		struct sd_options options = { .topo_sorting = (enum sd_sorting)sorting };
		char tail[32];

		snprintf(tail, sizeof(tail), "2{12=%d}", sorting);
		EXPECT_EQUAL(OF_PLAN, renamed, "", tail);
		EXPECT_EQUAL(OF_GRAPH, orders, "", tail);
		if (sd_plan_compares_names(&options))
			EXPECT_DIFFERENT(OF_PLAN, orders, "", tail);
		else
			EXPECT_EQUAL(OF_PLAN, orders, "", tail);
	}
	EXPECT_DIFFERENT(OF_PLAN, orders, "", "2{12=1}");
	EXPECT_DIFFERENT(OF_PLAN, orders, "", "2{8=1 12=2}");
}
END_TEST

START_TEST(the_planner_is_named)
{
	struct sd_identity identity = identity_of("1{}");
	char version[SD_PLANNER_VERSION_MAX];

	sd_planner_version(NULL, version);
	ck_assert_str_eq(identity.planner, version);
	ck_assert_mem_ne(identity.graph_hash, identity.plan_key, SD_DIGEST_BYTES);
}
END_TEST

static const struct sd_stream_pass blind[] = { { .name = "p", .version = 1 }, { .name = NULL } };
static const struct sd_stream_pass newer[] = { { .name = "p", .version = 2 }, { .name = NULL } };
static const struct sd_stream_pass reads[] = { { .name = "p", .version = 1, .reads_names = true }, { .name = NULL } };

static struct sd_identity identity_with(const char *bytes, const struct sd_stream_pass *passes)
{
	struct decoding *d = decode(bytes);
	struct sd_identity identity;

	d->request.passes = passes;
	ck_assert_int_eq(sd_identify(&d->mem, &d->request, &identity), SD_OK);
	decoding_end(d);
	return identity;
}

/* Of the graph they are no part; of the plan's key their names and versions are, and the names of nodes
 * where a pass reads these. */
START_TEST(custom_passes_are_of_the_plan)
{
	static const char one[] = "1{1\"g\" 2{1\"a\" 2\"Op\"}}", renamed[] = "1{1\"g\" 2{1\"b\" 2\"Op\"}}", graph[] = "1{1\"h\" 2{1\"a\" 2\"Op\"}}";
	struct sd_identity none = identity_with(one, NULL), some = identity_with(one, blind), other, named = identity_with(one, reads);

	ck_assert_mem_eq(none.graph_hash, some.graph_hash, SD_DIGEST_BYTES);
	ck_assert_mem_ne(none.plan_key, some.plan_key, SD_DIGEST_BYTES);
	ck_assert_str_ne(none.planner, some.planner);
	other = identity_with(one, newer);
	ck_assert_mem_ne(other.plan_key, some.plan_key, SD_DIGEST_BYTES);
	other = identity_with(renamed, blind);
	ck_assert_mem_eq(other.plan_key, some.plan_key, SD_DIGEST_BYTES);
	other = identity_with(renamed, reads);
	ck_assert_mem_ne(other.plan_key, named.plan_key, SD_DIGEST_BYTES);
	other = identity_with(graph, reads);
	ck_assert_mem_ne(other.plan_key, named.plan_key, SD_DIGEST_BYTES);
}
END_TEST

START_TEST(options_and_device_are_not_of_the_graph)
{
	static const char *const rows[] = { "1{}", "1{} 2{2=1}", "1{} 3{1\"nano\"}" };

	EXPECT_EQUAL(OF_GRAPH, rows, "", "");
	EXPECT_DIFFERENT(OF_PLAN, rows, "", "");
}
END_TEST

START_TEST(scratch_is_given_back_and_may_fail)
{
	struct decoding *d = decode("1{2{1\"a\" 2\"Op\" 6{1\"_event_multiplexing\" 2{5{1\"SendTo;b;1\"}}}} 2{1\"b\" 2\"Op\"}} 2{12=1}");
	struct sd_identity identity, again;
	size_t used = d->mem.used_bytes;
	uint64_t calls = d->mem.calls;

	ck_assert_int_eq(sd_identify(&d->mem, &d->request, &identity), SD_OK);
	ck_assert_uint_eq(d->mem.used_bytes, used);
	ck_assert_uint_ge(d->mem.calls - calls, 2);
	calls = d->mem.calls - calls;
	for (uint64_t k = 1; k <= calls; k++) {
		d->mem.fail_at = d->mem.calls + k;
		ck_assert_int_eq(sd_identify(&d->mem, &d->request, &again), SD_RESOURCE_EXHAUSTED);
	}
	d->mem.fail_at = 0;
	ck_assert_int_eq(sd_identify(&d->mem, &d->request, &again), SD_OK);
	ck_assert_mem_eq(&identity, &again, sizeof(identity));
	decoding_end(d);
}
END_TEST

RUN_TESTS("canon", names_of_nodes_do_not_matter, the_order_of_names_matters_where_a_rule_compares_them, the_planner_is_named,
          custom_passes_are_of_the_plan,
          options_and_device_are_not_of_the_graph, scratch_is_given_back_and_may_fail)
