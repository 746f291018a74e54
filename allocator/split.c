#include "split.h"
#include "mutants.h"

int64_t sd_split_limit(const struct sd_job *job, bool *huge)
{
	int64_t total = 0;

	*huge = false;
	if (sd_job_unlimited_depth(job))
		return 0;
	if (!job->options->single_stream || !job->limits.has_huge || !job->limits.max_tasks_per_stream)
		return job->limits.max_tasks_per_stream;
	for (uint32_t slot = 0; slot < job->slots.count; slot++)
		total += sd_job_slot_tasks(job, slot);
	if (total + SD_TASK_RESERVE + SD_MUTANT(split_huge_early) <= job->limits.max_tasks_per_stream)
		return job->limits.max_tasks_per_stream;
	*huge = true;
	return job->limits.max_tasks_per_huge_stream;
}

enum sd_status sd_split_groups(struct sd_job *job, uint32_t **group)
{
	const struct sd_slots *slots = &job->slots;
	uint32_t count = 0, distinct, *slot, *number;
	struct sd_text *text;

	*group = SD_NEW0(job->mem, uint32_t, slots->count);
	SD_NEED(job, *group);
	for (uint32_t s = 0; s < slots->count; s++)
		count += sd_graph_has(job->graph, slots->node[s], SD_ATTR_CONTINUOUS_STREAM_LABEL);
	slot = SD_NEW(job->mem, uint32_t, count);
	number = SD_NEW(job->mem, uint32_t, count);
	text = SD_NEW(job->mem, struct sd_text, count);
	SD_NEED(job, slot && number && text);
	count = 0;
	for (uint32_t s = 0; s < slots->count; s++) {
		struct sd_text label;

		if (!sd_graph_string(job->graph, slots->node[s], SD_ATTR_CONTINUOUS_STREAM_LABEL, &label) || !label.len)
			continue;
		slot[count] = s;
		text[count++] = label;
	}
	SD_TRY(sd_job_intern(job, text, count, 1, number, &distinct));
	for (uint32_t i = 0; i < count; i++)
		(*group)[slot[i]] = number[i];
	return SD_OK;
}

enum sd_status sd_split_sizes(struct sd_job *job, int64_t limit, const int64_t *syncs, int64_t **size)
{
	const struct sd_starts *starts = &job->starts;
	int64_t *total = SD_NEW0(job->mem, int64_t, job->slots.lane_count);

	*size = SD_NEW(job->mem, int64_t, job->slots.count);
	SD_NEED(job, total && *size);
	for (uint32_t s = 0; s < job->slots.count; s++) {
		(*size)[s] = sd_job_slot_tasks(job, s);
		total[job->slots.lane[s]] += (*size)[s] + syncs[s];
		if (job->slots.kind[s] == SD_SLOT_MAIN && sd_job_op(job, job->slots.node[s]) == SD_OP_STREAM_ACTIVE)
			(*size)[s] = 0;
	}
	for (uint32_t i = 0; limit && i < starts->count; i++) {
		const struct sd_starter *starter = &starts->at[i];
		bool relays = starter->relay_lane != SD_NO_NODE;
		uint32_t slot = relays ? starter->relay_slot : job->slots.of_node[starter->node];

		if (!relays && sd_job_op(job, starter->node) != SD_OP_STREAM_ACTIVE)
			continue;
		(*size)[slot] = 0;
		for (uint32_t k = 0; k < starter->count; k++)
			(*size)[slot] += (total[starts->lane[starter->first + k]] + (SD_MUTANT(split_starter_small) ? 0 : limit - 1)) / limit;
	}
	return SD_OK;
}

uint32_t sd_split_turn(const struct sd_job *job, uint32_t slot)
{
	const struct sd_scope *scopes = job->scopes.at;
	uint32_t from = job->slots.before[slot], own = from == SD_NO_INDEX ? SD_SCOPE_ROOT : job->slots.scope[from], scope = job->slots.scope[slot];

	if (own == scope || !scopes[own].depth || scopes[own].depth != scopes[scope].depth)
		return SD_NO_INDEX;
	return job->scopes.functional[scopes[scope].functional].form == SD_FORM_STRUCTURED ? from : SD_NO_INDEX;
}
