/* schema_test - what server reflection finds in the schema. */
#include <string.h>

#include "run_tests.h"
#include "schema.h"

static struct sd_text text(const char *at)
{
	return (struct sd_text){ at, (uint32_t)strlen(at) };
}

START_TEST(services_are_listed_once_each)
{
	static const char *const expected[] = { "streamd.v1.Planner", "streamd.v1.Pool", "grpc.health.v1.Health",
	                                        "grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection" };
	char name[72];

	for (uint32_t i = 0; i < 5; i++) {
		ck_assert(sd_schema_service(i, name, sizeof(name)));
		ck_assert_str_eq(name, expected[i]);
	}
	ck_assert(!sd_schema_service(5, name, sizeof(name)));
}
END_TEST

START_TEST(symbols_are_found_in_their_file)
{
	static const char *const of_schema[] = {
		"streamd.v1.Planner", "streamd.v1.Planner.Plan", "streamd.v1.Pool.Watch", "streamd.v1.Graph", "streamd.v1.Graph.nodes",
	};
	static const char *const of_health[] = {
		"grpc.health.v1.Health", "grpc.health.v1.HealthCheckResponse.ServingStatus", "grpc.health.v1.HealthCheckResponse.ServingStatus.SERVING",
	};

	for (size_t i = 0; i < sizeof(of_schema) / sizeof(of_schema[0]); i++)
		ck_assert_ptr_eq(sd_schema_file_of(text(of_schema[i])).at, sd_schema_file(text("streamd.proto")).at);
	for (size_t i = 0; i < sizeof(of_health) / sizeof(of_health[0]); i++)
		ck_assert_ptr_eq(sd_schema_file_of(text(of_health[i])).at, sd_schema_file(text("grpc/health/v1/health.proto")).at);
	ck_assert_uint_ne(sd_schema_file_of(text("grpc.reflection.v1alpha.ServerReflection")).len, 0);
}
END_TEST

START_TEST(what_is_not_there_is_not_found)
{
	static const char *const none[] = {
		"", ".", "streamd", "streamd.v1", "streamd.v1.", "streamd.v1.Grap", "streamd.v1.Graphs", "streamd.v1.Graph.", "streamd.v1.Graph.nodes.x",
		"streamd.v2.Graph", "streamd.v1.Planner.Watch", "streamd.v1..Graph", ".streamd.v1.Graph",
	};

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		ck_assert_msg(sd_schema_file_of(text(none[i])).len == 0, "%s", none[i]);
	ck_assert_uint_eq(sd_schema_file(text("streamd")).len, 0);
	ck_assert_uint_eq(sd_schema_file(text("")).len, 0);
}
END_TEST

RUN_TESTS("schema", services_are_listed_once_each, symbols_are_found_in_their_file, what_is_not_there_is_not_found)
