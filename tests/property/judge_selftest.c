/* judge_selftest - the judge is no rubber stamp.
 *
 * usage: judge_selftest REQUEST...
 * Plans each request, has the plan judged, then spoils it in every way below and has each
 * of these plans judged too. What a change does is known from the change itself: it breaks
 * a promise, and then the judge must say which (one of the kinds stated here); or it makes
 * another plan that keeps all of them (rare), and then the judge must let it pass.
 * Of plans of graphs with bodies only what their tables and single commands say is spoilt; judge_selftest.py spoils their syncs.
 * Prints one TAP line a request, and at the end how often each change was made. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "formats/request.h"
#include "lib/changes.h"
#include "proto/graph_codec.h"
#include "streamd/planner.h"
#include "streamd/verify.h"

#define CHANGES_MAX 64u
#define WRONG_MAX 10u /* of one plan; then the rest is not looked at */

/* How often each change was made, by its number. */
static unsigned refused[CHANGES_MAX], kept[CHANGES_MAX];

static bool judged_as(const struct trial *t, enum effect effect, const char *what, uint32_t i)
{
	struct sd_verdict verdict;
	char line[SD_MESSAGE_MAX] = "nothing";
	enum sd_status status = sd_verify(t->mem, &t->request, &t->draft.plan, NULL, NULL, &verdict);
	bool right = status == SD_OK && (effect == BREAKS ? verdict.count > 0 : verdict.count == 0);
	uint32_t found = 0;

	for (uint32_t k = 0; k < verdict.count && k < SD_VIOLATIONS_MAX; k++)
		found |= 1u << verdict.violation[k].kind;
	if (right && (effect == KEEPS || found & t->kinds))
		return true;
	if (verdict.count > 0)
		sd_violation_text(&verdict.violation[0], NULL, line, sizeof(line));
	printf("#   %s, number %u: found %s\n", what, i, line);
	return false;
}

/* Makes each change to a copy of the plan and looks what the judge says. */
static unsigned spoil(const struct trial *whole, const struct sd_plan *plan)
{
	unsigned wrong = 0;

	for (uint32_t c = 0; change_at(c); c++) {
		const struct change *change = change_at(c);

		if (change->flat && whole->request.graph.graph_count > 1)
			continue;
		for (uint32_t i = 0; i < change->times(whole) && wrong < WRONG_MAX; i++) {
			struct sd_arena mem;
			struct trial t = *whole;
			enum effect effect;

			sd_arena_init(&mem, 0);
			t.mem = &mem;
			draft_copy(&mem, plan, &t.draft);
			effect = change->make(&t, i);
			if (effect != NOT_MADE && !judged_as(&t, effect, change->name, i))
				wrong++;
			refused[c] += effect == BREAKS;
			kept[c] += effect == KEEPS;
			sd_arena_finish(&mem);
		}
	}
	return wrong;
}

/* Whether a launch stands behind another one, through any number of nodes not launched. */
static bool has_order(struct sd_arena *mem, const struct sd_graph *graph, const struct draft *d)
{
	uint8_t *behind = SD_NEW0(mem, uint8_t, (size_t)graph->node_count + 1);
	bool found = false, moved = true;

	SD_REQUIRE(behind != NULL);
	while (moved && !found) {
		moved = false;
		for (uint32_t n = 0; n < graph->node_count; n++) {
			for (uint32_t e = graph->in_first[n]; e < graph->in_first[n + 1]; e++) {
				uint32_t src = graph->in[e].src;
				bool follows = src != SD_NO_NODE && (d->node[src].stream != SD_NO_STREAM || behind[src]);

				found = found || (follows && d->node[n].stream != SD_NO_STREAM);
				moved = moved || (follows && !behind[n]);
				behind[n] |= follows;
			}
		}
	}
	return found;
}

static bool is_listed(const struct sd_request *request)
{
	const struct sd_graph *graph = &request->graph;

	for (uint32_t n = 0; n < graph->node_count; n++) {
		for (uint32_t e = graph->in_first[n]; e < graph->in_first[n + 1]; e++) {
			if (graph->in[e].src != SD_NO_NODE && graph->in[e].src >= n)
				return false;
		}
	}
	return request->options.topo_sorting == SD_SORT_SUBMITTED || request->options.topo_sorting == SD_SORT_STABLE;
}

/* Launched nodes of the request as they are listed. */
static uint32_t list_launched(const struct draft *d, uint32_t *sequence)
{
	uint32_t count = 0;

	for (uint32_t n = 0; n < d->plan.node_count - d->plan.inserted_count; n++) {
		if (d->node[n].stream != SD_NO_STREAM)
			sequence[count++] = n;
	}
	return count;
}

/* Answers whether all went well; a request that is refused has no plan to spoil. */
static bool test_request(struct sd_arena *mem, const char *path, const char **remark)
{
	struct sd_diag diag = { .code = SD_CODE_NONE };
	struct sd_counts counts;
	struct trial t = { .mem = mem };
	const struct sd_plan *plan;
	struct sd_text file, bytes;

	*remark = "";
	if (sd_input_read(mem, path, &file, &diag) != SD_OK ||
	    sd_input_bytes(mem, sd_input_kind(path, file), file, NULL, NULL, &bytes, &diag) != SD_OK ||
	    sd_request_count(bytes, &counts, &diag) != SD_OK || sd_request_decode(mem, bytes, &counts, &t.request, &diag) != SD_OK)
		return false;
	if (sd_plan_make(mem, &t.request, NULL, &plan, &diag) != SD_OK) {
		*remark = " # SKIP no plan is made for this request";
		return diag.code != SD_CODE_NOT_PROVED;
	}
	draft_copy(mem, plan, &t.draft);
	t.sequence = SD_NEW0(mem, uint32_t, (size_t)plan->node_count + 1);
	SD_REQUIRE(t.sequence != NULL);
	t.launched = t.request.graph.graph_count > 1 ? list_launched(&t.draft, t.sequence) : draft_sequence(mem, &t.draft, t.sequence);
	/* Heads of streams stand elsewhere than their nodes. */
	t.listed = is_listed(&t.request) && plan->activation_count == 0;
	t.ordered = has_order(mem, &t.request.graph, &t.draft);
	return judged_as(&t, KEEPS, "the plan itself", 0) && spoil(&t, plan) == 0;
}

int main(int argc, char **argv)
{
	int failed = 0;

	SD_REQUIRE(!change_at(CHANGES_MAX));
	for (int i = 1; i < argc; i++) {
		struct sd_arena mem;
		const char *remark;
		bool well;

		sd_arena_init(&mem, 0);
		well = test_request(&mem, argv[i], &remark);
		printf("%s %d - %s%s\n", well ? "ok" : "not ok", i, argv[i], remark);
		failed += !well;
		sd_arena_finish(&mem);
	}
	for (uint32_t c = 0; change_at(c); c++)
		printf("# %-28s %7u refused %5u equally good\n", change_at(c)->name, refused[c], kept[c]);
	printf("1..%d\n", argc - 1);
	return failed > 0 || argc < 2;
}
