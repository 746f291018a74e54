/* verify_sweep.h - one pass of clocks over the slots, for a band of columns.
 *
 * Every question that the judge asks is about one stream: is its slot number so-and-so
 * known here? So the columns, each of one stream or of several that follow each other,
 * can be taken band by band, and the memory of a pass is bounded however many there are. */
#ifndef SD_VERIFY_SWEEP_H
#define SD_VERIFY_SWEEP_H

#include "verify_branch.h"
#include "verify_clock.h"
#include "verify_exact.h"
#include "verify_internal.h"
#include "verify_lanes.h"
#include "verify_wants.h"

struct sd__sweep {
	struct sd__judge *judge;
	struct sd_verdict unneeded;  /* stands only if nothing else is wrong */
	struct sd__rows rows;
	uint32_t width, row_count;   /* columns of a pass, and rows that it holds at one time */
	uint32_t first;              /* column of the judge that is column 0 of the rows */
	uint32_t *row_of_stream;     /* what each stream knows */
	uint32_t *row_of_sync;       /* what each open record knew */
	uint32_t *row_of_start;      /* by stream: what its activator knew; SD__NONE: it has not run */
	uint32_t *lane_last;         /* by logical stream: its latest slot; SD__NONE: none yet */
	int32_t *need;               /* what the edges into the node at hand ask for; zero in between */
	int32_t *meeting;            /* width a row: what is asked for behind each meeting */

	/* where bodies choose */
	bool may;                    /* rows hold what is known in some run; nothing is checked */
	uint32_t without;            /* sync that is taken to be not there; SD__NONE: all are */
	uint8_t *maybe;              /* by sync: what stands before it may be known without it */
	struct sd__branch branch;
	struct sd__exact exact;
	struct sd__finder finder;
	struct sd__lanes lanes;
};

static inline bool sd__in_band(const struct sd__sweep *sweep, uint32_t stream)
{
	return sweep->judge->column[stream] - sweep->first < sweep->rows.width;
}

/* Where a stream of the band stands in its rows. */
static inline uint32_t sd__column(const struct sd__sweep *sweep, uint32_t stream)
{
	return sweep->judge->column[stream] - sweep->first;
}

/* Notes in `row` that `slot` has run. */
static inline void sd__raise(const struct sd__sweep *sweep, int32_t *row, uint32_t slot)
{
	uint32_t column = sd__column(sweep, sweep->judge->slot[slot].stream);
	int32_t position = (int32_t)sd__position(sweep->judge, slot);

	if (column < sweep->rows.width && row[column] < position)
		row[column] = position;
}

/* Takes over into `known` what was known when `slot` had run, and gives up the hold on that row. */
static inline void sd__learn(struct sd__sweep *sweep, int32_t *known, uint32_t slot, uint32_t row)
{
	sd__row_join(known, sd__row(&sweep->rows, row), sweep->rows.width);
	sd__raise(sweep, known, slot);
	sd__row_drop(&sweep->rows, row);
}

/* Whether what edges and extras ask for in front of slot `at` is known there, and whether its syncs are asked for. */
void sd__order_check(struct sd__sweep *sweep, uint32_t at, const int32_t *known);

/* Whether what the next turn of a loop waits for is known behind slot `at`. */
void sd__order_turns(struct sd__sweep *sweep, uint32_t at, const int32_t *known);

/* Whether `from` comes before slot `at`, whatever the bodies choose. */
void sd__order_need(struct sd__sweep *sweep, const int32_t *known, uint32_t from, uint32_t at);

/* Rows of what is asked for behind each meeting. */
void sd__order_meetings(struct sd__sweep *sweep);

/* One pass over all slots; its verdicts are told, its rows are gone behind it. */
enum sd_status sd__sweep_all(struct sd__sweep *sweep);

/* What slot `at` learns from the syncs that it waits for is joined into `known`; those
 * that it knew without them, or by each other, are told. */
void sd__minimal_join(struct sd__sweep *sweep, uint32_t at, int32_t *known);

/* Tells the events recorded at slot `at` whose numbers may not have been waited for since they were last
 * recorded (verify_shared.c). */
void sd__shared_turns(const struct sd__sweep *sweep, const int32_t *known, uint32_t at);

/* Tells the syncs in front of slot `at` that stand for nothing that is asked for:
 * `need` holds what its edges ask for. */
void sd__minimal_needed(struct sd__sweep *sweep, uint32_t at);

/* Whether `from` tells that `before`, a slot of its logical stream, has run: it is that, or a group that stands for it. */
bool sd__minimal_tells(const struct sd__judge *judge, uint32_t from, uint32_t before);

/* Whether the order of a logical stream makes slot `at` wait for `from` because lowered bodies stand between (verify_hoisted.c). */
bool sd__hoisted_asks(struct sd__sweep *sweep, uint32_t from, uint32_t at);

/* Where bodies choose: tells the syncs without which everything would hold. */
enum sd_status sd__minimal_try(struct sd__sweep *sweep);

#endif
