#include "trace.h"

static void put_string(struct sd_trace *trace, const char *key, const char *value)
{
	sd_emit_key(trace->out, key);
	sd_emit_string(trace->out, value);
}

static void put_uint(struct sd_trace *trace, const char *key, uint64_t value)
{
	sd_emit_key(trace->out, key);
	sd_emit_uint(trace->out, value);
}

static void put_us(struct sd_trace *trace, const char *key, int64_t ns)
{
	sd_emit_key(trace->out, key);
	sd_emit_real(trace->out, (double)ns / 1000.0);
}

static void begin(struct sd_trace *trace, const char *phase, uint32_t process)
{
	sd_emit_line(trace->out, 1);
	sd_emit_open(trace->out, '{');
	put_string(trace, "ph", phase);
	put_uint(trace, "pid", process);
}

void sd_trace_start(struct sd_trace *trace, struct sd_emitter *out)
{
	*trace = (struct sd_trace){ .out = out };
	sd_emit_open(out, '{');
	put_string(trace, "displayTimeUnit", "ns");
	sd_emit_key(out, "traceEvents");
	sd_emit_open(out, '[');
}

void sd_trace_finish(struct sd_trace *trace)
{
	sd_emit_close(trace->out, ']');
	sd_emit_close(trace->out, '}');
}

/* Metadata of a process, or of a lane of it. */
static void put_label(struct sd_trace *trace, uint32_t process, const uint32_t *lane, const char *what, const char *name)
{
	begin(trace, "M", process);
	if (lane)
		put_uint(trace, "tid", *lane);
	put_string(trace, "name", what);
	sd_emit_key(trace->out, "args");
	sd_emit_open(trace->out, '{');
	if (name)
		put_string(trace, "name", name);
	else
		put_uint(trace, "sort_index", *lane);
	sd_emit_close(trace->out, '}');
	sd_emit_close(trace->out, '}');
}

void sd_trace_process(struct sd_trace *trace, uint32_t process, const char *name)
{
	put_label(trace, process, NULL, "process_name", name);
}

void sd_trace_lane(struct sd_trace *trace, uint32_t process, uint32_t lane, const char *name)
{
	put_label(trace, process, &lane, "thread_name", name);
	put_label(trace, process, &lane, "thread_sort_index", NULL);
}

void sd_trace_slice(struct sd_trace *trace, const struct sd_trace_slice *slice)
{
	begin(trace, "X", slice->process);
	put_uint(trace, "tid", slice->lane);
	sd_emit_key(trace->out, "name");
	sd_emit_text(trace->out, slice->name);
	put_string(trace, "cat", slice->category);
	put_us(trace, "ts", slice->began_ns);
	put_us(trace, "dur", slice->ended_ns - slice->began_ns);
	sd_emit_key(trace->out, "args");
	sd_emit_open(trace->out, '{');
	for (uint32_t i = 0; i < slice->fact_count; i++) {
		sd_emit_key(trace->out, slice->fact[i].key);
		if (slice->fact[i].text.at)
			sd_emit_text(trace->out, slice->fact[i].text);
		else
			sd_emit_uint(trace->out, slice->fact[i].number);
	}
	sd_emit_close(trace->out, '}');
	sd_emit_close(trace->out, '}');
}

static void put_end(struct sd_trace *trace, const struct sd_trace_arrow *arrow, bool starts, int64_t at_ns)
{
	begin(trace, starts ? "s" : "f", arrow->process);
	put_uint(trace, "tid", starts ? arrow->from_lane : arrow->to_lane);
	put_string(trace, "name", arrow->name);
	put_string(trace, "cat", arrow->category);
	put_uint(trace, "id", trace->arrows);
	put_us(trace, "ts", at_ns);
	if (!starts)
		put_string(trace, "bp", "e");
	sd_emit_close(trace->out, '}');
}

void sd_trace_arrow(struct sd_trace *trace, const struct sd_trace_arrow *arrow)
{
	trace->arrows++;
	put_end(trace, arrow, true, arrow->from_ended_ns - (arrow->from_ended_ns > arrow->from_began_ns));
	put_end(trace, arrow, false, arrow->to_ns);
}
