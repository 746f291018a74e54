#include "stories.h"

#include <stdio.h>
#include <string.h>

#define STORY_MAX 2048

struct text {
	char *at;
	size_t len;
};

static void put(struct text *t, const char *words, size_t len)
{
	if (len > STORY_MAX - 1 - t->len)
		len = STORY_MAX - 1 - t->len;
	memcpy(t->at + t->len, words, len);
	t->len += len;
	t->at[t->len] = '\0';
}

static void put_string(struct text *t, const char *words)
{
	put(t, words, strlen(words));
}

static void put_stream(struct text *t, int32_t stream)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", stream);
	put_string(t, stream == SD_NO_STREAM ? "-" : number);
}

static void put_name(struct text *t, const struct planned *planned, uint32_t node)
{
	const struct sd_graph *graph = &planned->request->graph;

	if (node < graph->node_count)
		put(t, graph->name[node].at, graph->name[node].len);
	else
		put_string(t, "+");
}

static void put_reason(struct text *t, const struct planned *planned, const struct sd_explanation *why, bool passes)
{
	struct sd_text pass = planned->plan->pass_name[why->pass];

	if (t->len)
		put_string(t, " ");
	if (passes) {
		put(t, pass.at, pass.len);
		put_string(t, ".");
	}
	put_string(t, sd_reason_word(why->reason));
	if (why->from != SD_NO_STREAM || why->to != SD_NO_STREAM) {
		put_string(t, ":");
		if (why->from != SD_NO_STREAM) {
			put_stream(t, why->from);
			put_string(t, ">");
		}
		put_stream(t, why->to);
	}
	if (why->other == SD_NO_NODE)
		return;
	put_string(t, "(");
	put_name(t, planned, why->other);
	if (why->through != SD_NO_NODE) {
		put_string(t, ",");
		put_name(t, planned, why->through);
	}
	put_string(t, ")");
}

static bool is_preface(enum sd_reason reason)
{
	return reason <= SD_REASON_CLUSTERED && reason != SD_REASON_MOVED;
}

const char *story_of(struct sd_arena *mem, const struct planned *planned, const char *node, bool passes)
{
	struct text t = { sd_arena_zero(mem, 1, STORY_MAX), 0 };
	const struct sd_plan *plan = planned->plan;
	uint32_t n = node_named(&planned->request->graph, node);

	if (!plan)
		return sd_code_text(planned->diag.code);
	for (uint32_t i = 0; i < plan->explanation_count; i++) {
		if (plan->explanation[i].node == n && !is_preface(plan->explanation[i].reason))
			put_reason(&t, planned, &plan->explanation[i], passes);
	}
	return t.at;
}

struct planned explained_plan_of(struct sd_arena *mem, struct sd_request *request)
{
	request->options.explain = true;
	return plan_of(mem, request);
}
