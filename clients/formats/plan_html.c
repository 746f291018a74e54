#include "plan_html.h"

#include "explain.h"
#include "html_page.inc"
#include "picture.h"
#include "plan_json.h"
#include "plan_names.h"
#include "xml_text.h"

#define FLAG_ATTACHED 1u /* of a span; the page's script knows them too */
#define FLAG_CRITICAL 2u

static const char *const ties[] = SD_TIE_NAMES;
static const char *const causes[] = SD_CAUSE_NAMES;

struct writer {
	struct sd_emitter *out;
	const struct sd_timeline *t;
	struct sd_picture picture;
	struct sd_explained explained;
};

static void key_int(struct writer *w, const char *key, int64_t value)
{
	sd_emit_key(w->out, key);
	sd_emit_int(w->out, value);
}

/* Begins a list, one row a line. */
static void open_list(struct writer *w, const char *key)
{
	sd_emit_line(w->out, 0);
	sd_emit_key(w->out, key);
	sd_emit_open(w->out, '[');
}

static void open_row(struct writer *w)
{
	sd_emit_line(w->out, 0);
	sd_emit_open(w->out, '[');
}

static void put_words(struct writer *w, const char *key, const char *const *word)
{
	open_list(w, key);
	for (; *word; word++)
		sd_emit_string(w->out, *word);
	sd_emit_close(w->out, ']');
}

static void put_texts(struct writer *w, const char *key, const struct sd_text *text, uint32_t count)
{
	open_list(w, key);
	for (uint32_t i = 0; i < count; i++)
		sd_emit_text(w->out, text[i]);
	sd_emit_close(w->out, ']');
}

/* A number of something, or -1 for none. */
static int64_t or_none(uint32_t number)
{
	return number == UINT32_MAX ? -1 : (int64_t)number;
}

static void put_head(struct writer *w, const struct sd_identity *identity)
{
	const struct sd_plan *plan = w->t->plan;

	sd_emit_key(w->out, "graph");
	sd_emit_text(w->out, w->t->graph->graph[SD_ROOT].name);
	sd_emit_key(w->out, "planner");
	sd_emit_string(w->out, identity->planner);
	sd_emit_key(w->out, "explained");
	sd_emit_bool(w->out, plan->explained);
	key_int(w, "end", w->t->end_ns);
	key_int(w, "assumed", w->t->assumed_ns);
	sd_emit_pair_uint(w->out, "assumed_count", w->t->assumed_count);
	key_int(w, "last", or_none(w->t->critical_last));
	sd_emit_key(w->out, "counts");
	sd_emit_open(w->out, '{');
	sd_emit_pair_uint(w->out, "streams", plan->stream_count);
	sd_emit_pair_uint(w->out, "nodes", plan->node_count);
	sd_emit_pair_uint(w->out, "syncs", plan->sync_count);
	sd_emit_close(w->out, '}');
	put_words(w, "ties", ties);
	put_words(w, "causes", causes);
	put_texts(w, "types", w->t->graph->string, w->t->graph->string_count);
	put_texts(w, "engines", w->picture.engine, w->picture.engine_count);
	sd_emit_pair_uint(w->out, "engines_launched", w->picture.engine_launched);
	open_list(w, "graphs");
	for (uint32_t g = 0; g < w->t->graph->graph_count; g++)
		sd_emit_text(w->out, w->t->graph->graph[g].name);
	sd_emit_close(w->out, ']');
}

static void put_streams(struct writer *w)
{
	open_list(w, "streams");
	for (uint32_t s = 0; s < w->t->plan->stream_count; s++) {
		const struct sd_stream *stream = &w->t->plan->stream[s];

		open_row(w);
		sd_emit_uint(w->out, stream->logical_id);
		sd_emit_text(w->out, w->picture.label[s]);
		sd_emit_uint(w->out, stream->attached);
		sd_emit_uint(w->out, stream->huge);
		sd_emit_close(w->out, ']');
	}
	sd_emit_close(w->out, ']');
}

static void put_inputs(struct writer *w, uint32_t node)
{
	const struct sd_graph *graph = w->t->graph;

	sd_emit_open(w->out, '[');
	for (uint32_t e = node < graph->node_count ? graph->in_first[node] : 0; node < graph->node_count && e < graph->in_first[node + 1]; e++) {
		if (graph->in[e].src != SD_NO_NODE)
			sd_emit_uint(w->out, graph->in[e].src);
	}
	sd_emit_close(w->out, ']');
}

static void put_reasons(struct writer *w, uint32_t node)
{
	struct sd_names names = sd_explained_names(&w->explained);
	char message[SD_MESSAGE_MAX];

	sd_emit_open(w->out, '[');
	for (uint32_t i = w->picture.why_first[node]; i < w->picture.why_first[node + 1]; i++) {
		sd_explanation_text(&w->t->plan->explanation[i], &names, message, sizeof(message));
		sd_emit_string(w->out, message);
	}
	sd_emit_close(w->out, ']');
}

static void put_nodes(struct writer *w)
{
	const struct sd_graph *graph = w->t->graph;

	open_list(w, "nodes");
	for (uint32_t n = 0; n < w->t->plan->node_count; n++) {
		bool known = n < graph->node_count;
		uint32_t extra = known ? graph->extra_of[n] : UINT32_MAX;

		open_row(w);
		sd_emit_text(w->out, w->t->name[n]);
		sd_emit_int(w->out, known ? (int64_t)graph->op_type[n] : -1);
		sd_emit_uint(w->out, w->picture.engine_of[n]);
		sd_emit_int(w->out, w->t->plan->node[n].stream);
		sd_emit_int(w->out, w->t->plan->node[n].logical_stream);
		sd_emit_int(w->out, extra == UINT32_MAX ? -1 : graph->extra[extra].duration_ns);
		sd_emit_uint(w->out, known ? graph->graph_of[n] : 0);
		put_inputs(w, n);
		put_reasons(w, n);
		sd_emit_close(w->out, ']');
	}
	sd_emit_close(w->out, ']');
}

static void put_spans(struct writer *w)
{
	open_list(w, "spans");
	for (uint32_t i = 0; i < w->t->span_count; i++) {
		const struct sd_span *span = &w->t->span[i];

		open_row(w);
		sd_emit_uint(w->out, span->node);
		sd_emit_uint(w->out, span->stream);
		sd_emit_int(w->out, span->began_ns);
		sd_emit_int(w->out, span->ended_ns);
		sd_emit_uint(w->out, (span->attached ? FLAG_ATTACHED : 0) | (span->critical ? FLAG_CRITICAL : 0));
		sd_emit_int(w->out, or_none(span->behind));
		sd_emit_uint(w->out, span->tie);
		sd_emit_uint(w->out, span->number);
		sd_emit_close(w->out, ']');
	}
	sd_emit_close(w->out, ']');
}

static void put_arrows(struct writer *w)
{
	open_list(w, "arrows");
	for (uint32_t i = 0; i < w->t->arrow_count; i++) {
		const struct sd_arrow *arrow = &w->t->arrow[i];

		open_row(w);
		sd_emit_uint(w->out, arrow->tie);
		sd_emit_uint(w->out, arrow->number);
		sd_emit_int(w->out, arrow->sync < w->t->plan->sync_count ? (int64_t)w->t->plan->sync[arrow->sync].cause : -1);
		sd_emit_int(w->out, or_none(arrow->from));
		sd_emit_int(w->out, or_none(arrow->to));
		sd_emit_uint(w->out, arrow->from_stream);
		sd_emit_uint(w->out, arrow->to_stream);
		sd_emit_int(w->out, arrow->from_ns);
		sd_emit_int(w->out, arrow->to_ns);
		sd_emit_close(w->out, ']');
	}
	sd_emit_close(w->out, ']');
}

static void put_part(struct writer *w, const unsigned char *part, size_t len)
{
	sd_emit_raw(w->out, (const char *)part, len);
}

enum sd_status sd_plan_write_html(struct sd_arena *mem, struct sd_emitter *out, const struct sd_timeline *timeline,
                                  const struct sd_identity *identity, struct sd_diag *diag)
{
	struct writer w = { .out = out, .t = timeline, .explained = { timeline->plan, timeline->graph, timeline->name } };

	SD_TRY(sd_picture_make(mem, timeline, &w.picture, diag));
	put_part(&w, page_head, sizeof(page_head));
	sd_put_xml(out, timeline->graph->graph[SD_ROOT].name);
	sd_put(out, ": streams");
	put_part(&w, page_middle, sizeof(page_middle));
	out->in_html = true;
	sd_emit_open(out, '{');
	put_head(&w, identity);
	put_streams(&w);
	put_nodes(&w);
	put_spans(&w);
	put_arrows(&w);
	sd_emit_close(out, '}');
	out->in_html = false;
	put_part(&w, page_tail, sizeof(page_tail));
	return SD_OK;
}
