/* core_type_test - the kind of core that an operator says it runs on. */
#include "run_tests.h"

#include "core_type.h"
#include "graph_builder.h"

START_TEST(by_attribute)
{
	static const struct {
		const char *attrs;
		enum sd_core core;
	} rows[] = {
		{ "", SD_CORE_NONE },
		{ "_cube_vector_core_type=AIV", SD_CORE_VECTOR },
		{ "_cube_vector_core_type=MIX_AIV", SD_CORE_VECTOR },
		{ "_cube_vector_core_type=MIX _mix_is_aiv=true", SD_CORE_VECTOR },
		{ "_cube_vector_core_type=MIX _mix_is_aiv=false", SD_CORE_CUBE },
		{ "_cube_vector_core_type=MIX", SD_CORE_CUBE },
		{ "_cube_vector_core_type=AIC", SD_CORE_CUBE },
		{ "_cube_vector_core_type=AI_CORE", SD_CORE_CUBE },
		{ "_cube_vector_core_type=", SD_CORE_CUBE },
		{ "_cube_vector_core_type=1", SD_CORE_NONE },
		{ "_mix_is_aiv=true", SD_CORE_NONE },
	};
	struct sd_arena mem;

	sd_arena_init(&mem, 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[128];

		snprintf(text, sizeof(text), "a Relu %s", rows[i].attrs);
		ck_assert_msg(sd_core_of(&request_of(&mem, text)->graph, 0) == rows[i].core, "%s", rows[i].attrs);
	}
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("core_type", by_attribute)
