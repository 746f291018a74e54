/* verify_clock.h - rows of a vector clock, shared as long as they are equal.
 *
 * A row says for each of `width` streams (columns) up to which position it is known to
 * have run. What a stream knows changes only when it waits, so all its slots between two
 * waits, and all their records, share one row; the stream's own position is kept beside
 * it. Rows are counted references; a row that nobody holds is used again. With width 0
 * rows are counted and hold nothing: that is how the number of rows is found out. */
#ifndef SD_VERIFY_CLOCK_H
#define SD_VERIFY_CLOCK_H

#include "base/arena.h"
#include "base/status.h"

#define SD__ROW_BLANK 0u /* the row that knows nothing */
#define SD__COLUMN_STEP 16u /* widths are multiples of this */

struct sd__rows {
	uint32_t width;
	uint32_t used, used_max; /* rows held, blank one included; most at one time */
	int32_t *cell;           /* width a row */
	uint32_t *holders;       /* by row */
	uint32_t *spare;         /* rows given back: a stack */
	uint32_t spare_count;
};

/* Room for `capacity` rows beside the blank one. */
enum sd_status sd__rows_init(struct sd__rows *rows, struct sd_arena *mem, uint32_t capacity, uint32_t width);

/* One holder more; answers the row. */
uint32_t sd__row_share(struct sd__rows *rows, uint32_t row);

/* One holder less. */
void sd__row_drop(struct sd__rows *rows, uint32_t row);

/* A row with the same content and no other holder, in exchange for the caller's hold on `row`. */
uint32_t sd__row_own(struct sd__rows *rows, uint32_t row);

static inline int32_t *sd__row(const struct sd__rows *rows, uint32_t row)
{
	return rows->cell + (size_t)row * rows->width;
}

/* Raises each of `into` to at least what `from` says. */
void sd__row_join(int32_t *restrict into, const int32_t *restrict from, uint32_t width);

/* Lowers each of `into` to at most what `from` says. */
void sd__row_meet(int32_t *restrict into, const int32_t *restrict from, uint32_t width);

#endif
