/* reports.h - what plans really took where they ran, as their loaders report it.
 *
 * A row for each plan and device, in memory alone: a restart forgets them, and nothing that is planned looks at them. There are at
 * most as many rows as configured. A row counts for the user who reported it first, whoever adds to it; room is made by the user who has
 * most rows, of those that were not reported for longest, so that a flood of one takes no row of others who keep within their part.
 * Nothing is believed but that it was said: figures are for people and alerts. For the loop thread. */
#ifndef SD_REPORTS_H
#define SD_REPORTS_H

#include <stdbool.h>
#include <stdint.h>

#include "cache.h"

#define SD_REPORT_DEVICE_MAX 64u    /* bytes of a device's name, with its NUL */
#define SD_REPORT_RUNS_MAX 1024u    /* of one report */
#define SD_REPORT_RECENT 64u        /* runs that the median is of */
#define SD_REPORT_STREAMS_MAX 256u  /* kept of one report one by one; of the others, the sums */
#define SD_REPORT_NS_MAX UINT64_C(1000000000000000) /* of one run or stream: eleven days */
#define SD_REPORT_OTHERS_MAX 1000000u /* streams that are not told one by one: more than any device has */
#define SD_REPORT_OTHERS_NS_MAX (10000u * SD_REPORT_NS_MAX) /* of all streams that are not told one by one: sums stay within 64 bits */

struct sd_report_stream {
	uint64_t busy_ns, overlap_ns; /* overlap: of that, while another stream was busy too */
};

/* Streams that are kept in sums. */
struct sd_report_others {
	uint32_t count;
	uint64_t busy_ns, overlap_ns;
};

/* What one loader says. */
struct sd_report {
	uint32_t uid;         /* whose it is, as in quotas (conn.h) */
	unsigned char key[SD_CACHE_KEY_BYTES];
	char device[SD_REPORT_DEVICE_MAX];
	const uint64_t *run_ns;
	uint32_t run_count;   /* 1 or more */
	uint64_t expected_ns; /* 0: not known */
	const struct sd_report_stream *stream;
	uint32_t stream_count; /* at most SD_REPORT_STREAMS_MAX */
	struct sd_report_others others; /* without any and without streams: not told */
	uint64_t busy_ns, overlap_ns; /* of all streams that it told of */
};

struct sd_report_row {
	uint32_t uid; /* of who reported it first */
	unsigned char key[SD_CACHE_KEY_BYTES];
	char device[SD_REPORT_DEVICE_MAX];
	uint64_t reports, runs;
	uint64_t last_ns, min_ns, max_ns, expected_ns;
	uint64_t median_ns;                /* of `recent`; of an even number the lower one of the two in the middle */
	double sum_ns;
	uint64_t recent[SD_REPORT_RECENT]; /* the last runs: a ring, `runs` modulo its size is next */
	uint64_t busy_ns, overlap_ns;      /* of the last report that told of streams */
	struct sd_report_stream *stream;   /* of the same; owned */
	uint32_t stream_count;
	struct sd_report_others others;    /* of the same */
	uint64_t at_ms;                    /* when it was reported last */
	uint64_t order;                    /* counts reports */
};

/* How many rows count for a user. */
struct sd_report_user {
	uint32_t uid, rows;
};

struct sd_reports {
	struct sd_report_row *row;
	uint32_t count, cap, max;
	struct sd_report_user *user; /* those with rows; as much room as for rows */
	uint32_t user_count;
	uint64_t reports; /* ever */
	uint64_t evicted;
};

/* How runs compare with what was expected, and how much streams had of each other. */
#define SD_AGAINST_LIST(X) X(UNKNOWN, "unknown") X(FASTER, "faster") X(AS_EXPECTED, "as_expected") X(SLOWER, "slower") X(MUCH_SLOWER, "much_slower")
#define SD_OVERLAP_LIST(X) X(UNKNOWN, "unknown") X(REAL, "real") X(PARTIAL, "partial") X(FAKE, "fake")
enum sd_against {
#define SD_X(name, text) SD_AGAINST_##name,
	SD_AGAINST_LIST(SD_X)
#undef SD_X
	SD_AGAINSTS
};
enum sd_overlap {
#define SD_X(name, text) SD_OVERLAP_##name,
	SD_OVERLAP_LIST(SD_X)
#undef SD_X
	SD_OVERLAPS
};
const char *sd_against_text(enum sd_against against);
const char *sd_overlap_text(enum sd_overlap overlap);

/* Below 0.9 of what was expected, up to 1.1, up to 2, above. */
enum sd_against sd_report_against(uint64_t ns, uint64_t expected_ns);

/* Of the time in which streams were busy, the part in which another one was too: from 0.5 on it is real, up to 0.05 it is none. */
enum sd_overlap sd_report_overlap(uint64_t busy_ns, uint64_t overlap_ns);
uint32_t sd_overlap_permille(uint64_t busy_ns, uint64_t overlap_ns);

void sd_reports_finish(struct sd_reports *reports);

/* Keeps at most `max` rows from now on. */
void sd_reports_resize(struct sd_reports *reports, uint32_t max);

/* Adds a report to its row, which is made if there is none; NULL: none is kept, as `max` is 0 or there is no memory. */
struct sd_report_row *sd_reports_add(struct sd_reports *reports, const struct sd_report *report, uint64_t now_ms);

uint64_t sd_report_mean(const struct sd_report_row *row);

#endif
