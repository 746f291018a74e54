#include "streamd/race_plan.h"

#include "race_impl.h"

#define PAIR_RUNS_MAX 4096u /* of choices that are only paired; those of a node with very many bodies are cut */

static uint32_t ways_of(const struct sd_flow *flow, uint32_t node)
{
	uint32_t bodies = flow->body_first[node + 1] - flow->body_first[node];

	if (bodies == 0 || flow->kind[node] == SD_FLOW_ALWAYS)
		return 1;
	return flow->kind[node] == SD_FLOW_LOOPS ? 2 : bodies;
}

/* Loops: no turn, or two. */
static uint32_t way(const struct sd_flow *flow, uint32_t node, uint32_t k)
{
	return flow->kind[node] == SD_FLOW_LOOPS ? 2 * (k % 2) : k;
}

struct extent {
	uint64_t product;      /* of all ways; cut above SD_CHOICES_MAX */
	uint32_t most;         /* ways of one node */
	uint32_t bits;         /* of the number of the last node */
};

static struct extent extent_of(const struct sd_flow *flow)
{
	struct extent extent = { 1, 1, 0 };

	for (uint32_t n = 0; n < flow->node_count; n++) {
		uint32_t ways = ways_of(flow, n);

		if (extent.product <= SD_CHOICES_MAX)
			extent.product *= ways;
		extent.most = ways > extent.most ? ways : extent.most;
	}
	while (flow->node_count >> extent.bits)
		extent.bits++;
	return extent;
}

uint32_t sd_choice_runs(const struct sd_flow *flow)
{
	struct extent extent = extent_of(flow);
	uint64_t runs = (uint64_t)extent.most * extent.most * extent.bits;

	if (extent.product <= SD_CHOICES_MAX)
		return (uint32_t)extent.product;
	return runs < PAIR_RUNS_MAX ? (uint32_t)runs : PAIR_RUNS_MAX;
}

/* Any two nodes differ in a bit of their numbers: by it one takes way `a` and the other way `b`, for all a and b. */
static uint32_t paired(const struct extent *extent, uint32_t run, uint32_t node)
{
	uint32_t bit = run % extent->bits, pair = run / extent->bits;

	return node >> bit & 1 ? pair / extent->most : pair % extent->most;
}

uint32_t sd_choice_in(const struct sd_flow *flow, uint32_t run, uint32_t node)
{
	struct extent extent = extent_of(flow);

	if (extent.product > SD_CHOICES_MAX)
		return way(flow, node, paired(&extent, run, node) % ways_of(flow, node));
	for (uint32_t n = 0; n < node; n++)
		run /= ways_of(flow, n);
	return way(flow, node, run % ways_of(flow, node));
}

struct chooser {
	const struct sd_flow *flow;
	uint32_t run;
};

static uint32_t choose(void *arg, uint32_t node, uint32_t bodies)
{
	const struct chooser *chooser = arg;

	return sd_choice_in(chooser->flow, chooser->run, node);
}

/* ---- one run ---- */

static enum sd_status feed(const struct sd_race_plan *input, const struct sd_step *step, const uint32_t *first, const struct sd_access *access,
                           struct sd_race_check *check)
{
	sd_handle stream = step->stream + 1u, other = step->arg + 1u;

	switch (step->kind) {
	case SD_STEP_LAUNCH: {
		uint32_t from = step->attached ? 0 : first[step->slot], count = step->attached ? 0 : first[step->slot + 1] - from;

		return sd_race_task(check, stream, input->name[step->arg], step->arg, access + from, count);
	}
	case SD_STEP_RECORD: return sd_race_record(check, stream, other);
	case SD_STEP_WAIT: return sd_race_wait(check, stream, other);
	case SD_STEP_NOTIFY_RECORD: return sd_race_notify_record(check, stream, other);
	case SD_STEP_NOTIFY_WAIT: return sd_race_notify_wait(check, stream, other);
	case SD_STEP_HOLD: return sd_race_hold(check, stream);
	case SD_STEP_ACTIVATE: return sd_race_activate(check, stream, other);
	}
	return SD_OK;
}

/* What the graph has first is told first, however the steps were fed. */
static void turn_round(const struct sd_flow *flow, struct sd_race_check *check)
{
	uint64_t kept = check->found < SD_RACES_MAX ? check->found : SD_RACES_MAX;

	for (uint64_t i = 0; i < kept; i++) {
		struct sd_race *race = &check->race[i];
		struct sd_race_end first = race->first;

		if (race->kind > SD_RACE_WAW || flow->rank[first.tag] <= flow->rank[race->second.tag])
			continue;
		race->first = race->second;
		race->second = first;
		race->kind = race->kind == SD_RACE_RAW ? SD_RACE_WAR : race->kind == SD_RACE_WAR ? SD_RACE_RAW : SD_RACE_WAW;
	}
}

enum sd_status sd_race_check_issue(const struct sd_race_plan *input, const struct sd_issue *issue, const uint32_t *first,
                                   const struct sd_access *access, struct sd_race_check *check, struct sd_diag *diag)
{
	enum sd_status status = SD_OK;

	for (uint32_t i = 0; status == SD_OK && i < issue->step_count; i++)
		status = feed(input, &issue->step[i], first, access, check);
	/* What stands behind the last run need not be known. */
	for (uint32_t s = 0; status == SD_OK && s < input->plan->stream_count; s++)
		status = sd_race_stream_done(check, s + 1u);
	if (status != SD_OK)
		return SD_FAIL1(diag, SD_CODE_HOST_SHORT, SD_NO_NODE, sd_arg_words("memory"));
	turn_round(input->flow, check);
	return SD_OK;
}

static enum sd_status check_run(struct sd_arena *mem, const struct sd_race_plan *input, struct sd_race_check *check, uint32_t run,
                                struct sd_diag *diag)
{
	struct chooser chooser = { input->flow, run };
	const struct sd_choices choices = { choose, &chooser };
	const struct sd_access *access;
	const uint32_t *first;
	struct sd_issue issue;

	SD_TRY(sd_issue_make(mem, input->plan, input->flow, &choices, &issue, diag));
	SD_TRY(input->accesses(input->arg, mem, &issue.visits, &first, &access, diag));
	return sd_race_check_issue(input, &issue, first, access, check, diag);
}

enum sd_status sd_race_check_plan(struct sd_arena *mem, const struct sd_race_plan *input, struct sd_race_check *check, uint32_t *run,
                                  struct sd_diag *diag)
{
	uint32_t runs = sd_choice_runs(input->flow);

	for (*run = 0; *run < runs; ++*run) {
		struct sd_arena_mark mark = sd_arena_mark(mem);
		enum sd_status status = check_run(mem, input, check, *run, diag);

		sd_arena_rewind(mem, mark);
		SD_TRY(status);
		if (sd_race_count(check) > 0)
			return SD_OK;
	}
	return SD_OK;
}
