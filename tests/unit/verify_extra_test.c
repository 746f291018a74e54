/* verify_extra_test - what attached streams wait for, and what waits for them. */
#include "run_tests.h"
#include "world.h"

/* a feeds b, which uses an attached stream; z is the NetOutput. */
static struct world *beside(const char *streams, const char *pieces, int64_t input)
{
	struct world *w = world_make("abz", "ab bz", streams, pieces);

	world_attaches(w, 'b', input);
	return w;
}

START_TEST(net_output_waits_for_attached_streams)
{
	WORLD_KEEPS(beside("ab?0z|*b!0", "01", -1));
	WORLD_BREAKS(beside("abz|*b", "01", -1), UNORDERED);
}
END_TEST

START_TEST(without_net_output_nothing_waits)
{
	struct world *w = world_make("ab", "ab", "ab|*b", "01");

	world_attaches(w, 'b', -1);
	WORLD_KEEPS(w);
}
END_TEST

START_TEST(net_output_waits_for_the_last_use)
{
	struct world *w;

	for (int i = 0; i < 3; i++) {
		static const char *const streams[] = { "ab?0z|*a*b!0", "ab?0z|*a!0*b", "ab?0?1z|*a!0*b!1" };

		w = world_make("abz", "ab bz", streams[i], "01");
		world_attaches(w, 'a', -1);
		world_attaches(w, 'b', -1);
		if (i == 0)
			WORLD_KEEPS(w);
		else if (i == 1)
			WORLD_BREAKS(w, UNORDERED);
		else
			WORLD_BREAKS(w, REDUNDANT);
	}
}
END_TEST

START_TEST(an_input_that_is_declared_comes_first)
{
	WORLD_KEEPS(beside("a!0b?1z|?0*b!1", "01", 0));
	WORLD_BREAKS(beside("ab?0z|*b!0", "01", 0), UNORDERED);
	WORLD_BREAKS(beside("a!0b?1z|?0*b!1", "01", -1), UNNEEDED);
	/* There is no such input. */
	WORLD_BREAKS(beside("a!0b?1z|?0*b!1", "01", 1), UNNEEDED);
}
END_TEST

START_TEST(data_is_always_there)
{
	struct world *w = beside("ab?0z|*b!0", "01", 0);

	w->op_type[0] = 7;
	WORLD_KEEPS(w);
	w = beside("a!0b?1z|?0*b!1", "01", 0);
	w->op_type[0] = 7;
	WORLD_BREAKS(w, UNNEEDED);
}
END_TEST

START_TEST(attached_streams_wait_for_attached_streams)
{
	for (int i = 0; i < 3; i++) {
		static const char *const streams[] = { "ab?1z|*a!0|?0*b!1", "ab?0?1z|*a!0|*b!1", "a!0b?1?2z|*a!1|?0*b!2" };
		struct world *w = world_make("abz", "ab bz", streams[i], "012");

		world_attaches(w, 'a', -1);
		world_attaches(w, 'b', 0);
		if (i == 0)
			WORLD_KEEPS(w);
		else
			WORLD_BREAKS(w, UNORDERED);
	}
}
END_TEST

START_TEST(a_main_launch_waits_for_an_attached_stream)
{
	for (int i = 0; i < 2; i++) {
		struct world *w = world_make("abz", "ab bz", i ? "ab?0z|*a!0" : "a?0bz|*a!0", "01");

		world_attaches(w, 'a', -1);
		world_attaches(w, 'b', 0);
		w->attr[w->attrs[1].first].value.maps = &(struct sd_map){ 1, w->attr[w->attrs[1].first].value.maps->entry + 1 }; /* not required */
		if (i == 0)
			WORLD_KEEPS(w);
		else
			WORLD_BREAKS(w, UNORDERED);
	}
}
END_TEST

START_TEST(nodes_with_several_attached_streams_order_theirs)
{
	struct world *w = world_make("abz", "ab bz", "ab?0?1z|*b!0|*b!1", "012");
	struct sd_map *two = SD_NEW0(&w->mem, struct sd_map, 2);

	world_attaches(w, 'b', 0);
	two[0] = two[1] = *w->attr[w->attrs[1].first].value.maps;
	w->attr[w->attrs[1].first].value.maps = two;
	w->attr[w->attrs[1].first].value.count = 2;
	WORLD_KEEPS(w);
}
END_TEST

START_TEST(entries_may_share_a_stream)
{
	for (int i = 0; i < 2; i++) {
		struct world *w = world_make("abz", "ab bz", i ? "ab?0z|*b*b!0" : "ab?0z|*b!0", "01");
		struct sd_map *two = SD_NEW0(&w->mem, struct sd_map, 2);

		world_attaches(w, 'b', -1);
		two[0] = two[1] = *w->attr[w->attrs[1].first].value.maps;
		w->attr[w->attrs[1].first].value.maps = two;
		w->attr[w->attrs[1].first].value.count = 2;
		w->attached_logical[1] = w->attached_stream[1] = 1;
		w->node[1].attached_count = w->plan.attached_count = 2;
		w->node[2].attached_first = 2;
		if (i == 0)
			WORLD_KEEPS(w);
		else
			WORLD_BREAKS(w, PLACEMENT); /* launched twice */
	}
}
END_TEST

START_TEST(older_attributes_declare_inputs_as_text)
{
	for (int i = 0; i < 5; i++) {
		static const char *const inputs[] = { "1,0", " 0 ", "", ",,1", "12" };
		bool first = i < 2; /* input 0 is named */
		struct world *w = world_make("acbz", "ab cb bz", first ? "ac!0b?1z|?0*b!1" : "acb?0z|*b!0", "01");

		world_say(w, 'b', SD_ATTR_GROUP, "g");
		world_asks(w, 'b', SD_ATTR_ATTACHED_STREAM_INFO, false,
		           (struct sd_attr[4]){ WORLD_TEXT("_attached_stream_key", "k"),
		                                { .name = SD_TEXT("_attached_stream_depend_value_list"),
		                                  .value = { .kind = SD_VALUE_STRING, .string = { inputs[i], (uint32_t)strlen(inputs[i]) } } } });
		if (i == 0 || i == 2 || i == 4)
			WORLD_KEEPS(w);
		else if (i == 1)
			WORLD_BREAKS(w, UNNEEDED); /* c is behind what is asked for */
		else
			WORLD_BREAKS(w, UNORDERED);
	}
}
END_TEST

/* u and w write the variable that r, which has an attached stream, reads. */
static struct world *written(const char *nodes, const char *streams)
{
	struct world *w = world_make(nodes, "Vu Vw Vr", streams, "012");

	world_attr(w, 'u', SD_ATTR_REFERENCE, 1);
	world_attr(w, 'w', SD_ATTR_REFERENCE, 1);
	w->attr[0].value.kind = w->attr[1].value.kind = SD_VALUE_BOOL;
	w->attr[0].value.boolean = w->attr[1].value.boolean = true;
	world_attaches(w, 'r', 0);
	return w;
}

START_TEST(a_variable_stands_for_its_last_writer_in_front)
{
	WORLD_KEEPS(written("Vuwr", "ur|w!0|?0*r"));
	WORLD_BREAKS(written("Vuwr", "u!0r|w|?0*r"), UNORDERED);
	WORLD_BREAKS(written("Vuwr", "u!0r|w!1|?0?1*r"), UNNEEDED);
	WORLD_KEEPS(written("Vurw", "u!0r|w|?0*r"));
	WORLD_BREAKS(written("Vurw", "ur|w!0|?0*r"), UNORDERED);
	/* Nobody writes it in front. */
	WORLD_KEEPS(written("Vruw", "ru|w|*r"));
	WORLD_BREAKS(written("Vruw", "ru|w!0|?0*r"), UNNEEDED);
}
END_TEST

START_TEST(any_writer_will_do_where_nodes_are_sorted_anew)
{
	static const char *const streams[] = { "ur|w!0|?0*r", "u!0r|w|?0*r", "ur|w|*r" };

	for (int i = 0; i < 3; i++) {
		struct world *w = written("Vuwr", streams[i]);

		w->request.options.topo_sorting = SD_SORT_BFS;
		WORLD_KEEPS(w);
	}
}
END_TEST

START_TEST(attached_streams_keep_one_order_in_pieces)
{
	for (int i = 0; i < 2; i++) {
		struct world *w = world_make("abz", "ab bz", i ? "ab?0?1z|*a!0|*b!1" : "ab?1z|*a!0|?0*b!1", "011");

		world_attaches(w, 'a', -1);
		world_attaches(w, 'b', -1);
		w->sync[0].cause = i ? SD_CAUSE_COVER : SD_CAUSE_SPLIT;
		if (i == 0)
			WORLD_KEEPS(w);
		else
			WORLD_BREAKS(w, LANE);
	}
}
END_TEST

START_TEST(edges_do_not_lead_to_attached_streams)
{
	struct world *w = beside("a!0b?1z|?0*b!1", "01", 0);

	w->sync[0].cause = SD_CAUSE_DATA;
	WORLD_BREAKS(w, PAIRING);
	w = beside("ab?0z|*b!0", "01", -1);
	w->sync[0].cause = SD_CAUSE_CONTROL;
	WORLD_BREAKS(w, PAIRING);
	w = beside("ab?0z|*b!0", "01", -1);
	w->op_type[2] = 1;
	WORLD_BREAKS(w, PAIRING);
	w = world_make("ab", "ab", "a!0|?0b", "01");
	w->sync[0].cause = SD_CAUSE_ATTACHED;
	WORLD_BREAKS(w, PAIRING);
}
END_TEST

START_TEST(only_edges_have_notifies)
{
	struct world *w = world_make("abz", "ab", "a!~0?0z|?~0b|*b!0", "012");
	struct sd_sync event = w->sync[0];

	/* In the order of execution. */
	w->sync[0] = w->sync[1];
	w->sync[1] = event;
	world_attaches(w, 'b', -1);
	WORLD_KEEPS(w);
	w = world_make("abz", "ab", "a!~0?~1z|?~0b|*b!~1", "012");
	world_attaches(w, 'b', -1);
	WORLD_BREAKS(w, PAIRING);
	w = world_make("ab", "ab", "a!0|?0b", "01");
	w->request.options.event = SD_NOTIFY;
	WORLD_BREAKS(w, PAIRING);
	w = world_make("ab", "ab", "a!~0|?~0b", "01");
	w->request.options.event = SD_EVENT;
	WORLD_BREAKS(w, PAIRING);
}
END_TEST

START_TEST(tasks_of_attached_launches_are_counted)
{
	for (int i = 0; i < 5; i++) {
		struct world *w = beside("ab?0z|*b!0", "01", -1);
		static const int64_t tasks[] = { 1, 7, 9, 1, 5 };

		if (i == 1)
			w->attached_task_count[1] = 7;
		if (i == 2)
			world_attr(w, 'b', SD_ATTR_NODE_SQE_NUM, 9);
		if (i >= 3)
			world_attr(w, 'b', SD_ATTR_HCCL_ATTACHED_TASK_NUM, 5);
		if (i == 4)
			w->op_type[1] = 4; /* a collective */
		w->stream[0].task_count += i == 2 ? 8 : 0;
		w->stream[1].task_count += tasks[i] - 1;
		WORLD_KEEPS(w);
		w = beside("ab?0z|*b!0", "01", -1);
		w->stream[1].task_count++;
		WORLD_BREAKS(w, COUNT);
	}
}
END_TEST

START_TEST(attached_launches_are_where_they_are_told)
{
	struct world *w = beside("ab?0z|*b!0", "01", -1);

	w->attached_stream[0] = 0;
	WORLD_BREAKS(w, PLACEMENT);
	w = beside("ab?0z|*b!0", "01", -1);
	w->attached_logical[0] = 0;
	WORLD_BREAKS(w, PLACEMENT);
	w = beside("ab?0z|*b!0", "01", -1);
	w->attached_logical[0] = 2;
	WORLD_BREAKS(w, PLACEMENT);
	w = beside("ab?0z|*b!0", "01", -1);
	w->command[4].attached = 0;
	WORLD_BREAKS(w, PLACEMENT);
	w = beside("ab?0z|*b!0", "01", -1);
	w->stream[1].attached = false;
	WORLD_BREAKS(w, COUNT);
	w = beside("ab?0z|*b!0", "01", -1);
	w->plan.main_stream_count = 2;
	w->plan.attached_stream_count = 0;
	WORLD_BREAKS(w, COUNT);
}
END_TEST

START_TEST(a_node_not_launched_has_logical_attached_streams_only)
{
	for (int i = 0; i < 2; i++) {
		struct world *w = world_make("aBz", "az", "az|", "01");

		w->plan.main_stream_count = w->plan.attached_stream_count = 1;
		w->stream[1].attached = true;
		world_attaches(w, 'B', -1);
		w->attached_logical[0] = 1;
		w->attached_stream[0] = i ? 1 : SD_NO_STREAM;
		w->node[1].attached_count = w->plan.attached_count = 1;
		if (i == 0)
			WORLD_KEEPS(w);
		else
			WORLD_BREAKS(w, PLACEMENT);
	}
}
END_TEST

/* An iteration loop: s starts a stream, on which n starts the next turn; s may share an attached stream with a. */
static struct world *turning_in(const char *nodes, const char *edges, const char *streams, const char *pieces, uint32_t started)
{
	struct world *w = world_make(nodes, edges, streams, pieces);
	uint32_t n = world_node(w, 'n');

	if (strchr(streams, '*'))
		world_attaches(w, 'a', -1);
	world_starts(w, 's', true);
	if (strchr(streams, '*'))
		world_attaches(w, 's', -1);
	world_value(w, 'n', SD_ATTR_IS_LOOP_ACTIVE, (struct sd_value){ .kind = SD_VALUE_BOOL, .boolean = true });
	for (uint32_t e = w->in_first[n]; e < w->in_first[n + 1]; e++)
		w->in[e].port = SD_CONTROL;
	for (uint32_t s = 0; s < w->plan.stream_count; s++)
		w->stream[s].initially_active = s != started;
	return w;
}

static struct world *turning(const char *streams, const char *edges)
{
	return turning_in("ahsn", edges, streams, "0123", 3);
}

static struct world *turning_beside(const char *streams, const char *pieces)
{
	return turning_in("asn", "as sn", streams, pieces, 2);
}

START_TEST(a_turn_ends_before_the_next_one_begins)
{
	struct world *w = turning("a!0|?0h!1|?1s@3|n@012", "ah sn");

	w->sync[1].cause = SD_CAUSE_LOOP;
	WORLD_KEEPS(w);
	WORLD_BREAKS(turning("a!0|?0h|s@3|n@012", "ah sn"), UNORDERED);
	/* No StreamSwitch is found behind which it turns: nobody knows what must have ended. */
	WORLD_KEEPS(turning("a!0|?0h|s@3|n@012", "ah"));
}
END_TEST

START_TEST(a_piece_ends_before_the_next_turn_begins)
{
	struct world *w = turning_beside("a!0|?0?1s@2|n@0134|*a!1!2|?2*s", "01233");

	w->sync[1].cause = SD_CAUSE_LOOP;
	w->sync[2].cause = SD_CAUSE_SPLIT;
	WORLD_KEEPS(w);
	w = turning_beside("a!0|?0s@2|n@0134|*a!1|?1*s", "01233");
	w->sync[1].cause = SD_CAUSE_SPLIT;
	WORLD_BREAKS(w, UNORDERED);
	/* Where the StreamSwitch is on the same piece nothing is asked for. */
	WORLD_KEEPS(turning_beside("a!0|?0s@2|n@013|*a*s", "0123"));
	w = turning_beside("a!0|?0?1s@2|n@013|*a!1*s", "0123");
	w->sync[1].cause = SD_CAUSE_LOOP;
	WORLD_BREAKS(w, UNNEEDED);
}
END_TEST

START_TEST(the_next_turn_starts_all_that_ran_with_the_model)
{
	WORLD_BREAKS(turning("a!0|?0h!1|?1s@3|n@01", "ah sn"), COMMAND);
	WORLD_BREAKS(turning("a!0|?0h!1|?1s@3|n@12", "ah sn"), COMMAND);
	WORLD_BREAKS(turning("a!0|?0h!1|?1s@3|n@0123", "ah sn"), COMMAND);
}
END_TEST

RUN_TESTS("verify_extra", a_turn_ends_before_the_next_one_begins, a_piece_ends_before_the_next_turn_begins, the_next_turn_starts_all_that_ran_with_the_model, net_output_waits_for_attached_streams, without_net_output_nothing_waits,
	net_output_waits_for_the_last_use, an_input_that_is_declared_comes_first, data_is_always_there,
	attached_streams_wait_for_attached_streams, a_main_launch_waits_for_an_attached_stream,
	nodes_with_several_attached_streams_order_theirs, entries_may_share_a_stream, older_attributes_declare_inputs_as_text,
	a_variable_stands_for_its_last_writer_in_front, any_writer_will_do_where_nodes_are_sorted_anew,
	attached_streams_keep_one_order_in_pieces, edges_do_not_lead_to_attached_streams, only_edges_have_notifies,
	tasks_of_attached_launches_are_counted, attached_launches_are_where_they_are_told,
	a_node_not_launched_has_logical_attached_streams_only)
