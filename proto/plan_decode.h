/* plan_decode.h - the state of reading one plan, shared by plan_decode*.c. Private to proto.
 *
 * The arrays have the sizes that were counted. The first thing that is wrong is kept in `why`;
 * reading goes on to the end of the message it is in, and stores nothing out of bounds. */
#ifndef SD_PLAN_DECODE_H
#define SD_PLAN_DECODE_H

#include "plan_codec.h"
#include "plan_shape.h"

struct sd__plan_decode {
	struct sd_arena *mem;
	const struct sd__plan_counts *counts;
	struct sd_plan *plan;
	uint32_t node_count, graph_count; /* of the graph */
	const char *why; /* our own words; NULL: nothing is wrong so far */

	/* what *plan shows as const */
	struct sd_stream *stream;
	struct sd_command *command;
	struct sd_placement *node;
	struct sd_sync *sync;
	struct sd_activation *activation;
	struct sd_summary *summary;
	struct sd_diag *diagnostic;
	struct sd_explanation *explanation;
	struct sd_text *pass_name;
	struct sd_simulated_stream *simulated_stream;
	struct sd_simulated_launch *simulated_launch;
	struct sd_chain_link *link;
	char *words; /* of pass names */
	uint32_t word_bytes;
	uint32_t *activated, *attached_event, *attached_notify, *notify_type, *summary_attached, *inserted;
	int32_t *attached_logical, *attached_stream;

	/* filled so far */
	uint32_t streams, commands, nodes, syncs, activations, summaries, diagnostics;
	uint32_t activates, events, notifies, types, summary_attaches, attached_logicals, attached_streams, inserts, explanations, passes;
};

/* The scalars of a message by field number; 0 where it has none. Of two the last one holds. */
struct sd__scalars {
	uint64_t at[SD__ROWS];
	uint32_t seen; /* bit (1 << number) */
};

struct sd__scalars sd__read_scalars(struct sd_text bytes);

/* An index + 1, where 0 means none. */
uint32_t sd__read_plus1(struct sd__plan_decode *d, uint64_t value, uint64_t bound, const char *what);

/* `value` where it is below `bound`; else 0, and `why` becomes `what`. */
uint32_t sd__below(struct sd__plan_decode *d, uint64_t value, uint64_t bound, const char *what);

/* The messages of a plan, each appended. */
void sd__read_stream(struct sd__plan_decode *d, struct sd_text bytes);
void sd__read_placement(struct sd__plan_decode *d, struct sd_text bytes);
void sd__read_sync(struct sd__plan_decode *d, struct sd_text bytes);
void sd__read_activation(struct sd__plan_decode *d, struct sd_text bytes);
void sd__read_summary(struct sd__plan_decode *d, struct sd_text bytes);
void sd__read_diagnostic(struct sd__plan_decode *d, struct sd_text bytes);
void sd__read_explanation(struct sd__plan_decode *d, struct sd_text bytes);
void sd__read_pass_name(struct sd__plan_decode *d, struct sd_text bytes);
void sd__read_simulation(struct sd__plan_decode *d, struct sd_text bytes); /* there is one at most */

/* Appends the numbers of a list, each below `bound`. */
void sd__read_list(struct sd__plan_decode *d, const struct sd_field *f, uint32_t *pool, uint32_t *filled,
                   uint64_t bound, const char *what);

#endif
