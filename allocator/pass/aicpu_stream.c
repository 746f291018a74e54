/* aicpu_stream - which clusters on the device's processors run beside the compute engines.
 *
 * Rule   With ac_parallel = 1 an AICPU cluster gets the stream of its engine, unless some
 *        producer owns a stream, is not independent, and has no other consumer of its own
 *        engine: then nothing would run beside it. Without, only a cluster with an
 *        operator that draws random masks or fetches input gets it.
 *        The others are left to follow_neighbour.
 * Why    Fetching input overlaps with all work; other operators only where something
 *        goes on at their producer's stream meanwhile.
 * Example Relu -> {Where, Relu2 with a label}, ac_parallel = 1: Where has its own stream.
 * Cost   O(clusters + edges + nodes). */
#include "passes.h"

#include "dynamic.h"
#include "mutants.h"

static bool fetches_or_draws(const struct sd_job *job, const struct sd_cluster *c)
{
	for (uint32_t i = 0; i < c->node_count; i++) {
		switch (sd_job_op(job, job->clusters.node[c->first_node + i])) {
		case SD_OP_GET_NEXT: case SD_OP_DYNAMIC_GET_NEXT: case SD_OP_DYNAMIC_GET_NEXT_V2:
		case SD_OP_DROP_OUT_GEN_MASK: case SD_OP_DROP_OUT_DO_MASK_V3:
			return !SD_MUTANT(aicpu_draws_along);
		default:
			break;
		}
	}
	return false;
}

/* A producer whose stream idles while the cluster runs on it. No AICPU engine owns a stream, so the
 * producer's consumers of its own engine are all others than the cluster. */
static bool has_idle_producer(const struct sd_job *job, const struct sd_cluster *c)
{
	for (uint32_t i = 0; i < c->pred_count; i++) {
		const struct sd_cluster *p = &job->clusters.at[job->clusters.pred[c->first_pred + i]];
		const struct sd_engine *engine = &job->engines.engine[p->engine];

		if (engine->role == SD_ROLE_OWNS && !engine->independent && p->same_engine_successors <= SD_MUTANT(aicpu_busy_producer))
			return true;
	}
	return false;
}

enum sd_status sd__pass_aicpu_stream(struct sd_job *job)
{
	bool parallel = sd_text_is(job->options->ac_parallel, "1");

	for (uint32_t k = 0; k < job->clusters.count; k++) {
		struct sd_cluster *c = &job->clusters.at[k];

		if (job->engines.engine[c->engine].role != SD_ROLE_AICPU)
			continue;
		if (parallel ? !has_idle_producer(job, c) : fetches_or_draws(job, c))
			c->stream = sd_dynamic_engine_stream(job, c->engine);
	}
	return SD_OK;
}
