/* order_attached - what attached streams must wait for, and what must wait for them.
 *
 * Rule   A node may name data inputs (declared value dependencies, numbered as connected, with
 *        those that close a loop) that its attached stream reads: the producer, on its attached stream if it has one, comes before the node's
 *        attached stream, or its own where it has none. A variable stands for the last
 *        node in front that writes it (`reference`), and in a body, the first active node for
 *        what stands in front of it. Constants and data need no order, nor
 *        do nodes with several attached streams: these order theirs themselves.
 *        Cover: the last use of every attached stream in a graph comes before the graph's
 *        NetOutput (of several the first one listed), so that nothing is left running when
 *        the model has ended.
 * Why    No edge of the graph leads to an attached stream.
 * Differs Graph Engine covers a stream in one of the graphs that use it, not in all.
 * Cost   O(nodes + declared + attached streams * graphs that use them). */
#include "passes.h"

#include "reuse.h"
#include "mutants.h"

/* A node that may name data inputs. */
struct reader {
	struct sd_job *job;
	uint32_t node;
	SD_VEC(uint32_t) producer; /* of each of them */
};

static uint32_t attached_count(const struct sd_job *job, uint32_t node)
{
	return job->attached_first[node + 1] - job->attached_first[node];
}

/* The slot on the node's only attached stream, or its main slot where it has none. */
static uint32_t outer_slot(const struct sd_job *job, uint32_t node)
{
	uint32_t main = job->slots.of_node[node];

	return main == SD_NO_INDEX || attached_count(job, node) == 0 ? main : main + 1;
}

static bool is_variable(enum sd_op op)
{
	return op == SD_OP_VARIABLE || op == SD_OP_VARIABLE_V2 || op == SD_OP_REF_DATA;
}

/* The last node in front of `reader` that writes the variable; the variable itself if none does. */
static uint32_t last_writer(const struct sd_job *job, uint32_t variable, uint32_t reader)
{
	const struct sd_adjacency *adj = &job->adjacency;
	uint32_t best = variable;

	for (uint32_t e = adj->succ_first[variable]; e < adj->succ_first[variable + 1]; e++) {
		uint32_t n = adj->succ[e];

		if (sd_graph_bool(job->graph, n, SD_ATTR_REFERENCE) && job->order.flat_pos[n] < job->order.flat_pos[reader] &&
		    (best == variable || (job->order.flat_pos[n] > job->order.flat_pos[best]) != SD_MUTANT(declared_first_writer)))
			best = n;
	}
	return best;
}

/* What is there before the body of a producer starts is there when its first active node runs. */
static uint32_t behind_start(const struct sd_job *job, uint32_t producer)
{
	uint32_t graph_number = job->graph->graph_of[producer];
	const struct sd_subgraph *graph = &job->graph->graph[graph_number];
	uint32_t n = graph->first_node, end = graph->first_node + graph->node_count;

	if (graph_number == SD_ROOT)
		return producer;
	while (n < end && !sd_graph_bool(job->graph, n, SD_ATTR_SUBGRAPH_FIRST_ACTIVE))
		n++;
	return n < end && job->order.flat_pos[n] > job->order.flat_pos[producer] ? n : producer;
}

static bool same_streams(const struct sd_job *job, uint32_t a, uint32_t b)
{
	uint32_t count = attached_count(job, a);

	return count == attached_count(job, b) &&
	       (count == 0 || job->attached[job->attached_first[a]] == job->attached[job->attached_first[b]]);
}

/* Notes what feeds the data inputs that are connected, in order; what closes a loop is one of them. */
static enum sd_status find_producers(struct reader *reader)
{
	const struct sd_graph *graph = reader->job->graph;

	reader->producer.count = 0;
	for (uint32_t e = graph->in_first[reader->node]; e < graph->in_first[reader->node + 1]; e++) {
		if (graph->in[e].src == SD_NO_NODE || graph->in[e].port == SD_CONTROL)
			continue;
		if (!sd_vec_room(reader->job->mem, &reader->producer))
			SD_NEED(reader->job, NULL);
		reader->producer.at[reader->producer.count++] = graph->in[e].src;
	}
	return SD_OK;
}

static enum sd_status depend(const struct reader *reader, int64_t input)
{
	struct sd_job *job = reader->job;
	uint32_t producer, node = reader->node;

	if (input < 0 || input >= reader->producer.count)
		return SD_FAIL2(job->diag, SD_CODE_BAD_DEPENDENCY, node, sd_arg_int(input), sd_arg_int(reader->producer.count));
	producer = reader->producer.at[input];
	if (is_variable(sd_job_op(job, producer)))
		producer = last_writer(job, producer, node);
	producer = behind_start(job, producer);
	switch (sd_job_op(job, producer)) {
	case SD_OP_DATA: case SD_OP_CONST: case SD_OP_CONSTANT: case SD_OP_CONST_PLACE_HOLDER:
		return SD_OK;
	default:
		break;
	}
	if (attached_count(job, producer) > 1 || attached_count(job, node) > 1 || same_streams(job, producer, node))
		return SD_OK;
	/* A StreamSwitch without attached stream tells from where it leads to. */
	return sd_job_order(job, attached_count(job, producer) && !SD_MUTANT(declared_of_main) ? outer_slot(job, producer) : job->slots.sender[producer],
	                    SD_MUTANT(declared_for_main) ? job->slots.of_node[node] : outer_slot(job, node), SD_CAUSE_ATTACHED);
}

/* "0,2" of the older formats; nothing between two commas names nothing. */
static enum sd_status depend_on_text(const struct reader *reader, struct sd_text text)
{
	int64_t number = -1;

	for (uint32_t i = 0; i <= text.len; i++) {
		int c = i < text.len ? text.at[i] : ',';

		if (c >= '0' && c <= '9')
			number = number > UINT32_MAX ? number : (number < 0 ? 0 : number) * 10 + (c - '0');
		else if (c != ',' && c != ' ')
			return SD_FAIL2(reader->job->diag, SD_CODE_BAD_GROUP_ATTR, reader->node, sd_arg_words("_attached_stream_depend_value_list"),
			                sd_arg_words("numbers of inputs with commas between them"));
		else if (c == ',' && number >= 0)
			SD_TRY(depend(reader, number));
		if (c == ',')
			number = -1;
	}
	return SD_OK;
}

static enum sd_status declared(struct reader *reader)
{
	struct sd_wish_source list = sd_wish_source(reader->job, reader->node, SD_ATTR_ATTACHED_STREAM_INFO_LIST);
	struct sd_wish_source old = sd_wish_source(reader->job, reader->node, SD_ATTR_ATTACHED_STREAM_INFO);
	struct sd_text text;

	if (list.count + old.count)
		SD_TRY(find_producers(reader));
	for (uint32_t i = 0; list.is_list && i < list.count; i++) {
		const struct sd_value *inputs = sd_map_find(&list.map[i], "_attached_resource_depend_value_list_int");

		for (uint32_t k = 0; inputs && inputs->kind == SD_VALUE_LIST && inputs->list.item == SD_VALUE_INT && k < inputs->list.count; k++)
			SD_TRY(depend(reader, inputs->list.integer[k]));
	}
	for (uint32_t i = 0; !(list.is_list && list.count) && i < old.count; i++) {
		if (sd_map_string(&old.map[i], "_attached_stream_depend_value_list", &text))
			SD_TRY(depend_on_text(reader, text));
	}
	return SD_OK;
}

/* The first launched NetOutput listed in the graph; SD_NO_NODE if there is none. */
static uint32_t net_output(const struct sd_job *job, const struct sd_subgraph *graph)
{
	for (uint32_t n = graph->first_node; n < graph->first_node + graph->node_count; n++) {
		if (sd_job_op(job, n) == SD_OP_NET_OUTPUT && job->slots.of_node[n] != SD_NO_INDEX)
			return n;
	}
	return SD_NO_NODE;
}

/* Per graph, the last slot on every attached stream used there comes before NetOutput. */
static enum sd_status cover_graph(struct sd_job *job, uint32_t g, uint32_t *last)
{
	const struct sd_subgraph *graph = &job->graph->graph[g];
	uint32_t out = net_output(job, graph), streams = job->logical_stream_count - job->main_stream_count;

	memset(last, 0xff, (size_t)streams * sizeof(*last));
	for (uint32_t i = 0; i < graph->node_count; i++) {
		uint32_t n = job->order.node[graph->first_node + i], slot = job->slots.of_node[n];

		while (slot != SD_NO_INDEX && sd_slot_is_attached(&job->slots, ++slot, n)) {
			uint32_t *at = &last[job->slots.lane[slot] - job->main_stream_count];

			*at = *at == SD_NO_INDEX || (*at < slot && !SD_MUTANT(cover_first_use)) ? slot : *at;
		}
	}
	for (uint32_t s = 0; s + SD_MUTANT(cover_forgotten) < streams; s++) {
		if (last[s] == SD_NO_INDEX)
			continue;
		if (out == SD_NO_NODE)
			SD_TRY(sd_job_warn(job, SD_CODE_NOT_COVERED, job->slots.node[last[s]], (struct sd_arg){ 0 }, (struct sd_arg){ 0 }));
		else
			SD_TRY(sd_job_order(job, last[s], job->slots.of_node[out], SD_CAUSE_COVER));
	}
	return SD_OK;
}

enum sd_status sd__pass_order_attached(struct sd_job *job)
{
	uint32_t streams = job->logical_stream_count - job->main_stream_count;
	uint32_t *last = SD_NEW(job->mem, uint32_t, streams);
	struct reader reader = { .job = job };

	SD_NEED(job, last);
	for (uint32_t i = 0; i < job->graph->node_count; i++) {
		reader.node = job->order.flat[i];
		SD_TRY(declared(&reader));
	}
	for (uint32_t g = 0; streams && g < (SD_MUTANT(cover_root_alone) ? 1 : job->graph->graph_count); g++)
		SD_TRY(cover_graph(job, g, last));
	return SD_OK;
}
