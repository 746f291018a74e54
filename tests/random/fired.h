/* fired.h - what each pass of a planning run changed.
 *
 * The job of a run is looked at in front of every pass and behind it: a pass has fired if what it is there
 * to decide is another than before, and not what it would be without any decision; or if it refused. */
#ifndef FIRED_H
#define FIRED_H

#include <stdbool.h>

#include "streamd/planner.h"

#define FIRED_PASSES_MAX 80

/* What fired in the run that ended last, by row of the pass table. */
extern bool fired[FIRED_PASSES_MAX];

/* Hooks that look; to be begun before every run. */
void fired_begin(struct sd_hooks *hooks);

/* A run that was refused: its pass fired. */
void fired_refused(const struct sd_diag *diag);

#endif
