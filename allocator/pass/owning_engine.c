/* owning_engine - in a graph of unknown shape, engines that compute or communicate have a stream each.
 *
 * Rule   Every cluster of such an engine (engines.h: it owns streams) runs on the one stream
 *        that its engine has in the whole model, bodies of unknown shape included.
 * Why    Sizes are not known, so nothing finer than the engine can be balanced.
 * Example Relu -> HcomAllReduce -> DSA: three streams. Two chains on one engine: one.
 * Cost   O(clusters). */
#include "passes.h"

#include "dynamic.h"
#include "mutants.h"

enum sd_status sd__pass_owning_engine(struct sd_job *job)
{
	SD_TRY(sd_dynamic_open(job));
	for (uint32_t k = 0; k < job->clusters.count; k++) {
		struct sd_cluster *c = &job->clusters.at[k];

		if ((!(SD_MUTANT(owns_not_independent) && job->engines.engine[c->engine].independent) && job->engines.engine[c->engine].role == SD_ROLE_OWNS) || (SD_MUTANT(owns_all_others) && job->engines.engine[c->engine].role == SD_ROLE_OTHER))
			c->stream = sd_dynamic_engine_stream(job, c->engine);
	}
	return SD_OK;
}
