/* parallel_group - nodes of one `_parallel_group` leave their stream together.
 *
 * Rule   Stream by stream in ascending order, nodes with a group and without a user label:
 *        each group takes a fresh stream. Group "-1" with exactly one data input runs on
 *        that producer's stream instead, as it is at that moment, if it has one.
 * Why    A front end says so what may run beside the rest of a stream.
 * Example a on 0, b and c on 0 with groups "1" and "2": 0, 1, 2.
 * Keeps  As in Graph Engine, a producer on a higher stream still shows its old stream, one on
 *        a lower stream its new one.
 * Cost   O(nodes + members * log members). */
#include "passes.h"

#include "base/merge.h"
#include "journal.h"
#include "mutants.h"

struct members {
	uint32_t count;
	uint32_t *node;
	struct sd_text *group;
	uint32_t *number; /* of the group's text */
	int32_t *stream;  /* before the pass */
};

static enum sd_status collect(struct sd_job *job, struct members *m)
{
	const struct sd_clusters *c = &job->clusters;
	uint32_t listed = c->count ? c->at[c->count - 1].first_node + c->at[c->count - 1].node_count : 0, count = 0;

	for (uint32_t i = 0; i < listed; i++)
		count += sd_graph_has(job->graph, c->node[i], SD_ATTR_PARALLEL_GROUP);
	*m = (struct members){ 0, SD_NEW(job->mem, uint32_t, count), SD_NEW(job->mem, struct sd_text, count),
	                       SD_NEW(job->mem, uint32_t, count), SD_NEW(job->mem, int32_t, count) };
	SD_NEED(job, m->node && m->group && m->number && m->stream);
	for (uint32_t i = 0; i < listed; i++) {
		uint32_t n = c->node[i];

		if (!sd_graph_has(job->graph, n, SD_ATTR_PARALLEL_GROUP) ||
		    (sd_graph_has(job->graph, n, SD_ATTR_USER_STREAM_LABEL) && !SD_MUTANT(group_over_user)) || job->stream[n] == SD_NO_STREAM)
			continue;
		if (!sd_graph_string(job->graph, n, SD_ATTR_PARALLEL_GROUP, &m->group[m->count]))
			return SD_FAIL2(job->diag, SD_CODE_BAD_GROUP_ATTR, n, sd_arg_words("_parallel_group"),
			                sd_arg_words("a string"));
		m->node[m->count] = n;
		m->stream[m->count++] = job->stream[n];
	}
	return SD_OK;
}

static int compare_streams(const void *arg, uint32_t a, uint32_t b)
{
	const struct members *m = arg;

	return m->stream[a] < m->stream[b] ? -1 : m->stream[a] > m->stream[b];
}

/* The stream of the only data producer; SD_NO_STREAM if that does not apply. */
static int32_t producer_stream(const struct sd_job *job, uint32_t node)
{
	if (job->adjacency.data_pred_count[node] != 1)
		return SD_NO_STREAM;
	return job->stream[job->adjacency.pred[job->adjacency.pred_first[node]]];
}

enum sd_status sd__pass_parallel_group(struct sd_job *job)
{
	struct members m;
	uint32_t groups, *order, *scratch, *bucket;
	int32_t *stream;

	SD_TRY(collect(job, &m));
	order = SD_NEW(job->mem, uint32_t, m.count);
	scratch = SD_NEW(job->mem, uint32_t, m.count);
	SD_NEED(job, order && scratch);
	SD_TRY(sd_job_intern(job, m.group, m.count, 0, m.number, &groups));
	for (uint32_t i = 0; i < m.count; i++)
		order[i] = i;
	sd_merge_sort(order, scratch, m.count, compare_streams, &m);
	/* stream[g] is the group's stream in the bucket of old stream that bucket[g] tells. */
	stream = SD_NEW(job->mem, int32_t, groups);
	bucket = SD_NEW(job->mem, uint32_t, groups);
	SD_NEED(job, stream && bucket);
	memset(bucket, 0xff, (size_t)groups * sizeof(*bucket));
	for (uint32_t i = 0; i < m.count; i++) {
		uint32_t k = order[i], g = m.number[k];
		int32_t near = sd_text_is(m.group[k], "-1") && !SD_MUTANT(group_ignores_minus_one) ? producer_stream(job, m.node[k]) : SD_NO_STREAM;

		if (near == SD_NO_STREAM && (SD_MUTANT(group_over_streams) ? bucket[g] == UINT32_MAX : bucket[g] != (uint32_t)m.stream[k])) {
			bucket[g] = (uint32_t)m.stream[k];
			stream[g] = sd_job_fresh(job);
		}
		job->stream[m.node[k]] = near == SD_NO_STREAM ? stream[g] : near;
		if (near != SD_NO_STREAM)
			sd_hint(job, m.node[k], SD_REASON_GROUP_PRODUCER, job->adjacency.pred[job->adjacency.pred_first[m.node[k]]]);
	}
	return SD_OK;
}
