/* The graph out, the plan in: each piece through a function of the caller. */
#include <string.h>

#include "pb_decode.h"
#include "pb_encode.h"
#include "streamd_nano.h"

_Static_assert(sizeof(((streamd_v1_Plan *)0)->plan_key) == 32, "streamd.options was not read: the generator found none where -I points");

/* ---- the graph out ---- */

/* The nodes of one graph. */
struct nodes_out {
	const struct sd_nano_request *request;
	uint32_t graph, nodes;
};

static bool write_nodes(pb_ostream_t *out, const pb_field_t *field, void *const *arg)
{
	const struct nodes_out *from = *arg;

	for (uint32_t i = 0; i < from->nodes; i++) {
		streamd_v1_Node node = streamd_v1_Node_init_zero;

		if (!from->request->node(from->request->user, from->graph, i, &node) || !pb_encode_tag_for_field(out, field) ||
		    !pb_encode_submessage(out, streamd_v1_Node_fields, &node))
			return false;
	}
	return true;
}

static bool write_subgraphs(pb_ostream_t *out, const pb_field_t *field, void *const *arg)
{
	const struct sd_nano_request *request = *arg;

	for (uint32_t i = 0; i < request->subgraphs; i++) {
		streamd_v1_Subgraph body = streamd_v1_Subgraph_init_zero;
		struct sd_nano_graph graph = { 0 };
		struct nodes_out nodes = { request, i + 1, 0 };

		if (!request->subgraph(request->user, i, &graph))
			return false;
		nodes.nodes = graph.nodes;
		body.name = (char *)(uintptr_t)graph.name;
		body.dynamic = graph.dynamic;
		body.attrs = (streamd_v1_Attr *)(uintptr_t)graph.attrs;
		body.attrs_count = graph.attr_count;
		body.nodes = (pb_callback_t){ { .encode = write_nodes }, &nodes };
		if (!pb_encode_tag_for_field(out, field) || !pb_encode_submessage(out, streamd_v1_Subgraph_fields, &body))
			return false;
	}
	return true;
}

/* ---- the plan in ---- */

struct plan_in {
	const struct sd_nano_sink *sink;
	uint32_t stream, node, sync, activation; /* the place of the next one */
};

static bool read_command(pb_istream_t *in, const pb_field_t *field, void **arg)
{
	struct plan_in *plan = *arg;
	streamd_v1_Command command = streamd_v1_Command_init_zero;

	(void)field;
	return pb_decode(in, streamd_v1_Command_fields, &command) && plan->sink->command(plan->sink->user, plan->stream, &command);
}

static bool read_stream(pb_istream_t *in, const pb_field_t *field, void **arg)
{
	struct plan_in *plan = *arg;
	streamd_v1_Stream stream = streamd_v1_Stream_init_zero;

	(void)field;
	if (plan->sink->command)
		stream.commands = (pb_callback_t){ { .decode = read_command }, plan };
	if (!pb_decode(in, streamd_v1_Stream_fields, &stream) ||
	    (plan->sink->stream && !plan->sink->stream(plan->sink->user, plan->stream, &stream)))
		return false;
	plan->stream++;
	return true;
}

/* One number, or many that are packed. */
static bool read_numbers(pb_istream_t *in, bool (*take)(void *user, uint32_t of, uint32_t number), void *user, uint32_t of, bool is_signed)
{
	while (in->bytes_left > 0) {
		int64_t number;
		uint64_t plain;

		if (is_signed ? !pb_decode_svarint(in, &number) : !pb_decode_varint(in, &plain))
			return false;
		if (!take(user, of, is_signed ? (uint32_t)number : (uint32_t)plain))
			return false;
	}
	return true;
}

static bool read_attached(pb_istream_t *in, const pb_field_t *field, void **arg)
{
	struct plan_in *plan = *arg;

	(void)field;
	return read_numbers(in, plan->sink->attached, plan->sink->user, plan->node, true);
}

static bool read_placement(pb_istream_t *in, const pb_field_t *field, void **arg)
{
	struct plan_in *plan = *arg;
	streamd_v1_Placement placement = streamd_v1_Placement_init_zero;

	(void)field;
	if (plan->sink->attached)
		placement.attached_streams = (pb_callback_t){ { .decode = read_attached }, plan };
	if (!pb_decode(in, streamd_v1_Placement_fields, &placement) ||
	    (plan->sink->placed && !plan->sink->placed(plan->sink->user, plan->node, &placement)))
		return false;
	plan->node++;
	return true;
}

static bool read_sync(pb_istream_t *in, const pb_field_t *field, void **arg)
{
	struct plan_in *plan = *arg;
	streamd_v1_Sync sync = streamd_v1_Sync_init_zero;

	(void)field;
	return pb_decode(in, streamd_v1_Sync_fields, &sync) && plan->sink->sync(plan->sink->user, plan->sync++, &sync);
}

static bool read_started(pb_istream_t *in, const pb_field_t *field, void **arg)
{
	struct plan_in *plan = *arg;

	(void)field;
	return read_numbers(in, plan->sink->started, plan->sink->user, plan->activation, false);
}

static bool read_activation(pb_istream_t *in, const pb_field_t *field, void **arg)
{
	struct plan_in *plan = *arg;
	streamd_v1_Activation activation = streamd_v1_Activation_init_zero;

	(void)field;
	if (plan->sink->started)
		activation.streams = (pb_callback_t){ { .decode = read_started }, plan };
	if (!pb_decode(in, streamd_v1_Activation_fields, &activation) ||
	    (plan->sink->activation && !plan->sink->activation(plan->sink->user, plan->activation, activation.node)))
		return false;
	plan->activation++;
	return true;
}

static bool tell_inserted(void *arg, uint32_t of, uint32_t node)
{
	const struct plan_in *plan = arg;

	(void)of;
	return plan->sink->inserted(plan->sink->user, node);
}

static bool read_inserted(pb_istream_t *in, const pb_field_t *field, void **arg)
{
	(void)field;
	return read_numbers(in, tell_inserted, *arg, 0, false);
}

static bool read_diagnostic(pb_istream_t *in, const pb_field_t *field, void **arg)
{
	struct plan_in *plan = *arg;
	streamd_v1_Diagnostic diagnostic = streamd_v1_Diagnostic_init_zero;

	(void)field;
	return pb_decode(in, streamd_v1_Diagnostic_fields, &diagnostic) &&
	       plan->sink->diagnostic(plan->sink->user, diagnostic.code, diagnostic.node_plus1);
}

static pb_callback_t reading(bool wanted, bool (*read)(pb_istream_t *, const pb_field_t *, void **), struct plan_in *plan)
{
	return wanted ? (pb_callback_t){ { .decode = read }, plan } : (pb_callback_t){ { NULL }, NULL };
}

static void listen_to(streamd_v1_Plan *plan, const struct sd_nano_sink *sink, struct plan_in *in)
{
	plan->streams = reading(sink->command || sink->stream, read_stream, in);
	plan->nodes = reading(sink->attached || sink->placed, read_placement, in);
	plan->syncs = reading(sink->sync, read_sync, in);
	plan->activations = reading(sink->started || sink->activation, read_activation, in);
	plan->inserted = reading(sink->inserted, read_inserted, in);
	plan->diagnostics = reading(sink->diagnostic, read_diagnostic, in);
}

enum sd_status sd_nano_plan(struct sd_nano *client, const struct sd_nano_request *request, uint32_t deadline_ms,
                            const struct sd_nano_sink *sink, streamd_v1_Plan *plan, struct sd_nano_error *error)
{
	static const struct sd_nano_sink nobody = { 0 };
	struct nodes_out nodes = { request, 0, request->root.nodes };
	struct plan_in in = { .sink = sink ? sink : &nobody };
	streamd_v1_PlanRequest message = streamd_v1_PlanRequest_init_zero;
	streamd_v1_PlanAnswer answer = streamd_v1_PlanAnswer_init_zero;
	enum sd_status status;

	message.has_graph = true;
	message.graph.name = (char *)(uintptr_t)request->root.name;
	message.graph.dynamic = request->root.dynamic;
	message.graph.attrs = (streamd_v1_Attr *)(uintptr_t)request->root.attrs;
	message.graph.attrs_count = request->root.attr_count;
	message.graph.nodes = (pb_callback_t){ { .encode = write_nodes }, &nodes };
	message.graph.subgraphs = (pb_callback_t){ { .encode = write_subgraphs }, (void *)(uintptr_t)request };
	if (request->options) {
		message.has_options = true;
		message.options = *request->options;
	}
	if (request->device) {
		message.has_device = true;
		message.device = *request->device;
	}
	listen_to(&answer.plan, in.sink, &in);
	status = sd_nano_call(client, SD_METHOD_PLAN, streamd_v1_PlanRequest_fields, &message, deadline_ms, streamd_v1_PlanAnswer_fields, &answer, error);
	*plan = answer.plan;
	return status;
}
