/* explicit_streams - the caller's own partition of nodes over streams.
 *
 * Rule   Stream k runs the nodes of the k-th list of the option, in topological order. Every
 *        launched node stands in exactly one list (the decoder has seen that none stands
 *        twice); nodes that launch nothing may be left out.
 * Cost   O(nodes). */
#include "passes.h"
#include "mutants.h"

enum sd_status sd__pass_explicit_streams(struct sd_job *job)
{
	const struct sd_options *options = job->options;

	for (uint32_t n = 0; n < job->graph->node_count; n++)
		job->stream[n] = SD_NO_STREAM;
	for (uint32_t s = 0; s < options->explicit_count; s++) {
		for (uint32_t i = options->explicit_first[s]; i < options->explicit_first[s + 1]; i++)
			job->stream[options->explicit_node[i]] = (int32_t)(SD_MUTANT(explicit_from_the_end) ? options->explicit_count - 1 - s : s);
	}
	for (uint32_t n = 0; n < job->graph->node_count; n++) {
		if (job->launched[n] && job->stream[n] == SD_NO_STREAM && !SD_MUTANT(explicit_left_out))
			return SD_FAIL0(job->diag, SD_CODE_EXPLICIT_MISSING, n);
	}
	job->next_stream = (int32_t)options->explicit_count;
	if (options->single_stream && options->explicit_count > 1)
		return SD_FAIL3(job->diag, SD_CODE_BAD_VALUE, SD_NO_NODE, sd_arg_words("explicit_streams"),
		                sd_arg_words("a partition over several streams"),
		                sd_arg_words("one list where single_stream is set"));
	return SD_OK;
}
