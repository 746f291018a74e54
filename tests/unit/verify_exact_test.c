/* verify_exact_test - orders that hold in each run by another way. */
#include "body_world.h"
#include "run_tests.h"

static bool stop_now(void *arg)
{
	return arg == NULL;
}

/* In t, q knows r by the third stream; in e, by the fourth. No stream alone tells it in both. */
#define TWO_WAYS \
	"p Relu; r Relu; if If p {t {e; q Relu if r\n" \
	"[t]\nta Relu; tb Relu ta\n" \
	"[e]\nea Relu; eb Relu ea"

START_TEST(orders_may_hold_by_another_way_in_each_run)
{
	BODY_KEEPS(TWO_WAYS, "p>if ta>tb ea>eb if>q if>q", "p +0 | r -0 ta +1 ea +2 | -1 tb +3 | -2 eb +4 | -3 -4 q");
	BODY_BREAKS(TWO_WAYS, "p>if r>q ta>tb ea>eb if>q if>q", "p +0 | r +1 -0 ta +2 ea +3 | -2 tb +4 | -3 eb +5 | -1 -4 -5 q", REDUNDANT);
	BODY_BREAKS(TWO_WAYS, "p>if ta>tb ea>eb if>q", "p +0 | r -0 ta +1 ea +2 | -1 tb +3 | -2 eb | -3 q", UNORDERED);
}
END_TEST

/* A third body that uses neither stream. */
#define THREE_WAYS \
	"p Relu; r Relu; c Case p {t {e {n; q Relu c r\n" \
	"[t]\nta Relu; tb Relu ta\n" \
	"[e]\nea Relu; eb Relu ea\n" \
	"[n]\nx Data"

START_TEST(each_way_counts)
{
	BODY_BREAKS(THREE_WAYS, "p>c ta>tb ea>eb c>q c>q", "p +0 | r -0 ta +1 ea +2 | -1 tb +3 | -2 eb +4 | -3 -4 q", UNORDERED);
	BODY_KEEPS(THREE_WAYS, "p>c p>q r>q ta>tb ea>eb c>q c>q", "p +0 +1 | r +2 -0 ta +3 ea +4 | -3 tb +5 | -4 eb +6 | -1 -2 -5 -6 q");
}
END_TEST

/* What is known in front of many choices does not lean on any of them: of so many runs only a few can be tried. */
#define CHOICES 22

START_TEST(choices_that_do_not_matter_are_not_tried)
{
	char graph[8192] = "p Relu; r Relu; if If p {t {e; n Relu if r", bodies[4096] = "", front[16] = "n";
	char streams[2048] = "p +0 | r -0 ta +1 ea +2 | -1 tb +3 | -2 eb +4 | -3 -4 n";

	for (int i = 0; i < CHOICES; i++) {
		sprintf(graph + strlen(graph), "; c%d Case %s {x%d {y%d", i, front, i, i);
		sprintf(front, "c%d", i);
		sprintf(bodies + strlen(bodies), "\n[x%d]\nxn%d Relu\n[y%d]\nyn%d Relu", i, i, i, i);
		sprintf(streams + strlen(streams), " xn%d yn%d", i, i);
	}
	sprintf(graph + strlen(graph), "; q Relu r c%d\n[t]\nta Relu; tb Relu ta\n[e]\nea Relu; eb Relu ea%s", CHOICES - 1, bodies);
	strcat(streams, " q");
	BODY_KEEPS(graph, "p>if ta>tb ea>eb if>n if>n", streams);
}
END_TEST

/* Pieces, a loop, and an order that holds by another way in each run. */
#define ALL \
	"p Relu; r Relu; w While p {c {b; if If w {t {e; q Relu if r\n" \
	"[c]\nca Relu\n[b]\nba Relu; bb Relu ba\n" \
	"[t]\nta Relu; tb Relu ta\n" \
	"[e]\nea Relu; eb Relu ea"

START_TEST(no_failure_is_a_verdict)
{
	enum sd_status status = SD_RESOURCE_EXHAUSTED;

	for (uint64_t calls = 1; status != SD_OK; calls++) {
		struct body_world *w = body_world(ALL, "p>w ba>bb bb>w+ w>if ta>tb ea>eb if>q if>q",
		                                  "p +0 | r -3 ta +4 ea +5 | -4 tb +6 | -5 eb +7 | -6 -7 q | -0 ca ba +1 -2/b +3 | -1 bb +2");

		w->mem.fail_at = w->mem.calls + calls;
		status = sd_verify(&w->mem, w->request, &w->plan, NULL, NULL, &w->verdict);
		if (status == SD_OK)
			ck_assert_uint_eq(w->verdict.count, 0);
		else
			ck_assert_int_eq(status, SD_RESOURCE_EXHAUSTED);
		body_free(w);
	}
}
END_TEST

START_TEST(a_judgement_can_be_stopped)
{
	struct body_world *w = body_world(TWO_WAYS, "p>if ta>tb ea>eb if>q if>q", "p +0 | r -0 ta +1 ea +2 | -1 tb +3 | -2 eb +4 | -3 -4 q");

	ck_assert_int_eq(sd_verify(&w->mem, w->request, &w->plan, stop_now, NULL, &w->verdict), SD_CANCELLED);
	body_free(w);
}
END_TEST

RUN_TESTS("verify_exact", orders_may_hold_by_another_way_in_each_run, each_way_counts, choices_that_do_not_matter_are_not_tried,
          no_failure_is_a_verdict, a_judgement_can_be_stopped)
