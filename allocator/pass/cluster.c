/* cluster - nodes of one engine and label that follow each other become one cluster.
 *
 * Rule   Inputs of the graph (constants, variables and data that nothing feeds) belong to
 *        no cluster. Every other node starts alone, on its engine (custom operators count
 *        as AIcoreEngine, marked vector operators as VectorEngine) and with its label;
 *        cluster_merge.c lets neighbours grow together, by paths or by runs (option `cluster`).
 *        Clusters are numbered by their first nodes.
 * Why    Streams are given to clusters: a chain on one engine gains nothing by several.
 * Example a[AI] -> b[RTS] -> c[AI], a -> c: {a}, {b}, {c}, because a second path from a
 *        to c would make {a, c} wait for b and b for {a, c}.
 * Cost   That of cluster_merge.c, else O(nodes + edges). */
#include "passes.h"

#include "cluster_merge.h"
#include "mutants.h"

static bool is_input(const struct sd_job *job, uint32_t node)
{
	if (job->adjacency.pred_first[node] != job->adjacency.pred_first[node + 1])
		return false;
	switch (sd_job_op(job, node)) {
	case SD_OP_DATA: case SD_OP_REF_DATA: case SD_OP_AIPP_DATA: case SD_OP_ANN_DATA:
	case SD_OP_CONST: case SD_OP_CONSTANT: case SD_OP_VARIABLE: case SD_OP_VARIABLE_V2:
		return true;
	default:
		return false;
	}
}

static uint32_t cluster_engine(const struct sd_job *job, uint32_t node)
{
	if (job->vector_beside_cube[node])
		return job->engines.vector;
	if (is_input(job, node))
		return SD_MERGE_INPUT;
	return job->engine[node] == job->engines.custom && !SD_MUTANT(cluster_custom_apart) ? job->engines.aicore : job->engine[node];
}

static enum sd_status merge_input(struct sd_job *job, struct sd_merge_input *in)
{
	const struct sd_subgraph *graph = &job->graph->graph[job->visited];
	uint32_t *engine = SD_NEW(job->mem, uint32_t, graph->node_count);
	uint32_t *label = SD_NEW(job->mem, uint32_t, graph->node_count);
	uint32_t *user = SD_NEW(job->mem, uint32_t, graph->node_count);

	SD_NEED(job, engine && label && user);
	*in = (struct sd_merge_input){
		.count = graph->node_count, .node = job->order.node + graph->first_node,
		.position = job->order.pos, .base = graph->first_node, .engine = engine, .label = label, .user = user,
	};
	for (uint32_t i = 0; i < in->count; i++) {
		uint32_t n = in->node[i];

		engine[i] = cluster_engine(job, n);
		label[i] = job->label[n];
		/* The user label of an input does not count: it is no operator that a user placed. */
		user[i] = is_input(job, n) ? 0 : job->user_label[n];
		if (engine[i] == SD_NO_ENGINE)
			return SD_FAIL1(job->diag, SD_CODE_UNKNOWN_ENGINE, n,
			                sd_arg_text(job->graph->string[job->graph->engine[n]]));
	}
	return SD_OK;
}

/* Numbers the clusters by first node and lists their nodes. `owner` becomes the number. */
static enum sd_status list_clusters(struct sd_job *job, const struct sd_merge_input *in, uint32_t *owner)
{
	struct sd_clusters *c = &job->clusters;
	uint32_t *number = SD_NEW(job->mem, uint32_t, in->count), used = 0;

	SD_NEED(job, number);
	c->count = 0;
	for (uint32_t i = 0; i < in->count; i++) {
		if (in->engine[i] == SD_MERGE_INPUT)
			owner[i] = SD_NO_INDEX;
		else if (owner[i] == i)
			number[i] = c->count++;
	}
	c->at = SD_NEW0(job->mem, struct sd_cluster, c->count);
	c->node = SD_NEW(job->mem, uint32_t, in->count);
	SD_NEED(job, c->at && c->node);
	for (uint32_t i = 0; i < in->count; i++) {
		uint32_t k = owner[i] == SD_NO_INDEX ? SD_NO_INDEX : number[owner[i]];

		if (k != SD_NO_INDEX && c->at[k].node_count++ == 0) {
			c->at[k].engine = in->engine[i];
			c->at[k].label = in->label[i];
			c->at[k].user = in->user[i];
		}
		job->cluster_of[in->node[i]] = k;
	}
	for (uint32_t k = 0; k < c->count; k++) {
		c->at[k].first_node = used;
		used += c->at[k].node_count;
		c->at[k].node_count = 0;
		c->at[k].stream = SD_NO_STREAM;
		c->at[k].root = SD_NO_INDEX;
	}
	for (uint32_t i = 0; i < in->count; i++) {
		uint32_t k = job->cluster_of[in->node[i]];

		if (k == SD_NO_INDEX)
			continue;
		c->node[c->at[k].first_node + c->at[k].node_count++] = in->node[i];
		c->at[k].force_attach |= sd_graph_has(job->graph, in->node[i], SD_ATTR_FORCE_ATTACH_STREAM);
	}
	return SD_OK;
}

/* The distinct producing clusters of each, and how many consumers have its engine. */
static enum sd_status link_clusters(struct sd_job *job, uint32_t edges)
{
	struct sd_clusters *c = &job->clusters;
	const struct sd_adjacency *adj = &job->adjacency;
	uint32_t *seen = SD_NEW(job->mem, uint32_t, c->count), used = 0;

	c->pred = SD_NEW(job->mem, uint32_t, edges);
	SD_NEED(job, seen && c->pred);
	memset(seen, 0xff, (size_t)c->count * sizeof(*seen));
	for (uint32_t k = 0; k < c->count; k++) {
		struct sd_cluster *to = &c->at[k];

		to->first_pred = used;
		for (uint32_t i = 0; i < to->node_count; i++) {
			uint32_t n = c->node[to->first_node + i];

			for (uint32_t e = adj->pred_first[n]; e < adj->pred_first[n + 1]; e++) {
				uint32_t from = job->cluster_of[adj->pred[e]];

				if (from == SD_NO_INDEX || from == k || seen[from] == k)
					continue;
				seen[from] = k;
				c->pred[used++] = from;
				c->at[from].same_engine_successors += c->at[from].engine == to->engine;
			}
		}
		to->pred_count = used - to->first_pred;
	}
	return SD_OK;
}

enum sd_status sd__pass_cluster(struct sd_job *job)
{
	const struct sd_subgraph *graph = &job->graph->graph[job->visited];
	struct sd_merge_input in = { 0 };
	uint32_t *owner = SD_NEW(job->mem, uint32_t, graph->node_count), edges = 0;

	SD_NEED(job, owner);
	SD_TRY(merge_input(job, &in));
	if (job->options->cluster == SD_CLUSTER_MERGE) {
		SD_TRY(sd_merge_paths(job, &in, owner));
	} else if (job->options->cluster == SD_CLUSTER_TOPO) {
		sd_merge_runs(&in, owner);
	} else {
		for (uint32_t i = 0; i < in.count; i++)
			owner[i] = i;
	}
	SD_TRY(list_clusters(job, &in, owner));
	for (uint32_t i = 0; i < in.count; i++)
		edges += job->adjacency.pred_first[in.node[i] + 1] - job->adjacency.pred_first[in.node[i]];
	SD_TRY(link_clusters(job, edges));
	/* A body starts on the stream of the node that owns it. */
	job->default_stream = graph->parent == SD_NO_NODE || job->graph->graph[job->graph->graph_of[graph->parent]].dynamic
	                    ? SD_NO_STREAM : job->stream[graph->parent];
	return SD_OK;
}
