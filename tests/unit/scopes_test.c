/* scopes_test - when bodies run, and which of them run together. */
#include "run_tests.h"

#include "planned.h"
#include "halfway.h"

static struct sd_arena mem;
static const struct sd_job *job;

static void find(const char *graph)
{
	sd_arena_reset(&mem, 1 << 16);
	job = job_behind(&mem, request_of(&mem, graph), SD_EXPLICIT, "find_scopes");
}

static uint32_t scope(const char *node)
{
	return sd_scope_of_run(&job->scopes, job->graph, node_named(job->graph, node));
}

static uint32_t waits(const char *node)
{
	return sd_scope_of_waits(&job->scopes, job->graph, node_named(job->graph, node));
}

static bool meet(const char *a, const char *b)
{
	bool answer = sd_scopes_meet(&job->scopes, scope(a), scope(b));

	ck_assert(sd_scopes_meet(&job->scopes, scope(b), scope(a)) == answer);
	return answer;
}

static bool within(const char *inner, const char *outer)
{
	return sd_scope_within(&job->scopes, scope(inner), scope(outer));
}

START_TEST(bodies_of_a_choice_never_meet)
{
	find("a Relu; f If a {then {else; z Relu f; [then]; t Relu; g Case t {one {two; u Relu; [else]; e Relu; [one]; p Relu; [two]; q Relu");
	ck_assert_uint_eq(job->scopes.count, 5);
	ck_assert_uint_eq(scope("a"), SD_SCOPE_ROOT);
	ck_assert(!meet("t", "e") && !meet("p", "q") && !meet("p", "e"));
	ck_assert(meet("a", "p") && meet("t", "q") && meet("u", "p") && meet("p", "p"));
	ck_assert(within("p", "t") && within("p", "a") && within("t", "t"));
	ck_assert(!within("t", "p") && !within("p", "q") && !within("q", "e"));
	ck_assert_uint_eq(job->scopes.at[scope("p")].depth, 2);
	ck_assert_uint_eq(job->scopes.at[scope("e")].body, 1);
}
END_TEST

START_TEST(condition_and_body_of_a_loop_meet)
{
	find("a Relu; f While a {cond {body; [cond]; c Relu; [body]; b Relu");
	ck_assert(meet("c", "b") && meet("a", "b"));
	ck_assert(!within("c", "b") && !within("b", "c"));
	ck_assert(sd_scopes_functional(&job->scopes, node_named(job->graph, "f"))->loop);
	ck_assert_ptr_null(sd_scopes_functional(&job->scopes, node_named(job->graph, "a")));
}
END_TEST

START_TEST(calls_and_single_bodies_open_no_scope)
{
	find("a Relu; f PartitionedCall a {sub; g Case f {only; h If g {x {y; [sub]; s Relu; [only]; o Relu; [x]; u Relu; [y]; v Relu");
	ck_assert_uint_eq(scope("s"), SD_SCOPE_ROOT);
	ck_assert_uint_eq(scope("o"), SD_SCOPE_ROOT);
	ck_assert_uint_eq(job->scopes.count, 3);
	ck_assert_int_eq(sd_scopes_functional(&job->scopes, node_named(job->graph, "f"))->form, SD_FORM_INLINE);
	ck_assert_int_eq(sd_scopes_functional(&job->scopes, node_named(job->graph, "h"))->form, SD_FORM_STRUCTURED);
}
END_TEST

START_TEST(labels_of_a_choice)
{
	const struct sd_functional *fun;

	find("a Relu; f If a {then {else; [then]; s LabelSwitchByIndex; l LabelSet ^s; t Relu ^l; g LabelGotoEx ^t _label_switch_index=9;"
	     "[else]; m LabelSet; e Relu ^m; n LabelSet ^e _subgraph_end_node=true _label_switch_index=9");
	fun = sd_scopes_functional(&job->scopes, node_named(job->graph, "f"));
	ck_assert_int_eq(fun->form, SD_FORM_LOWERED);
	ck_assert_uint_eq(fun->switch_node, node_named(job->graph, "s"));
	ck_assert_uint_eq(fun->end_node, node_named(job->graph, "n"));
	ck_assert_uint_eq(job->scopes.jump[fun->first_jump], node_named(job->graph, "g"));
	ck_assert_uint_eq(job->scopes.jump[fun->first_jump + 1], SD_NO_NODE);
	ck_assert_uint_eq(scope("s"), SD_SCOPE_ROOT);
	ck_assert_uint_eq(waits("s"), SD_SCOPE_ROOT);
	ck_assert_uint_eq(scope("n"), SD_SCOPE_ROOT);
	ck_assert_uint_eq(waits("n"), scope("e"));
	ck_assert_uint_eq(scope("l"), scope("t"));
	ck_assert_int_eq(sd_scopes_role(&job->scopes, node_named(job->graph, "m")), SD_ROLE_HEAD);
	ck_assert_int_eq(sd_scopes_role(&job->scopes, node_named(job->graph, "t")), SD_ROLE_NONE);
}
END_TEST

START_TEST(labels_of_a_loop)
{
	find("a Relu; f While a {cond {body; [cond]; l LabelSet _label_switch_index=0; c Relu ^l; s LabelSwitchByIndex ^c;"
	     "[body]; m LabelSet; b Relu ^m; g LabelGotoEx ^b _label_switch_index=0; n LabelSet ^g _subgraph_end_node=true _label_switch_index=9");
	ck_assert_uint_eq(scope("l"), scope("c"));
	ck_assert_uint_eq(waits("l"), SD_SCOPE_ROOT);
	ck_assert_uint_eq(waits("s"), scope("c"));
	ck_assert_uint_eq(scope("n"), SD_SCOPE_ROOT);
	ck_assert_int_eq(sd_scopes_role(&job->scopes, node_named(job->graph, "s")), SD_ROLE_LOOP_SWITCH);
	ck_assert_int_eq(sd_scopes_role(&job->scopes, node_named(job->graph, "l")), SD_ROLE_CONDITION);
	ck_assert_int_eq(sd_scopes_role(&job->scopes, node_named(job->graph, "g")), SD_ROLE_GOTO);
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("scopes", bodies_of_a_choice_never_meet, condition_and_body_of_a_loop_meet, calls_and_single_bodies_open_no_scope, labels_of_a_choice, labels_of_a_loop)
