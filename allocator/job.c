#include "job.h"

#include "base/merge.h"

uint32_t sd_label_find(const struct sd_labels *labels, struct sd_text text)
{
	uint32_t low = 0, high = labels->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order = sd_text_compare(labels->text[labels->sorted[middle]], text);

		if (order == 0)
			return labels->sorted[middle] + 1;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}

enum sd_status sd_job_order(struct sd_job *job, uint32_t from, uint32_t to, enum sd_cause cause)
{
	if (from == SD_NO_INDEX || to == SD_NO_INDEX || job->slots.lane[from] == job->slots.lane[to])
		return SD_OK;
	if (!sd_vec_room(job->mem, &job->extra_orders))
		SD_NEED(job, NULL);
	job->extra_orders.at[job->extra_orders.count++] = (struct sd_order_pair){ from, to, cause, SD_NO_INDEX };
	return SD_OK;
}

enum sd_status sd_job_sort_orders(struct sd_job *job, struct sd_order_list *list)
{
	struct sd_order_pair *sorted = SD_NEW(job->mem, struct sd_order_pair, list->count);
	uint32_t *place = SD_NEW0(job->mem, uint32_t, job->slots.count + 1u);

	SD_NEED(job, sorted && place);
	for (uint32_t i = 0; i < list->count; i++)
		place[list->at[i].to + 1]++;
	for (uint32_t slot = 0; slot < job->slots.count; slot++)
		place[slot + 1] += place[slot];
	for (uint32_t i = 0; i < list->count; i++)
		sorted[place[list->at[i].to]++] = list->at[i];
	list->at = sorted;
	return SD_OK;
}

bool sd_job_stopped(const struct sd_job *job)
{
	return job->hooks && job->hooks->stop && job->hooks->stop(job->hooks->arg);
}

uint32_t sd_job_stream_bound(const struct sd_job *job)
{
	const struct sd_subgraph *graph = &job->graph->graph[job->visited];
	int32_t highest = SD_NO_STREAM;

	for (uint32_t i = 0; i < graph->node_count; i++) {
		int32_t stream = job->stream[graph->first_node + i];

		highest = stream > highest ? stream : highest;
	}
	return (uint32_t)(highest + 1);
}

enum sd_status sd_job_warn(struct sd_job *job, enum sd_code code, uint32_t node, struct sd_arg a, struct sd_arg b)
{
	if (!sd_vec_room(job->mem, &job->warnings))
		SD_NEED(job, NULL);
	job->warnings.at[job->warnings.count++] = (struct sd_diag){
		.code = code, .severity = SD_WARNING, .node = node, .arg = { a, b }
	};
	return SD_OK;
}

static int compare_texts(const void *arg, uint32_t a, uint32_t b)
{
	const struct sd_text *text = arg;

	return sd_text_compare(text[a], text[b]);
}

enum sd_status sd_job_intern(struct sd_job *job, const struct sd_text *text, uint32_t count,
                             uint32_t first, uint32_t *number, uint32_t *distinct)
{
	struct sd_arena_mark mark = sd_arena_mark(job->mem);
	uint32_t *by_text = SD_NEW(job->mem, uint32_t, count);
	uint32_t *leader = SD_NEW(job->mem, uint32_t, count);

	SD_NEED(job, by_text && leader);
	for (uint32_t i = 0; i < count; i++)
		by_text[i] = i;
	sd_merge_sort(by_text, leader, count, compare_texts, text);
	/* The sort is stable: the first of a run of equal texts is the one that appeared first. */
	for (uint32_t i = 0; i < count; i++) {
		bool repeated = i && sd_text_equal(text[by_text[i]], text[by_text[i - 1]]);

		leader[by_text[i]] = repeated ? leader[by_text[i - 1]] : by_text[i];
	}
	*distinct = 0;
	for (uint32_t i = 0; i < count; i++)
		number[i] = leader[i] == i ? first + (*distinct)++ : number[leader[i]];
	sd_arena_rewind(job->mem, mark);
	return SD_OK;
}
