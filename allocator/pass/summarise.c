/* summarise - what each logical stream is: its label and priority, and how many device streams it takes.
 *
 * Rule   A stream carries the stream label of the last labelled node on it, in flat order,
 *        and the priority that the first node with `_user_stream_priority` asks for. A
 *        physical stream of a logical one with collectives needs the most streams that
 *        any of them follows with (`used_stream_num`); these are summed. In a model of unknown
 *        shape that is not known.
 * Differs Graph Engine sums the smallest number per physical stream, which is less than
 *        the loader creates.
 * Cost   O(nodes + streams + attached * log attached). */
#include "passes.h"

#include "base/merge.h"
#include "decimal.h"
#include "streamd/plan.h"
#include "mutants.h"

struct told {
	uint32_t *label_node, *user_node; /* per logical stream: last node with a label, with a user label */
	uint32_t *priority_node;          /* first node that asks for a priority */
	uint32_t *nodes;
	int64_t *follow;                  /* per physical stream */
};

static enum sd_status priority_of(struct sd_job *job, uint32_t node, int32_t *priority)
{
	struct sd_text text;
	int64_t number;

	if (sd_graph_string(job->graph, node, SD_ATTR_USER_STREAM_PRIORITY, &text) && sd_decimal(text, true, priority))
		return SD_OK;
	if (sd_graph_int(job->graph, node, SD_ATTR_USER_STREAM_PRIORITY, &number) && number >= INT32_MIN && number <= INT32_MAX) {
		*priority = (int32_t)number;
		return SD_OK;
	}
	return SD_FAIL2(job->diag, SD_CODE_BAD_ATTR, node, sd_arg_words("_user_stream_priority"),
	                sd_arg_words("a number of 32 bits or its decimal text"));
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

	if (slot != SD_NO_INDEX && !job->graph->graph[SD_ROOT].dynamic &&
	    sd_graph_int(job->graph, node, SD_ATTR_USED_STREAM_NUM, &follow) &&
	    (follow > t->follow[job->slots.stream[slot]] || SD_MUTANT(summary_follow_last)))
		t->follow[job->slots.stream[slot]] = follow;
	if (s == SD_NO_STREAM)
		return;
	t->nodes[s]++;
	if (sd_graph_label(job->graph, node, NULL, 0) && !(SD_MUTANT(summary_first_label) && t->label_node[s] != SD_NO_NODE))
		t->label_node[s] = node;
	if (sd_graph_string(job->graph, node, SD_ATTR_USER_STREAM_LABEL, &label) && label.len)
		t->user_node[s] = node;
	if ((t->priority_node[s] == SD_NO_NODE || SD_MUTANT(summary_last_priority)) && sd_graph_has(job->graph, node, SD_ATTR_USER_STREAM_PRIORITY))
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
		summary[s].follow_count = t->follow[p] < UINT32_MAX - summary[s].follow_count ? summary[s].follow_count + (uint32_t)t->follow[p] : UINT32_MAX;
	}
	return SD_OK;
}

static uint32_t main_lane(const struct sd_job *job, uint32_t slot)
{
	return job->slots.lane[job->slots.of_node[job->slots.node[slot]]];
}

static int compare_attached(const void *ctx, uint32_t a, uint32_t b)
{
	const struct sd_job *job = ctx;
	uint32_t main_a = main_lane(job, a), main_b = main_lane(job, b);

	if (main_a != main_b)
		return main_a < main_b ? -1 : 1;
	return job->slots.lane[a] < job->slots.lane[b] ? -1 : job->slots.lane[a] > job->slots.lane[b];
}

/* Each main stream lists the attached ones that its nodes use, ascending, each once. */
static enum sd_status tell_attached(struct sd_job *job, struct sd_summary *summary)
{
	uint32_t count = 0, used = 0, *slot, *spare, *attached;

	for (uint32_t s = 0; s < job->slots.count; s++)
		count += job->slots.kind[s] == SD_SLOT_ATTACHED;
	slot = SD_NEW(job->mem, uint32_t, count);
	spare = SD_NEW(job->mem, uint32_t, count);
	attached = SD_NEW(job->mem, uint32_t, count);
	SD_NEED(job, slot && spare && attached);
	for (uint32_t s = 0, at = 0; s < job->slots.count; s++) {
		if (job->slots.kind[s] == SD_SLOT_ATTACHED)
			slot[at++] = s;
	}
	sd_merge_sort(slot, spare, count, compare_attached, job);
	for (uint32_t i = 0; i < count; i++) {
		struct sd_summary *main = &summary[main_lane(job, slot[i])];

		/* A number that compat ge left above all others has no entry. */
		if (main_lane(job, slot[i]) >= job->plan->logical_stream_count)
			continue;
		summary[job->slots.lane[slot[i]]].node_count++;
		if (i && compare_attached(job, slot[i - 1], slot[i]) == 0)
			continue;
		if (main->attached_count++ == 0)
			main->attached_first = used;
		attached[used++] = job->slots.lane[slot[i]];
	}
	job->plan->summary_attached = attached;
	job->plan->summary_attached_count = used;
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
		summary[s] = (struct sd_summary){
			.logical_id = s, .label_node = t.user_node[s], .node_count = t.nodes[s],
			.by_stream_pass = s >= job->first_by_pass && s < job->main_stream_count,
		};
	SD_TRY(tell_streams(job, &t, summary, count));
	SD_TRY(tell_attached(job, summary));
	job->plan->summary = summary;
	job->plan->summary_count = count;
	job->plan->diagnostic = job->warnings.at;
	job->plan->diagnostic_count = job->warnings.count;
	return SD_OK;
}
