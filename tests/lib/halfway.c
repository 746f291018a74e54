#include "halfway.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"

static void must(enum sd_status status, const struct sd_diag *diag)
{
	char message[SD_MESSAGE_MAX];

	if (status == SD_OK)
		return;
	sd_diag_message(diag, NULL, message, sizeof(message));
	fprintf(stderr, "%s\n", message);
	abort();
}

static struct sd_job *begin(struct sd_arena *mem, struct sd_request *request, enum sd_when when)
{
	struct sd_job *job = SD_NEW0(mem, struct sd_job, 1);

	SD_REQUIRE(job && (request->graph.graph_count == 1 || when == SD_EXPLICIT));
	job->mem = mem;
	job->request = request;
	job->graph = &request->graph;
	job->options = &request->options;
	job->diag = SD_NEW0(mem, struct sd_diag, 1);
	job->stream = SD_NEW(mem, int32_t, job->graph->node_count);
	job->cluster_of = SD_NEW(mem, uint32_t, job->graph->node_count);
	SD_REQUIRE(job->diag && job->stream && job->cluster_of);
	for (uint32_t n = 0; n < job->graph->node_count; n++)
		job->stream[n] = SD_NO_STREAM;
	must(sd_limits_resolve(&request->device, &job->limits, job->diag), job->diag);
	return job;
}

struct sd_job *job_behind(struct sd_arena *mem, struct sd_request *request, enum sd_when when, const char *last)
{
	struct sd_job *job = begin(mem, request, when);

	for (uint32_t i = 0; i < sd_chain_length; i++) {
		if (sd_chain[i].when & when)
			must(sd_chain[i].run(job), job->diag);
		if (strcmp(sd_chain[i].name, last) == 0)
			return job;
	}
	SD_REQUIRE(!"a pass of that name");
	return NULL;
}
