/* count_fuzz - any bytes: counted within them, and as protobuf-c counts them where it takes them too; what is
 * counted is admitted within the bounds and only there. */
#include "base/check.h"
#include "proto/count.h"
#include "streamd.pb-c.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct totals {
	uint64_t nodes, edges, attrs, bodies;
};

static void add_map(struct totals *t, const Streamd__V1__Map *map)
{
	t->attrs += map ? map->n_fields : 0;
}

static void add_attrs(struct totals *t, size_t count, Streamd__V1__Attr *const *attr)
{
	t->attrs += count;
	for (size_t i = 0; i < count; i++) {
		add_map(t, attr[i]->map);
		for (size_t k = 0; attr[i]->maps && k < attr[i]->maps->n_maps; k++)
			add_map(t, attr[i]->maps->maps[k]);
	}
}

static void add_nodes(struct totals *t, size_t count, Streamd__V1__Node *const *node)
{
	t->nodes += count;
	for (size_t i = 0; i < count; i++) {
		t->edges += node[i]->n_inputs;
		t->bodies += node[i]->n_subgraphs;
		add_attrs(t, node[i]->n_attrs, node[i]->attrs);
	}
}

static void compare(const struct sd_counts *ours, const Streamd__V1__Graph *graph)
{
	struct totals theirs = { 0 };

	add_nodes(&theirs, graph->n_nodes, graph->nodes);
	add_attrs(&theirs, graph->n_attrs, graph->attrs);
	for (size_t i = 0; i < graph->n_subgraphs; i++) {
		add_nodes(&theirs, graph->subgraphs[i]->n_nodes, graph->subgraphs[i]->nodes);
		add_attrs(&theirs, graph->subgraphs[i]->n_attrs, graph->subgraphs[i]->attrs);
	}
	SD_REQUIRE(ours->nodes == theirs.nodes && ours->edges == theirs.edges);
	SD_REQUIRE(ours->attrs == theirs.attrs && ours->bodies == theirs.bodies);
	SD_REQUIRE(ours->graphs == graph->n_subgraphs + 1);
}

/* A bound of 0 bounds nothing; the job's memory is asked for last. */
static void check_admission(const struct sd_counts *c)
{
	struct sd_admission bounds = { .nodes_max = 3, .edges_max = 4, .attrs_max = 5, .job_bytes_max = 4096 };
	bool within = c->nodes <= 3 && c->edges <= 4 && c->attrs <= 5 && sd_request_bytes(c) <= 4096;

	SD_REQUIRE(sd_admit(c, &(struct sd_admission){ 0 }, NULL) == SD_OK);
	SD_REQUIRE((sd_admit(c, &bounds, NULL) == SD_OK) == within);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_diag diag = { .code = SD_CODE_NONE };
	struct sd_counts counts;
	Streamd__V1__PlanRequest *theirs;

	if (sd_request_count((struct sd_text){ (const char *)data, (uint32_t)size }, &counts, &diag) != SD_OK) {
		SD_REQUIRE(diag.code == SD_CODE_BAD_WIRE && diag.arg[0].number >= 0 && (size_t)diag.arg[0].number <= size);
		return 0;
	}
	SD_REQUIRE(counts.nodes <= size && counts.attrs <= size && counts.items <= size && counts.text_bytes <= size);
	check_admission(&counts);
	theirs = streamd__v1__plan_request__unpack(NULL, size, data);
	if (theirs && theirs->graph)
		compare(&counts, theirs->graph);
	if (theirs)
		streamd__v1__plan_request__free_unpacked(theirs, NULL);
	return 0;
}
