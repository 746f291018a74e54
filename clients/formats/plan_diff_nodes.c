/* Where nodes run, in the one plan and in the other. */
#include <stdarg.h>
#include <stdlib.h>

#include "plan_diff_parts.h"
#include "proto/names.h"

#define LINE_MAX_BYTES 1024

__attribute__((format(printf, 2, 0)))
static struct sd_text keep_line(struct sd__diff *d, const char *format, va_list args)
{
	char text[LINE_MAX_BYTES], *kept;
	int len = vsnprintf(text, sizeof(text), format, args);
	size_t bytes = len < 0 ? 0 : (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1;

	kept = sd_arena_alloc(d->mem, bytes + 1);
	d->failed |= !kept;
	if (!kept)
		return SD_TEXT("");
	memcpy(kept, text, bytes);
	return (struct sd_text){ kept, (uint32_t)bytes };
}

__attribute__((format(printf, 2, 0)))
static void add_line(struct sd__diff *d, const char *format, va_list args)
{
	if (!sd_vec_room(d->mem, &d->out->line))
		d->failed = true;
	else
		d->out->line.at[d->out->line.count++] = keep_line(d, format, args);
}

void sd__diff_tell(struct sd__diff *d, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add_line(d, format, args);
	va_end(args);
	d->out->count++;
}

void sd__diff_why(struct sd__diff *d, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add_line(d, format, args);
	va_end(args);
}

void sd__diff_note(struct sd__diff *d, const char *format, ...)
{
	va_list args;

	if (!sd_vec_room(d->mem, &d->out->note)) {
		d->failed = true;
		return;
	}
	va_start(args, format);
	d->out->note.at[d->out->note.count++] = keep_line(d, format, args);
	va_end(args);
}

/* ---- what a placement says ---- */

static const char *stream_words(const struct sd__diff *d, int32_t stream)
{
	return stream == SD_NO_STREAM ? "none" : sd_words(d->mem, "%d", stream);
}

/* What stands beside the node: lists as they stand in the documents, whose rows are in the order of the nodes. */
static void compare_lists(struct sd__diff *d, const char *name, uint32_t a, uint32_t b)
{
	static const char *const key[] = { "attached_logical_streams", "attached_streams", "attached_events", "attached_notifies" };
	const json_t *before = json_array_get(json_object_get(d->a->root, "nodes"), a), *now = json_array_get(json_object_get(d->b->root, "nodes"), b);

	for (size_t i = 0; i < sizeof(key) / sizeof(key[0]); i++) {
		char *list[2];

		if (json_equal(json_object_get(before, key[i]), json_object_get(now, key[i])))
			continue;
		list[0] = json_dumps(json_object_get(before, key[i]), JSON_COMPACT);
		list[1] = json_dumps(json_object_get(now, key[i]), JSON_COMPACT);
		sd__diff_tell(d, "node %s: %s %s, now %s", name, key[i], list[0] ? list[0] : "[]", list[1] ? list[1] : "[]");
		free(list[0]);
		free(list[1]);
	}
}

static void compare_beside(struct sd__diff *d, const char *name, uint32_t a, uint32_t b)
{
	const struct sd_placement *before = &d->a->plan.node[a], *now = &d->b->plan.node[b];

	compare_lists(d, name, a, b);
	if (before->cube_cores != now->cube_cores || before->vector_cores != now->vector_cores)
		sd__diff_tell(d, "node %s: caps of cube and vector cores: %d and %d, now %d and %d", name, before->cube_cores, before->vector_cores,
		              now->cube_cores, now->vector_cores);
	if (before->host_wait != now->host_wait)
		sd__diff_tell(d, "node %s: %s", name, now->host_wait ? "waits on the host now" : "waits on the host no more");
}

/* ---- why ---- */

/* Per node, the last explanation that is about a stream, + 1. */
static uint32_t *index_reasons(struct sd__diff *d, const struct sd_plan_alone *plan)
{
	uint32_t *last = SD_NEW0(d->mem, uint32_t, plan->graph.node_count);

	d->failed |= !last;
	for (uint32_t i = 0; last && i < plan->plan.explanation_count; i++) {
		const struct sd_explanation *why = &plan->plan.explanation[i];
		bool moves = (why->from != SD_NO_STREAM || why->to != SD_NO_STREAM) && why->reason != SD_REASON_RENUMBERED;

		if (moves && why->node < plan->graph.node_count)
			last[why->node] = i + 1;
	}
	return last;
}

static void tell_reason(struct sd__diff *d, const struct sd_plan_alone *plan, const char *when, uint32_t next)
{
	const json_t *row = json_array_get(json_object_get(plan->root, "explanations"), next - 1);
	struct sd_text pass = sd_plan_alone_text(row, "pass"), message = sd_plan_alone_text(row, "message");

	if (next > 0)
		sd__diff_why(d, "  %s, by %.*s: %.*s", when, (int)pass.len, pass.at, (int)message.len, message.at);
}

struct reasons {
	uint32_t *before, *now;
};

static void compare_node(struct sd__diff *d, const struct reasons *why, uint32_t a, uint32_t b)
{
	const struct sd_placement *before = &d->a->plan.node[a], *now = &d->b->plan.node[b];
	char name[SD_QUOTE_MAX];
	uint32_t count = d->out->count;

	sd_quote(name, sd_plan_alone_name(d->a, a));
	if (before->logical_stream != now->logical_stream)
		sd__diff_tell(d, "node %s: logical stream %s, now %s", name, stream_words(d, before->logical_stream), stream_words(d, now->logical_stream));
	if (before->stream != now->stream && (before->stream != before->logical_stream || now->stream != now->logical_stream || d->out->count == count))
		sd__diff_tell(d, "node %s: stream %s, now %s", name, stream_words(d, before->stream), stream_words(d, now->stream));
	if (d->out->count != count && why->before && why->now) {
		tell_reason(d, d->a, "before", why->before[a]);
		tell_reason(d, d->b, "now", why->now[b]);
	}
	compare_beside(d, name, a, b);
}

void sd__diff_nodes(struct sd__diff *d)
{
	uint32_t a_count = d->a->graph.node_count, b_count = d->b->graph.node_count;
	bool explained = d->a->plan.explained && d->b->plan.explained, *met = SD_NEW0(d->mem, bool, b_count);
	struct reasons why = { explained ? index_reasons(d, d->a) : NULL, explained ? index_reasons(d, d->b) : NULL };
	struct sd__names names;
	char name[SD_QUOTE_MAX];

	if (!met || !sd__names_init(&names, d->mem, d->b->graph.name, b_count)) {
		d->failed = true;
		return;
	}
	for (uint32_t n = 0; n < b_count; n++)
		sd__names_add(&names, n);
	for (uint32_t n = 0; n < a_count; n++) {
		uint32_t found = sd__names_find(&names, d->a->graph.name[n]);

		if (found == SD__NO_NAME) {
			sd__diff_tell(d, "node %s: is gone", sd_quote(name, d->a->graph.name[n]));
			continue;
		}
		met[found] = true;
		compare_node(d, &why, n, found);
	}
	for (uint32_t n = 0; n < b_count; n++) {
		if (!met[n])
			sd__diff_tell(d, "node %s: is new", sd_quote(name, d->b->graph.name[n]));
	}
}
