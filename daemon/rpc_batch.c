/* PlanBatch on a worker: first to find its requests, then each of them is a Plan. */
#include <stdlib.h>
#include <string.h>

#include "proto/batch.h"

#include "batch.h"
#include "error.h"
#include "rpc.h"

static enum sd_status no_memory(struct sd_diag *diag)
{
	return SD_FAIL1(diag, SD_CODE_BROKEN, SD_NO_NODE, sd_arg_words("no memory is left"));
}

/* What was unpacked lies in the arena of this job, and is wanted for longer. */
static bool keep_body(const struct sd_job *job, struct sd_batch_parts *parts, struct sd_text *bytes)
{
	if (bytes->at == (const char *)job->origin->body)
		return true;
	parts->body = malloc(bytes->len ? bytes->len : 1);
	if (!parts->body)
		return false;
	memcpy(parts->body, bytes->at, bytes->len);
	parts->body_bytes = bytes->len;
	bytes->at = (const char *)parts->body;
	return true;
}

/* Count, admit, allocate. */
static enum sd_status find_parts(struct sd_job *job, struct sd_diag *diag)
{
	uint64_t count, most = job->origin->items_max;
	struct sd_text bytes = job->bytes;
	struct sd_batch_parts *parts;

	SD_TRY(sd_batch_count(bytes, &count, diag));
	if (count > most)
		return SD_FAIL3(diag, SD_CODE_LIMIT_ITEMS, SD_NO_NODE, sd_arg_int((int64_t)count), sd_arg_words("requests"), sd_arg_int((int64_t)most));
	parts = calloc(1, sizeof(*parts) + (size_t)count * sizeof(parts->item[0]));
	if (!parts)
		return no_memory(diag);
	if (!keep_body(job, parts, &bytes)) {
		free(parts);
		return no_memory(diag);
	}
	parts->count = (uint32_t)count;
	sd_batch_split(bytes, parts->item);
	job->result.parts = parts;
	return SD_OK;
}

void sd_run_plan_batch(struct sd_job *job, struct sd_arena *arena)
{
	struct sd_diag diag = { 0 };

	if (job->origin->batch) {
		sd_run_plan(job, arena);
		return;
	}
	if (find_parts(job, &diag) == SD_OK)
		return;
	job->result.status = sd_code_status(diag.code);
	job->result.code = diag.code;
	job->result.body = sd_error_blob(&diag, NULL);
}
