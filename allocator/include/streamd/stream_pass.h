/* stream_pass.h - rules of your own: functions that move nodes to other streams.
 *
 * A custom stream pass runs once a request, on the whole graph, behind all rules of the
 * planner that choose streams and in front of the renumbering; in the order of its table, for
 * models that take several streams (not with `single_stream`, not for the caller's own
 * partition, not for a model of unknown shape on one stream). What follows, syncs, limits and
 * the proof, holds for its streams as for all others. A number that a pass sees is not
 * final: unused numbers are closed up behind the last pass, ascending.
 *
 * A table is a static array that ends with a row without name:
 *
 *     static const struct sd_stream_pass passes[] = {
 *         { .name = "own_stream", .version = 1, .run = own_stream },
 *         { .name = NULL },
 *     };
 *
 * A program that embeds the planner sets sd_request.passes; streamd and streamctl run those
 * of sd_site_passes. Names and versions are part of the planner's fingerprint and so of every
 * cache key: raise the version whenever the pass may decide otherwise.
 *
 * A pass must answer the same for the same graph: no clock, no file, no state between calls.
 * It may run on several threads at once, each call for a request of its own. */
#ifndef SD_STREAM_PASS_H
#define SD_STREAM_PASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sd_graph;   /* graph.h */
struct sd_streams; /* the streams of one request, while passes run */

/* Answers 0, or a code of its own: the request is then refused with E13028, which tells the
 * name of the pass, the code and the reason (sd_stream_pass_reason). `graph` has the node
 * names only if the row says that the pass reads them; else all names, those of graphs too,
 * are empty. Nothing of `graph` may be written to or kept. */
typedef int sd_stream_pass_fn(const struct sd_graph *graph, struct sd_streams *streams);

struct sd_stream_pass {
	const char *name;       /* 1 to 64 bytes; NULL ends the table */
	uint32_t version;
	bool reads_names;       /* renamed graphs are then planned anew: names become part of the cache key */
	sd_stream_pass_fn *run; /* a row without one refuses every request that it would run for (E13030) */
};

/* The passes that streamd and streamctl run: allocator/site_passes.c. */
extern const struct sd_stream_pass sd_site_passes[];

/* The highest logical stream there is; -1 before the first. */
int32_t sd_stream_pass_max(const struct sd_streams *streams);

/* A fresh logical stream, one above the highest; -1 if there is no number left. */
int32_t sd_stream_pass_allocate(struct sd_streams *streams);

/* The stream of a node, -1 if it has none (inputs and constants mostly). A node that does not
 * exist has none. */
int32_t sd_stream_pass_get(const struct sd_streams *streams, uint32_t node);

/* Moves a node to a stream from 0 to the highest. False, and nothing is moved, for any other
 * number, a node that does not exist, and one in a body that is planned apart (of known shape in a model of
 * unknown shape). A node that the model's main stream must hold goes back to it where the shape is unknown. */
bool sd_stream_pass_set(struct sd_streams *streams, uint32_t node, int32_t stream);

/* Says why the pass is going to fail. The text is copied; messages show its beginning. */
void sd_stream_pass_reason(struct sd_streams *streams, const char *reason);

/* Zeroed scratch memory of the request's budget, valid until the pass ends; NULL over budget: the
 * pass may end with any code then, the request is refused for its memory. */
void *sd_stream_pass_memory(struct sd_streams *streams, size_t bytes);

/* Whether the caller wants the job to end. Worth asking in long loops. */
bool sd_stream_pass_stopped(const struct sd_streams *streams);

/* Whether any pass of a table reads names; false for NULL. */
bool sd_stream_passes_read_names(const struct sd_stream_pass *passes);

#endif
