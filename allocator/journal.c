/* The journal of placements: engines, clusters, streams, pieces. */
#include "journal.h"

#include "base/check.h"
#include "chain.h"
#include "engines.h"

/* Why a pass moves nodes when it does not say. */
static const struct {
	const char *pass;
	enum sd_reason reason;
} usual_reasons[] = {
	{ "by_label", SD_REASON_LABEL },
	{ "independent_engine", SD_REASON_INDEPENDENT_ENGINE },
	{ "one_stream", SD_REASON_ONE_STREAM },
	{ "owning_engine", SD_REASON_ENGINE_STREAM },
	{ "aicpu_stream", SD_REASON_ENGINE_STREAM },
	{ "label_over_engine", SD_REASON_LABEL },
	{ "new_stream_attr", SD_REASON_OWN_STREAM },
	{ "parallel_group", SD_REASON_GROUP },
	{ "allreduce_parallel", SD_REASON_BEHIND_REDUCTION },
	{ "skipped_engine", SD_REASON_BETWEEN },
	{ "explicit_streams", SD_REASON_EXPLICIT },
	{ "rank_streams", SD_REASON_RENUMBERED },
	{ "paths_to_nodes", SD_REASON_LABEL },
	{ "dense_streams", SD_REASON_RENUMBERED },
	{ "close_holes", SD_REASON_RENUMBERED },
	{ "dynamic_one_stream", SD_REASON_DYNAMIC_ONE },
};
#define USUAL_COUNT (sizeof(usual_reasons) / sizeof(usual_reasons[0]))

static enum sd_reason usual_reason(const char *pass)
{
	for (size_t i = 0; i < USUAL_COUNT; i++) {
		if (strcmp(usual_reasons[i].pass, pass) == 0)
			return usual_reasons[i].reason;
	}
	return SD_REASON_MOVED;
}

enum sd_status sd_journal_open(struct sd_job *job, uint32_t when)
{
	uint32_t nodes = job->graph->node_count;
	struct sd_journal *j = SD_NEW0(job->mem, struct sd_journal, 1);

	SD_NEED(job, j);
	j->pass_name = SD_NEW(job->mem, struct sd_text, sd_chain_length);
	j->usual = SD_NEW(job->mem, enum sd_reason, sd_chain_length);
	j->pass_of_row = SD_NEW(job->mem, uint32_t, sd_chain_length);
	j->hint = SD_NEW0(job->mem, struct sd_hint, nodes);
	j->stream = SD_NEW(job->mem, int32_t, nodes);
	SD_NEED(job, j->pass_name && j->usual && j->pass_of_row && j->hint && j->stream);
	for (uint32_t n = 0; n < nodes; n++)
		j->stream[n] = SD_NO_STREAM;
	for (uint32_t row = 0; row < sd_chain_length; row++) {
		const char *name = sd_chain[row].name;

		j->pass_of_row[row] = j->pass_count;
		if (!(sd_chain[row].when & when))
			continue;
		j->usual[j->pass_count] = usual_reason(name);
		j->pass_name[j->pass_count++] = (struct sd_text){ name, (uint32_t)strlen(name) };
	}
	job->journal = j;
	return SD_OK;
}

enum sd_status sd_journal_note(struct sd_job *job, const struct sd_explanation *note)
{
	struct sd_journal *j = job->journal;

	if (!sd_vec_room(job->mem, &j->note))
		SD_NEED(job, NULL);
	j->note.at[j->note.count] = *note;
	j->note.at[j->note.count++].pass = j->pass;
	return SD_OK;
}

enum sd_status sd_journal_reserve(struct sd_job *job, uint32_t count)
{
	struct sd_journal *j = job->journal;

	while (j->note.cap - j->note.count < count) {
		uint32_t cap = j->note.cap;

		j->note.at = sd_vec_grown(job->mem, j->note.at, j->note.count, &j->note.cap, sizeof(*j->note.at));
		SD_NEED(job, j->note.cap > cap);
	}
	return SD_OK;
}

/* A note that is about no stream. */
static enum sd_status tell(struct sd_job *job, uint32_t node, enum sd_reason reason, uint32_t other, uint32_t number)
{
	return sd_journal_note(job, &(struct sd_explanation){ .node = node, .reason = reason, .from = SD_NO_STREAM, .to = SD_NO_STREAM,
	                                                      .other = other, .through = SD_NO_NODE, .number = number });
}

/* A move, for the reason that the pass hinted at, or its usual one. */
static struct sd_explanation move(const struct sd_journal *j, uint32_t node, int32_t from, int32_t to)
{
	const struct sd_hint *hint = &j->hint[node];

	if (hint->run == j->run)
		return (struct sd_explanation){ node, j->pass, hint->reason, from, to, hint->other, hint->through, 0 };
	return (struct sd_explanation){ node, j->pass, j->usual[j->pass], from, to, SD_NO_NODE, SD_NO_NODE, 0 };
}

/* ---- what is decided, by the facts that a pass gives ---- */

static enum sd_status tell_engines(struct sd_job *job)
{
	static const enum sd_reason reason[] = { SD_REASON_ENGINE_STATED, SD_REASON_ENGINE_BY_ATTRIBUTE, SD_REASON_ENGINE_BY_TYPE,
	                                         SD_REASON_ENGINE_BY_DEFAULT };
	struct sd_text engine;

	for (uint32_t n = 0; n < job->graph->node_count; n++)
		SD_TRY(tell(job, n, reason[sd_engine_of(job->graph, n, &engine)], SD_NO_NODE, 0));
	return SD_OK;
}

static enum sd_status tell_launches(struct sd_job *job)
{
	for (uint32_t n = 0; n < job->graph->node_count; n++) {
		if (!job->launched[n])
			SD_TRY(tell(job, n, SD_REASON_NOT_LAUNCHED, SD_NO_NODE, 0));
	}
	return SD_OK;
}

static enum sd_status tell_clusters(struct sd_job *job)
{
	const struct sd_subgraph *graph = &job->graph->graph[job->visited];
	const struct sd_clusters *clusters = &job->clusters;
	struct sd_journal *j = job->journal;

	for (uint32_t n = graph->first_node; n < graph->first_node + graph->node_count; n++) {
		uint32_t k = job->cluster_of[n];

		if (k == SD_NO_INDEX) {
			SD_TRY(tell(job, n, SD_REASON_INPUT, SD_NO_NODE, 0));
			continue;
		}
		if (clusters->at[k].engine != job->engine[n])
			SD_TRY(tell(job, n, SD_REASON_BESIDE_CUBE, SD_NO_NODE, 0));
		if (clusters->at[k].node_count > 1)
			SD_TRY(tell(job, n, SD_REASON_CLUSTERED, clusters->node[clusters->at[k].first_node], clusters->at[k].node_count));
	}
	j->cluster_step.count = 0;
	j->cluster_stream = SD_NEW(job->mem, int32_t, clusters->count);
	SD_NEED(job, j->cluster_stream);
	for (uint32_t k = 0; k < clusters->count; k++)
		j->cluster_stream[k] = clusters->at[k].stream;
	return SD_OK;
}

static enum sd_status compare_clusters(struct sd_job *job)
{
	struct sd_journal *j = job->journal;

	for (uint32_t k = 0; k < job->clusters.count; k++) {
		const struct sd_cluster *c = &job->clusters.at[k];

		if (c->stream == j->cluster_stream[k])
			continue;
		if (!sd_vec_room(job->mem, &j->cluster_step))
			SD_NEED(job, NULL);
		j->cluster_step.at[j->cluster_step.count++] = (struct sd_cluster_step){
			k, move(j, job->clusters.node[c->first_node], j->cluster_stream[k], c->stream) };
		j->cluster_stream[k] = c->stream;
	}
	return SD_OK;
}

/* The nodes of a cluster went its way. */
static enum sd_status hand_down(struct sd_job *job)
{
	struct sd_journal *j = job->journal;
	uint32_t now = j->pass;

	for (uint32_t i = 0; i < j->cluster_step.count; i++) {
		struct sd_explanation note = j->cluster_step.at[i].note;
		const struct sd_cluster *c = &job->clusters.at[j->cluster_step.at[i].cluster];

		j->pass = note.pass;
		for (uint32_t k = c->first_node; k < c->first_node + c->node_count; k++) {
			note.node = job->clusters.node[k];
			j->stream[note.node] = note.to;
			SD_TRY(sd_journal_note(job, &note));
		}
	}
	j->pass = now;
	return SD_OK;
}

static enum sd_status compare_nodes(struct sd_job *job, enum sd_extent scope)
{
	const struct sd_subgraph *graph = &job->graph->graph[job->visited];
	struct sd_journal *j = job->journal;
	uint32_t first = scope == SD_WHOLE ? 0 : graph->first_node;
	uint32_t end = scope == SD_WHOLE ? job->graph->node_count : graph->first_node + graph->node_count;

	for (uint32_t n = first; n < end; n++) {
		struct sd_explanation note;

		if (job->stream[n] == j->stream[n])
			continue;
		note = move(j, n, j->stream[n], job->stream[n]);
		j->stream[n] = job->stream[n];
		SD_TRY(sd_journal_note(job, &note));
	}
	return SD_OK;
}

static enum sd_status tell_attached(struct sd_job *job)
{
	uint32_t *holder = SD_NEW(job->mem, uint32_t, job->logical_stream_count);

	SD_NEED(job, holder);
	memset(holder, 0xff, job->logical_stream_count * sizeof(*holder));
	for (uint32_t i = 0; i < job->graph->node_count; i++) {
		uint32_t n = job->order.flat[i];

		for (uint32_t k = job->attached_first[n]; k < job->attached_first[n + 1]; k++) {
			uint32_t stream = job->attached[k], first = holder[stream];

			holder[stream] = first == SD_NO_NODE ? n : first;
			SD_TRY(sd_journal_note(job, &(struct sd_explanation){
				.node = n, .reason = first == SD_NO_NODE || first == n ? SD_REASON_ATTACHED : SD_REASON_ATTACHED_SHARED,
				.from = SD_NO_STREAM, .to = (int32_t)stream, .other = first == n ? SD_NO_NODE : first, .through = SD_NO_NODE }));
		}
	}
	return SD_OK;
}

/* Where a node runs when its logical stream does not say it. */
static enum sd_status tell_pieces(struct sd_job *job)
{
	const struct sd_slots *slots = &job->slots;
	uint32_t *begins = SD_NEW(job->mem, uint32_t, job->stream_count);

	SD_NEED(job, begins);
	memset(begins, 0xff, job->stream_count * sizeof(*begins));
	for (uint32_t s = 0; s < slots->count; s++) {
		uint32_t n = slots->node[s];

		if (begins[slots->stream[s]] == SD_NO_NODE)
			begins[slots->stream[s]] = n;
		if (slots->kind[s] == SD_SLOT_MAIN && job->stream[n] == SD_NO_STREAM)
			SD_TRY(tell(job, n, SD_REASON_STREAM_ZERO, SD_NO_NODE, 0));
		if (slots->stream[s] == slots->lane[s] || (slots->kind[s] != SD_SLOT_MAIN && slots->kind[s] != SD_SLOT_ATTACHED))
			continue;
		SD_TRY(sd_journal_note(job, &(struct sd_explanation){
			.node = n, .reason = SD_REASON_PIECE, .from = (int32_t)slots->lane[s], .to = (int32_t)slots->stream[s],
			.other = begins[slots->stream[s]], .through = SD_NO_NODE }));
	}
	return SD_OK;
}

/* Who starts the streams that do not run with the model. */
static enum sd_status tell_starts(struct sd_job *job)
{
	uint32_t *starter = SD_NEW(job->mem, uint32_t, job->stream_count);
	bool *several = SD_NEW0(job->mem, bool, job->stream_count);

	SD_NEED(job, starter && several);
	memset(starter, 0xff, job->stream_count * sizeof(*starter));
	for (uint32_t i = 0; i < job->started.count; i++) {
		const struct sd_started *list = &job->started.at[i];

		for (uint32_t k = list->first; k < list->first + list->count; k++) {
			uint32_t stream = job->started_stream.at[k];

			several[stream] = starter[stream] != SD_NO_NODE;
			starter[stream] = several[stream] ? starter[stream] : list->node;
		}
	}
	for (uint32_t s = 0; s < job->slots.count; s++) {
		uint32_t stream = job->slots.stream[s];

		if (job->slots.kind[s] == SD_SLOT_MAIN && job->is_started[stream])
			SD_TRY(tell(job, job->slots.node[s], several[stream] ? SD_REASON_STARTED_BY_SOME : SD_REASON_STARTED, starter[stream], 0));
	}
	for (uint32_t i = 0; i < job->inserted_count; i++)
		SD_TRY(tell(job, job->graph->node_count + i, SD_REASON_INSERTED, job->inserted[i], 0));
	return SD_OK;
}

/* ---- the runner's calls ---- */

void sd_journal_enter(struct sd_job *job, const struct sd_pass *pass)
{
	job->journal->pass = job->journal->pass_of_row[pass - sd_chain];
	job->journal->run++;
}

static enum sd_status place(struct sd_job *job, const struct sd_pass *pass, uint32_t have)
{
	if (pass->gives & SD_FACT_CLUSTERS)
		return tell_clusters(job);
	if ((have & SD_FACT_CLUSTERS) && !(have & SD_FACT_NODE_STREAM))
		SD_TRY(compare_clusters(job));
	if ((pass->gives & SD_FACT_NODE_STREAM) && (have & SD_FACT_CLUSTER_STREAM))
		SD_TRY(hand_down(job));
	return (have | pass->gives) & SD_FACT_NODE_STREAM ? compare_nodes(job, pass->scope) : SD_OK;
}

enum sd_status sd_journal_leave(struct sd_job *job, const struct sd_pass *pass, uint32_t have)
{
	if (!(have & SD_FACT_ATTACHED))
		SD_TRY(place(job, pass, have));
	if (pass->gives & SD_FACT_ENGINES)
		return tell_engines(job);
	if (pass->gives & SD_FACT_TASKS)
		return tell_launches(job);
	if (pass->gives & SD_FACT_ATTACHED)
		return tell_attached(job);
	if (pass->gives & SD_FACT_SYNCS) {
		job->journal->orders_pass = job->journal->pass;
		return sd_journal_edges(job);
	}
	if (pass->gives & SD_FACT_PIECES) {
		job->journal->pieces_pass = job->journal->pass;
		return tell_pieces(job);
	}
	return pass->gives & SD_FACT_STARTED ? tell_starts(job) : SD_OK;
}
