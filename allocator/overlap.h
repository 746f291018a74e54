/* overlap.h - how long paths take on their streams when streams run at the same time.
 *
 * The device model in small: a stream runs its operators in order, each after a fixed gap; an
 * operator starts when its producers are done (on another stream: and an event has passed),
 * when the cores that it fills are free, and, for a collective, when no other one runs. Of
 * several that could start, the one with the longest way to the end goes first. All times are
 * whole nanoseconds. */
#ifndef SD_OVERLAP_H
#define SD_OVERLAP_H

#include "balance.h"

struct sd_overlap {
	struct sd_job *job;
	struct sd_paths *paths;
	/* per work node */
	int64_t *duration, *way;       /* time; time of the longest way that begins with it */
	int32_t *cube, *vector;        /* cores it fills */
	int64_t *ready;                /* when its producers are done */
	uint32_t *open;                /* producers that have not started */
	uint32_t *next;                /* behind it on its stream */
	/* per stream */
	uint32_t *head, *at;           /* first work node; the one whose turn it is */
	int64_t *free_at;              /* end of what runs */
	uint32_t *running;             /* what runs */
	/* of the device */
	int64_t gap, hop;              /* in front of a launch; from a record to what waits for it */
	int32_t cube_cores, vector_cores, cube_free, vector_free;
	uint32_t collectives;          /* that run */
	uint32_t nodes, edges;         /* on streams so far */
};

/* `duration_us` of the costs must be set for every work node. */
enum sd_status sd_overlap_open(struct sd_overlap *o, struct sd_job *job);

/* Puts a path on a stream (and writes it to the paths), or takes it back. */
void sd_overlap_put(struct sd_overlap *o, uint32_t path, uint32_t stream);
void sd_overlap_take(struct sd_overlap *o, uint32_t path, uint32_t stream);

/* The time until all that is on `streams` streams is done. */
int64_t sd_overlap_span(struct sd_overlap *o, uint32_t streams);

/* Looks that the next sd_overlap_span() costs, for a caller that bounds them. */
uint64_t sd_overlap_cost(const struct sd_overlap *o, uint32_t streams);

#endif
