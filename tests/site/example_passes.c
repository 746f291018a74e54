/* example_passes.c - a site's table with two passes, to read and to copy; the tests run it.
 *
 *   own_stream       a node with attribute `_own_stream` true gets a stream of its own
 *   follow_producer  a node with attribute `_follow_producer` true goes where the producer
 *                    of its first input is
 *
 * Linked into a program in front of the planner's library, this table takes the place of the
 * one in allocator/site_passes.c. */
#include "streamd/graph.h"
#include "streamd/stream_pass.h"

static bool has_flag(const struct sd_graph *graph, uint32_t node, const char *name)
{
	const struct sd_attr *attr = graph->attr + graph->attrs[node].first;

	for (uint32_t i = 0; i < graph->attrs[node].count; i++) {
		if (sd_text_is(attr[i].name, name))
			return attr[i].value.kind == SD_VALUE_BOOL && attr[i].value.boolean;
	}
	return false;
}

static int own_stream(const struct sd_graph *graph, struct sd_streams *streams)
{
	for (uint32_t n = 0; n < graph->node_count; n++) {
		if (has_flag(graph, n, "_own_stream") && !sd_stream_pass_set(streams, n, sd_stream_pass_allocate(streams))) {
			sd_stream_pass_reason(streams, "a node with _own_stream can have none: it is in a body that is planned apart, or no stream is left");
			return 1;
		}
	}
	return 0;
}

static int follow_producer(const struct sd_graph *graph, struct sd_streams *streams)
{
	for (uint32_t n = 0; n < graph->node_count; n++) {
		uint32_t first = graph->in_first[n];

		if (!has_flag(graph, n, "_follow_producer"))
			continue;
		if (first == graph->in_first[n + 1] || graph->in[first].src == SD_NO_NODE ||
		    !sd_stream_pass_set(streams, n, sd_stream_pass_get(streams, graph->in[first].src))) {
			sd_stream_pass_reason(streams, "a node with _follow_producer needs a producer that has a stream");
			return 2;
		}
	}
	return 0;
}

const struct sd_stream_pass sd_site_passes[] = {
	{ .name = "own_stream", .version = 1, .run = own_stream },
	{ .name = "follow_producer", .version = 1, .run = follow_producer },
	{ .name = NULL },
};
