#include "reports.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROWS 16u

const char *sd_against_text(enum sd_against against)
{
	static const char *const text[SD_AGAINSTS] = {
#define SD_X(name, word) word,
		SD_AGAINST_LIST(SD_X)
#undef SD_X
	};

	return text[against];
}

const char *sd_overlap_text(enum sd_overlap overlap)
{
	static const char *const text[SD_OVERLAPS] = {
#define SD_X(name, word) word,
		SD_OVERLAP_LIST(SD_X)
#undef SD_X
	};

	return text[overlap];
}

enum sd_against sd_report_against(uint64_t ns, uint64_t expected_ns)
{
	if (expected_ns == 0)
		return SD_AGAINST_UNKNOWN;
	if (ns * 10 < expected_ns * 9)
		return SD_AGAINST_FASTER;
	if (ns * 10 <= expected_ns * 11)
		return SD_AGAINST_AS_EXPECTED;
	return ns <= expected_ns * 2 ? SD_AGAINST_SLOWER : SD_AGAINST_MUCH_SLOWER;
}

uint32_t sd_overlap_permille(uint64_t busy_ns, uint64_t overlap_ns)
{
	return busy_ns ? (uint32_t)((double)overlap_ns * 1000.0 / (double)busy_ns) : 0;
}

enum sd_overlap sd_report_overlap(uint64_t busy_ns, uint64_t overlap_ns)
{
	if (busy_ns == 0)
		return SD_OVERLAP_UNKNOWN;
	if (overlap_ns >= busy_ns / 2 + busy_ns % 2)
		return SD_OVERLAP_REAL;
	return overlap_ns > busy_ns / 20 ? SD_OVERLAP_PARTIAL : SD_OVERLAP_FAKE;
}

/* ---- rows ---- */

static bool is_of(const struct sd_report_row *row, const struct sd_report *report)
{
	return memcmp(row->key, report->key, sizeof(row->key)) == 0 && strcmp(row->device, report->device) == 0;
}

static struct sd_report_row *find(struct sd_reports *reports, const struct sd_report *report)
{
	for (uint32_t i = 0; i < reports->count; i++) {
		if (is_of(&reports->row[i], report))
			return &reports->row[i];
	}
	return NULL;
}

/* NULL: no row counts for that user. */
static struct sd_report_user *user_of(struct sd_reports *reports, uint32_t uid)
{
	for (uint32_t i = 0; i < reports->user_count; i++) {
		if (reports->user[i].uid == uid)
			return &reports->user[i];
	}
	return NULL;
}

/* There is room: every user has a row. */
static void count_row(struct sd_reports *reports, uint32_t uid)
{
	struct sd_report_user *user = user_of(reports, uid);

	if (!user) {
		user = &reports->user[reports->user_count++];
		*user = (struct sd_report_user){ .uid = uid };
	}
	user->rows++;
}

static void drop(struct sd_reports *reports, uint32_t at)
{
	struct sd_report_user *user = user_of(reports, reports->row[at].uid);

	if (--user->rows == 0)
		*user = reports->user[--reports->user_count];
	free(reports->row[at].stream);
	reports->row[at] = reports->row[--reports->count];
	reports->evicted++;
}

/* Drops a row of who has most; `asks`, who wants one more (NULL: nobody does), before others who have as many. */
static void make_room(struct sd_reports *reports, const struct sd_report_user *asks)
{
	uint32_t most = 0, oldest = UINT32_MAX;

	for (uint32_t i = 0; i < reports->user_count; i++)
		most = reports->user[i].rows > most ? reports->user[i].rows : most;
	for (uint32_t i = 0; i < reports->count; i++) {
		const struct sd_report_user *user;

		if (oldest != UINT32_MAX && reports->row[i].order > reports->row[oldest].order)
			continue;
		user = user_of(reports, reports->row[i].uid);
		if (asks && asks->rows == most ? user == asks : user->rows == most)
			oldest = i;
	}
	drop(reports, oldest);
}

void sd_reports_resize(struct sd_reports *reports, uint32_t max)
{
	reports->max = max;
	while (reports->count > max)
		make_room(reports, NULL);
}

void sd_reports_finish(struct sd_reports *reports)
{
	for (uint32_t i = 0; i < reports->count; i++)
		free(reports->row[i].stream);
	free(reports->row);
	free(reports->user);
	*reports = (struct sd_reports){ 0 };
}

static bool grow(struct sd_reports *reports)
{
	uint32_t cap = reports->cap ? reports->cap * 2 : FIRST_ROWS;
	struct sd_report_row *row;
	struct sd_report_user *user;

	if (reports->count < reports->cap)
		return true;
	cap = cap < reports->max ? cap : reports->max;
	row = realloc(reports->row, cap * sizeof(*row));
	if (row)
		reports->row = row;
	user = realloc(reports->user, cap * sizeof(*user));
	if (user)
		reports->user = user;
	if (!row || !user)
		return false;
	reports->cap = cap;
	return true;
}

static struct sd_report_row *make(struct sd_reports *reports, const struct sd_report *report)
{
	struct sd_report_row *row;

	if (reports->max == 0)
		return NULL;
	if (reports->count == reports->max)
		make_room(reports, user_of(reports, report->uid));
	if (!grow(reports))
		return NULL;
	count_row(reports, report->uid);
	row = &reports->row[reports->count++];
	*row = (struct sd_report_row){ .uid = report->uid, .min_ns = UINT64_MAX };
	memcpy(row->key, report->key, sizeof(row->key));
	memcpy(row->device, report->device, sizeof(row->device));
	return row;
}

static void add_run(struct sd_report_row *row, uint64_t ns)
{
	row->recent[row->runs++ % SD_REPORT_RECENT] = ns;
	row->last_ns = ns;
	row->min_ns = ns < row->min_ns ? ns : row->min_ns;
	row->max_ns = ns > row->max_ns ? ns : row->max_ns;
	row->sum_ns += (double)ns;
}

/* Without memory for them, streams are not told. */
static void keep_streams(struct sd_report_row *row, const struct sd_report *report)
{
	struct sd_report_stream *stream = malloc((report->stream_count + 1) * sizeof(*stream));

	free(row->stream);
	row->stream = stream;
	row->stream_count = stream ? report->stream_count : 0;
	row->busy_ns = report->busy_ns;
	row->overlap_ns = report->overlap_ns;
	row->others = report->others;
	if (stream)
		memcpy(stream, report->stream, report->stream_count * sizeof(*stream));
}

static int compare(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return x < y ? -1 : x > y;
}

/* Once for each report: who asks for all rows is not to keep the loop busy with sorting. */
static uint64_t median_of(const struct sd_report_row *row)
{
	uint64_t sorted[SD_REPORT_RECENT];
	size_t count = row->runs < SD_REPORT_RECENT ? row->runs : SD_REPORT_RECENT;

	memcpy(sorted, row->recent, count * sizeof(sorted[0]));
	qsort(sorted, count, sizeof(sorted[0]), compare);
	return sorted[(count - 1) / 2];
}

struct sd_report_row *sd_reports_add(struct sd_reports *reports, const struct sd_report *report, uint64_t now_ms)
{
	struct sd_report_row *row = find(reports, report);

	reports->reports++;
	if (!row)
		row = make(reports, report);
	if (!row)
		return NULL;
	row->reports++;
	row->order = reports->reports;
	row->at_ms = now_ms;
	for (uint32_t i = 0; i < report->run_count; i++)
		add_run(row, report->run_ns[i]);
	row->median_ns = median_of(row);
	if (report->expected_ns)
		row->expected_ns = report->expected_ns;
	if (report->stream_count || report->others.count)
		keep_streams(row, report);
	return row;
}

/* ---- figures ---- */

uint64_t sd_report_mean(const struct sd_report_row *row)
{
	return row->runs ? (uint64_t)(row->sum_ns / (double)row->runs + 0.5) : 0;
}
