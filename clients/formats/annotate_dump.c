/* Streams into the text of a dump: what stood there of them goes, the new ones come before the end of each operator. */
#include "annotate.h"

#include <inttypes.h>

#include "ge_dump.h"
#include "plan_names.h"
#include "text_token.h"

struct writer {
	struct text_reader r;
	struct sd_emitter *out;
	const struct sd_annotation *a;
	struct sd_dump_nodes nodes;
	uint32_t copied; /* of the text */
	uint32_t op;     /* operators met so far */
};

/* What a message of the text is: which fields are looked into. */
enum place { MODEL, GRAPH, PROTO_OP, ONNX_NODE };

static enum sd_status walk(struct writer *w, enum place place, char closing);

/* ---- copying ---- */

static void copy_to(struct writer *w, uint32_t end)
{
	if (end > w->copied)
		sd_emit_raw(w->out, w->r.text.at + w->copied, end - w->copied);
	w->copied = end > w->copied ? end : w->copied;
}

/* To behind the last byte before `end` that is no blank; what follows is put on lines of its own. */
static void copy_before(struct writer *w, uint32_t end)
{
	while (end > w->copied && strchr(" \t\r\n", w->r.text.at[end - 1]) && w->r.text.at[end - 1])
		end--;
	copy_to(w, end);
}

/* With the blanks in front of it. */
static void drop(struct writer *w, uint32_t from, uint32_t to)
{
	copy_before(w, from);
	w->copied = to;
}

/* ---- what is put ---- */

static void put_quoted(struct writer *w, struct sd_text text)
{
	for (uint32_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.at[i];

		if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\')
			sd_put(w->out, "\\%03o", c);
		else
			sd_emit_raw(w->out, text.at + i, 1);
	}
}

static void put_label(struct writer *w, uint32_t node, const char *before, const char *behind)
{
	if (!w->a->label[node].len)
		return;
	sd_put(w->out, "\n    %s", before);
	put_quoted(w, w->a->label[node]);
	sd_put(w->out, "%s", behind);
}

static void put_proto(struct writer *w, uint32_t node)
{
	put_label(w, node, "attr { key: \"_user_stream_label\" value { s: \"", "\" } }");
	sd_put(w->out, "\n    stream_id: %" PRId32, w->a->plan->node[node].stream);
	if (w->a->logical[node] >= 0)
		sd_put(w->out, "\n    attr { key: \"_logic_stream_id\" value { i: %" PRId32 " } }", w->a->logical[node]);
}

static void put_onnx(struct writer *w, uint32_t node)
{
	put_label(w, node, "attribute { name: \"_user_stream_label\" s: \"", "\" type: STRING }");
	sd_put(w->out, "\n    attribute { name: \"stream_id\" i: %" PRId32 " type: INT }", w->a->plan->node[node].stream);
	if (w->a->logical[node] >= 0)
		sd_put(w->out, "\n    attribute { name: \"_logic_stream_id\" i: %" PRId32 " type: INT }", w->a->logical[node]);
}

static void put_model(struct writer *w)
{
	const struct sd_plan *plan = w->a->plan;

	sd_put(w->out, "\nattr { key: \"stream_num\" value { i: %u } }\nattr { key: \"event_num\" value { i: %u } }\nattr { key: \"notify_num\" value { i: %u } }\n",
	       plan->stream_count, plan->event_count, plan->notify_count);
}

/* ---- walking ---- */

static char closing_of(const struct writer *w)
{
	return sd__text_at_mark(&w->r, '{') ? '}' : sd__text_at_mark(&w->r, '<') ? '>' : '\0';
}

/* Whether an attribute says what is put anew. */
static bool is_ours(enum place place, struct sd_text key)
{
	if (place == MODEL)
		return sd_text_is(key, "stream_num") || sd_text_is(key, "event_num") || sd_text_is(key, "notify_num");
	return sd_text_is(key, "_logic_stream_id") || (place == ONNX_NODE && sd_text_is(key, "stream_id"));
}

/* Over an attribute, whose name stands in its field `named`. */
static enum sd_status walk_attribute(struct writer *w, char closing, const char *named, struct sd_text *key)
{
	*key = SD_TEXT("");
	SD_TRY(sd__text_take(&w->r));
	while (!sd__text_at_mark(&w->r, closing)) {
		bool names = w->r.next.kind == TOKEN_WORD && sd_text_is(w->r.next.text, named);

		SD_TRY(sd__text_take(&w->r));
		if (sd__text_at_mark(&w->r, ':'))
			SD_TRY(sd__text_take(&w->r));
		if (names && w->r.next.kind == TOKEN_STRING)
			*key = w->r.next.text;
		SD_TRY(sd__text_skip(&w->r));
		if (sd__text_at_mark(&w->r, ',') || sd__text_at_mark(&w->r, ';'))
			SD_TRY(sd__text_take(&w->r));
	}
	return sd__text_take(&w->r);
}

static enum sd_status walk_into(struct writer *w, enum place place, char closing)
{
	SD_TRY(sd__text_take(&w->r));
	SD_TRY(walk(w, place, closing));
	return sd__text_take(&w->r);
}

/* An operator, to which is put what the plan says of its node; of what the request does not hold nothing. */
static enum sd_status walk_op(struct writer *w, enum place place, char closing)
{
	uint32_t node = w->op < w->nodes.count ? w->nodes.node[w->op] : SD_NO_NODE;

	w->op++;
	if (node == SD_NO_NODE) {
		SD_TRY(sd__text_skip(&w->r));
		return SD_OK;
	}
	SD_TRY(sd__text_take(&w->r));
	SD_TRY(walk(w, place, closing));
	copy_before(w, w->r.next.at);
	if (place == PROTO_OP)
		put_proto(w, node);
	else
		put_onnx(w, node);
	return sd__text_take(&w->r);
}

static enum sd_status walk_message(struct writer *w, enum place place, struct sd_text field, bool *goes)
{
	char closing = closing_of(w);
	struct sd_text key;

	if (place == MODEL && closing && sd_text_is(field, "graph"))
		return walk_into(w, GRAPH, closing);
	if (place == GRAPH && closing && sd_text_is(field, "op"))
		return walk_op(w, PROTO_OP, closing);
	if (place == GRAPH && closing && sd_text_is(field, "node"))
		return walk_op(w, ONNX_NODE, closing);
	if (place == GRAPH || !closing || !sd_text_is(field, place == ONNX_NODE ? "attribute" : "attr"))
		return sd__text_skip(&w->r);
	SD_TRY(walk_attribute(w, closing, place == ONNX_NODE ? "name" : "key", &key));
	*goes = is_ours(place, key);
	return SD_OK;
}

/* One value, or a list of them. */
static enum sd_status walk_value(struct writer *w, enum place place, struct sd_text field, bool *goes)
{
	*goes = place == PROTO_OP && sd_text_is(field, "stream_id");
	if (!sd__text_at_mark(&w->r, '['))
		return walk_message(w, place, field, goes);
	if (place == MODEL || place == GRAPH)
		return sd__text_fail(&w->r, "graphs and operators in brackets cannot be written back; write each as a field of its own");
	return sd__text_skip(&w->r);
}

static enum sd_status walk(struct writer *w, enum place place, char closing)
{
	while (closing ? !sd__text_at_mark(&w->r, closing) : w->r.next.kind != TOKEN_END) {
		uint32_t begin = w->r.next.at;
		struct sd_text field = w->r.next.kind == TOKEN_WORD ? w->r.next.text : SD_TEXT("");
		bool goes;

		if (sd__text_at_mark(&w->r, '['))
			SD_TRY(sd__text_skip(&w->r));
		else
			SD_TRY(sd__text_take(&w->r));
		if (sd__text_at_mark(&w->r, ':'))
			SD_TRY(sd__text_take(&w->r));
		SD_TRY(walk_value(w, place, field, &goes));
		if (sd__text_at_mark(&w->r, ',') || sd__text_at_mark(&w->r, ';'))
			SD_TRY(sd__text_take(&w->r));
		if (goes)
			drop(w, begin, w->r.ended);
	}
	return SD_OK;
}

enum sd_status sd_annotate_dump(struct sd_arena *mem, struct sd_emitter *out, const struct sd_annotation *annotation, struct sd_text dump,
                                struct sd_diag *diag)
{
	struct writer w = { .out = out, .a = annotation };
	Streamd__V1__PlanRequest *message;

	SD_TRY(sd_ge_dump_import(mem, dump, &(struct sd_dump_wish){ .nodes = &w.nodes }, &message, NULL, diag));
	SD_TRY(sd__text_open(&w.r, mem, dump, diag));
	SD_TRY(walk(&w, MODEL, '\0'));
	if (w.nodes.is_onnx) {
		copy_to(&w, dump.len);
		return SD_OK;
	}
	copy_before(&w, dump.len);
	put_model(&w);
	return SD_OK;
}
