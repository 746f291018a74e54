#include "picture.h"

#include <inttypes.h>
#include <stdio.h>

#include "engines.h"
#include "json_path.h"
#include "plan_names.h"

#define OF_THE_PLANNER "of the planner" /* engine of what the planner put in */

static struct sd_text engine_name(const struct sd_graph *graph, uint32_t node)
{
	struct sd_text name = SD_TEXT(OF_THE_PLANNER);

	if (node < graph->node_count)
		sd_engine_of(graph, node, &name);
	return name;
}

/* Few engines, many nodes: a node has mostly the engine of the one before. */
static uint32_t class_of(struct sd_text *engine, uint32_t *count, struct sd_text name, uint32_t guess)
{
	if (guess < *count && sd_text_equal(engine[guess], name))
		return guess;
	for (uint32_t i = 0; i < *count; i++) {
		if (sd_text_equal(engine[i], name))
			return i;
	}
	engine[*count] = name;
	return (*count)++;
}

static bool find_engines(struct sd_arena *mem, const struct sd_timeline *t, struct sd_picture *picture)
{
	uint32_t nodes = t->plan->node_count, last = 0;
	struct sd_text *engine = SD_NEW(mem, struct sd_text, nodes + 1);
	uint32_t *of = SD_NEW(mem, uint32_t, nodes + 1);

	if (!engine || !of)
		return false;
	for (uint32_t s = 0; s < t->span_count; s++)
		last = class_of(engine, &picture->engine_count, engine_name(t->graph, t->span[s].node), last);
	picture->engine_launched = picture->engine_count;
	for (uint32_t n = 0; n < nodes; n++)
		of[n] = last = class_of(engine, &picture->engine_count, engine_name(t->graph, n), last);
	picture->engine = engine;
	picture->engine_of = of;
	return true;
}

static bool find_labels(struct sd_arena *mem, const struct sd_timeline *t, struct sd_picture *picture)
{
	struct sd_text *label = SD_NEW(mem, struct sd_text, t->plan->stream_count + 1);

	for (uint32_t s = 0; label && s < t->plan->stream_count; s++) {
		if (!sd_label_of(mem, t->graph, t->plan->stream[s].label_node, &label[s]))
			return false;
	}
	picture->label = label;
	return label != NULL;
}

/* Explanations come by node. */
static bool find_reasons(struct sd_arena *mem, const struct sd_plan *plan, struct sd_picture *picture)
{
	uint32_t *first = SD_NEW(mem, uint32_t, plan->node_count + 1), at = 0;

	for (uint32_t n = 0; first && n <= plan->node_count; n++) {
		while (at < plan->explanation_count && plan->explanation[at].node < n)
			at++;
		first[n] = at;
	}
	picture->why_first = first;
	return first != NULL;
}

enum sd_status sd_picture_make(struct sd_arena *mem, const struct sd_timeline *timeline, struct sd_picture *picture, struct sd_diag *diag)
{
	*picture = (struct sd_picture){ .timeline = timeline };
	if (!find_engines(mem, timeline, picture) || !find_labels(mem, timeline, picture) || !find_reasons(mem, timeline->plan, picture))
		return sd_memory_fail(mem, diag);
	return SD_OK;
}

const char *sd_time_words(char out[SD_TIME_MAX], int64_t ns)
{
	if (ns < 1000)
		snprintf(out, SD_TIME_MAX, "%" PRId64 " ns", ns);
	else if (ns < 1000000)
		snprintf(out, SD_TIME_MAX, "%" PRId64 ".%" PRId64 " us", ns / 1000, ns % 1000 / 100);
	else
		snprintf(out, SD_TIME_MAX, "%" PRId64 ".%03" PRId64 " ms", ns / 1000000, ns % 1000000 / 1000);
	return out;
}
