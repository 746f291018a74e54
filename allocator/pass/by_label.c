/* by_label - clusters with one label share one stream.
 *
 * Rule   The first cluster with a label takes a fresh stream, later ones with the same
 *        label the same, across engines, within one graph.
 * Example labels l1, l2, l1 on three engines: streams 0, 1, 0.
 * Cost   O(clusters). */
#include "passes.h"
#include "mutants.h"

enum sd_status sd__pass_by_label(struct sd_job *job)
{
	struct sd_arena_mark mark = sd_arena_mark(job->mem); /* labels are those of all graphs: it must not add up */
	uint32_t largest = 0;
	int32_t *stream;

	for (uint32_t k = 0; k < job->clusters.count; k++)
		largest = job->clusters.at[k].label > largest ? job->clusters.at[k].label : largest;
	stream = SD_NEW(job->mem, int32_t, largest + 1u);
	SD_NEED(job, stream);
	memset(stream, 0xff, (largest + 1u) * sizeof(*stream));
	for (uint32_t k = 0; k < job->clusters.count; k++) {
		struct sd_cluster *c = &job->clusters.at[k];

		if (!c->label || (SD_MUTANT(by_label_user_alone) && !c->user))
			continue;
		if (stream[c->label] == SD_NO_STREAM || SD_MUTANT(by_label_each_fresh))
			stream[c->label] = sd_job_fresh(job);
		c->stream = stream[c->label];
	}
	sd_arena_rewind(job->mem, mark);
	return SD_OK;
}
