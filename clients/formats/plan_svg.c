#include "plan_svg.h"

#include "explain.h"
#include "json_path.h"
#include "picture.h"
#include "plan_names.h"
#include "xml_text.h"

/* Pixels. */
#define GUTTER 190.0    /* left of the lanes: the names of streams */
#define MARGIN 16.0
#define LANES_TOP 104.0
#define LANE 30.0
#define BAR 22.0
#define WIDTH_LEAST 1000.0
#define WIDTH_MOST 24000.0
#define BAR_WISHED 64.0 /* of the bars of the fullest stream, on average, */
#define WIDE 12000.0    /* as long as the picture is no wider than this; then */
#define BAR_LEAST 16.0
#define COLUMN 6.7      /* of the font */
#define TICK_LEAST 110.0
#define CLASSES 8       /* colours */
#define CROWDED 400     /* arrows, from which on they are pale */

struct writer {
	struct sd_emitter *out;
	const struct sd_timeline *t;
	struct sd_picture picture;
	struct sd_explained explained;
	double width, height, scale; /* pixels, pixels, pixels a nanosecond */
};

static const char style[] =
	"text{font:11px \"DejaVu Sans Mono\",Consolas,monospace;fill:#1b1f24}.head{font-weight:bold;font-size:13px}.soft{fill:#57606a}"
	".lane{fill:#f3f5f7}.odd{fill:#e9edf1}.tick{stroke:#c9d1d9}rect.bar{stroke:#57606a;stroke-width:.5}.critical rect.bar{stroke:#b3261e;stroke-width:2}"
	".attached rect.bar{stroke-dasharray:3 2}.arrow{fill:none;stroke:#57606a;stroke-width:1;marker-end:url(#tip)}.crowded .arrow{opacity:.45}.start{stroke-dasharray:4 3}"
	".e0{fill:#9cc9ff}.e1{fill:#ffd08a}.e2{fill:#a8e0b0}.e3{fill:#e3b8f0}.e4{fill:#f7b3b3}.e5{fill:#b5e3e6}.e6{fill:#e0d9a0}.e7{fill:#cfd6de}";

static double x_of(const struct writer *w, int64_t ns)
{
	return GUTTER + (double)ns * w->scale;
}

static double y_of(uint32_t stream)
{
	return LANES_TOP + LANE * stream;
}

/* A text that takes at most `room` pixels whatever the font: cut, and squeezed to what is reckoned for it. */
static void put_text(struct writer *w, double x, double y, const char *class, struct sd_text text, double room)
{
	uint32_t most = room > 0 ? (uint32_t)(room / COLUMN) : 0, columns = sd_text_columns(text);
	struct sd_text shown = columns > most && most > 0 ? sd_text_cut(text, most - 1) : text;

	if (most == 0 || shown.len == 0)
		return;
	columns = columns > most ? sd_text_columns(shown) + 1 : columns;
	sd_put(w->out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" textLength=\"%.1f\" lengthAdjust=\"spacingAndGlyphs\">", class, x, y, columns * COLUMN);
	sd_put_xml(w->out, shown);
	sd_put(w->out, "%s</text>\n", shown.len < text.len ? "\xe2\x80\xa6" : "");
}

/* The name, or where it has no room the last part of its path. */
static struct sd_text short_name(struct sd_text name, double room)
{
	uint32_t tail = name.len;

	if (sd_text_columns(name) * COLUMN <= room)
		return name;
	while (tail > 0 && name.at[tail - 1] != '/')
		tail--;
	return tail == name.len ? name : (struct sd_text){ name.at + tail, name.len - tail };
}

static struct sd_text words(const char *text)
{
	return (struct sd_text){ text, (uint32_t)strlen(text) };
}

/* ---- head ---- */

static void measure(struct writer *w, struct sd_arena *mem)
{
	uint32_t *count = SD_NEW0(mem, uint32_t, w->t->plan->stream_count + 1), most = 0;

	for (uint32_t i = 0; count && i < w->t->span_count; i++) {
		uint32_t launches = ++count[w->t->span[i].stream];

		most = launches > most ? launches : most;
	}
	w->width = GUTTER + MARGIN + BAR_WISHED * most;
	if (w->width > WIDE)
		w->width = BAR_LEAST * most > WIDE ? BAR_LEAST * most : WIDE;
	w->width = w->width < WIDTH_LEAST ? WIDTH_LEAST : w->width > WIDTH_MOST ? WIDTH_MOST : w->width;
	w->height = y_of(w->t->plan->stream_count) + MARGIN;
	w->scale = w->t->end_ns ? (w->width - GUTTER - MARGIN) / (double)w->t->end_ns : 0;
}

static void put_head(struct writer *w)
{
	const struct sd_timeline *t = w->t;
	char text[256], end[SD_TIME_MAX], assumed[SD_TIME_MAX];

	sd_put(w->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n<title>",
	       w->width, w->height, w->width, w->height);
	sd_put_xml(w->out, t->graph->graph[SD_ROOT].name);
	sd_put(w->out, ": streams, simulated</title>\n<style>");
	sd_emit_raw(w->out, style, sizeof(style) - 1);
	sd_put(w->out, "</style>\n<defs><marker id=\"tip\" viewBox=\"0 0 6 6\" refX=\"5\" refY=\"3\" markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\">"
	               "<path d=\"M0 0 6 3 0 6z\" fill=\"#57606a\"/></marker></defs>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n");
	put_text(w, MARGIN, 22, "head", t->graph->graph[SD_ROOT].name.len ? t->graph->graph[SD_ROOT].name : SD_TEXT("a graph without name"), WIDTH_LEAST - 2 * MARGIN);
	snprintf(text, sizeof(text), "simulated on the device model: %u streams, %u launches, %u syncs, done after %s; durations that are not stated: %u, taken as %s",
	         t->plan->stream_count, t->span_count, t->plan->sync_count, sd_time_words(end, t->end_ns), t->assumed_count, sd_time_words(assumed, t->assumed_ns));
	put_text(w, MARGIN, 42, "soft", words(text), WIDTH_LEAST - 2 * MARGIN);
}

/* Engines in one line, as far as there is room. */
static void put_legend(struct writer *w)
{
	double x = MARGIN;

	for (uint32_t e = 0; e < w->picture.engine_launched; e++) {
		double room = sd_text_columns(w->picture.engine[e]) * COLUMN;

		if (x + 18 + room > WIDTH_LEAST - 220)
			break;
		sd_put(w->out, "<rect class=\"bar e%u\" x=\"%.1f\" y=\"53\" width=\"12\" height=\"12\"/>", e % CLASSES, x);
		put_text(w, x + 18, 63, "soft", w->picture.engine[e], room + 1);
		x += 18 + room + 16;
	}
	sd_put(w->out, "<g class=\"critical\"><rect class=\"bar\" fill=\"#fff\" x=\"%.1f\" y=\"53\" width=\"12\" height=\"12\"/></g>", x);
	put_text(w, x + 18, 63, "soft", SD_TEXT("critical chain"), 120);
}

static void put_ticks(struct writer *w)
{
	static const int64_t nice[] = { 1, 2, 5 };
	int64_t step = 1;
	char text[SD_TIME_MAX];

	for (int i = 0; (double)step * w->scale < TICK_LEAST && w->t->end_ns && step < w->t->end_ns; i++) {
		int64_t decade = 1;

		for (int k = 0; k < i / 3; k++)
			decade *= 10;
		step = nice[i % 3] * decade;
	}
	for (int64_t ns = 0; ns <= w->t->end_ns; ns += step) {
		double x = x_of(w, ns), room = w->width - x - 2;

		sd_put(w->out, "<path class=\"tick\" d=\"M%.1f 86V%.1f\"/>", x, w->height - MARGIN);
		put_text(w, x + 2, 96, "soft", words(sd_time_words(text, ns)), room < TICK_LEAST - 8 ? room : TICK_LEAST - 8);
	}
}

/* ---- lanes ---- */

static void put_lane(struct writer *w, uint32_t id)
{
	const struct sd_stream *stream = &w->t->plan->stream[id];
	struct sd_text label = w->picture.label[id];
	char text[64];

	snprintf(text, sizeof(text), "stream %u%s%s", id, stream->attached ? " attached" : "", stream->huge ? " huge" : "");
	sd_put(w->out, "<g class=\"stream\" id=\"s%u\"><title>stream %u, logical %u%s", id, id, stream->logical_id, label.len ? ", label " : "");
	sd_put_xml(w->out, label);
	sd_put(w->out, "%s</title><rect class=\"lane%s\" x=\"0\" y=\"%.1f\" width=\"%.1f\" height=\"%.0f\"/>", stream->initially_active ? "" : ", starts when activated",
	       id % 2 ? " odd" : "", y_of(id), w->width, LANE);
	put_text(w, 8, y_of(id) + (label.len ? 13 : 19), "name", words(text), GUTTER - 16);
	put_text(w, 8, y_of(id) + 26, "soft", label, GUTTER - 16);
	sd_put(w->out, "</g>\n");
}

/* The title of a bar: all that is known of the launch. */
static void put_title(struct writer *w, const struct sd_span *span)
{
	const struct sd_graph *graph = w->t->graph;
	struct sd_names names = sd_explained_names(&w->explained);
	char from[SD_TIME_MAX], to[SD_TIME_MAX], message[SD_MESSAGE_MAX];

	sd_put_xml(w->out, w->t->name[span->node]);
	sd_put(w->out, "\n");
	if (span->node < graph->node_count)
		sd_put_xml(w->out, graph->string[graph->op_type[span->node]]);
	sd_put(w->out, ", ");
	sd_put_xml(w->out, w->picture.engine[w->picture.engine_of[span->node]]);
	sd_put(w->out, "\nstream %u, logical %u%s\n%s to %s", span->stream, w->t->plan->stream[span->stream].logical_id, span->attached ? ", attached part" : "",
	       sd_time_words(from, span->began_ns), sd_time_words(to, span->ended_ns));
	for (uint32_t i = w->picture.why_first[span->node]; i < w->picture.why_first[span->node + 1]; i++) {
		sd_explanation_text(&w->t->plan->explanation[i], &names, message, sizeof(message));
		sd_put(w->out, "\n");
		sd_put_xml(w->out, words(message));
	}
}

static void put_span(struct writer *w, uint32_t number)
{
	const struct sd_span *span = &w->t->span[number];
	double x = x_of(w, span->began_ns), width = (double)(span->ended_ns - span->began_ns) * w->scale, y = y_of(span->stream) + (LANE - BAR) / 2;

	sd_put(w->out, "<g class=\"op%s%s\" id=\"o%u\"><title>", span->critical ? " critical" : "", span->attached ? " attached" : "", number);
	put_title(w, span);
	sd_put(w->out, "</title><rect class=\"bar e%u\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.0f\"/>", w->picture.engine_of[span->node] % CLASSES, x, y,
	       width < 1 ? 1.0 : width, BAR);
	if (width >= 3 * COLUMN + 8)
		put_text(w, x + 4, y + 15, "op", short_name(w->t->name[span->node], width - 8), width - 8);
	sd_put(w->out, "</g>\n");
}

static void put_arrow(struct writer *w, const struct sd_arrow *arrow)
{
	static const char *const ties[] = SD_TIE_NAMES, *const causes[] = SD_CAUSE_NAMES;
	double x1 = x_of(w, arrow->from_ns), x2 = x_of(w, arrow->to_ns), bend = (x2 - x1) / 2 > 12 ? (x2 - x1) / 2 : 12;
	double y1 = y_of(arrow->from_stream) + LANE / 2, y2 = y_of(arrow->to_stream) + LANE / 2;

	sd_put(w->out, "<path class=\"arrow %s\" d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f\"><title>%s", ties[arrow->tie], x1, y1, x1 + bend, y1, x2 - bend, y2, x2, y2,
	       ties[arrow->tie]);
	if (arrow->sync < w->t->plan->sync_count)
		sd_put(w->out, " %u (%s)", arrow->number, causes[w->t->plan->sync[arrow->sync].cause]);
	sd_put(w->out, "</title></path>\n");
}

enum sd_status sd_plan_write_svg(struct sd_arena *mem, struct sd_emitter *out, const struct sd_timeline *timeline, struct sd_diag *diag)
{
	struct writer w = { .out = out, .t = timeline, .explained = { timeline->plan, timeline->graph, timeline->name } };

	SD_TRY(sd_picture_make(mem, timeline, &w.picture, diag));
	measure(&w, mem);
	put_head(&w);
	put_legend(&w);
	for (uint32_t s = 0; s < timeline->plan->stream_count; s++)
		put_lane(&w, s);
	put_ticks(&w);
	sd_put(out, "<g class=\"%s\">\n", timeline->arrow_count > CROWDED ? "crowded" : "syncs");
	for (uint32_t i = 0; i < timeline->arrow_count; i++)
		put_arrow(&w, &timeline->arrow[i]);
	sd_put(out, "</g>\n");
	for (uint32_t i = 0; i < timeline->span_count; i++)
		put_span(&w, i);
	sd_put(out, "</svg>\n");
	return SD_OK;
}
