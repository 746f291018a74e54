/* body_edges.h - data that goes into bodies and comes out of them: no edge of a graph crosses their border.
 *
 * A Data of a body takes the input of its parent that `_parent_node_index` names; output k of a parent is input k of its
 * body's NetOutput. Inputs are counted as listed, those that are not connected too; control edges are no inputs. */
#ifndef SD_BODY_EDGES_H
#define SD_BODY_EDGES_H

#include "job.h"

/* Data input `number` of a node; NULL: it has fewer. O(inputs). */
const struct sd_edge *sd_data_input(const struct sd_graph *graph, uint32_t node, uint32_t number);

/* What a Data of a body that launches nothing stands for; NULL for all other nodes, and for what the turn before left behind:
 * its writer may stand behind the node with the body. */
const struct sd_edge *sd_body_input(const struct sd_job *job, uint32_t node);

/* Writes for each graph its NetOutput, of several the first one listed; SD_NO_NODE: it has none. O(nodes). */
void sd_body_outputs(const struct sd_job *job, uint32_t *of_graph);

#endif
