#include "timeline_trace.h"

#include <stdio.h>

#include "engines.h"
#include "json_path.h"
#include "plan_names.h"
#include "trace.h"

#define PROCESS 1

static const char *const ties[] = SD_TIE_NAMES;
static const char *const causes[] = SD_CAUSE_NAMES;

static enum sd_status put_lane(struct sd_arena *mem, struct sd_trace *trace, const struct sd_timeline *t, uint32_t id, struct sd_diag *diag)
{
	const struct sd_stream *stream = &t->plan->stream[id];
	struct sd_text label;
	char *name;

	if (!sd_label_of(mem, t->graph, stream->label_node, &label))
		return sd_memory_fail(mem, diag);
	name = sd_arena_alloc(mem, label.len + 64);
	if (!name)
		return sd_memory_fail(mem, diag);
	snprintf(name, label.len + 64, "stream %u%s%s%.*s", id, stream->attached ? " (attached)" : "", label.len ? ": " : "", (int)label.len, label.at);
	sd_trace_lane(trace, PROCESS, id, name);
	return SD_OK;
}

static void put_span(struct sd_trace *trace, const struct sd_timeline *t, const struct sd_span *span)
{
	const struct sd_graph *graph = t->graph;
	struct sd_trace_fact fact[4] = { { .key = "logical_stream", .number = t->plan->stream[span->stream].logical_id },
	                                 { .key = "critical", .number = span->critical } };
	uint32_t count = 2;

	if (span->node < graph->node_count) {
		fact[count++] = (struct sd_trace_fact){ .key = "op_type", .text = graph->string[graph->op_type[span->node]] };
		fact[count].key = "engine";
		sd_engine_of(graph, span->node, &fact[count++].text);
	}
	sd_trace_slice(trace, &(struct sd_trace_slice){ .process = PROCESS, .lane = span->stream, .name = t->name[span->node],
	                                                .category = span->attached ? "attached" : "task", .began_ns = span->began_ns,
	                                                .ended_ns = span->ended_ns, .fact = fact, .fact_count = count });
}

static void put_arrow(struct sd_trace *trace, const struct sd_timeline *t, const struct sd_arrow *arrow)
{
	char name[48];

	if (arrow->from == SD_NO_SPAN || arrow->to == SD_NO_SPAN)
		return;
	if (arrow->tie == SD_TIE_START)
		snprintf(name, sizeof(name), "start");
	else
		snprintf(name, sizeof(name), "%s %u", ties[arrow->tie], arrow->number);
	sd_trace_arrow(trace, &(struct sd_trace_arrow){
		.process = PROCESS, .name = name, .category = arrow->sync < t->plan->sync_count ? causes[t->plan->sync[arrow->sync].cause] : "start",
		.from_lane = arrow->from_stream, .to_lane = arrow->to_stream, .from_began_ns = t->span[arrow->from].began_ns,
		.from_ended_ns = t->span[arrow->from].ended_ns, .to_ns = arrow->to_ns });
}

enum sd_status sd_timeline_write_trace(struct sd_arena *mem, struct sd_emitter *out, const struct sd_timeline *timeline, struct sd_diag *diag)
{
	struct sd_trace trace;

	sd_trace_start(&trace, out);
	sd_trace_process(&trace, PROCESS, "simulated");
	for (uint32_t s = 0; s < timeline->plan->stream_count; s++)
		SD_TRY(put_lane(mem, &trace, timeline, s, diag));
	for (uint32_t i = 0; i < timeline->span_count; i++)
		put_span(&trace, timeline, &timeline->span[i]);
	for (uint32_t i = 0; i < timeline->arrow_count; i++)
		put_arrow(&trace, timeline, &timeline->arrow[i]);
	sd_trace_finish(&trace);
	sd_emit_raw(out, "\n", 1);
	return SD_OK;
}
