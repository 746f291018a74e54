/* engines_types_test - operator types to shipped engines. */
#include "run_tests.h"

#include "engines_types.h"

static const struct {
	const char *type, *engine;
} rows[] = {
	{ "AippData", "DNN_VM_GE_LOCAL" }, /* first and last of the table, and names around them */
	{ "_While", "DNN_VM_GE_LOCAL" },
	{ "AippDat", "" },
	{ "_Whilf", "" },
	{ "Const", "DNN_VM_GE_LOCAL" },
	{ "ConstPlaceHolder", "DNN_VM_GE_LOCAL" },
	{ "Reshape", "DNN_VM_GE_LOCAL" },
	{ "Shape", "DNN_VM_GE_LOCAL" },
	{ "_Retval", "DNN_VM_GE_LOCAL" },
	{ "If", "DNN_VM_GE_LOCAL" },
	{ "Identity", "DNN_VM_RTS" },
	{ "IdentityN", "DNN_VM_GE_LOCAL" },
	{ "ReadVariableOp", "DNN_VM_RTS" },
	{ "NetOutput", "DNN_VM_RTS" },
	{ "Cmo", "DNN_VM_RTS" },
	{ "StreamSwitchN", "DNN_VM_RTS" },
	{ "NPUGetFloatStatusV2", "DNN_VM_RTS" },
	{ "HcomAllReduce", "DNN_HCCL" },
	{ "HcomOfTheFuture", "DNN_HCCL" },
	{ "HorovodWait", "DNN_HCCL" },
	{ "DSARandomUniform", "DSAEngine" },
	{ "DSA", "DSAEngine" },
	{ "hcomAllReduce", "" },
	{ "MatMulV2", "" },
	{ "", "" },
};

START_TEST(type_gives_engine)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sd_text type = { rows[i].type, (uint32_t)strlen(rows[i].type) };

		ck_assert_msg(sd_text_is(sd__engine_of_type(type), rows[i].engine), "%s", rows[i].type);
	}
}
END_TEST

RUN_TESTS("engines_types", type_gives_engine)
