/* optype_test - operator types by name. */
#include "run_tests.h"

#include "optype.h"

START_TEST(listed_types_are_found_by_their_exact_name)
{
	ck_assert_int_eq(sd_op_find(SD_TEXT("Data")), SD_OP_DATA);
	ck_assert_int_eq(sd_op_find(SD_TEXT("_If")), SD_OP__IF);
	ck_assert_int_eq(sd_op_find(SD_TEXT("HorovodAllreduce")), SD_OP_HOROVOD_ALLREDUCE);
	ck_assert_int_eq(sd_op_find(SD_TEXT("data")), SD_OP_OTHER);
	ck_assert_int_eq(sd_op_find(SD_TEXT("Data2")), SD_OP_OTHER);
	ck_assert_int_eq(sd_op_find(SD_TEXT("Dat")), SD_OP_OTHER);
	ck_assert_int_eq(sd_op_find(SD_TEXT("")), SD_OP_OTHER);
}
END_TEST

START_TEST(every_listed_type_is_found_as_itself)
{
#define SD_X(name, text) ck_assert_int_eq(sd_op_find(SD_TEXT(text)), SD_OP_##name);
	SD_OP_LIST(SD_X)
#undef SD_X
}
END_TEST

START_TEST(control_flow_is_functional)
{
	static const char *const yes[] = { "If", "_If", "StatelessIf", "Case", "StatelessCase", "While", "_While",
		"StatelessWhile", "For", "PartitionedCall", "StatefulPartitionedCall", "MyPartitionedCallV2" };
	static const char *const no[] = { "", "IfElse", "Relu", "PartitionedCal", "partitionedcall", "Cases" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		ck_assert_msg(sd_op_is_functional((struct sd_text){ yes[i], (uint32_t)strlen(yes[i]) }), "%s", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		ck_assert_msg(!sd_op_is_functional((struct sd_text){ no[i], (uint32_t)strlen(no[i]) }), "%s", no[i]);
}
END_TEST

START_TEST(copies_are_known_by_a_part_of_their_name)
{
	ck_assert(sd_op_copies(SD_TEXT("MemcpyAsync")) && sd_op_copies(SD_TEXT("Memcpy")) && sd_op_copies(SD_TEXT("MyMemcpyToHost")));
	ck_assert(!sd_op_copies(SD_TEXT("")) && !sd_op_copies(SD_TEXT("Memcp")) && !sd_op_copies(SD_TEXT("memcpy")) && !sd_op_copies(SD_TEXT("Copy")));
}
END_TEST

RUN_TESTS("optype", listed_types_are_found_by_their_exact_name, every_listed_type_is_found_as_itself,
          control_flow_is_functional, copies_are_known_by_a_part_of_their_name)
