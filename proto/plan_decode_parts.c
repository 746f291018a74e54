/* The messages inside a Plan. */
#include "plan_decode.h"

struct sd__scalars sd__read_scalars(struct sd_text bytes)
{
	struct sd__scalars s = { .seen = 0 };
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;

	while (sd_wire_next(&wire, &f)) {
		if (f.number < SD__ROWS) {
			s.at[f.number] = f.number_value;
			s.seen |= 1u << f.number;
		}
	}
	return s;
}

static void wrong(struct sd__plan_decode *d, const char *what)
{
	if (!d->why)
		d->why = what;
}

uint32_t sd__below(struct sd__plan_decode *d, uint64_t value, uint64_t bound, const char *what)
{
	if (value < bound)
		return (uint32_t)value;
	wrong(d, what);
	return 0;
}

uint32_t sd__read_plus1(struct sd__plan_decode *d, uint64_t value, uint64_t bound, const char *what)
{
	return value == 0 ? SD_NO_NODE : sd__below(d, value - 1, bound, what);
}

/* An index, or -1 for none. */
static int32_t read_signed(struct sd__plan_decode *d, uint64_t value, uint64_t bound, const char *what)
{
	int64_t index = sd_zigzag(value);

	return index == -1 ? -1 : (int32_t)sd__below(d, (uint64_t)index, bound < INT32_MAX ? bound : INT32_MAX, what);
}

static uint64_t flag(uint64_t value)
{
	return value != 0;
}

void sd__read_list(struct sd__plan_decode *d, const struct sd_field *f, uint32_t *pool, uint32_t *filled,
                   uint64_t bound, const char *what)
{
	struct sd_wire packed = sd_wire_over(f->bytes);
	uint64_t value;

	for (bool more = sd_wire_first(f, &packed, SD_WIRE_VARINT, &value); more;
	     more = sd_wire_more(&packed, SD_WIRE_VARINT, &value))
		pool[(*filled)++] = sd__below(d, value, bound, what);
}

static void read_signed_list(struct sd__plan_decode *d, const struct sd_field *f, int32_t *pool, uint32_t *filled,
                             uint64_t bound, const char *what)
{
	struct sd_wire packed = sd_wire_over(f->bytes);
	uint64_t value;

	for (bool more = sd_wire_first(f, &packed, SD_WIRE_VARINT, &value); more;
	     more = sd_wire_more(&packed, SD_WIRE_VARINT, &value))
		pool[(*filled)++] = read_signed(d, value, bound, what);
}

/* Streams may carry the number 0 in a plan without logical streams; those of inserted nodes
 * have their own number as logical one too. */
static uint64_t logical_bound(const struct sd__plan_decode *d)
{
	uint64_t logical = d->plan->logical_stream_count ? d->plan->logical_stream_count : 1;

	return d->counts->inserted && d->plan->stream_count > logical ? d->plan->stream_count : logical;
}

/* ---- streams ---- */

static void read_command(struct sd__plan_decode *d, struct sd_text bytes)
{
	/* By enum sd_command_kind. */
	const uint64_t bound[] = {
		d->plan->node_count, d->plan->event_count, d->plan->event_count,
		d->plan->notify_count, d->plan->notify_count, d->counts->activations,
	};
	struct sd__scalars s = sd__read_scalars(bytes);
	struct sd_command *command = &d->command[d->commands++];
	uint32_t what = s.seen >> 1 & 0x3f; /* the members of the oneof, one bit each */
	uint8_t kind = 0;

	if (what == 0 || what & (what - 1))
		wrong(d, "a command says not exactly one thing");
	while (what >> kind > 1)
		kind++;
	*command = (struct sd_command){
		.kind = kind,
		.attached = (uint8_t)flag(s.at[7]),
		.in = sd__below(d, s.at[8], d->graph_count, "a command belongs to no graph of the request"),
		.arg = sd__below(d, s.at[kind + 1], bound[kind], "a command names what does not exist"),
	};
}

void sd__read_stream(struct sd__plan_decode *d, struct sd_text bytes)
{
	struct sd__scalars s = sd__read_scalars(bytes);
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;
	struct sd_stream *stream = &d->stream[d->streams++];
	int64_t priority = sd_zigzag(s.at[3]);

	*stream = (struct sd_stream){
		.logical_id = sd__below(d, s.at[1], logical_bound(d), "a stream has a logical id that does not exist"),
		.label_node = sd__read_plus1(d, s.at[2], d->plan->node_count, "a stream's label is that of no node"),
		.priority = (int32_t)priority,
		.flags = sd__below(d, s.at[4], (uint64_t)UINT32_MAX + 1, "a stream's flags are more than 32 bits"),
		.attached = flag(s.at[5]), .huge = flag(s.at[6]), .initially_active = flag(s.at[7]),
		.task_count = (int64_t)s.at[8],
		.first_command = d->commands,
	};
	if (priority != stream->priority)
		wrong(d, "a stream's priority is more than 32 bits");
	if (stream->task_count < 0)
		wrong(d, "a stream's task count is negative");
	while (sd_wire_next(&wire, &f)) {
		if (f.number == 9)
			read_command(d, f.bytes);
	}
	stream->command_count = d->commands - stream->first_command;
}

/* ---- nodes ---- */

static void read_attached(struct sd__plan_decode *d, struct sd_text bytes)
{
	const struct sd_plan *plan = d->plan;
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;

	while (sd_wire_next(&wire, &f)) {
		if (f.number == 3)
			read_signed_list(d, &f, d->attached_logical, &d->attached_logicals, plan->logical_stream_count,
			                 "an attached logical stream does not exist");
		else if (f.number == 4)
			read_signed_list(d, &f, d->attached_stream, &d->attached_streams, plan->stream_count,
			                 "an attached stream does not exist");
		else if (f.number == 5)
			sd__read_list(d, &f, d->attached_event, &d->events, plan->event_count,
			              "an attached event does not exist");
		else if (f.number == 6)
			sd__read_list(d, &f, d->attached_notify, &d->notifies, plan->notify_count,
			              "an attached notify does not exist");
	}
}

void sd__read_placement(struct sd__plan_decode *d, struct sd_text bytes)
{
	struct sd__scalars s = sd__read_scalars(bytes);
	struct sd_placement *node = &d->node[d->nodes++];

	*node = (struct sd_placement){
		.logical_stream = read_signed(d, s.at[1], logical_bound(d), "a node's logical stream does not exist"),
		.stream = read_signed(d, s.at[2], d->plan->stream_count, "a node's stream does not exist"),
		.attached_first = d->attached_streams, .event_first = d->events, .notify_first = d->notifies,
		.cube_cores = (int32_t)sd__below(d, s.at[7], INT32_MAX, "a node's cap of cube cores is out of range"),
		.vector_cores = (int32_t)sd__below(d, s.at[8], INT32_MAX, "a node's cap of vector cores is out of range"),
		.host_wait = flag(s.at[9]),
	};
	read_attached(d, bytes);
	if (node->stream == SD_NO_STREAM && d->attached_streams > node->attached_first)
		wrong(d, "a node that is not launched has attached streams");
	/* One first and count serve both lists; a node that is not launched is on none of the streams. */
	while (node->stream == SD_NO_STREAM && d->attached_streams < d->attached_logicals)
		d->attached_stream[d->attached_streams++] = SD_NO_STREAM;
	if (d->attached_logicals != d->attached_streams)
		wrong(d, "a node has not as many attached streams as attached logical streams");
	node->attached_count = d->attached_streams - node->attached_first;
	node->event_count = d->events - node->event_first;
	node->notify_count = d->notifies - node->notify_first;
}

/* ---- the rest ---- */

void sd__read_sync(struct sd__plan_decode *d, struct sd_text bytes)
{
	const struct sd_plan *plan = d->plan;
	struct sd__scalars s = sd__read_scalars(bytes);
	uint64_t ids = s.at[2] == SD_SYNC_NOTIFY ? plan->notify_count : plan->event_count;

	d->sync[d->syncs++] = (struct sd_sync){
		.id = sd__below(d, s.at[1], ids, "a sync has a number that does not exist"),
		.kind = (enum sd_sync_kind)sd__below(d, s.at[2], SD_SYNC_NOTIFY + 1, "a sync is of no known kind"),
		.record_node = sd__below(d, s.at[3], plan->node_count, "a sync is recorded by no node"),
		.record_stream = sd__below(d, s.at[4], plan->stream_count, "a sync is recorded on no stream"),
		.wait_node = sd__below(d, s.at[5], plan->node_count, "a sync is waited for by no node"),
		.wait_stream = sd__below(d, s.at[6], plan->stream_count, "a sync is waited for on no stream"),
		.cause = (enum sd_cause)sd__below(d, s.at[7], SD_CAUSE_HOST + 1, "a sync has no known cause"),
	};
}

void sd__read_activation(struct sd__plan_decode *d, struct sd_text bytes)
{
	struct sd__scalars s = sd__read_scalars(bytes);
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;
	struct sd_activation *activation = &d->activation[d->activations++];

	activation->node = sd__below(d, s.at[1], d->plan->node_count, "an activation belongs to no node");
	activation->first = d->activates;
	while (sd_wire_next(&wire, &f)) {
		if (f.number == 2)
			sd__read_list(d, &f, d->activated, &d->activates, d->plan->stream_count,
			              "an activation starts a stream that does not exist");
	}
	activation->count = d->activates - activation->first;
}

void sd__read_summary(struct sd__plan_decode *d, struct sd_text bytes)
{
	static const char *const too_large = "a summary holds a number of more than 32 bits";
	const uint64_t any = (uint64_t)UINT32_MAX + 1;
	struct sd__scalars s = sd__read_scalars(bytes);
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;
	struct sd_summary *summary = &d->summary[d->summaries++];

	*summary = (struct sd_summary){
		.logical_id = sd__below(d, s.at[1], logical_bound(d), "a summary is of no logical stream"),
		.label_node = sd__read_plus1(d, s.at[2], d->plan->node_count, "a summary's label is that of no node"),
		.by_stream_pass = flag(s.at[3]),
		.physical_count = sd__below(d, s.at[5], any, too_large),
		.follow_count = sd__below(d, s.at[6], any, too_large),
		.attached_first = d->summary_attaches,
		.node_count = sd__below(d, s.at[7], any, too_large),
	};
	while (sd_wire_next(&wire, &f)) {
		if (f.number == 4)
			sd__read_list(d, &f, d->summary_attached, &d->summary_attaches, d->plan->logical_stream_count,
			              "a summary names an attached stream that does not exist");
	}
	summary->attached_count = d->summary_attaches - summary->attached_first;
}

static struct sd_arg read_argument(struct sd__plan_decode *d, struct sd_text bytes)
{
	struct sd__scalars s = sd__read_scalars(bytes);
	uint32_t kind = sd__below(d, s.at[1], SD_ARG_PROFILE + 1, "a diagnostic's argument is of no known kind");

	if (kind == SD_ARG_TEXT || kind == SD_ARG_WORDS)
		wrong(d, "a diagnostic holds text");
	if (kind == SD_ARG_NODE || kind == SD_ARG_LABEL)
		sd__below(d, s.at[2], d->plan->node_count, "a diagnostic's argument names no node");
	/* What is no argument has no number either: writing leaves it out. */
	return (struct sd_arg){ .kind = (enum sd_arg_kind)kind, .number = kind == SD_ARG_NONE ? 0 : (int64_t)s.at[2] };
}

void sd__read_diagnostic(struct sd__plan_decode *d, struct sd_text bytes)
{
	struct sd__scalars s = sd__read_scalars(bytes);
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;
	struct sd_diag *diag = &d->diagnostic[d->diagnostics++];
	uint32_t args = 0;

	*diag = (struct sd_diag){
		.severity = SD_WARNING,
		.node = sd__read_plus1(d, s.at[2], d->plan->node_count, "a diagnostic is about no node"),
	};
	while (sd_wire_next(&wire, &f)) {
		if (f.number == 1)
			diag->code = sd_code_find(f.bytes);
		else if (f.number == 3 && args < SD_DIAG_ARGS)
			diag->arg[args++] = read_argument(d, f.bytes);
		else if (f.number == 3)
			wrong(d, "a diagnostic has too many arguments");
	}
	if (diag->code == SD_CODE_NONE)
		wrong(d, "a diagnostic has a code that is not known here");
}
