/* columns.h - lanes of a reduction that are never asked about at the same time share a column of its clock.
 *
 * A row of a clock then is as wide as the lanes that matter at once, not as all that there are. What a column
 * still knows of a lane before says nothing of the next one: that has later slots only. */
#ifndef SD_COLUMNS_H
#define SD_COLUMNS_H

#include "job.h"

struct sd_columns {
	uint32_t count;
	uint32_t *of_lane; /* NULL: each lane has its own, of its number */
};

static inline uint32_t sd_column(const struct sd_columns *columns, uint32_t lane)
{
	return columns->of_lane ? columns->of_lane[lane] : lane;
}

/* For a sweep along job->sequence that decides about `asked`. O(slots + orders + lanes). */
enum sd_status sd_columns_share(struct sd_job *job, const struct sd_order_list *asked, struct sd_columns *columns);

#endif
