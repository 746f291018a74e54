#include "dynamic.h"

#include "journal.h"

enum sd_status sd_dynamic_open(struct sd_job *job)
{
	struct sd_given *given = &job->given;

	if (given->of_engine)
		return SD_OK;
	given->of_engine = SD_NEW(job->mem, int32_t, job->engines.count);
	given->of_label = SD_NEW(job->mem, int32_t, job->labels.count + 1u);
	SD_NEED(job, given->of_engine && given->of_label);
	memset(given->of_engine, 0xff, job->engines.count * sizeof(*given->of_engine));
	memset(given->of_label, 0xff, (job->labels.count + 1u) * sizeof(*given->of_label));
	return SD_OK;
}

int32_t sd_dynamic_engine_stream(struct sd_job *job, uint32_t engine)
{
	if (job->given.of_engine[engine] == SD_NO_STREAM)
		job->given.of_engine[engine] = sd_job_fresh(job);
	return job->given.of_engine[engine];
}

/* A loader runs inputs before all else, and reads outputs behind the main stream. */
static bool is_forced(const struct sd_job *job, uint32_t node)
{
	switch (sd_job_op(job, node)) {
	case SD_OP_DATA: case SD_OP_REF_DATA: case SD_OP_AIPP_DATA: case SD_OP_ANN_DATA:
	case SD_OP_CONST: case SD_OP_CONSTANT: case SD_OP_FILE_CONSTANT: case SD_OP_CONST_PLACE_HOLDER:
	case SD_OP_VARIABLE: case SD_OP_VARIABLE_V2: case SD_OP_NET_OUTPUT:
		return true;
	default:
		return sd_graph_bool(job->graph, node, SD_ATTR_IS_POTENTIAL_CONST);
	}
}

bool sd_dynamic_on_main(const struct sd_job *job, uint32_t node)
{
	const struct sd_graph *graph = job->graph;

	return job->stream[node] == SD_NO_STREAM || graph->body_first[node] != graph->body_first[node + 1] ||
	       is_forced(job, node);
}

enum sd_status sd_dynamic_renumber(struct sd_job *job, const int32_t *number)
{
	for (uint32_t n = 0; n < job->graph->node_count; n++) {
		if (!sd_dynamic_plans(job->graph, job->graph->graph_of[n]))
			continue;
		if (sd_dynamic_on_main(job, n)) {
			job->stream[n] = 0;
			sd_hint(job, n, SD_REASON_MAIN_STREAM, SD_NO_NODE);
		} else if (number[job->stream[n]] == SD_NO_STREAM) {
			return SD_FAIL0(job->diag, SD_CODE_NO_STREAM, n);
		} else {
			job->stream[n] = number[job->stream[n]];
		}
	}
	return SD_OK;
}
