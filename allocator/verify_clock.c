#include "verify_clock.h"

#include <string.h>

#include "base/check.h"

enum sd_status sd__rows_init(struct sd__rows *rows, struct sd_arena *mem, uint32_t capacity, uint32_t width)
{
	*rows = (struct sd__rows){ .width = width };
	SD_REQUIRE(width % SD__COLUMN_STEP == 0);
	rows->cell = SD_NEW(mem, int32_t, ((size_t)capacity + 1) * width);
	rows->holders = SD_NEW(mem, uint32_t, (size_t)capacity + 1);
	rows->spare = SD_NEW(mem, uint32_t, (size_t)capacity + 1);
	if (!rows->cell || !rows->holders || !rows->spare)
		return SD_RESOURCE_EXHAUSTED;
	memset(rows->cell, 0, width * sizeof(int32_t));
	rows->holders[SD__ROW_BLANK] = 1;
	rows->used = rows->used_max = 1;
	return SD_OK;
}

uint32_t sd__row_share(struct sd__rows *rows, uint32_t row)
{
	rows->holders[row]++;
	return row;
}

void sd__row_drop(struct sd__rows *rows, uint32_t row)
{
	if (--rows->holders[row] > 0)
		return;
	rows->spare[rows->spare_count++] = row;
	rows->used--;
}

uint32_t sd__row_own(struct sd__rows *rows, uint32_t row)
{
	uint32_t copy;

	if (rows->holders[row] == 1)
		return row;
	/* Rows that were ever used and are not spare are in use: the next new one is number `used`. */
	copy = rows->spare_count > 0 ? rows->spare[--rows->spare_count] : rows->used;
	rows->holders[copy] = 1;
	rows->holders[row]--;
	if (++rows->used > rows->used_max)
		rows->used_max = rows->used;
	if (rows->width > 0)
		memcpy(sd__row(rows, copy), sd__row(rows, row), rows->width * sizeof(int32_t));
	return copy;
}

void sd__row_join(int32_t *restrict into, const int32_t *restrict from, uint32_t width)
{
	/* A fixed number of steps inside lets the compiler take several columns at a time. */
	for (const int32_t *end = from + width; from < end; into += SD__COLUMN_STEP, from += SD__COLUMN_STEP) {
		for (uint32_t k = 0; k < SD__COLUMN_STEP; k++)
			into[k] = from[k] > into[k] ? from[k] : into[k];
	}
}

void sd__row_meet(int32_t *restrict into, const int32_t *restrict from, uint32_t width)
{
	for (const int32_t *end = from + width; from < end; into += SD__COLUMN_STEP, from += SD__COLUMN_STEP) {
		for (uint32_t k = 0; k < SD__COLUMN_STEP; k++)
			into[k] = from[k] < into[k] ? from[k] : into[k];
	}
}
