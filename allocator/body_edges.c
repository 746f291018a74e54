#include "body_edges.h"

const struct sd_edge *sd_data_input(const struct sd_graph *graph, uint32_t node, uint32_t number)
{
	for (uint32_t e = graph->in_first[node]; e < graph->in_first[node + 1]; e++) {
		if (graph->in[e].port != SD_CONTROL && number-- == 0)
			return &graph->in[e];
	}
	return NULL;
}

const struct sd_edge *sd_body_input(const struct sd_job *job, uint32_t node)
{
	const struct sd_graph *graph = job->graph;
	uint32_t parent = graph->graph[graph->graph_of[node]].parent;
	const struct sd_edge *edge;
	int64_t number;

	if (graph->graph_of[node] == SD_ROOT || job->launched[node] || sd_job_op(job, node) != SD_OP_DATA ||
	    !sd_graph_int(graph, node, SD_ATTR_PARENT_NODE_INDEX, &number) || number < 0 || number > UINT32_MAX)
		return NULL;
	edge = sd_data_input(graph, parent, (uint32_t)number);
	return edge && edge->src != SD_NO_NODE && sd_adjacency_cuts(sd_job_op(job, edge->src)) ? NULL : edge;
}

void sd_body_outputs(const struct sd_job *job, uint32_t *of_graph)
{
	for (uint32_t g = 0; g < job->graph->graph_count; g++)
		of_graph[g] = SD_NO_NODE;
	for (uint32_t n = job->graph->node_count; n-- > 0;) {
		if (sd_job_op(job, n) == SD_OP_NET_OUTPUT)
			of_graph[job->graph->graph_of[n]] = n;
	}
}
