/* planner.c - from a request to a proved plan: check, run the chain, judge. */
#include "streamd/planner.h"

#include "base/check.h"
#include "base/merge.h"
#include "chain.h"
#include "journal.h"
#include "streamd/verify.h"

#include <stdio.h>

/* Which planner decides, once the options are known to make sense. */
static enum sd_status choose_planner(struct sd_job *job, enum sd_when *when)
{
	SD_TRY(sd_options_check(job->options, job->diag));
	SD_TRY(sd_limits_resolve(&job->request->device, &job->limits, job->diag));
	if (job->options->has_explicit_streams)
		*when = SD_EXPLICIT;
	else if (job->graph->graph[SD_ROOT].dynamic)
		*when = job->options->dynamic_multi_stream ? SD_DYNAMIC : SD_DYN_ONE;
	else
		*when = job->options->single_stream ? SD_SINGLE : SD_MULTI;
	return SD_OK;
}

static enum sd_status start_job(struct sd_job *job)
{
	job->stream = SD_NEW(job->mem, int32_t, job->graph->node_count);
	job->cluster_of = SD_NEW(job->mem, uint32_t, job->graph->node_count);
	SD_NEED(job, job->stream && job->cluster_of);
	for (uint32_t n = 0; n < job->graph->node_count; n++)
		job->stream[n] = SD_NO_STREAM;
	return SD_OK;
}

/* A plan that the judge does not accept is never answered. The message is made of our own
 * words and numbers only: names are not known to be needed here. */
static enum sd_status prove(struct sd_job *job)
{
	const struct sd_hooks *hooks = job->hooks;
	struct sd_verdict verdict;
	enum sd_status status = sd_verify(job->mem, job->request, job->plan, hooks ? hooks->stop : NULL, hooks ? hooks->arg : NULL, &verdict);
	char *words;

	if (status != SD_OK) {
		if (job->diag && job->diag->code == SD_CODE_NONE)
			*job->diag = verdict.why;
		return status;
	}
	if (hooks && hooks->passed)
		hooks->passed(hooks->arg, "verify");
	if (verdict.count == 0)
		return SD_OK;
	words = SD_NEW(job->mem, char, SD_MESSAGE_MAX);
	SD_NEED(job, words);
	sd_violation_text(&verdict.violation[0], NULL, words, SD_MESSAGE_MAX);
	return SD_FAIL1(job->diag, SD_CODE_NOT_PROVED, SD_NO_NODE, sd_arg_words(words));
}

enum sd_status sd_plan_make(struct sd_arena *mem, const struct sd_request *request,
                            const struct sd_hooks *hooks, const struct sd_plan **plan,
                            struct sd_diag *diag)
{
	struct sd_job *job = SD_NEW0(mem, struct sd_job, 1);
	enum sd_when when;

	if (!job)
		return SD_FAIL1(diag, SD_CODE_LIMIT_MEMORY, SD_NO_NODE, sd_arg_int((int64_t)mem->budget_bytes));
	job->mem = mem;
	job->request = request;
	job->graph = &request->graph;
	job->options = &request->options;
	job->hooks = hooks;
	job->diag = diag;
	job->first_by_pass = UINT32_MAX;
	SD_TRY(choose_planner(job, &when));
	SD_TRY(start_job(job));
	if (job->options->explain)
		SD_TRY(sd_journal_open(job, when));
	SD_TRY(sd_chain_run(job, when));
	SD_TRY(prove(job));
	*plan = job->plan;
	return SD_OK;
}

/* FNV-1a over names and revisions: a fingerprint of our own table, not of anybody's input. */
static uint64_t mix(uint64_t hash, const void *data, size_t len)
{
	const unsigned char *at = data;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ at[i]) * 0x100000001b3ull;
	return hash;
}

void sd_planner_version(const struct sd_stream_pass *passes, char out[SD_PLANNER_VERSION_MAX])
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (uint32_t i = 0; i < sd_chain_length; i++) {
		hash = mix(hash, sd_chain[i].name, strlen(sd_chain[i].name) + 1);
		hash = mix(hash, &(unsigned char){ (unsigned char)sd_chain[i].rev }, 1);
	}
	for (; passes && passes->name; passes++) {
		hash = mix(hash, passes->name, strlen(passes->name) + 1);
		for (int shift = 0; shift < 32; shift += 8)
			hash = mix(hash, &(unsigned char){ (unsigned char)(passes->version >> shift) }, 1);
	}
	snprintf(out, SD_PLANNER_VERSION_MAX, "%s+%016llx", SD_VERSION, (unsigned long long)hash);
}
