#include "plan_decode.h"

static enum sd_status over_budget(const struct sd_arena *mem, struct sd_diag *diag)
{
	size_t bytes = mem->budget_bytes ? mem->budget_bytes : mem->used_bytes;

	return SD_FAIL1(diag, SD_CODE_LIMIT_MEMORY, SD_NO_NODE, sd_arg_int((int64_t)bytes));
}

static bool take_arrays(struct sd__plan_decode *d)
{
	const struct sd__plan_counts *c = d->counts;

	d->stream = SD_NEW(d->mem, struct sd_stream, c->streams);
	d->command = SD_NEW(d->mem, struct sd_command, c->commands);
	d->node = SD_NEW(d->mem, struct sd_placement, c->nodes);
	d->sync = SD_NEW(d->mem, struct sd_sync, c->syncs);
	d->activation = SD_NEW(d->mem, struct sd_activation, c->activations);
	d->summary = SD_NEW(d->mem, struct sd_summary, c->summaries);
	d->diagnostic = SD_NEW(d->mem, struct sd_diag, c->diagnostics);
	d->activated = SD_NEW(d->mem, uint32_t, c->activated);
	d->attached_event = SD_NEW(d->mem, uint32_t, c->attached_events);
	d->attached_notify = SD_NEW(d->mem, uint32_t, c->attached_notifies);
	d->notify_type = SD_NEW(d->mem, uint32_t, c->notify_types);
	d->summary_attached = SD_NEW(d->mem, uint32_t, c->summary_attached);
	d->inserted = SD_NEW(d->mem, uint32_t, c->inserted);
	d->explanation = SD_NEW(d->mem, struct sd_explanation, c->explanations);
	d->pass_name = SD_NEW(d->mem, struct sd_text, c->passes);
	d->simulated_stream = SD_NEW(d->mem, struct sd_simulated_stream, c->simulated_streams);
	d->simulated_launch = SD_NEW(d->mem, struct sd_simulated_launch, c->simulated_launches);
	d->link = SD_NEW(d->mem, struct sd_chain_link, c->links);
	d->words = SD_NEW(d->mem, char, c->passes ? c->text_bytes : 0);
	d->attached_logical = SD_NEW(d->mem, int32_t, c->attached_logical);
	d->attached_stream = SD_NEW(d->mem, int32_t, c->attached_streams + c->attached_logical);
	return d->stream && d->command && d->node && d->sync && d->activation && d->summary && d->diagnostic &&
	       d->activated && d->attached_event && d->attached_notify && d->notify_type && d->summary_attached && d->inserted &&
	       d->attached_logical && d->attached_stream && d->explanation && d->pass_name && d->words &&
	       d->simulated_stream && d->simulated_launch && d->link;
}

static void show(const struct sd__plan_decode *d)
{
	struct sd_plan *plan = d->plan;

	plan->sync_count = d->syncs;
	plan->command_count = d->commands;
	plan->activation_count = d->activations;
	plan->activated_count = d->activates;
	plan->attached_count = d->attached_streams;
	plan->attached_event_count = d->events;
	plan->attached_notify_count = d->notifies;
	plan->summary_count = d->summaries;
	plan->summary_attached_count = d->summary_attaches;
	plan->diagnostic_count = d->diagnostics;
	plan->stream = d->stream;
	plan->command = d->command;
	plan->node = d->node;
	plan->sync = d->sync;
	plan->activation = d->activation;
	plan->activated = d->activated;
	plan->attached_logical = d->attached_logical;
	plan->attached_stream = d->attached_stream;
	plan->attached_event = d->attached_event;
	plan->attached_notify = d->attached_notify;
	plan->notify_type = d->notify_type;
	plan->summary = d->summary;
	plan->summary_attached = d->summary_attached;
	plan->diagnostic = d->diagnostic;
	plan->inserted = d->inserted;
	plan->inserted_count = d->inserts;
	plan->explained = d->passes > 0;
	plan->pass_count = d->passes;
	plan->pass_name = d->pass_name;
	plan->explanation_count = d->explanations;
	plan->explanation = d->explanation;
}

/* ---- counts ---- */

/* Numbers that the rest is checked against. They are bounded by what the plan holds, so that
 * nobody who sizes a table by them takes more memory than the bytes are worth. */
static void read_counts(struct sd__plan_decode *d, struct sd_text bytes, uint32_t node_count)
{
	const struct sd__plan_counts *c = d->counts;
	struct sd__scalars s = sd__read_scalars(bytes);
	uint64_t logical_max = c->nodes + c->streams + c->attached_logical;
	static const char *const too_many = "it counts more logical streams than it can hold";

	if (s.at[1] != SD_PLAN_FORMAT)
		d->why = "its format is not known here";
	else if (c->nodes != node_count + c->inserted)
		d->why = "it is for a graph with another number of nodes";
	else if (s.at[9] != c->streams || s.at[11] != c->notify_types)
		d->why = "its counts of streams and notifies are not those of its lists";
	*d->plan = (struct sd_plan){
		.mode = (enum sd_mode)sd__below(d, s.at[5], SD_MODE_DYNAMIC + 1, "its mode is not known here"),
		.node_count = (uint32_t)c->nodes,
		.logical_stream_count = sd__below(d, s.at[6], logical_max + 1, too_many),
		.main_stream_count = sd__below(d, s.at[7], logical_max + 1, too_many),
		.attached_stream_count = sd__below(d, s.at[8], logical_max + 1, too_many),
		.stream_count = (uint32_t)c->streams,
		.event_count = sd__below(d, s.at[10], c->commands + c->attached_events + 1, "it counts more events than it can hold"),
		.notify_count = (uint32_t)c->notify_types,
	};
}

/* ---- identity ---- */

static void read_digest(struct sd__plan_decode *d, struct sd_text bytes, unsigned char out[SD_DIGEST_BYTES])
{
	if (bytes.len == SD_DIGEST_BYTES)
		memcpy(out, bytes.at, SD_DIGEST_BYTES);
	else if (!d->why)
		d->why = "a digest of it has not 32 bytes";
}

static void read_identity(struct sd__plan_decode *d, struct sd_text bytes, struct sd_identity *identity)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;
	struct sd_text graph_hash = { "", 0 }, plan_key = graph_hash, planner = graph_hash;

	while (sd_wire_next(&wire, &f)) {
		if (f.number == 2)
			graph_hash = f.bytes;
		else if (f.number == 3)
			plan_key = f.bytes;
		else if (f.number == 4)
			planner = f.bytes;
	}
	*identity = (struct sd_identity){ .planner = "" };
	read_digest(d, graph_hash, identity->graph_hash);
	read_digest(d, plan_key, identity->plan_key);
	if (planner.len < SD_PLANNER_TEXT_MAX && !memchr(planner.at, '\0', planner.len))
		memcpy(identity->planner, planner.at, planner.len);
	else if (!d->why)
		d->why = "the planner's name is too long";
}

/* ---- the plan ---- */

static void read_messages(struct sd__plan_decode *d, struct sd_text bytes)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;

	while (!d->why && sd_wire_next(&wire, &f)) {
		switch (f.number) {
		case 12:
			sd__read_list(d, &f, d->notify_type, &d->types, (uint64_t)UINT32_MAX + 1,
			              "a notify's type is more than 32 bits");
			break;
		case 13: sd__read_stream(d, f.bytes); break;
		case 14: sd__read_placement(d, f.bytes); break;
		case 15: sd__read_sync(d, f.bytes); break;
		case 16: sd__read_activation(d, f.bytes); break;
		case 17: sd__read_summary(d, f.bytes); break;
		case 18: sd__read_diagnostic(d, f.bytes); break;
		case 20: sd__read_explanation(d, f.bytes); break;
		case 21: sd__read_pass_name(d, f.bytes); break;
		case 22: sd__read_simulation(d, f.bytes); break;
		case 19:
			sd__read_list(d, &f, d->inserted, &d->inserts, d->node_count, "an inserted node stands behind none of the graph");
			break;
		}
	}
}

enum sd_status sd_plan_decode(struct sd_arena *mem, struct sd_text bytes, uint32_t node_count, uint32_t graph_count,
                              struct sd_plan *plan, struct sd_identity *identity, struct sd_diag *diag)
{
	struct sd__plan_counts counts = { 0 };
	struct sd__walk walk = { .counter = &counts.text_bytes };
	struct sd__plan_decode d = { .mem = mem, .counts = &counts, .plan = plan, .node_count = node_count, .graph_count = graph_count };
	struct sd_identity read;

	*plan = (struct sd_plan){ 0 };
	if (!sd__shape_walk(&walk, &sd__plan_shape, bytes))
		return SD_FAIL1(diag, SD_CODE_BAD_PLAN, SD_NO_NODE, sd_arg_words(walk.why));
	read_counts(&d, bytes, node_count);
	read_identity(&d, bytes, &read);
	if (!d.why && !take_arrays(&d)) {
		*plan = (struct sd_plan){ 0 };
		return over_budget(mem, diag);
	}
	read_messages(&d, bytes);
	if (d.why) {
		*plan = (struct sd_plan){ 0 };
		return SD_FAIL1(diag, SD_CODE_BAD_PLAN, SD_NO_NODE, sd_arg_words(d.why));
	}
	show(&d);
	if (identity)
		*identity = read;
	return SD_OK;
}
