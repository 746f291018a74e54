/* fold_labels - one stream label per node: the user's label wins over the inner one.
 *
 * Rule   A node with a user label U and an inner label I is labelled U, or U_I where
 *        `_enable_inner_parallel` is true; with one of the two it has that one. An empty
 *        label is none. Equal texts get equal numbers, so that passes compare numbers.
 * Why    Labels ask for streams by name; what is below needs to know only which are equal.
 * Example _user_stream_label "u", _stream_label "i", inner parallel: label and user label "u_i".
 * Keeps  The attributes themselves: presence tests of later passes still see them.
 * Cost   O(nodes + labelled * log labelled). */
#include "passes.h"

#include "base/merge.h"
#include "mutants.h"

struct labelled {
	uint32_t count;
	uint32_t *node;
	struct sd_text *text; /* folded */
	bool *by_user;
};

/* The folded label as text; a joined one is put together in the arena. */
static enum sd_status folded(struct sd_job *job, uint32_t node, struct sd_text *text, bool *by_user)
{
	struct sd_text user, inner = SD_TEXT("");
	bool has_inner = sd_graph_string(job->graph, node, SD_ATTR_STREAM_LABEL, &inner);
	char *joined;
	size_t len;

	*by_user = sd_graph_string(job->graph, node, SD_ATTR_USER_STREAM_LABEL, &user);
	*text = *by_user && !(SD_MUTANT(label_inner_wins) && has_inner) ? user : inner;
	if (!*by_user || !has_inner || !(sd_graph_bool(job->graph, node, SD_ATTR_ENABLE_INNER_PARALLEL) || SD_MUTANT(label_always_joined)))
		return SD_OK;
	len = (size_t)user.len + 1 + inner.len;
	joined = SD_NEW(job->mem, char, len + 1);
	SD_NEED(job, joined);
	sd_graph_label(job->graph, node, joined, len + 1);
	*text = (struct sd_text){ joined, (uint32_t)len };
	return SD_OK;
}

static enum sd_status collect(struct sd_job *job, struct labelled *found)
{
	const uint64_t either = 1ull << SD_ATTR_STREAM_LABEL | 1ull << SD_ATTR_USER_STREAM_LABEL;
	uint32_t count = 0;

	for (uint32_t n = 0; n < job->graph->node_count; n++)
		count += (job->graph->attr_present[n] & either) != 0;
	*found = (struct labelled){ 0, SD_NEW(job->mem, uint32_t, count), SD_NEW(job->mem, struct sd_text, count),
	                            SD_NEW(job->mem, bool, count) };
	SD_NEED(job, found->node && found->text && found->by_user);
	for (uint32_t n = 0; n < job->graph->node_count; n++) {
		if (!(job->graph->attr_present[n] & either))
			continue;
		SD_TRY(folded(job, n, &found->text[found->count], &found->by_user[found->count]));
		found->node[found->count] = n;
		found->count += found->text[found->count].len != 0;
	}
	return SD_OK;
}

static int compare_texts(const void *ctx, uint32_t a, uint32_t b)
{
	const struct sd_text *text = ctx;

	return sd_text_compare(text[a], text[b]);
}

static enum sd_status keep_texts(struct sd_job *job, const struct labelled *found, const uint32_t *number)
{
	struct sd_labels *labels = &job->labels;
	uint32_t *spare = SD_NEW(job->mem, uint32_t, labels->count);

	labels->text = SD_NEW(job->mem, struct sd_text, labels->count);
	labels->sorted = SD_NEW(job->mem, uint32_t, labels->count);
	SD_NEED(job, spare && labels->text && labels->sorted);
	for (uint32_t i = 0; i < found->count; i++)
		labels->text[number[i] - 1] = found->text[i];
	for (uint32_t i = 0; i < labels->count; i++)
		labels->sorted[i] = i;
	sd_merge_sort(labels->sorted, spare, labels->count, compare_texts, labels->text);
	return SD_OK;
}

static enum sd_status limit_engines(struct sd_job *job)
{
	const struct sd_options *options = job->options;

	job->max_parallel = SD_NEW(job->mem, uint32_t, job->engines.count);
	SD_NEED(job, job->max_parallel);
	for (uint32_t e = 0; e < job->engines.count; e++)
		job->max_parallel[e] = 1;
	for (uint32_t i = 0; i < options->max_parallel_count; i++) {
		uint32_t e = sd_engines_find(&job->engines, options->max_parallel[i].engine);
		int64_t streams = options->max_parallel[i].streams;

		if (e == SD_NO_ENGINE)
			SD_TRY(sd_job_warn(job, SD_CODE_UNKNOWN_LIMITED_ENGINE, SD_NO_NODE, sd_arg_int(i), (struct sd_arg){ 0 }));
		else
			job->max_parallel[e] = streams < INT32_MAX ? (uint32_t)streams : INT32_MAX;
	}
	return SD_OK;
}

enum sd_status sd__pass_fold_labels(struct sd_job *job)
{
	struct labelled found;
	uint32_t *number;

	job->label = SD_NEW0(job->mem, uint32_t, job->graph->node_count);
	job->user_label = SD_NEW0(job->mem, uint32_t, job->graph->node_count);
	SD_NEED(job, job->label && job->user_label);
	SD_TRY(collect(job, &found));
	number = SD_NEW(job->mem, uint32_t, found.count);
	SD_NEED(job, number);
	SD_TRY(sd_job_intern(job, found.text, found.count, 1, number, &job->labels.count));
	for (uint32_t i = 0; i < found.count; i++) {
		job->label[found.node[i]] = number[i];
		job->user_label[found.node[i]] = found.by_user[i] ? number[i] : 0;
	}
	SD_TRY(keep_texts(job, &found, number));
	return limit_engines(job);
}
