/* graph_codec_fuzz - any bytes: what is decoded is sound, whatever the key of the hash, and has one identity. */
#include "base/check.h"
#include "proto/canon.h"
#include "proto/graph_codec.h"
#include "proto/hash.h"

#define BUDGET (64u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_attrs(const struct sd_graph *g, struct sd_attr_range range)
{
	SD_REQUIRE((uint64_t)range.first + range.count <= g->attr_count);
	for (uint32_t i = 1; i < range.count; i++)
		SD_REQUIRE(sd_text_compare(g->attr[range.first + i - 1].name, g->attr[range.first + i].name) < 0);
}

static void check_node(const struct sd_graph *g, uint32_t n)
{
	SD_REQUIRE(g->name[n].len > 0 && g->name[n].at[0] != '^');
	SD_REQUIRE(g->op_type[n] > 0 && g->op_type[n] < g->string_count && g->engine[n] < g->string_count);
	SD_REQUIRE(g->in_first[n] <= g->in_first[n + 1] && g->body_first[n] <= g->body_first[n + 1]);
	SD_REQUIRE(g->task_count[n] >= SD_TASKS_UNKNOWN && g->attached_task_count[n] >= SD_TASKS_UNKNOWN);
	for (uint32_t e = g->in_first[n]; e < g->in_first[n + 1]; e++) {
		uint32_t src = g->in[e].src;

		SD_REQUIRE(g->in[e].port >= SD_CONTROL);
		SD_REQUIRE(src == SD_NO_NODE || (src < g->node_count && g->graph_of[src] == g->graph_of[n]));
	}
	for (uint32_t b = g->body_first[n]; b < g->body_first[n + 1]; b++)
		SD_REQUIRE(g->body[b] < g->graph_count && g->graph[g->body[b]].parent == n);
	check_attrs(g, g->attrs[n]);
}

static void check_extra(const struct sd_graph *g, const struct sd_extra *x)
{
	SD_REQUIRE(x->node < g->node_count && x->duration_ns >= -1 && x->cube_cores >= -1 && x->vector_cores >= -1);
	for (uint32_t i = 0; i < x->overwrite_count; i++)
		SD_REQUIRE(g->overwrite[x->overwrite_first + i] < g->node_count);
}

static void check_graph(const struct sd_graph *g)
{
	uint32_t nodes = 0;

	for (uint32_t i = 0; i < g->graph_count; i++) {
		SD_REQUIRE(g->graph[i].first_node == nodes);
		SD_REQUIRE((g->graph[i].parent == SD_NO_NODE) == (i == SD_ROOT));
		nodes += g->graph[i].node_count;
		check_attrs(g, g->graph[i].attrs);
	}
	SD_REQUIRE(nodes == g->node_count && g->in_first[nodes] == g->edge_count);
	for (uint32_t n = 0; n < g->node_count; n++)
		check_node(g, n);
	for (uint32_t i = 0; i < g->extra_count; i++)
		check_extra(g, &g->extra[i]);
}

static struct sd_identity decode(struct sd_text bytes, const struct sd_counts *counts, enum sd_status *status)
{
	struct sd_arena mem;
	struct sd_request request;
	struct sd_identity identity = { .planner = "" };
	struct sd_diag diag = { .code = SD_CODE_NONE };
	struct sd_names names;
	char message[SD_MESSAGE_MAX];

	sd_arena_init(&mem, BUDGET);
	*status = sd_request_decode(&mem, bytes, counts, &request, &diag);
	if (*status == SD_OK) {
		check_graph(&request.graph);
		if (sd_identify(&mem, &request, &identity) != SD_OK)
			identity = (struct sd_identity){ .planner = "" };
	} else {
		names = sd_graph_names(&request.graph);
		SD_REQUIRE(diag.code != SD_CODE_NONE && sd_diag_message(&diag, &names, message, sizeof(message)) > 0);
	}
	sd_arena_finish(&mem);
	return identity;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_text bytes = { (const char *)data, (uint32_t)size };
	struct sd_counts counts;
	struct sd_identity one, other;
	enum sd_status first, second;

	if (sd_request_count(bytes, &counts, NULL) != SD_OK)
		return 0;
	sd_hash_seed(1, 2);
	one = decode(bytes, &counts, &first);
	sd_hash_seed(3, 4);
	other = decode(bytes, &counts, &second);
	SD_REQUIRE(first == second && memcmp(&one, &other, sizeof(one)) == 0);
	return 0;
}
