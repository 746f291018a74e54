#include "count.h"

#include "shape.h"
#include "streamd/request.h"

#define COUNT(member) SD__COUNTER(struct sd_counts, member)

_Static_assert(offsetof(struct sd_counts, text_bytes) == 0, "the walk sums texts in the first counter");

/* ---- attributes ---- */

static const struct sd__shape list_shape = { .row = {
	[1] = { SD__TEXT, COUNT(items), NULL },
	[2] = { SD__NUMBERS, COUNT(items), NULL },
	[3] = { SD__REALS, COUNT(items), NULL },
	[4] = { SD__NUMBERS, COUNT(items), NULL },
} };

static const struct sd__shape ints_shape = { .row = { [1] = { SD__NUMBERS, COUNT(items), NULL } } };

static const struct sd__shape lists_shape = { .row = { [1] = { SD__MESSAGE, COUNT(items), &ints_shape } } };

static const struct sd__shape value_shape = { .row = {
	[1] = { SD__TEXT, 0, NULL },
	[2] = { SD__NUMBER, 0, NULL },
	[3] = { SD__REAL, 0, NULL },
	[4] = { SD__NUMBER, 0, NULL },
	[5] = { SD__MESSAGE_ONCE, 0, &list_shape },
	[6] = { SD__MESSAGE_ONCE, 0, &lists_shape },
} };

static const struct sd__shape field_shape = { .row = {
	[1] = { SD__TEXT, 0, NULL },
	[2] = { SD__MESSAGE_ONCE, 0, &value_shape },
} };

static const struct sd__shape map_shape = { .row = { [1] = { SD__MESSAGE, COUNT(attrs), &field_shape } } };

static const struct sd__shape maps_shape = { .row = { [1] = { SD__MESSAGE, COUNT(items), &map_shape } } };

static const struct sd__shape attr_shape = { .row = {
	[1] = { SD__TEXT, 0, NULL },
	[2] = { SD__MESSAGE_ONCE, 0, &value_shape },
	[3] = { SD__MESSAGE_ONCE, 0, &map_shape },
	[4] = { SD__MESSAGE_ONCE, 0, &maps_shape },
} };

/* ---- graph ---- */

static const struct sd__shape output_shape = { .row = {
	[1] = { SD__NUMBER, 0, NULL },
	[2] = { SD__NUMBERS, COUNT(shape), NULL },
	[3] = { SD__TEXT, 0, NULL },
} };

static const struct sd__shape comm_shape = { .row = {
	[1] = { SD__TEXT, 0, NULL },
	[2] = { SD__NUMBER, 0, NULL },
	[3] = { SD__NUMBERS, COUNT(ranks), NULL },
} };

static const struct sd__shape node_shape = {
	.group = 1u << 9 | 1u << 10 | 1u << 11 | 1u << 12 | 1u << 13 | 1u << 14 | 1u << 15 | 1u << 16,
	.group_counter = COUNT(extras),
	.row = {
		[1] = { SD__TEXT, 0, NULL },
		[2] = { SD__TEXT, 0, NULL },
		[3] = { SD__TEXT, 0, NULL },
		[4] = { SD__TEXT, COUNT(edges), NULL },
		[5] = { SD__TEXT, COUNT(bodies), NULL },
		[6] = { SD__MESSAGE, COUNT(attrs), &attr_shape },
		[7] = { SD__NUMBER, 0, NULL },
		[8] = { SD__NUMBER, 0, NULL },
		[9] = { SD__MESSAGE, COUNT(outputs), &output_shape },
		[10] = { SD__NUMBER, 0, NULL },
		[11] = { SD__NUMBER, 0, NULL },
		[12] = { SD__NUMBER, 0, NULL },
		[13] = { SD__MESSAGE_ONCE, 0, &comm_shape },
		[14] = { SD__TEXT, COUNT(overwrites), NULL },
		[15] = { SD__TEXT, COUNT(writes), NULL },
		[16] = { SD__NUMBER, 0, NULL },
	},
};

static const struct sd__shape subgraph_shape = { .row = {
	[1] = { SD__TEXT, 0, NULL },
	[2] = { SD__MESSAGE, COUNT(nodes), &node_shape },
	[3] = { SD__MESSAGE, COUNT(attrs), &attr_shape },
	[4] = { SD__NUMBER, 0, NULL },
} };

static const struct sd__shape graph_shape = { .row = {
	[1] = { SD__TEXT, 0, NULL },
	[2] = { SD__MESSAGE, COUNT(nodes), &node_shape },
	[3] = { SD__MESSAGE, COUNT(graphs), &subgraph_shape },
	[4] = { SD__MESSAGE, COUNT(attrs), &attr_shape },
	[5] = { SD__NUMBER, 0, NULL },
} };

/* ---- options and device ---- */

static const struct sd__shape engine_streams_shape = { .row = {
	[1] = { SD__TEXT, 0, NULL },
	[2] = { SD__NUMBER, 0, NULL },
} };

static const struct sd__shape name_list_shape = { .row = { [1] = { SD__TEXT, COUNT(partition_nodes), NULL } } };

static const struct sd__shape partition_shape = {
	.row = { [1] = { SD__MESSAGE, COUNT(partition_streams), &name_list_shape } },
};

static const struct sd__shape options_shape = { .row = {
	[1] = { SD__NUMBER, 0, NULL },
	[2] = { SD__NUMBER, 0, NULL },
	[3] = { SD__NUMBER, 0, NULL },
	[4] = { SD__NUMBER, 0, NULL },
	[5] = { SD__TEXT, 0, NULL },
	[6] = { SD__NUMBER, 0, NULL },
	[7] = { SD__TEXT, 0, NULL },
	[8] = { SD__NUMBER, 0, NULL },
	[9] = { SD__MESSAGE, COUNT(engine_streams), &engine_streams_shape },
	[10] = { SD__MESSAGE_ONCE, 0, &partition_shape },
	[12] = { SD__NUMBER, 0, NULL },
	[13] = { SD__NUMBER, 0, NULL },
	[14] = { SD__NUMBER, 0, NULL },
	[15] = { SD__NUMBER, 0, NULL },
	[16] = { SD__NUMBER, 0, NULL },
	[17] = { SD__NUMBER, 0, NULL },
	[18] = { SD__NUMBER, 0, NULL },
	[19] = { SD__NUMBER, 0, NULL },
} };

static const struct sd__shape engine_shape = { .row = {
	[1] = { SD__TEXT, 0, NULL },
	[2] = { SD__NUMBER, 0, NULL },
	[3] = { SD__NUMBER, 0, NULL },
	[4] = { SD__NUMBER, 0, NULL },
	[5] = { SD__TEXT, 0, NULL },
	[6] = { SD__NUMBER, 0, NULL },
} };

static const struct sd__shape limits_shape = { .row = {
	[1] = { SD__NUMBER, 0, NULL }, [2] = { SD__NUMBER, 0, NULL }, [3] = { SD__NUMBER, 0, NULL },
	[4] = { SD__NUMBER, 0, NULL }, [5] = { SD__NUMBER, 0, NULL }, [6] = { SD__NUMBER, 0, NULL },
	[7] = { SD__NUMBER, 0, NULL },
} };

static const struct sd__shape model_shape = { .row = {
	[1] = { SD__NUMBER, 0, NULL }, [2] = { SD__NUMBER, 0, NULL }, [3] = { SD__NUMBER, 0, NULL },
	[4] = { SD__NUMBER, 0, NULL }, [5] = { SD__NUMBER, 0, NULL }, [6] = { SD__NUMBER, 0, NULL },
	[7] = { SD__NUMBER, 0, NULL }, [8] = { SD__NUMBER, 0, NULL }, [9] = { SD__NUMBER, 0, NULL },
	[10] = { SD__NUMBER, 0, NULL }, [11] = { SD__NUMBER, 0, NULL }, [12] = { SD__NUMBER, 0, NULL },
	[13] = { SD__NUMBER, 0, NULL },
} };

static const struct sd__shape device_shape = { .row = {
	[1] = { SD__TEXT, 0, NULL },
	[2] = { SD__MESSAGE, COUNT(engines), &engine_shape },
	[3] = { SD__MESSAGE_ONCE, 0, &limits_shape },
	[4] = { SD__MESSAGE_ONCE, 0, &model_shape },
} };

static const struct sd__shape request_shape = { .row = {
	[1] = { SD__MESSAGE_ONCE, COUNT(graphs), &graph_shape },
	[2] = { SD__MESSAGE_ONCE, 0, &options_shape },
	[3] = { SD__MESSAGE_ONCE, 0, &device_shape },
} };

enum sd_status sd_request_count(struct sd_text bytes, struct sd_counts *counts, struct sd_diag *diag)
{
	struct sd__walk walk = { .counter = &counts->text_bytes };

	*counts = (struct sd_counts){ 0 };
	if (!sd__shape_walk(&walk, &request_shape, bytes))
		return SD_FAIL2(diag, SD_CODE_BAD_WIRE, SD_NO_NODE, sd_arg_int(walk.at - bytes.at), sd_arg_words(walk.why));
	counts->has_graph = counts->graphs > 0;
	return SD_OK;
}

/* ---- admission ---- */

uint64_t sd_request_bytes(const struct sd_counts *c)
{
	uint64_t per_node = sizeof(struct sd_text) + sizeof(struct sd_attr_range) + 3 * sizeof(uint64_t) + 6 * sizeof(uint32_t);

	return c->nodes * per_node + c->edges * sizeof(struct sd_edge) + c->graphs * sizeof(struct sd_subgraph) +
	       c->attrs * sizeof(struct sd_attr) + c->bodies * sizeof(uint32_t) + c->extras * sizeof(struct sd_extra) +
	       c->outputs * sizeof(struct sd_output) + (c->shape + c->ranks) * sizeof(int64_t) +
	       c->overwrites * sizeof(uint32_t) + c->writes * sizeof(struct sd_text) + c->items +
	       c->engines * sizeof(struct sd_engine_row) + c->engine_streams * sizeof(struct sd_engine_streams) +
	       (c->partition_streams + c->partition_nodes) * sizeof(uint32_t);
}

static enum sd_status within(uint64_t count, uint64_t bound, const char *what, struct sd_diag *diag)
{
	if (bound == 0 || count <= bound)
		return SD_OK;
	return SD_FAIL3(diag, SD_CODE_LIMIT_NODES, SD_NO_NODE, sd_arg_int((int64_t)count), sd_arg_words(what), sd_arg_int((int64_t)bound));
}

enum sd_status sd_admit(const struct sd_counts *counts, const struct sd_admission *bounds, struct sd_diag *diag)
{
	SD_TRY(within(counts->nodes, bounds->nodes_max, "nodes", diag));
	SD_TRY(within(counts->edges, bounds->edges_max, "edges", diag));
	SD_TRY(within(counts->attrs, bounds->attrs_max, "attributes", diag));
	if (bounds->job_bytes_max && sd_request_bytes(counts) > bounds->job_bytes_max)
		return SD_FAIL1(diag, SD_CODE_LIMIT_MEMORY, SD_NO_NODE, sd_arg_int((int64_t)bounds->job_bytes_max));
	return SD_OK;
}
