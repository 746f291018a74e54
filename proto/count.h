/* count.h - how large a request is, found without allocating.
 *
 * The first look at untrusted bytes: walks the PlanRequest once, counts what decoding
 * would create and refuses malformed input, so that admission can say no before any
 * memory is taken. */
#ifndef SD_COUNT_H
#define SD_COUNT_H

#include "base/diag.h"

struct sd_counts {
	uint64_t nodes, edges, graphs, attrs; /* attrs: named values, those in maps too; graphs: root included */
	uint64_t items;       /* list items of all attribute values */
	uint64_t bodies, outputs, shape, ranks, overwrites, writes, extras;
	uint64_t engines, engine_streams, partition_streams, partition_nodes;
	uint64_t text_bytes;  /* of all names and strings */
	bool has_graph;
};

/* What one request may hold; 0 = no bound. */
struct sd_admission {
	uint64_t nodes_max, edges_max, attrs_max;
	uint64_t job_bytes_max; /* arena of the job */
};

/* Counts. INVALID_ARGUMENT (SD0101) when the bytes are no PlanRequest. */
enum sd_status sd_request_count(struct sd_text bytes, struct sd_counts *counts, struct sd_diag *diag);

/* Compares with the bounds; RESOURCE_EXHAUSTED names the bound. */
enum sd_status sd_admit(const struct sd_counts *counts, const struct sd_admission *bounds, struct sd_diag *diag);

#endif
