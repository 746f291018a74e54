/* stream_passes - rules that the program brings along (streamd/stream_pass.h).
 *
 * Rule   Behind the planner's own rules each row of the request's table runs once over the
 *        whole graph and may move nodes to streams that exist or that it allocates. Streams
 *        that were allocated here are told apart in the summary.
 * Why    A site knows its models. What it decides is renumbered, synchronised and proved like all
 *        else, so a pass can make a plan slow and never wrong.
 * Example relu1 is given a fresh stream behind streams 0 to 2: it is on 3, and the summary says
 *        who asked for it.
 * Differs Graph Engine tells which streams were allocated before they are renumbered, so that it
 *        may point at another one; here the numbers are the final ones.
 * Cost   O(nodes), and what the passes take. */
#include "passes.h"

#include "dynamic.h"
#include "streamd/stream_pass.h"
#include "mutants.h"

struct sd_streams {
	struct sd_job *job;
	char *reason;      /* NULL: not said */
	bool out_of_memory;
};

int32_t sd_stream_pass_max(const struct sd_streams *streams)
{
	return streams->job->next_stream - 1;
}

int32_t sd_stream_pass_allocate(struct sd_streams *streams)
{
	return streams->job->next_stream == INT32_MAX ? SD_NO_STREAM : SD_MUTANT(site_stream_in_use) && streams->job->next_stream ? streams->job->next_stream - 1 : sd_job_fresh(streams->job);
}

int32_t sd_stream_pass_get(const struct sd_streams *streams, uint32_t node)
{
	return node < streams->job->graph->node_count ? streams->job->stream[node] : SD_NO_STREAM;
}

bool sd_stream_pass_set(struct sd_streams *streams, uint32_t node, int32_t stream)
{
	struct sd_job *job = streams->job;

	if (node >= job->graph->node_count || stream < 0 || stream >= job->next_stream ||
	    !sd_dynamic_plans(job->graph, job->graph->graph_of[node]))
		return false;
	job->stream[node] = stream;
	return true;
}

void sd_stream_pass_reason(struct sd_streams *streams, const char *reason)
{
	size_t len = strlen(reason);

	len = len < SD_MESSAGE_MAX ? len : SD_MESSAGE_MAX;
	streams->reason = SD_NEW(streams->job->mem, char, len + 1);
	streams->out_of_memory |= !streams->reason;
	if (!streams->reason)
		return;
	memcpy(streams->reason, reason, len);
	streams->reason[len] = '\0';
}

void *sd_stream_pass_memory(struct sd_streams *streams, size_t bytes)
{
	void *memory = sd_arena_zero(streams->job->mem, bytes, 1);

	streams->out_of_memory |= !memory;
	return memory;
}

bool sd_stream_pass_stopped(const struct sd_streams *streams)
{
	return sd_job_stopped(streams->job);
}

bool sd_stream_passes_read_names(const struct sd_stream_pass *passes)
{
	for (; passes && passes->name; passes++) {
		if (passes->reads_names)
			return true;
	}
	return false;
}

/* The graph for passes that do not read names: what they cannot see need not be part of a cache key. */
static enum sd_status blank_names(struct sd_job *job, struct sd_graph *blank)
{
	const struct sd_graph *graph = job->graph;
	struct sd_text *name = SD_NEW(job->mem, struct sd_text, graph->node_count);
	struct sd_subgraph *body = SD_NEW(job->mem, struct sd_subgraph, graph->graph_count);

	SD_NEED(job, name && body);
	for (uint32_t n = 0; n < graph->node_count; n++)
		name[n] = SD_TEXT("");
	memcpy(body, graph->graph, graph->graph_count * sizeof(*body));
	for (uint32_t i = 0; i < graph->graph_count; i++)
		body[i].name = SD_TEXT("");
	*blank = *graph;
	blank->name = name;
	blank->graph = body;
	return SD_OK;
}

static struct sd_text text_of(const char *text)
{
	return (struct sd_text){ text, (uint32_t)strlen(text) };
}

static enum sd_status run_pass(struct sd_job *job, const struct sd_stream_pass *pass, const struct sd_graph *graph)
{
	struct sd_streams streams = { .job = job };
	struct sd_text name = text_of(pass->name);
	int code;

	if (!pass->run)
		return SD_FAIL1(job->diag, SD_CODE_PASS_WITHOUT_FUNCTION, SD_NO_NODE, sd_arg_text(name));
	code = pass->run(graph, &streams);
	if (sd_job_stopped(job))
		return SD_FAIL0(job->diag, SD_CODE_CANCELLED, SD_NO_NODE);
	if (code != 0 && streams.out_of_memory)
		SD_NEED(job, NULL);
	if (code != 0 && !SD_MUTANT(site_failure_ignored))
		return SD_FAIL3(job->diag, SD_CODE_PASS_REFUSED, SD_NO_NODE, sd_arg_text(name), sd_arg_int(code),
		                streams.reason ? sd_arg_text(text_of(streams.reason)) : sd_arg_words("it gives no reason"));
	return SD_OK;
}

enum sd_status sd__pass_stream_passes(struct sd_job *job)
{
	const struct sd_stream_pass *pass = job->request->passes;
	struct sd_graph blank;

	if (!pass || !pass->name)
		return SD_OK;
	job->first_by_pass = (uint32_t)sd_job_next(job);
	SD_TRY(blank_names(job, &blank));
	for (; pass->name; pass++) {
		struct sd_arena_mark mark = sd_arena_mark(job->mem);

		SD_TRY(run_pass(job, pass, pass->reads_names ? job->graph : &blank));
		sd_arena_rewind(job->mem, mark);
	}
	return SD_OK;
}
