/* plan_shape.h - the shape of a Plan message, and how much of everything it holds. Private to proto. */
#ifndef SD_PLAN_SHAPE_H
#define SD_PLAN_SHAPE_H

#include "shape.h"

struct sd__plan_counts {
	uint64_t text_bytes;
	uint64_t streams, commands, nodes, syncs, activations, activated, notify_types;
	uint64_t attached_logical, attached_streams, attached_events, attached_notifies;
	uint64_t summaries, summary_attached, diagnostics, arguments, inserted, explanations, passes;
	uint64_t simulations, simulated_streams, simulated_launches, links;
};

extern const struct sd__shape sd__plan_shape;

#endif
