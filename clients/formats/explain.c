#include "explain.h"

#include "json_path.h"
#include "plan_names.h"

/* ---- names ---- */

static struct sd_text node_name(const void *of, uint32_t node)
{
	const struct sd_explained *e = of;

	return node < e->plan->node_count ? e->name[node] : SD_TEXT("?");
}

static struct sd_text node_label(const void *of, uint32_t node)
{
	struct sd_names names = sd_graph_names(((const struct sd_explained *)of)->graph);

	return names.label(names.of, node);
}

static struct sd_text node_engine(const void *of, uint32_t node)
{
	struct sd_names names = sd_graph_names(((const struct sd_explained *)of)->graph);

	return names.engine(names.of, node);
}

struct sd_names sd_explained_names(const struct sd_explained *explained)
{
	return (struct sd_names){ .of = explained, .node = node_name, .label = node_label, .engine = node_engine };
}

/* ---- JSON ---- */

static void key_node(struct sd_emitter *out, const struct sd_explained *e, const char *key, uint32_t node)
{
	sd_emit_key(out, key);
	sd_emit_text(out, node < e->plan->node_count ? e->name[node] : SD_TEXT(""));
}

static void key_int(struct sd_emitter *out, const char *key, int64_t value)
{
	sd_emit_key(out, key);
	sd_emit_int(out, value);
}

void sd_explanation_write_json(struct sd_emitter *out, const struct sd_explained *e, const struct sd_explanation *why)
{
	struct sd_names names = sd_explained_names(e);
	char message[SD_MESSAGE_MAX];

	sd_explanation_text(why, &names, message, sizeof(message));
	sd_emit_line(out, 2);
	sd_emit_open(out, '{');
	key_node(out, e, "node", why->node);
	sd_emit_key(out, "pass");
	sd_emit_text(out, e->plan->pass_name[why->pass]);
	sd_emit_key(out, "reason");
	sd_emit_string(out, sd_reason_word(why->reason));
	key_int(out, "from_stream", why->from);
	key_int(out, "to_stream", why->to);
	key_node(out, e, "other", why->other);
	key_node(out, e, "through", why->through);
	key_int(out, "number", why->number);
	sd_emit_key(out, "message");
	sd_emit_string(out, message);
	sd_emit_close(out, '}');
}

/* Whether an explanation belongs to the story of `only`: it is about that node, or about one that waits for it. */
static bool concerns(const struct sd_explanation *why, uint32_t only)
{
	return only == SD_NO_NODE || why->node == only || (why->other == only && sd_reason_is_sync(why->reason));
}

void sd_explained_write_json(struct sd_emitter *out, const struct sd_explained *e, uint32_t only)
{
	sd_emit_open(out, '{');
	sd_emit_line(out, 1);
	sd_emit_key(out, "explanations");
	sd_emit_open(out, '[');
	for (uint32_t i = 0; i < e->plan->explanation_count; i++) {
		if (concerns(&e->plan->explanation[i], only))
			sd_explanation_write_json(out, e, &e->plan->explanation[i]);
	}
	sd_emit_close(out, ']');
	sd_emit_raw(out, "\n", 1);
	sd_emit_close(out, '}');
}

/* ---- text ---- */

struct story {
	struct sd_emitter *out;
	const struct sd_explained *e;
	int width;          /* of the longest pass's name */
	uint32_t *first;    /* per node + 1: into waiter */
	uint32_t *waiter;   /* explanations of the syncs that others wait for on account of the node */
};

static enum sd_status index_waiters(struct sd_arena *mem, struct story *s, struct sd_diag *diag)
{
	const struct sd_plan *plan = s->e->plan;
	uint32_t *next = SD_NEW0(mem, uint32_t, plan->node_count + 2u);

	s->waiter = SD_NEW(mem, uint32_t, plan->explanation_count);
	if (!next || !s->waiter)
		return sd_memory_fail(mem, diag);
	for (uint32_t i = 0; i < plan->explanation_count; i++) {
		if (sd_reason_is_sync(plan->explanation[i].reason) && plan->explanation[i].other < plan->node_count)
			next[plan->explanation[i].other + 2]++;
	}
	for (uint32_t n = 0; n < plan->node_count; n++)
		next[n + 2] += next[n + 1];
	/* Filling moves each start to the next one's place: shifted by one, it ends where it should. */
	for (uint32_t i = 0; i < plan->explanation_count; i++) {
		if (sd_reason_is_sync(plan->explanation[i].reason) && plan->explanation[i].other < plan->node_count)
			s->waiter[next[plan->explanation[i].other + 1]++] = i;
	}
	s->first = next;
	return SD_OK;
}

static void put_stream(struct sd_emitter *out, int32_t stream)
{
	if (stream == SD_NO_STREAM)
		sd_put(out, "none");
	else
		sd_put(out, "%d", stream);
}

/* "stream 0 -> 2: " where the explanation is about streams. */
static void put_move(struct story *s, const struct sd_explanation *why)
{
	if (why->from == SD_NO_STREAM && why->to == SD_NO_STREAM)
		return;
	sd_put(s->out, "stream ");
	put_stream(s->out, why->from);
	sd_put(s->out, " -> ");
	put_stream(s->out, why->to);
	sd_put(s->out, ": ");
}

static void put_line(struct story *s, const struct sd_explanation *why)
{
	struct sd_text pass = s->e->plan->pass_name[why->pass];
	struct sd_names names = sd_explained_names(s->e);
	char message[SD_MESSAGE_MAX];

	sd_explanation_text(why, &names, message, sizeof(message));
	sd_put(s->out, "  %-*.*s  ", s->width, (int)pass.len, pass.at);
	put_move(s, why);
	sd_put(s->out, "%s", message);
	if (sd_reason_is_sync(why->reason) && why->number < s->e->plan->sync_count)
		sd_put(s->out, " (%s %u)", s->e->plan->sync[why->number].kind == SD_SYNC_EVENT ? "event" : "notify", s->e->plan->sync[why->number].id);
	sd_put(s->out, "\n");
}

static void put_waiter(struct story *s, const struct sd_explanation *why)
{
	struct sd_text pass = s->e->plan->pass_name[why->pass];
	struct sd_names names = sd_explained_names(s->e);
	char name[SD_MESSAGE_MAX], message[SD_MESSAGE_MAX];

	sd_node_text(&names, why->node, name, sizeof(name));
	sd_explanation_text(why, &names, message, sizeof(message));
	sd_put(s->out, "  %-*.*s  lets %s go on, which %s\n", s->width, (int)pass.len, pass.at, name, message);
}

static void put_head(struct story *s, uint32_t node)
{
	const struct sd_placement *at = &s->e->plan->node[node];
	struct sd_names names = sd_explained_names(s->e);
	char name[SD_MESSAGE_MAX];

	sd_node_text(&names, node, name, sizeof(name));
	sd_put(s->out, "%s: ", name);
	if (at->logical_stream == SD_NO_STREAM)
		sd_put(s->out, "no logical stream, ");
	else
		sd_put(s->out, "logical stream %d, ", at->logical_stream);
	if (at->stream == SD_NO_STREAM)
		sd_put(s->out, "not launched\n");
	else
		sd_put(s->out, "runs on stream %d\n", at->stream);
}

/* Explanations stand by node, but a plan may come from anywhere. */
static uint32_t put_node(struct story *s, uint32_t node, uint32_t at)
{
	const struct sd_plan *plan = s->e->plan;

	put_head(s, node);
	for (; at < plan->explanation_count && plan->explanation[at].node == node; at++)
		put_line(s, &plan->explanation[at]);
	for (uint32_t i = s->first[node]; i < s->first[node + 1]; i++)
		put_waiter(s, &plan->explanation[s->waiter[i]]);
	return at;
}

static uint32_t find_node(const struct sd_plan *plan, uint32_t node)
{
	uint32_t at = 0;

	while (at < plan->explanation_count && plan->explanation[at].node != node)
		at++;
	return at;
}

enum sd_status sd_explained_write_text(struct sd_arena *mem, struct sd_emitter *out, const struct sd_explained *e, uint32_t only,
                                       struct sd_diag *diag)
{
	struct story s = { .out = out, .e = e };
	uint32_t at = 0;

	SD_TRY(index_waiters(mem, &s, diag));
	for (uint32_t i = 0; i < e->plan->pass_count; i++)
		s.width = (int)e->plan->pass_name[i].len > s.width ? (int)e->plan->pass_name[i].len : s.width;
	if (only != SD_NO_NODE) {
		put_node(&s, only, find_node(e->plan, only));
		return SD_OK;
	}
	for (uint32_t n = 0; n < e->plan->node_count; n++) {
		if (n > 0)
			sd_put(out, "\n");
		at = put_node(&s, n, at);
	}
	return SD_OK;
}
