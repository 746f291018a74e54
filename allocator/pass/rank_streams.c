/* rank_streams - the streams of a model of unknown shape in their final order; the main one is 0.
 *
 * Rule   Engines that have a node on their stream come first, by cost, then by name; labels
 *        follow in byte order. What a loader needs on the main stream is moved to stream 0:
 *        inputs and outputs of graphs, owners of bodies, nodes that have no stream.
 * Why    The best engine's stream is the one that everything else joins.
 * Example Relu -> HcomAllReduce -> DSA -> NetOutput: Relu and NetOutput 0, HcomAllReduce 1, DSA 2.
 * Keeps  A stream that is left empty by the move keeps its number here; close_holes decides.
 * Differs Graph Engine compares engines in a way that is no order, and refuses or renumbers
 *        some models for it.
 * Cost   O(nodes + labels + engines * log engines). */
#include "passes.h"

#include "base/merge.h"
#include "dynamic.h"
#include "mutants.h"

static int compare_engines(const void *arg, uint32_t a, uint32_t b)
{
	const struct sd_engine *engine = arg;

	if (engine[a].cost != engine[b].cost && !SD_MUTANT(rank_by_name))
		return engine[a].cost < engine[b].cost ? -1 : 1;
	return a < b ? -1 : a > b; /* engines are kept in order of their names */
}

/* Engines with a node on their stream, in order. */
static uint32_t list_engines(const struct sd_job *job, const bool *used, uint32_t *engine, uint32_t *spare)
{
	uint32_t count = 0;

	for (uint32_t e = 0; e < job->engines.count; e++) {
		if (job->given.of_engine[e] != SD_NO_STREAM && used[job->given.of_engine[e]])
			engine[count++] = e;
	}
	sd_merge_sort(engine, spare, count, compare_engines, job->engines.engine);
	return count;
}

/* Labels that have a stream, in byte order. */
static uint32_t list_labels(const struct sd_job *job, uint32_t *label)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < job->labels.count; i++) {
		uint32_t l = (SD_MUTANT(rank_labels_as_met) ? i : job->labels.sorted[i]) + 1;

		if (job->given.of_label[l] != SD_NO_STREAM)
			label[count++] = l;
	}
	return count;
}

enum sd_status sd__pass_rank_streams(struct sd_job *job)
{
	uint32_t given = (uint32_t)job->next_stream, most = job->engines.count + job->labels.count, count;
	bool *used = SD_NEW0(job->mem, bool, given);
	int32_t *number = SD_NEW(job->mem, int32_t, given), next = 0;
	uint32_t *item = SD_NEW(job->mem, uint32_t, most), *spare = SD_NEW(job->mem, uint32_t, most);

	SD_NEED(job, used && number && item && spare);
	memset(number, 0xff, given * sizeof(*number));
	for (uint32_t n = 0; n < job->graph->node_count; n++) {
		if (job->stream[n] != SD_NO_STREAM)
			used[job->stream[n]] = true;
	}
	count = list_engines(job, used, item, spare);
	for (uint32_t i = 0; i < count; i++)
		number[job->given.of_engine[item[i]]] = next++;
	count = list_labels(job, item);
	for (uint32_t i = 0; i < count; i++)
		number[job->given.of_label[item[i]]] = next++;
	job->next_stream = next ? next : 1;
	return sd_dynamic_renumber(job, number);
}
