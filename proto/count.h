/* count.h - how large a request is, found without allocating.
 *
 * The first look at untrusted bytes: walks the PlanRequest once, counts what decoding
 * would create and refuses malformed input, so that admission can say no before any
 * memory is taken. Time is linear in the bytes. */
#ifndef SD_COUNT_H
#define SD_COUNT_H

#include "base/diag.h"

/* Each count is at most the number of bytes, so that sums of them do not overflow. Where a
 * scalar is given twice both occurrences are counted: decoding never creates more. */
struct sd_counts {
	uint64_t text_bytes;  /* of all names and strings */
	uint64_t nodes, edges, graphs, attrs; /* attrs: named values, those in maps too; graphs: root included */
	uint64_t items;       /* list items of all attribute values */
	uint64_t bodies, outputs, shape, ranks, overwrites, writes;
	uint64_t extras;      /* nodes that state any of what struct sd_extra holds */
	uint64_t engines, engine_streams, partition_streams, partition_nodes;
	bool has_graph;
};

/* What one request may hold; 0 = no bound. */
struct sd_admission {
	uint64_t nodes_max, edges_max, attrs_max;
	uint64_t job_bytes_max; /* arena of the job */
};

/* Counts. INVALID_ARGUMENT (SD0101) when the bytes are no PlanRequest: a field is cut off or
 * overlong, a known one has another wire type, a singular message stands there twice.
 * Unknown fields are skipped. */
enum sd_status sd_request_count(struct sd_text bytes, struct sd_counts *counts, struct sd_diag *diag);

/* Bytes of the arrays that sd_request_decode() takes for such a request: the least that a job
 * needs. Planning takes more. */
uint64_t sd_request_bytes(const struct sd_counts *counts);

/* Compares with the bounds; RESOURCE_EXHAUSTED names the bound (SD2010 for the things that are
 * counted, SD2011 when not even the decoded request fits job_bytes_max). */
enum sd_status sd_admit(const struct sd_counts *counts, const struct sd_admission *bounds, struct sd_diag *diag);

#endif
