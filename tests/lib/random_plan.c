#include "random_plan.h"

#include <stdlib.h>

static uint64_t state;

static uint32_t draw(uint32_t bound)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return bound ? (uint32_t)(state >> 33) % bound : 0;
}

/* Mostly small, at times of any size: lengths of one byte and more both occur. */
static uint32_t draw_any(void)
{
	return draw(4) ? draw(100) : (uint32_t)(state >> (draw(30) + 16));
}

static void *take(struct sd_arena *mem, size_t count, size_t size)
{
	void *at = sd_arena_zero(mem, count, size);

	if (!at)
		abort();
	return at;
}

static uint32_t *draw_list(struct sd_arena *mem, uint32_t count, uint32_t bound)
{
	uint32_t *list = take(mem, count, sizeof(*list));

	for (uint32_t i = 0; i < count; i++)
		list[i] = draw(bound);
	return list;
}

static uint32_t draw_label(const struct sd_plan *p)
{
	return draw(2) ? SD_NO_NODE : draw(p->node_count);
}

static void make_streams(struct sd_arena *mem, struct sd_plan *p)
{
	struct sd_stream *stream = take(mem, p->stream_count, sizeof(*stream));

	for (uint32_t i = 0; i < p->stream_count; i++) {
		uint32_t last = i + 1 == p->stream_count;

		stream[i] = (struct sd_stream){
			.logical_id = draw(p->logical_stream_count), .label_node = draw_label(p),
			.priority = (int32_t)draw_any() * (draw(2) ? 1 : -1), .flags = draw_any(),
			.attached = draw(2), .huge = draw(2), .initially_active = draw(2), .task_count = draw_any(),
			.first_command = i ? stream[i - 1].first_command + stream[i - 1].command_count : 0,
		};
		stream[i].command_count = last ? p->command_count - stream[i].first_command :
		                                 draw(p->command_count - stream[i].first_command + 1);
	}
	p->stream = stream;
}

static void make_commands(struct sd_arena *mem, struct sd_plan *p)
{
	const uint32_t bound[] = { p->node_count, p->event_count, p->event_count, p->notify_count, p->notify_count, p->activation_count };
	struct sd_command *command = take(mem, p->command_count, sizeof(*command));

	for (uint32_t i = 0; i < p->command_count; i++) {
		uint8_t kind = (uint8_t)draw(6);

		if (bound[kind] == 0)
			kind = SD_LAUNCH;
		command[i] = (struct sd_command){ kind, (uint8_t)draw(2), draw(RANDOM_PLAN_GRAPHS), draw(bound[kind]) };
	}
	p->command = command;
}

static void make_placements(struct sd_arena *mem, struct sd_plan *p)
{
	struct sd_placement *node = take(mem, p->node_count, sizeof(*node));
	int32_t *logical = take(mem, p->node_count * 3, sizeof(*logical));
	int32_t *stream = take(mem, p->node_count * 3, sizeof(*stream));

	for (uint32_t n = 0; n < p->node_count; n++) {
		node[n] = (struct sd_placement){
			.logical_stream = (int32_t)draw(p->logical_stream_count + 1) - 1,
			.stream = (int32_t)draw(p->stream_count + 1) - 1,
			.attached_first = p->attached_count, .attached_count = draw(4),
			.event_first = p->attached_event_count, .event_count = p->event_count ? draw(3) : 0,
			.notify_first = p->attached_notify_count, .notify_count = p->notify_count ? draw(3) : 0,
			.cube_cores = (int32_t)draw(30), .vector_cores = (int32_t)draw(2), .host_wait = draw(2),
		};
		/* A node that is not launched is launched on no attached stream either. */
		for (uint32_t i = 0; i < node[n].attached_count; i++) {
			logical[p->attached_count] = (int32_t)draw(p->logical_stream_count + 1) - 1;
			stream[p->attached_count++] = node[n].stream == SD_NO_STREAM ? SD_NO_STREAM : (int32_t)draw(p->stream_count + 1) - 1;
		}
		p->attached_event_count += node[n].event_count;
		p->attached_notify_count += node[n].notify_count;
	}
	p->node = node;
	p->attached_logical = logical;
	p->attached_stream = stream;
	p->attached_event = draw_list(mem, p->attached_event_count, p->event_count);
	p->attached_notify = draw_list(mem, p->attached_notify_count, p->notify_count);
}

static void make_syncs(struct sd_arena *mem, struct sd_plan *p)
{
	struct sd_sync *sync = take(mem, p->sync_count, sizeof(*sync));

	for (uint32_t i = 0; i < p->sync_count; i++) {
		bool notify = p->event_count == 0 || (p->notify_count && draw(2));

		sync[i] = (struct sd_sync){
			.id = draw(notify ? p->notify_count : p->event_count), .kind = notify ? SD_SYNC_NOTIFY : SD_SYNC_EVENT,
			.record_node = draw(p->node_count), .record_stream = draw(p->stream_count),
			.wait_node = draw(p->node_count), .wait_stream = draw(p->stream_count),
			.cause = (enum sd_cause)draw(SD_CAUSE_HOST + 1),
		};
	}
	p->sync = sync;
}

static void make_activations(struct sd_arena *mem, struct sd_plan *p)
{
	struct sd_activation *activation = take(mem, p->activation_count, sizeof(*activation));

	for (uint32_t i = 0; i < p->activation_count; i++) {
		activation[i] = (struct sd_activation){ draw(p->node_count), p->activated_count, draw(5) };
		p->activated_count += activation[i].count;
	}
	p->activation = activation;
	p->activated = draw_list(mem, p->activated_count, p->stream_count);
}

static void make_summary(struct sd_arena *mem, struct sd_plan *p)
{
	struct sd_summary *summary = take(mem, p->summary_count, sizeof(*summary));

	for (uint32_t i = 0; i < p->summary_count; i++) {
		summary[i] = (struct sd_summary){
			.logical_id = draw(p->logical_stream_count), .label_node = draw_label(p), .by_stream_pass = draw(2),
			.physical_count = draw_any(), .follow_count = draw(3), .attached_first = p->summary_attached_count,
			.attached_count = draw(3), .node_count = draw_any(),
		};
		p->summary_attached_count += summary[i].attached_count;
	}
	p->summary = summary;
	p->summary_attached = draw_list(mem, p->summary_attached_count, p->logical_stream_count);
}

static void make_diagnostics(struct sd_arena *mem, struct sd_plan *p)
{
	static const enum sd_code codes[] = { SD_CODE_NODE_OVER_LIMIT, SD_CODE_GROUP_TOO_LARGE, SD_CODE_UNKNOWN_LIMITED_ENGINE };
	struct sd_diag *diag = take(mem, p->diagnostic_count, sizeof(*diag));

	for (uint32_t i = 0; i < p->diagnostic_count; i++) {
		diag[i] = (struct sd_diag){ .code = codes[draw(3)], .severity = SD_WARNING, .node = draw_label(p) };
		for (uint32_t k = 0; k < draw(4); k++) {
			const struct sd_arg args[] = {
				sd_arg_int((int64_t)draw_any() - 50), sd_arg_node(draw(p->node_count)), sd_arg_label(draw(p->node_count)),
				{ .kind = SD_ARG_PROFILE, .number = draw(4) }, { .kind = SD_ARG_NONE },
			};

			diag[i].arg[k] = args[draw(5)];
		}
	}
	p->diagnostic = diag;
}

static void make_explanations(struct sd_arena *mem, struct sd_plan *p)
{
	static const struct sd_text names[] = { { "cluster", sizeof("cluster") - 1 }, { "by_label", sizeof("by_label") - 1 }, { "a_2", sizeof("a_2") - 1 } };
	struct sd_explanation *why = take(mem, p->explanation_count, sizeof(*why));

	for (uint32_t i = 0; i < p->explanation_count; i++) {
		why[i] = (struct sd_explanation){
			.node = draw(p->node_count), .pass = draw(p->pass_count), .reason = (enum sd_reason)draw(SD_REASONS),
			.from = (int32_t)draw(100000) - 1, .to = (int32_t)draw(3) - 1, .other = draw_label(p), .through = draw_label(p),
			.number = draw_any(),
		};
		if (sd_reason_is_sync(why[i].reason) && why[i].number >= p->sync_count) {
			why[i].reason = SD_REASON_CLUSTERED;
			why[i].number = draw(10);
		}
	}
	p->explained = p->pass_count > 0;
	p->pass_name = names;
	p->explanation = why;
}

static void make_simulation(struct sd_arena *mem, struct sd_plan *p)
{
	struct sd_simulation *s = &p->simulation;
	struct sd_simulated_stream *stream = take(mem, p->stream_count, sizeof(*stream));
	struct sd_simulated_launch *launch;
	struct sd_chain_link *link;

	p->simulated = draw(2);
	if (!p->simulated)
		return;
	s->stream_count = p->stream_count;
	s->launch_count = p->stream_count ? draw(20) : 0;
	s->link_count = s->launch_count ? draw(10) : 0;
	launch = take(mem, s->launch_count, sizeof(*launch));
	link = take(mem, s->link_count, sizeof(*link));
	for (uint32_t i = 0; i < s->stream_count; i++)
		stream[i] = (struct sd_simulated_stream){ draw_any(), draw_any() };
	for (uint32_t i = 0; i < s->launch_count; i++)
		launch[i] = (struct sd_simulated_launch){ draw(p->node_count), draw(p->stream_count), draw(2), draw_any(), draw_any() };
	for (uint32_t i = 0; i < s->link_count; i++)
		link[i] = (struct sd_chain_link){ draw(s->launch_count), (enum sd_link_reason)draw(SD_LINK_ENGINE + 1) };
	s->makespan_ns = draw_any();
	s->one_stream_ns = draw(2) ? INT64_MAX : 0;
	s->assumed = draw(s->launch_count + 1);
	s->stream = stream;
	s->launch = launch;
	s->link = link;
}

struct sd_plan *random_plan(struct sd_arena *mem, uint64_t seed)
{
	struct sd_plan *p = take(mem, 1, sizeof(*p));

	state = seed * 0x9e3779b97f4a7c15u + 1;
	p->mode = (enum sd_mode)draw(3);
	p->node_count = 1 + draw(40);
	p->inserted_count = draw(3) ? 0 : draw(4);
	p->inserted = draw_list(mem, p->inserted_count, p->node_count);
	p->node_count += p->inserted_count;
	p->stream_count = 1 + draw(6);
	p->main_stream_count = 1 + draw(4);
	p->attached_stream_count = draw(3);
	p->logical_stream_count = p->main_stream_count + p->attached_stream_count;
	p->command_count = draw(200);
	p->event_count = draw(p->command_count + 1);
	p->notify_count = draw(2) ? draw(9) : 0;
	p->sync_count = p->event_count + p->notify_count ? draw(50) : 0;
	p->activation_count = draw(6);
	p->summary_count = draw(5);
	p->diagnostic_count = draw(5);
	/* A graph of few nodes cannot have more logical streams than nodes and streams. */
	if (p->logical_stream_count > p->node_count + p->stream_count)
		p->logical_stream_count = p->main_stream_count = p->node_count;
	p->notify_type = draw_list(mem, p->notify_count, 1000);
	make_commands(mem, p);
	make_streams(mem, p);
	make_placements(mem, p);
	make_syncs(mem, p);
	make_activations(mem, p);
	make_summary(mem, p);
	make_diagnostics(mem, p);
	/* Drawn last, so that what is drawn before does not depend on it. */
	p->pass_count = draw(2) ? 1 + draw(3) : 0;
	p->explanation_count = p->pass_count ? draw(60) : 0;
	make_explanations(mem, p);
	make_simulation(mem, p);
	return p;
}

/* ---- comparison ---- */

#define SAME(member) (x->member == y->member)

static bool same_stream(const struct sd_stream *x, const struct sd_stream *y)
{
	return SAME(logical_id) && SAME(label_node) && SAME(priority) && SAME(flags) && SAME(attached) && SAME(huge) &&
	       SAME(initially_active) && SAME(task_count) && SAME(first_command) && SAME(command_count);
}

static bool same_command(const struct sd_command *x, const struct sd_command *y)
{
	return SAME(kind) && SAME(attached) && SAME(in) && SAME(arg);
}

static bool same_placement(const struct sd_placement *x, const struct sd_placement *y)
{
	return SAME(logical_stream) && SAME(stream) && SAME(attached_first) && SAME(attached_count) && SAME(event_first) &&
	       SAME(event_count) && SAME(notify_first) && SAME(notify_count) && SAME(cube_cores) && SAME(vector_cores) &&
	       SAME(host_wait);
}

static bool same_sync(const struct sd_sync *x, const struct sd_sync *y)
{
	return SAME(id) && SAME(kind) && SAME(record_node) && SAME(record_stream) && SAME(wait_node) &&
	       SAME(wait_stream) && SAME(cause);
}

static bool same_activation(const struct sd_activation *x, const struct sd_activation *y)
{
	return SAME(node) && SAME(first) && SAME(count);
}

static bool same_summary(const struct sd_summary *x, const struct sd_summary *y)
{
	return SAME(logical_id) && SAME(label_node) && SAME(by_stream_pass) && SAME(physical_count) && SAME(follow_count) &&
	       SAME(attached_first) && SAME(attached_count) && SAME(node_count);
}

static bool same_diagnostic(const struct sd_diag *x, const struct sd_diag *y)
{
	for (int i = 0; i < SD_DIAG_ARGS; i++) {
		if (!SAME(arg[i].kind) || !SAME(arg[i].number))
			return false;
	}
	return SAME(code) && SAME(severity) && SAME(node);
}

static bool same_explanation(const struct sd_explanation *x, const struct sd_explanation *y)
{
	return SAME(node) && SAME(pass) && SAME(reason) && SAME(from) && SAME(to) && SAME(other) && SAME(through) && SAME(number);
}

static bool same_text(const struct sd_text *x, const struct sd_text *y)
{
	return sd_text_equal(*x, *y);
}

static bool same_number(const uint32_t *x, const uint32_t *y)
{
	return *x == *y;
}

static bool same_signed(const int32_t *x, const int32_t *y)
{
	return *x == *y;
}

static bool same_simulated_stream(const struct sd_simulated_stream *a, const struct sd_simulated_stream *b)
{
	return a->busy_ns == b->busy_ns && a->overlap_ns == b->overlap_ns;
}

static bool same_simulated_launch(const struct sd_simulated_launch *a, const struct sd_simulated_launch *b)
{
	return a->node == b->node && a->stream == b->stream && a->attached == b->attached && a->began_ns == b->began_ns && a->ended_ns == b->ended_ns;
}

static bool same_link(const struct sd_chain_link *a, const struct sd_chain_link *b)
{
	return a->launch == b->launch && a->reason == b->reason;
}

#define COMPARE(array, count, same)                              \
	do {                                                     \
		if (a->count != b->count)                        \
			return #count;                           \
		for (uint32_t i = 0; i < a->count; i++) {        \
			if (!same(&a->array[i], &b->array[i]))   \
				return #array;                   \
		}                                                \
	} while (0)

const char *plan_difference(const struct sd_plan *a, const struct sd_plan *b)
{
	if (a->mode != b->mode || a->event_count != b->event_count)
		return "mode or event_count";
	if (a->logical_stream_count != b->logical_stream_count || a->main_stream_count != b->main_stream_count ||
	    a->attached_stream_count != b->attached_stream_count)
		return "counts of logical streams";
	COMPARE(inserted, inserted_count, same_number);
	COMPARE(stream, stream_count, same_stream);
	COMPARE(command, command_count, same_command);
	COMPARE(node, node_count, same_placement);
	COMPARE(attached_logical, attached_count, same_signed);
	COMPARE(attached_stream, attached_count, same_signed);
	COMPARE(attached_event, attached_event_count, same_number);
	COMPARE(attached_notify, attached_notify_count, same_number);
	COMPARE(notify_type, notify_count, same_number);
	COMPARE(sync, sync_count, same_sync);
	COMPARE(activation, activation_count, same_activation);
	COMPARE(activated, activated_count, same_number);
	COMPARE(summary, summary_count, same_summary);
	COMPARE(summary_attached, summary_attached_count, same_number);
	COMPARE(diagnostic, diagnostic_count, same_diagnostic);
	COMPARE(pass_name, pass_count, same_text);
	COMPARE(explanation, explanation_count, same_explanation);
	COMPARE(simulation.stream, simulation.stream_count, same_simulated_stream);
	COMPARE(simulation.launch, simulation.launch_count, same_simulated_launch);
	COMPARE(simulation.link, simulation.link_count, same_link);
	if (a->simulated != b->simulated || a->simulation.makespan_ns != b->simulation.makespan_ns || a->simulation.one_stream_ns != b->simulation.one_stream_ns ||
	    a->simulation.assumed != b->simulation.assumed)
		return "simulation";
	if (a->explained != b->explained)
		return "explained";
	return NULL;
}
