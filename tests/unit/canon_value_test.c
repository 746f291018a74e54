/* canon_value_test - values by kind and content; node names inside them as indices. */
#include "lib/identifying.h"
#include "run_tests.h"

START_TEST(kind_and_content_count)
{
	static const char *const rows[] = {
		"2{1\"\"}", "2{1\"1\"}", "2{1\"x\"}", "2{2=0}", "2{2=1}", "2{2=-1}", "2{3~0}", "2{3~1}", "2{3~-1}", "2{4=0}", "2{4=1}",
		"2{5{}}", "2{5{1\"\"}}", "2{5{1\"x\"}}", "2{5{1\"x\" 1\"\"}}", "2{5{1\"\" 1\"x\"}}", "2{5{2=0}}", "2{5{2=1}}", "2{5{2[1 2]}}", "2{5{2[2 1]}}",
		"2{5{3~1}}", "2{5{3[~1 2]}}", "2{5{4=1}}", "2{5{4[1 0]}}",
		"2{6{}}", "2{6{1{}}}", "2{6{1{} 1{}}}", "2{6{1{1=1}}}", "2{6{1{1[1 2]}}}", "2{6{1{1=1} 1{1=2}}}",
		"3{}", "3{1{1\"k\" 2{2=1}}}", "3{1{1\"k\" 2{2=2}}}", "3{1{1\"l\" 2{2=1}}}", "3{1{1\"k\" 2{2=1}} 1{1\"l\" 2{2=1}}}",
		"4{}", "4{1{} 1{}}", "4{1{1{1\"k\" 2{2=1}}} 1{}}", "4{1{} 1{1{1\"k\" 2{2=1}}}}",
	};

	EXPECT_DIFFERENT(OF_GRAPH, rows, "1{2{1\"n\" 2\"Op\" 6{1\"a\" ", "}}}");
}
END_TEST

START_TEST(packed_or_not_and_order_of_fields_do_not_count)
{
	static const char *const lists[] = { "2{5{2[1 2]}}", "2{5{2=1 2=2}}", "2{5{2[1] 2[] 2=2}}" };
	static const char *const maps[] = { "3{1{1\"k\" 2{2=1}} 1{1\"l\" 2{2=2}}}", "3{1{2{2=2} 1\"l\"} 1{1\"k\" 2{2=1}}}" };

	EXPECT_EQUAL(OF_GRAPH, lists, "1{2{1\"n\" 2\"Op\" 6{1\"a\" ", "}}}");
	EXPECT_EQUAL(OF_GRAPH, maps, "1{2{1\"n\" 2\"Op\" 6{1\"a\" ", "}}}");
}
END_TEST

START_TEST(multiplexing_names_nodes_by_number)
{
	static const char *const equal[] = {
		"1{2{1\"p\" 2\"Op\" 6{1\"_event_multiplexing\" 2{5{1\"SendTo;q;3\"}}}} 2{1\"q\" 2\"Op\"}}",
		"1{2{1\"x\" 2\"Op\" 6{1\"_event_multiplexing\" 2{5{1\"SendTo;y;z;3\"}}}} 2{1\"y;z\" 2\"Op\"}}",
	};
	static const char *const different[] = {
		"SendTo;p;3", "SendTo;q;3", "SendTo;q;4", "RecvFrom;q;3", "SendTo;unknown;3", "SendTo;other;3", "SendTo;q", "q", "", ";;", ";q;", "SendTo;;3",
	};
	static const char *const renamed[] = { "1{2{1\"p\" 2\"Op\" 6{1\"k\" 2{5{1\"SendTo;q;3\"}}}} 2{1\"q\" 2\"Op\"}}",
	                                       "1{2{1\"x\" 2\"Op\" 6{1\"k\" 2{5{1\"SendTo;y;3\"}}}} 2{1\"y\" 2\"Op\"}}" };

	EXPECT_EQUAL(OF_GRAPH, equal, "", "");
	EXPECT_DIFFERENT(OF_GRAPH, different, "1{2{1\"p\" 2\"Op\" 6{1\"_event_multiplexing\" 2{5{1\"", "\"}}}} 2{1\"q\" 2\"Op\"}}");
	/* In an attribute that we do not know the text is a text. */
	EXPECT_DIFFERENT(OF_GRAPH, renamed, "", "");
}
END_TEST

RUN_TESTS("canon_value", kind_and_content_count, packed_or_not_and_order_of_fields_do_not_count, multiplexing_names_nodes_by_number)
