/* start_index.h - which slots start each stream, before the split and behind it. */
#ifndef SD_START_INDEX_H
#define SD_START_INDEX_H

#include "job.h"

/* Fills job->starting from what each node starts: lanes, or physical streams. A StreamActive that
 * stands behind a StreamSwitch starts its streams; one that only the split made necessary has no
 * slot, and the StreamSwitch stands for it. O(streams + starts). */
enum sd_status sd_start_index_lanes(struct sd_job *job);
enum sd_status sd_start_index_streams(struct sd_job *job);

#endif
