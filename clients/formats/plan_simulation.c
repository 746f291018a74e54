#include "plan_simulation.h"

#include <inttypes.h>

#include "plan_names.h"

static const char *const link_words[] = SD_LINK_NAMES;

static void key_int(struct sd_emitter *out, const char *key, int64_t value)
{
	sd_emit_key(out, key);
	sd_emit_int(out, value);
}

static void open_list(struct sd_emitter *out, const char *key)
{
	sd_emit_line(out, 2);
	sd_emit_key(out, key);
	sd_emit_open(out, '[');
}

static void write_stream(struct sd_emitter *out, const struct sd_simulated_stream *stream)
{
	sd_emit_line(out, 3);
	sd_emit_open(out, '{');
	key_int(out, "busy_ns", stream->busy_ns);
	key_int(out, "overlap_ns", stream->overlap_ns);
	sd_emit_close(out, '}');
}

static void write_launch(struct sd_emitter *out, const struct sd_simulated_launch *launch, const struct sd_text *name)
{
	sd_emit_line(out, 3);
	sd_emit_open(out, '{');
	sd_emit_key(out, "node");
	sd_emit_text(out, name[launch->node]);
	key_int(out, "stream", launch->stream);
	sd_emit_key(out, "attached");
	sd_emit_bool(out, launch->attached);
	key_int(out, "began_ns", launch->began_ns);
	key_int(out, "ended_ns", launch->ended_ns);
	sd_emit_close(out, '}');
}

static void write_link(struct sd_emitter *out, const struct sd_chain_link *link)
{
	sd_emit_line(out, 3);
	sd_emit_open(out, '{');
	key_int(out, "launch", link->launch);
	sd_emit_key(out, "reason");
	sd_emit_string(out, link_words[link->reason]);
	sd_emit_close(out, '}');
}

void sd_simulation_write_json(struct sd_emitter *out, const struct sd_simulation *simulation, const struct sd_text *name)
{
	sd_emit_open(out, '{');
	key_int(out, "makespan_ns", simulation->makespan_ns);
	key_int(out, "one_stream_ns", simulation->one_stream_ns);
	key_int(out, "assumed", simulation->assumed);
	open_list(out, "streams");
	for (uint32_t s = 0; s < simulation->stream_count; s++)
		write_stream(out, &simulation->stream[s]);
	sd_emit_close(out, ']');
	open_list(out, "launches");
	for (uint32_t i = 0; i < simulation->launch_count; i++)
		write_launch(out, &simulation->launch[i], name);
	sd_emit_close(out, ']');
	open_list(out, "chain");
	for (uint32_t i = 0; i < simulation->link_count; i++)
		write_link(out, &simulation->link[i]);
	sd_emit_close(out, ']');
	sd_emit_close(out, '}');
}

/* ---- text ---- */

static double us(int64_t ns)
{
	return (double)ns / 1000.0;
}

void sd_simulation_put_line(struct sd_emitter *out, const struct sd_simulation *simulation)
{
	int64_t busy_ns = 0;

	for (uint32_t s = 0; s < simulation->stream_count; s++)
		busy_ns += simulation->stream[s].busy_ns;
	sd_put(out, "simulated: %.3f us, %.3f us on one stream, %.2f streams at work on average", us(simulation->makespan_ns), us(simulation->one_stream_ns),
	       simulation->makespan_ns ? (double)busy_ns / (double)simulation->makespan_ns : 0.0);
	if (simulation->assumed)
		sd_put(out, "; %u of %u launches state no duration and take 20 us", simulation->assumed, simulation->launch_count);
}

static void put_stream(struct sd_emitter *out, const struct sd_simulation *simulation, uint32_t s)
{
	const struct sd_simulated_stream *stream = &simulation->stream[s];

	sd_put(out, "%6u  %12.3f %8.1f %%\n", s, us(stream->busy_ns), stream->busy_ns ? 100.0 * (double)stream->overlap_ns / (double)stream->busy_ns : 0.0);
}

static void put_link(struct sd_emitter *out, const struct sd_simulation *simulation, uint32_t i, const struct sd_text *name)
{
	static const char *const why[] = {
		[SD_LINK_START] = "begins", [SD_LINK_STREAM] = "behind it on its stream", [SD_LINK_SYNC] = "waits for it",
		[SD_LINK_ACTIVATION] = "on a stream that it starts", [SD_LINK_ENGINE] = "needs what it kept busy",
	};
	const struct sd_simulated_launch *launch = &simulation->launch[simulation->link[i].launch];

	sd_put(out, "%12.3f %12.3f  stream %-4u ", us(launch->began_ns), us(launch->ended_ns), launch->stream);
	sd_put_name(out, name[launch->node], "");
	sd_put(out, "%s  (%s)\n", launch->attached ? ", attached part" : "", why[simulation->link[i].reason]);
}

void sd_simulation_write_text(struct sd_emitter *out, const struct sd_simulation *simulation, const struct sd_text *name)
{
	sd_simulation_put_line(out, simulation);
	sd_put(out, "\n\nstream       busy us   overlap\n");
	for (uint32_t s = 0; s < simulation->stream_count; s++)
		put_stream(out, simulation, s);
	sd_put(out, "\ncritical chain: what each launch had to wait for last\n    began us     ended us\n");
	for (uint32_t i = 0; i < simulation->link_count; i++)
		put_link(out, simulation, i, name);
}
