/* verify_labels.h - the nodes of each graph by their stream label. */
#ifndef SD_VERIFY_LABELS_H
#define SD_VERIFY_LABELS_H

#include "verify_internal.h"

struct sd__labels {
	uint32_t count;
	struct sd_text *text;     /* of a node that has a label and a logical stream */
	uint32_t *graph, *lane;   /* its graph and that stream */
	uint32_t *order;          /* the above by graph, then by label */
};

enum sd_status sd__labels_init(struct sd__labels *labels, struct sd__judge *judge);

/* The first place in `order` where nodes of the graph with this label may stand, and whether one stands at a place. */
uint32_t sd__labels_first(const struct sd__labels *labels, uint32_t graph, struct sd_text label);
bool sd__labels_has(const struct sd__labels *labels, uint32_t at, uint32_t graph, struct sd_text label);

#endif
