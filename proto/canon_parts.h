/* canon_parts.h - the parts of the canonical form. Private to proto. */
#ifndef SD_CANON_PARTS_H
#define SD_CANON_PARTS_H

#include "names.h"
#include "sponge.h"
#include "streamd/request.h"

struct sd__canon {
	struct sd__sponge sponge;
	struct sd_arena *mem;
	const struct sd_request *request;
	struct sd__names names; /* made when a value that names nodes is met; slot NULL until then */
	bool over_budget;
};

/* canon_value.c: attributes, sorted by name as they are kept. */
void sd__canon_attrs(struct sd__canon *canon, const struct sd_attr *attr, uint32_t count);

/* canon_graph.c: all that a plan depends on in the graph, names left out. */
void sd__canon_graph(struct sd__canon *canon);

/* The rank of every node's name among all, in byte order. */
void sd__canon_name_ranks(struct sd__canon *canon);

/* The names themselves, of nodes and graphs. */
void sd__canon_names(struct sd__canon *canon);

/* canon_settings.c */
void sd__canon_options(struct sd__canon *canon, const struct sd_options *options);
void sd__canon_device(struct sd__canon *canon, const struct sd_plan_device *device);

#endif
