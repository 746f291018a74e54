/* Two plans beside each other: figures and streams by their numbers, nodes by their names, the rest as lists of facts. */
#include "plan_diff.h"

#include "json_message.h"
#include "plan_diff_parts.h"

static void tell_count(struct sd__diff *d, const char *what, int64_t before, int64_t now)
{
	if (before != now)
		sd__diff_tell(d, "%s: %lld, now %lld", what, (long long)before, (long long)now);
}

static void compare_head(struct sd__diff *d)
{
	static const char *const mode[] = SD_MODE_NAMES;
	const struct sd_plan *a = &d->a->plan, *b = &d->b->plan;

	if (a->mode != b->mode)
		sd__diff_tell(d, "mode: %s, now %s", mode[a->mode], mode[b->mode]);
	tell_count(d, "streams", a->stream_count, b->stream_count);
	tell_count(d, "logical streams", a->logical_stream_count, b->logical_stream_count);
	tell_count(d, "main streams", a->main_stream_count, b->main_stream_count);
	tell_count(d, "attached streams", a->attached_stream_count, b->attached_stream_count);
	tell_count(d, "events", a->event_count, b->event_count);
	tell_count(d, "notifies", a->notify_count, b->notify_count);
	if (!json_equal(json_object_get(d->a->root, "notify_types"), json_object_get(d->b->root, "notify_types")))
		sd__diff_tell(d, "the types of the notifies differ");
}

/* ---- streams ---- */

static struct sd_text label_of(const struct sd_plan_alone *plan, uint32_t stream)
{
	return sd_plan_alone_text(json_array_get(json_object_get(plan->root, "streams"), stream), "label");
}

static void compare_stream(struct sd__diff *d, uint32_t s)
{
	const struct sd_stream *a = &d->a->plan.stream[s], *b = &d->b->plan.stream[s];
	struct sd_text before = label_of(d->a, s), now = label_of(d->b, s);
	char what[64], quoted[2][SD_QUOTE_MAX];

#define TELL(member, word)                                                \
	do {                                                              \
		snprintf(what, sizeof(what), "stream %u: %s", s, word);   \
		tell_count(d, what, a->member, b->member);                \
	} while (0)
	TELL(logical_id, "logical stream");
	TELL(priority, "priority");
	TELL(flags, "flags");
	TELL(task_count, "tasks");
#undef TELL
	if (!sd_text_equal(before, now))
		sd__diff_tell(d, "stream %u: label %s, now %s", s, sd_quote(quoted[0], before), sd_quote(quoted[1], now));
	if (a->attached != b->attached)
		sd__diff_tell(d, "stream %u: %s", s, b->attached ? "is attached now" : "is attached no more");
	if (a->huge != b->huge)
		sd__diff_tell(d, "stream %u: %s", s, b->huge ? "is huge now" : "is huge no more");
	if (a->initially_active != b->initially_active)
		sd__diff_tell(d, "stream %u: %s", s, b->initially_active ? "runs with the model now" : "waits to be activated now");
}

static void compare_streams(struct sd__diff *d)
{
	const struct sd_plan *a = &d->a->plan, *b = &d->b->plan;

	for (uint32_t s = 0; s < a->stream_count && s < b->stream_count; s++)
		compare_stream(d, s);
	for (uint32_t s = b->stream_count; s < a->stream_count; s++)
		sd__diff_tell(d, "stream %u: is gone, it had %lld tasks", s, (long long)a->stream[s].task_count);
	for (uint32_t s = a->stream_count; s < b->stream_count; s++)
		sd__diff_tell(d, "stream %u: is new, it has %lld tasks", s, (long long)b->stream[s].task_count);
}

/* ---- commands ---- */

static const struct sd_command *command_at(const struct sd_plan_alone *plan, uint32_t stream, uint32_t i)
{
	const struct sd_stream *s = &plan->plan.stream[stream];

	return i < s->command_count ? &plan->plan.command[s->first_command + i] : NULL;
}

static bool same_started(const struct sd__diff *d, uint32_t a, uint32_t b)
{
	const struct sd_activation *first = &d->a->plan.activation[a], *second = &d->b->plan.activation[b];

	return first->count == second->count && (first->count == 0 ||
	       memcmp(d->a->plan.activated + first->first, d->b->plan.activated + second->first, first->count * sizeof(uint32_t)) == 0);
}

/* The root is the root, whatever the graph is called. */
static bool same_body(const struct sd__diff *d, uint32_t a, uint32_t b)
{
	if (a == SD_ROOT || b == SD_ROOT)
		return a == b;
	return sd_text_equal(d->a->graph.graph[a].name, d->b->graph.graph[b].name);
}

static bool same_command(const struct sd__diff *d, const struct sd_command *a, const struct sd_command *b)
{
	if (!a || !b)
		return a == b;
	if (a->kind != b->kind || a->attached != b->attached || !same_body(d, a->in, b->in))
		return false;
	if (a->kind == SD_LAUNCH)
		return sd_text_equal(sd_plan_alone_name(d->a, a->arg), sd_plan_alone_name(d->b, b->arg));
	return a->kind == SD_ACTIVATE ? same_started(d, a->arg, b->arg) : a->arg == b->arg;
}

static const char *words_of(const struct sd__diff *d, const struct sd_plan_alone *plan, const struct sd_command *command)
{
	static const char *const kind[] = SD_COMMAND_NAMES;
	char quoted[SD_QUOTE_MAX];

	if (!command)
		return "its end";
	if (command->kind == SD_LAUNCH)
		return sd_words(d->mem, "launch %s%s", sd_quote(quoted, sd_plan_alone_name(plan, command->arg)), command->attached ? " (attached)" : "");
	if (command->kind == SD_ACTIVATE)
		return "activate";
	return sd_words(d->mem, "%s %u", kind[command->kind], command->arg);
}

/* The first command of each stream that is another one. */
static void compare_commands(struct sd__diff *d)
{
	const struct sd_plan *a = &d->a->plan, *b = &d->b->plan;

	for (uint32_t s = 0; s < a->stream_count && s < b->stream_count; s++) {
		const struct sd_command *before, *now;
		uint32_t i = 0;

		do {
			before = command_at(d->a, s, i);
			now = command_at(d->b, s, i++);
		} while (before && now && same_command(d, before, now));
		if (!same_command(d, before, now))
			sd__diff_tell(d, "stream %u: differs from command %u on: %s, now %s", s, i - 1, words_of(d, d->a, before), words_of(d, d->b, now));
	}
}

/* ---- for whom and by whom ---- */

static void note(struct sd__diff *d, const char *key, const char *words)
{
	struct sd_text before = sd_plan_alone_text(d->a->root, key), now = sd_plan_alone_text(d->b->root, key);
	char quoted[2][SD_QUOTE_MAX];

	if (!sd_text_equal(before, now))
		sd__diff_note(d, "%s: %s, then %s", words, sd_quote(quoted[0], before), sd_quote(quoted[1], now));
}

enum sd_status sd_plan_compare(struct sd_arena *mem, const struct sd_plan_alone *first, const struct sd_plan_alone *second,
                               struct sd_plan_diff *diff, struct sd_diag *diag)
{
	struct sd__diff d = { .mem = mem, .a = first, .b = second, .out = diff };

	*diff = (struct sd_plan_diff){ .count = 0 };
	note(&d, "graph_name", "the graphs have names of their own");
	note(&d, "graph_hash", "the graphs are not the same");
	note(&d, "plan_key", "the requests are not the same");
	note(&d, "planner", "the planners are not the same");
	compare_head(&d);
	sd__diff_nodes(&d);
	compare_streams(&d);
	sd__diff_facts(&d);
	compare_commands(&d);
	return d.failed ? sd_memory_fail(mem, diag) : SD_OK;
}
