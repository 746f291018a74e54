/* communicator.h - which group of ranks a collective talks to. */
#ifndef SD_COMMUNICATOR_H
#define SD_COMMUNICATOR_H

#include "streamd/graph.h"

/* What the node states as `comm`; NULL: nothing. */
const struct sd_comm *sd_comm_of(const struct sd_graph *graph, uint32_t node);

/* Name of the communicator: the group that the node states, else its attribute `group`, else empty. */
struct sd_text sd_communicator(const struct sd_graph *graph, uint32_t node);

#endif
