/* summarise - what each logical stream is: its label and priority, and how many device streams it takes.
 *
 * Rule   A stream carries the stream label of the last labelled node on it, in flat order,
 *        and the priority that the first node with `_user_stream_priority` asks for. A
 *        physical stream of a logical one with collectives needs the most streams that
 *        any of them follows with (`used_stream_num`); these are summed.
 * Differs Graph Engine sums the smallest number per physical stream, which is less than
 *        the loader creates.
 * Cost   O(nodes + streams). */
#include "passes.h"

#include "base/check.h"
#include "streamd/plan.h"

struct told {
	uint32_t *label_node, *user_node; /* per logical stream: last node with a label, with a user label */
	uint32_t *priority_node;          /* first node that asks for a priority */
	uint32_t *nodes;
	int64_t *follow;                  /* per physical stream */
};

static enum sd_status priority_of(struct sd_job *job, uint32_t node, int32_t *priority)
{
	struct sd_text text;
	int64_t value = 0;
	uint32_t sign;

	if (sd_graph_int(job->graph, node, SD_ATTR_USER_STREAM_PRIORITY, &value))
		text = SD_TEXT("0");
	else if (!sd_graph_string(job->graph, node, SD_ATTR_USER_STREAM_PRIORITY, &text))
		text = SD_TEXT("");
	sign = text.len && text.at[0] == '-';
	for (uint32_t i = sign; i < text.len && value <= INT32_MAX; i++)
		value = text.at[i] >= '0' && text.at[i] <= '9' ? value * 10 + (text.at[i] - '0') : INT64_MAX / 16;
	if (text.len == sign || value > INT32_MAX || value < INT32_MIN)
		return SD_FAIL2(job->diag, SD_CODE_BAD_ATTR, node, sd_arg_words("_user_stream_priority"),
		                sd_arg_words("the decimal text of a number of 32 bits"));
	*priority = (int32_t)(sign ? -value : value);
	return SD_OK;
}

static enum sd_status make_told(struct sd_job *job, uint32_t streams, struct told *t)
{
	*t = (struct told){
		SD_NEW(job->mem, uint32_t, streams), SD_NEW(job->mem, uint32_t, streams), SD_NEW(job->mem, uint32_t, streams),
		SD_NEW0(job->mem, uint32_t, streams), SD_NEW0(job->mem, int64_t, job->stream_count),
	};
	SD_NEED(job, t->label_node && t->user_node && t->priority_node && t->nodes && t->follow);
	for (uint32_t s = 0; s < streams; s++)
		t->label_node[s] = t->user_node[s] = t->priority_node[s] = SD_NO_NODE;
	return SD_OK;
}

static void look_at(struct sd_job *job, struct told *t, uint32_t node)
{
	int32_t s = job->stream[node];
	uint32_t slot = job->slots.of_node[node];
	struct sd_text label;
	int64_t follow;

	if (slot != SD_NO_INDEX && sd_graph_int(job->graph, node, SD_ATTR_USED_STREAM_NUM, &follow) &&
	    follow > t->follow[job->slots.stream[slot]])
		t->follow[job->slots.stream[slot]] = follow;
	if (s == SD_NO_STREAM)
		return;
	t->nodes[s]++;
	if (sd_graph_label(job->graph, node, NULL, 0))
		t->label_node[s] = node;
	if (sd_graph_string(job->graph, node, SD_ATTR_USER_STREAM_LABEL, &label) && label.len)
		t->user_node[s] = node;
	if (t->priority_node[s] == SD_NO_NODE && sd_graph_has(job->graph, node, SD_ATTR_USER_STREAM_PRIORITY))
		t->priority_node[s] = node;
}

static enum sd_status tell_streams(struct sd_job *job, const struct told *t, struct sd_summary *summary, uint32_t count)
{
	/* The plan is const for everybody but the passes that make it. */
	struct sd_stream *stream = (struct sd_stream *)(uintptr_t)job->plan->stream;

	for (uint32_t p = 0; p < job->stream_count; p++) {
		uint32_t s = stream[p].logical_id;

		if (s >= count)
			continue;
		stream[p].label_node = t->label_node[s];
		if (t->priority_node[s] != SD_NO_NODE)
			SD_TRY(priority_of(job, t->priority_node[s], &stream[p].priority));
		summary[s].physical_count++;
		summary[s].follow_count += t->follow[p] < UINT32_MAX ? (uint32_t)t->follow[p] : 0;
	}
	return SD_OK;
}

enum sd_status sd__pass_summarise(struct sd_job *job)
{
	uint32_t count = job->plan->logical_stream_count;
	struct sd_summary *summary = SD_NEW0(job->mem, struct sd_summary, count);
	struct told t;

	SD_TRY(make_told(job, job->slots.lane_count, &t));
	SD_NEED(job, summary);
	for (uint32_t i = 0; i < job->graph->node_count; i++)
		look_at(job, &t, job->order.flat[i]);
	for (uint32_t s = 0; s < count; s++)
		summary[s] = (struct sd_summary){ .logical_id = s, .label_node = t.user_node[s], .node_count = t.nodes[s] };
	SD_TRY(tell_streams(job, &t, summary, count));
	job->plan->summary = summary;
	job->plan->summary_count = count;
	job->plan->diagnostic = job->warnings.at;
	job->plan->diagnostic_count = job->warnings.count;
	return SD_OK;
}
