/* verify_switches_test - a StreamSwitchN starts one stream for each of its labels, in their order. */
#include "body_world.h"
#include "run_tests.h"

#define SWITCH "s StreamSwitchN _active_label_list=[M,L]; b Relu ^s _stream_label=L; c Relu ^s _stream_label=M"

START_TEST(each_label_has_its_place)
{
	BODY_KEEPS(SWITCH, "", "s @2,1 | ~ b | ~ c");
	BODY_BREAKS(SWITCH, "", "s @1,2 | ~ b | ~ c", COMMAND);
	BODY_BREAKS(SWITCH, "", "s @1 | ~ b | c", COMMAND);
	BODY_BREAKS(SWITCH, "", "s @2,1,3 | ~ b | ~ c | ~", COMMAND);
	BODY_BREAKS(SWITCH, "", "s | b | c", COMMAND);
}
END_TEST

START_TEST(two_labels_of_one_stream_need_a_stream_for_one)
{
	static const char graph[] = "s StreamSwitchN _active_label_list=[L,L]; b Relu ^s _stream_label=L";

	BODY_BREAKS(graph, "", "s @1,1 | ~ b", COMMAND);
}
END_TEST

START_TEST(a_label_of_two_streams_needs_one_that_starts_them)
{
	static const char graph[] = "s StreamSwitchN _active_label_list=[L]; b Relu ^s _stream_label=L; c Relu ^s _stream_label=L";

	BODY_BREAKS(graph, "", "s @1,2 | ~ b | ~ c", COMMAND);
	BODY_BREAKS(graph, "", "s @1 | ~ b | c", COMMAND);
	BODY_KEEPS(graph, "", "s @1 | ~ b c");
}
END_TEST

START_TEST(it_leaves_its_stream)
{
	BODY_BREAKS("s StreamSwitchN _active_label_list=[L]; b Relu ^s _stream_label=L; c Relu", "", "s @1 c | ~ b", COMMAND);
	BODY_BREAKS("s StreamSwitchN _active_label_list=[L]; b Relu ^s _stream_label=L; c Relu ^s", "s>c", "s @1 +0 | ~ b | -0 c", COMMAND);
}
END_TEST

RUN_TESTS("verify_switches", each_label_has_its_place, two_labels_of_one_stream_need_a_stream_for_one,
	a_label_of_two_streams_needs_one_that_starts_them, it_leaves_its_stream)
