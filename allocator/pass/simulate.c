/* simulate - the plan is run on the device model.
 *
 * Rule   With option simulate the plan is replayed on the model of the request's device (machine.h), item for item in the
 *        order in which a host enqueues it; told are when each launch runs, how busy each stream is, how long it
 *        takes in all and on one stream, and the chain of launches that makes it so long.
 * Why    Whoever asks for a plan wants to know what it is expected to gain, before any device has run it.
 * Example a and b of 10 us on two streams, on half of the cores each: 10 us and what events cost, instead of 20.
 * Cost   O(n log n) in commands; nothing without the option.
 */
#include "passes.h"

#include "streamd/simulate.h"

enum sd_status sd__pass_simulate(struct sd_job *job)
{
	if (!job->options->simulate)
		return SD_OK;
	SD_TRY(sd_simulate(job->mem, job->request, job->plan, &job->plan->simulation, job->diag));
	job->plan->simulated = true;
	return SD_OK;
}
