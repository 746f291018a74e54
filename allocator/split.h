/* split.h - what the split goes by: how long a stream may be, and what must stay together. */
#ifndef SD_SPLIT_H
#define SD_SPLIT_H

#include "job.h"

/* Tasks that a physical stream may hold, 0 = any number; whether streams are of the huge kind. */
int64_t sd_split_limit(const struct sd_job *job, bool *huge);

/* Tasks of every slot as the split counts them: a StreamActive has one for each piece that it will
 * start, guessed from the length of the streams. `syncs` holds what each slot's waits and records add. */
enum sd_status sd_split_sizes(struct sd_job *job, int64_t limit, const int64_t *syncs, int64_t **size);

/* Number of every slot's `_continuous_stream_label`, equal for equal texts; 0 = none. */
enum sd_status sd_split_groups(struct sd_job *job, uint32_t **group);

/* Of the first slot of the body of a structured loop on its lane: the one in front of it there, with which the condition ended;
 * SD_NO_INDEX of all others. No sync can stand between the two, for the condition runs once more. */
uint32_t sd_split_turn(const struct sd_job *job, uint32_t slot);

#endif
