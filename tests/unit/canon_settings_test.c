/* canon_settings_test - options and device: every stated value counts, defaults are like nothing. */
#include "lib/identifying.h"
#include "run_tests.h"

#define GRAPH "1{2{1\"a\" 2\"Op\"} 2{1\"b\" 2\"Op\"}} "

START_TEST(every_option_counts)
{
	static const char *const rows[] = {
		"", "1=1", "2=1", "3=1", "4=1", "5\"cv\"", "5\"auto\"", "6=1", "7\"1\"", "7\"0\"", "8=1", "12=1", "12=2", "12=3", "12=4", "13=1", "13=2",
		"14=1", "15=1", "16=1", "17=1", "17=2", "18=1", "19=1",
		"9{1\"e\" 2=1}", "9{1\"e\" 2=2}", "9{1\"f\" 2=1}", "9{1\"e\" 2=1} 9{1\"f\" 2=1}",
		"10{}", "10{1{}}", "10{1{1\"a\"}}", "10{1{1\"b\"}}", "10{1{1\"a\" 1\"b\"}}", "10{1{1\"b\" 1\"a\"}}", "10{1{1\"a\"} 1{1\"b\"}}", "10{1{} 1{1\"a\" 1\"b\"}}",
	};

	EXPECT_DIFFERENT(OF_PLAN, rows, GRAPH "2{", "}");
}
END_TEST

START_TEST(defaults_are_like_nothing)
{
	static const char *const rows[] = { "", "2{}", "2{1=0 2=0 4=0 5\"\" 12=0 17=0}", "3{}", "3{1\"default\"}", "2{} 3{3{} 4{}}", "3{1\"\"}" };
	static const char *const engines[] = { "2{9{1\"e\" 2=1} 9{1\"f\" 2=2}} 3{2{1\"x\" 2=1} 2{1\"y\"}}", "3{2{1\"y\"} 2{2=1 1\"x\"}} 2{9{1\"f\" 2=2} 9{1\"e\" 2=1}}" };

	EXPECT_EQUAL(OF_PLAN, rows, GRAPH, "");
	EXPECT_EQUAL(OF_PLAN, engines, GRAPH, "");
}
END_TEST

START_TEST(every_figure_of_the_device_counts)
{
	static const char *const rows[] = {
		"", "1\"nano\"", "2{1\"e\"}", "2{1\"f\"}", "2{1\"e\"} 2{1\"f\"}", "2{1\"e\" 2=0}", "2{1\"e\" 2=1}", "2{1\"e\" 3=0}", "2{1\"e\" 3=1}", "2{1\"e\" 4=0}",
		"2{1\"e\" 4=1}", "2{1\"e\" 5\"\"}", "2{1\"e\" 5\"TS\"}", "2{1\"e\" 6=0}", "2{1\"e\" 6=1}",
		"3{1=0}", "3{1=1}", "3{2=0}", "3{2=1}", "3{3=0}", "3{3=1}", "3{4=0}", "3{4=1}", "3{5=0}", "3{5=1}", "3{6=0}", "3{6=1}", "3{7=0}", "3{7=1}",
		"4{1=0}", "4{2=0}", "4{3=0}", "4{4=0}", "4{5=0}", "4{6=0}", "4{7=0}", "4{8=0}", "4{9=0}", "4{10=0}", "4{11=0}", "4{12=0}", "4{13=0}", "4{13=1}",
	};

	EXPECT_DIFFERENT(OF_PLAN, rows, GRAPH "3{", "}");
}
END_TEST

RUN_TESTS("canon_settings", every_option_counts, defaults_are_like_nothing, every_figure_of_the_device_counts)
