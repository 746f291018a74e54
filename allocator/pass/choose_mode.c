/* choose_mode - the automatic multi-stream mode, and whether all that is asked for can be planned.
 *
 * Rule   The root graph's attribute wins over the option (options.c). What this planner
 *        does not build yet is refused here by name (features.c), rather than planned wrong.
 * Why    It stands behind the sort because Graph Engine reports a cycle before a wrong mode.
 * Cost   O(nodes + attributes). */
#include "passes.h"

enum sd_status sd__pass_choose_mode(struct sd_job *job)
{
	SD_TRY(sd_mode_choose(job->request, &job->mode, job->diag));
	return sd_features_refuse(job->request, &job->mode, job->diag);
}
