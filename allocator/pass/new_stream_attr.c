/* new_stream_attr - nodes that ask for a stream of their own with `NewStreamId`.
 *
 * Rule   Nodes with `NewStreamId` and without `_parallel_group`, stream by stream in
 *        ascending order: each distinct value takes a fresh stream.
 * Why    The attribute is documented as the strongest wish, so it comes behind everything
 *        that places clusters.
 * Example a, b, c on stream 0, b and c with NewStreamId 7: b and c move to a new stream.
 * Differs Graph Engine asks before streams are given to nodes, where the wish is lost;
 *        with compat ge nothing is moved.
 * Cost   O(nodes + wishes * log wishes). */
#include "passes.h"

#include "base/merge.h"
#include "mutants.h"

struct wish {
	uint32_t node;
	int32_t stream;
	int64_t value;
};

static int compare_wishes(const void *arg, uint32_t a, uint32_t b)
{
	const struct wish *wish = arg;

	if (wish[a].stream != wish[b].stream)
		return wish[a].stream < wish[b].stream ? -1 : 1;
	return SD_MUTANT(new_stream_for_all) ? 0 : wish[a].value < wish[b].value ? -1 : wish[a].value > wish[b].value;
}

static int compare_streams(const void *arg, uint32_t a, uint32_t b)
{
	const struct wish *wish = arg;

	return wish[a].stream < wish[b].stream ? -1 : wish[a].stream > wish[b].stream;
}

/* Nodes that wish, in the order in which passes visit them. */
static enum sd_status collect(struct sd_job *job, struct wish **wish, uint32_t *count)
{
	const struct sd_clusters *c = &job->clusters;
	uint32_t listed = c->count ? c->at[c->count - 1].first_node + c->at[c->count - 1].node_count : 0;

	*count = 0;
	*wish = NULL;
	for (uint32_t i = 0; i < listed; i++)
		*count += sd_graph_has(job->graph, c->node[i], SD_ATTR_NEW_STREAM_ID);
	if (*count == 0)
		return SD_OK;
	*wish = SD_NEW(job->mem, struct wish, *count);
	SD_NEED(job, *wish);
	*count = 0;
	for (uint32_t i = 0; i < listed; i++) {
		struct wish w = { c->node[i], job->stream[c->node[i]], 0 };

		if (!sd_graph_has(job->graph, w.node, SD_ATTR_NEW_STREAM_ID))
			continue;
		if (!sd_graph_int(job->graph, w.node, SD_ATTR_NEW_STREAM_ID, &w.value))
			return SD_FAIL2(job->diag, SD_CODE_BAD_GROUP_ATTR, w.node, sd_arg_words("NewStreamId"),
			                sd_arg_words("an integer"));
		if ((!sd_graph_has(job->graph, w.node, SD_ATTR_PARALLEL_GROUP) || SD_MUTANT(new_stream_over_group)) && w.stream != SD_NO_STREAM)
			(*wish)[(*count)++] = w;
	}
	return SD_OK;
}

enum sd_status sd__pass_new_stream_attr(struct sd_job *job)
{
	struct wish *wish;
	uint32_t count, *by_value, *by_stream, *leader;

	if (job->options->compat == SD_GE)
		return SD_OK;
	SD_TRY(collect(job, &wish, &count));
	by_value = SD_NEW(job->mem, uint32_t, count);
	by_stream = SD_NEW(job->mem, uint32_t, count);
	leader = SD_NEW(job->mem, uint32_t, count);
	SD_NEED(job, by_value && by_stream && leader);
	for (uint32_t i = 0; i < count; i++)
		by_value[i] = by_stream[i] = i;
	sd_merge_sort(by_value, leader, count, compare_wishes, wish);
	sd_merge_sort(by_stream, leader, count, compare_streams, wish);
	for (uint32_t i = 0; i < count; i++) {
		bool same = i && compare_wishes(wish, by_value[i - 1], by_value[i]) == 0;

		leader[by_value[i]] = same ? leader[by_value[i - 1]] : by_value[i];
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t w = by_stream[i];

		job->stream[wish[w].node] = leader[w] == w ? sd_job_fresh(job) : job->stream[wish[leader[w]].node];
	}
	return SD_OK;
}
