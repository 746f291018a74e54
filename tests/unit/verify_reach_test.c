/* verify_reach_test - bodies lowered to labels: a device skips no command. */
#include "body_world.h"
#include "run_tests.h"

#define LOWERED \
	"p Relu; if If p {t {e; q Relu if\n" \
	"[t]\nsw LabelSwitchByIndex; tl LabelSet ^sw _label_switch_index=0; ta StreamActive ^tl subgraph_first_active=true; tx Relu ^ta; go LabelGotoEx ^tx _label_switch_index=2\n" \
	"[e]\nel LabelSet _label_switch_index=1; ea StreamActive ^el subgraph_first_active=true; ex Relu ^ea; end LabelSet ^ex _label_switch_index=2 _subgraph_end_node=true"

START_TEST(streams_of_a_body_are_started_when_it_is_chosen)
{
	BODY_KEEPS(LOWERED, "", "p sw tl ta tx go el ea ex end q");
	BODY_KEEPS(LOWERED, "tx>go", "p sw tl ta @1 -0 go el ea ex end q | ~ tx +0");
	BODY_BREAKS(LOWERED, "tx>go", "p sw tl ta @1 -0 go el ea ex end q | tx +0", COMMAND);
	BODY_BREAKS(LOWERED, "tx>go", "p sw tl ta -0 go el ea @1 ex end q | ~ tx +0", DEADLOCK);
	/* With the model it would run although nobody chose it. */
	BODY_BREAKS(LOWERED, "tx>go", "p sw tl ta -0 go el ea ex end q | tx +0", DEADLOCK);
	BODY_BREAKS(LOWERED, "", "p sw tl ta @1 go el ea end q | ~ tx ex", DEADLOCK);
}
END_TEST

START_TEST(nothing_stands_where_execution_does_not_come)
{
	/* Behind a jump, and in front of a label that is only jumped to. */
	BODY_BREAKS(LOWERED, "", "p sw tl ta go tx el ea ex end q", DEADLOCK);
	BODY_BREAKS(LOWERED, "sw>q", "p sw +0/ tl ta tx go el ea ex end | -0 q", DEADLOCK);
	BODY_BREAKS(LOWERED, "p>el", "p +0 | sw tl ta tx go -0 el ea ex end q", COMMAND);
	/* The bodies in another order: the label behind them is not fallen into from the last. */
	BODY_BREAKS(LOWERED, "", "p sw el ea ex tl ta tx go end q", DEADLOCK);
}
END_TEST

START_TEST(the_label_behind_bodies_tells_for_their_parent)
{
	BODY_KEEPS(LOWERED, "end>q", "p sw tl ta tx go el ea ex end +0/ | -0 q");
	BODY_BREAKS(LOWERED, "end>q", "p sw tl ta tx go el ea ex end +0/e | -0 q", COMMAND);
	BODY_BREAKS(LOWERED, "ex>q", "p sw tl ta tx go el ea ex +0 end | -0 q", PAIRING);
	BODY_BREAKS(LOWERED, "", "p sw tl ta tx go el ea ex end | q", UNORDERED);
}
END_TEST

/* In front of the label of a condition one waits on the way in; its body is left by the switch or by the jump back. */
#define LOOP \
	"p Relu; w While p {c {b; q Relu w\n" \
	"[c]\ncl LabelSet _label_switch_index=0; ca StreamActive ^cl subgraph_first_active=true; cx Relu ^ca; sw LabelSwitchByIndex ^cx\n" \
	"[b]\nbl LabelSet _label_switch_index=1; ba StreamActive ^bl subgraph_first_active=true; bx Relu ^ba; go LabelGotoEx ^bx _label_switch_index=0; " \
	"end LabelSet ^go _label_switch_index=2 _subgraph_end_node=true"

START_TEST(loops_are_entered_and_left_by_labels)
{
	BODY_KEEPS(LOOP, "", "p cl ca cx sw bl ba bx go end q");
	BODY_KEEPS(LOOP, "p>cl bx>go", "p +0 | -0/ cl ca cx sw bl ba @2 -1 go end q | ~ bx +1");
	BODY_BREAKS(LOOP, "p>cl", "p +0 | -0/c cl ca cx sw bl ba bx go end q", COMMAND);
	BODY_BREAKS(LOOP, "", "p cl ca sw cx bl ba bx go end q", DEADLOCK);
	BODY_BREAKS(LOOP, "cx>bx", "p cl ca cx +0 sw bl ba @1 go end q | ~ -0 bx", PAIRING);
}
END_TEST

RUN_TESTS("verify_reach", streams_of_a_body_are_started_when_it_is_chosen, nothing_stands_where_execution_does_not_come,
	the_label_behind_bodies_tells_for_their_parent, loops_are_entered_and_left_by_labels)
