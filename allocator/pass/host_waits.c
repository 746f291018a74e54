/* host_waits - where the host must wait for the device.
 *
 * Rule   A node on the host's engine that has an input, data or control, from a node launched on the device,
 *        also through nodes that launch nothing, is marked: before it runs the host waits for
 *        what it reads. What another host node in front has waited for needs no second wait. Where one of
 *        those launches is a copy, that is a hazard: a copy comes back before the data is there.
 * Why    A wait on a stream holds the stream, not the host, even where both nodes have one
 *        logical stream.
 * Example MemcpyAsync -> HostUnique: HostUnique gets host_wait, and is told of.
 * Differs In Graph Engine the executor finds out.
 * Cost   O(nodes + edges). */
#include "passes.h"

#include "hazard.h"
#include "mutants.h"

/* What a node that launches nothing hands on: a launch on the device, and one that is a copy; SD_NO_NODE: none. */
struct behind {
	uint32_t launch, copy;
};

struct finder {
	struct sd_job *job;
	uint32_t host;       /* that engine */
	bool *copies;        /* per type */
	struct behind *at;   /* per node that launches nothing */
};

static struct behind behind_edge(const struct finder *f, uint32_t src)
{
	const struct sd_job *job = f->job;

	if (job->engine[src] == f->host)
		return (struct behind){ SD_NO_NODE, SD_NO_NODE };
	if (!job->launched[src])
		return SD_MUTANT(host_not_through) ? (struct behind){ SD_NO_NODE, SD_NO_NODE } : f->at[src];
	return (struct behind){ src, f->copies[job->graph->op_type[src]] ? src : SD_NO_NODE };
}

static struct behind behind_node(const struct finder *f, uint32_t node)
{
	const struct sd_adjacency *a = &f->job->adjacency;
	struct behind found = { SD_NO_NODE, SD_NO_NODE };

	for (uint32_t e = a->pred_first[node]; e < (SD_MUTANT(host_data_only) ? a->pred_first[node] + a->data_pred_count[node] : a->pred_first[node + 1]); e++) {
		struct behind edge = behind_edge(f, a->pred[e]);

		found.launch = found.launch == SD_NO_NODE ? edge.launch : found.launch;
		found.copy = found.copy == SD_NO_NODE ? edge.copy : found.copy;
	}
	return found;
}

enum sd_status sd__pass_host_waits(struct sd_job *job)
{
	const struct sd_graph *graph = job->graph;
	struct finder f = { .job = job, .host = sd_engines_find(&job->engines, SD_TEXT("DNN_VM_HOST_CPU")) };

	f.at = SD_NEW(job->mem, struct behind, graph->node_count);
	f.copies = SD_NEW(job->mem, bool, graph->string_count);
	job->host_wait = SD_NEW0(job->mem, bool, graph->node_count);
	SD_NEED(job, f.at && f.copies && job->host_wait);
	for (uint32_t i = 0; i < graph->string_count; i++)
		f.copies[i] = sd_op_copies(graph->string[i]);
	for (uint32_t i = 0; i < graph->node_count; i++) {
		uint32_t node = job->order.flat[i];

		f.at[node] = behind_node(&f, node);
		if (job->engine[node] != f.host)
			continue;
		job->host_wait[node] = f.at[node].launch != SD_NO_NODE;
		if (f.at[node].copy != SD_NO_NODE)
			SD_TRY(sd_hazard(job, SD_CODE_HOST_READS_COPY, node, sd_arg_node(f.at[node].copy), (struct sd_arg){ 0 }));
	}
	return SD_OK;
}
