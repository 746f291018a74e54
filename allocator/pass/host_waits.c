/* host_waits - where the host must wait for the device.
 *
 * Rule   A node on the host's engine that has an input, data or control, from a node launched on the device,
 *        also through nodes that launch nothing, and into bodies and out of them, is marked: before it runs the host waits for
 *        what it reads. What another host node in front has waited for needs no second wait. Where one of
 *        those launches is a copy, that is a hazard: a copy comes back before the data is there.
 * Why    A wait on a stream holds the stream, not the host, even where both nodes have one
 *        logical stream.
 * Example MemcpyAsync -> HostUnique: HostUnique gets host_wait, and is told of.
 * Differs In Graph Engine the executor finds out.
 * Cost   O(nodes + edges). */
#include "passes.h"

#include "body_edges.h"
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
	uint32_t *output;    /* per graph: its NetOutput; SD_NO_NODE: none */
};

/* The first of two launches, and the first of two copies. */
static struct behind either(struct behind a, struct behind b)
{
	return (struct behind){ a.launch == SD_NO_NODE ? b.launch : a.launch, a.copy == SD_NO_NODE ? b.copy : a.copy };
}

static struct behind behind_edge(const struct finder *f, uint32_t src);

/* What is behind a node that launches nothing: behind one with bodies, what their NetOutputs are behind. */
static struct behind behind_idle(const struct finder *f, uint32_t src)
{
	const struct sd_graph *graph = f->job->graph;
	struct behind found = f->at[src];

	for (uint32_t i = graph->body_first[src]; i < graph->body_first[src + 1]; i++) {
		uint32_t out = f->output[graph->body[i]];

		if (out != SD_NO_NODE)
			found = either(behind_edge(f, out), found);
	}
	return found;
}

static struct behind behind_edge(const struct finder *f, uint32_t src)
{
	const struct sd_job *job = f->job;

	if (job->engine[src] == f->host)
		return (struct behind){ SD_NO_NODE, SD_NO_NODE };
	if (!job->launched[src])
		return SD_MUTANT(host_not_through) ? (struct behind){ SD_NO_NODE, SD_NO_NODE } : behind_idle(f, src);
	return (struct behind){ src, f->copies[job->graph->op_type[src]] ? src : SD_NO_NODE };
}

static struct behind behind_node(const struct finder *f, uint32_t node)
{
	const struct sd_adjacency *a = &f->job->adjacency;
	struct behind found = { SD_NO_NODE, SD_NO_NODE };
	const struct sd_edge *in = sd_body_input(f->job, node);

	if (in && in->src != SD_NO_NODE)
		found = behind_edge(f, in->src);
	for (uint32_t e = a->pred_first[node]; e < (SD_MUTANT(host_data_only) ? a->pred_first[node] + a->data_pred_count[node] : a->pred_first[node + 1]); e++)
		found = either(found, behind_edge(f, a->pred[e]));
	return found;
}

enum sd_status sd__pass_host_waits(struct sd_job *job)
{
	const struct sd_graph *graph = job->graph;
	struct finder f = { .job = job, .host = sd_engines_find(&job->engines, SD_TEXT("DNN_VM_HOST_CPU")) };

	f.at = SD_NEW(job->mem, struct behind, graph->node_count);
	f.copies = SD_NEW(job->mem, bool, graph->string_count);
	f.output = SD_NEW(job->mem, uint32_t, graph->graph_count);
	job->host_wait = SD_NEW0(job->mem, bool, graph->node_count);
	SD_NEED(job, f.at && f.copies && f.output && job->host_wait);
	sd_body_outputs(job, f.output);
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
