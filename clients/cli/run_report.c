#include "run_report.h"

#include <inttypes.h>

#include "formats/json_path.h"
#include "formats/plan_names.h"
#include "run/run_trace.h"

#define FAULT_MAX 640 /* bytes of a sentence about one: two names, and a race's words */

/* Figures add up over the runs; shown is what one run took. */
static double us(const struct sd_measure *measure, uint64_t ns)
{
	return measure->runs ? (double)ns / (double)measure->runs / 1000.0 : 0;
}

static double at_once(const struct sd_measure *measure)
{
	return measure->span_ns ? (double)measure->busy_ns / (double)measure->span_ns : 0;
}

static uint64_t tasks_of(const struct sd_measure *measure)
{
	uint64_t tasks = 0;

	for (uint32_t s = 0; s < measure->stream_count; s++)
		tasks += measure->stream[s].tasks;
	return measure->runs ? tasks / measure->runs : 0;
}

bool run_report_is_good(const struct run_report *report)
{
	return report->seen->broken == 0 && !report->missed && report->unproved.len == 0 && (!report->races || sd_race_count(report->races) == 0);
}

/* ---- faults ---- */

/* The stream of the plan behind a device's handle. */
static uint32_t stream_of(const struct run_report *report, sd_handle handle)
{
	uint32_t s = 0;

	while (s < report->seen->runner.plan->stream_count && sd_model_stream(report->seen->runner.model, s) != handle)
		s++;
	return s;
}

/* As race_check.h puts it, in streams of the plan. */
static void race_text(const struct run_report *report, const struct sd_race *race, char out[FAULT_MAX])
{
	const struct sd_race_end *a = &race->first, *b = &race->second;
	uint32_t before = stream_of(report, a->stream), after = stream_of(report, b->stream);

	snprintf(out, FAULT_MAX, "%s: %s (stream %u) %s what %s (stream %u) %s, and nothing orders them: an event recorded behind %s is missing, waited for in front of %s",
	         sd_race_kind_name(race->kind), a->name, before, race->kind == SD_RACE_WAR ? "reads" : "writes", b->name, after,
	         race->kind == SD_RACE_RAW ? "reads" : "writes", a->name, b->name);
}

/* Each run has the same pairs: is this one told already? */
static bool is_told(const struct run_report *report, uint32_t index)
{
	const struct sd_race *race = sd_race_at(report->races, index), *other;

	for (uint32_t i = 0; i < index && (other = sd_race_at(report->races, i)); i++) {
		if (other->kind == race->kind && strcmp(other->first.name, race->first.name) == 0 && strcmp(other->second.name, race->second.name) == 0)
			return true;
	}
	return false;
}

/* Calls for each race once, and for each order that was broken, as far as they are kept. */
static void each_fault(const struct run_report *report, bool races, void (*tell)(void *arg, const char *text), void *arg)
{
	char text[FAULT_MAX];

	for (uint32_t i = 0; !races && i < report->seen->fault_count; i++) {
		sd_watch_fault_text(report->seen, &report->seen->fault[i], text, sizeof(text));
		tell(arg, text);
	}
	for (uint32_t i = 0; races && report->races && sd_race_at(report->races, i); i++) {
		if (is_told(report, i))
			continue;
		race_text(report, sd_race_at(report->races, i), text);
		tell(arg, text);
	}
}

static void tell_error(void *arg, const char *text)
{
	fprintf(stderr, "streamctl: %s\n", text);
}

void run_report_faults(const struct run_report *report)
{
	each_fault(report, false, tell_error, NULL);
	each_fault(report, true, tell_error, NULL);
	if (report->unproved.len > 0)
		fprintf(stderr, "streamctl: %.*s\n", (int)report->unproved.len, report->unproved.at);
	if (report->missed)
		fprintf(stderr, "streamctl: memory ran out: not all accesses were looked at\n");
}

/* ---- text ---- */

static void put_head(struct sd_emitter *out, const struct run_report *report)
{
	const struct sd_plan *plan = report->seen->runner.plan;

	sd_put_name(out, report->graph_name, "");
	sd_put(out, "%s%" PRIu64 " tasks on %u streams, %u syncs: %u runs on %s", report->graph_name.len ? ": " : "", tasks_of(&report->seen->measure),
	       plan->stream_count, plan->sync_count, report->runs, report->device);
	if (report->cores)
		sd_put(out, " (%u cores)", report->cores);
	if (report->has_seed)
		sd_put(out, ", lengths drawn by seed %" PRIu64, report->seed);
	sd_put(out, "\n");
}

static void tell_line(void *arg, const char *text)
{
	sd_put(arg, "  %s\n", text);
}

static void put_verdict(struct sd_emitter *out, const struct run_report *report)
{
	const struct sd_watch *seen = report->seen;

	if (seen->broken == 0 && report->has_edges)
		sd_put(out, "order: all kept: %" PRIu64 " edges of the graph, %" PRIu64 " orders of the plan\n", seen->edges, seen->orders);
	else if (seen->broken == 0)
		sd_put(out, "order: all kept: %" PRIu64 " orders of the plan\n", seen->orders);
	else
		sd_put(out, "order: %" PRIu64 " broken\n", seen->broken);
	each_fault(report, false, tell_line, out);
	if (report->unproved.len > 0)
		sd_put(out, "proof: %.*s\n", (int)report->unproved.len, report->unproved.at);
	if (!report->is_checked)
		return;
	sd_put(out, "accesses: %s\n", sd_race_count(report->races) ? "not all are ordered" : "all that meet are ordered");
	each_fault(report, true, tell_line, out);
}

static void put_cells(struct sd_emitter *out, const struct sd_measure *measure, const struct sd_stream_measure *stream)
{
	sd_put(out, "  %12.3f %8.1f %%", us(measure, stream->busy_ns), 100 * sd_measure_share(stream));
}

static void put_row(struct sd_emitter *out, const struct run_report *report, uint32_t s)
{
	const struct sd_measure *seen = &report->seen->measure, *expected = &report->expected->measure;

	sd_put(out, "%6u %8" PRIu64, s, seen->runs ? seen->stream[s].tasks / seen->runs : 0);
	put_cells(out, seen, &seen->stream[s]);
	put_cells(out, expected, &expected->stream[s]);
	if (report->planned)
		put_cells(out, &report->planned->measure, &report->planned->measure.stream[s]);
	sd_put(out, "\n");
}

static void put_total(struct sd_emitter *out, const char *what, const struct sd_measure *measure)
{
	sd_put(out, "%-9s one run takes %.3f us, its tasks %.3f us: %.2f streams at work on average\n", what, us(measure, measure->span_ns),
	       us(measure, measure->busy_ns), at_once(measure));
}

static void write_text(struct sd_emitter *out, const struct run_report *report)
{
	const char *expected = report->cores ? "expected here" : "expected", *busy = "       busy us   overlap";

	put_head(out, report);
	put_verdict(out, report);
	sd_put(out, "\n%15s  %23s  %23s%s%23s\n", "", "measured", expected, report->planned ? "  " : "", report->planned ? "on the chip (simulated)" : "");
	sd_put(out, "stream    tasks%s%s%s\n", busy, busy, report->planned ? busy : "");
	for (uint32_t s = 0; s < report->seen->measure.stream_count; s++)
		put_row(out, report, s);
	sd_put(out, "\n");
	put_total(out, "measured", &report->seen->measure);
	put_total(out, "expected", &report->expected->measure);
	if (report->planned)
		put_total(out, "chip", &report->planned->measure);
}

/* ---- JSON ---- */

static void put_measure(struct sd_emitter *out, const char *key, const struct sd_watch *watch)
{
	const struct sd_measure *measure = &watch->measure;

	sd_emit_key(out, key);
	sd_emit_open(out, '{');
	sd_emit_pair_uint(out, "span_ns", run_report_mean(measure, measure->span_ns));
	sd_emit_key(out, "run_ns");
	sd_emit_open(out, '[');
	for (uint64_t run = 0; run < measure->runs; run++)
		sd_emit_uint(out, watch->span_ns[run]);
	sd_emit_close(out, ']');
	sd_emit_pair_uint(out, "busy_ns", run_report_mean(measure, measure->busy_ns));
	sd_emit_key(out, "streams_at_work");
	sd_emit_real(out, at_once(measure));
	sd_emit_key(out, "streams");
	sd_emit_open(out, '[');
	for (uint32_t s = 0; s < measure->stream_count; s++) {
		sd_emit_line(out, 2);
		sd_emit_open(out, '{');
		sd_emit_pair_uint(out, "id", s);
		sd_emit_pair_uint(out, "tasks", run_report_mean(measure, measure->stream[s].tasks));
		sd_emit_pair_uint(out, "busy_ns", run_report_mean(measure, measure->stream[s].busy_ns));
		sd_emit_pair_uint(out, "overlap_ns", run_report_mean(measure, measure->stream[s].overlap_ns));
		sd_emit_key(out, "overlap");
		sd_emit_real(out, sd_measure_share(&measure->stream[s]));
		sd_emit_close(out, '}');
	}
	sd_emit_close(out, ']');
	sd_emit_close(out, '}');
}

static void tell_item(void *arg, const char *text)
{
	sd_emit_string(arg, text);
}

static void put_faults(struct sd_emitter *out, const struct run_report *report)
{
	sd_emit_key(out, "faults");
	sd_emit_open(out, '[');
	each_fault(report, false, tell_item, out);
	sd_emit_close(out, ']');
	sd_emit_key(out, "unproved");
	sd_emit_text(out, report->unproved);
	if (!report->is_checked)
		return;
	sd_emit_key(out, "races");
	sd_emit_open(out, '[');
	each_fault(report, true, tell_item, out);
	sd_emit_close(out, ']');
}

static void write_json(struct sd_emitter *out, const struct run_report *report)
{
	sd_emit_open(out, '{');
	sd_emit_key(out, "graph_name");
	sd_emit_text(out, report->graph_name);
	sd_emit_key(out, "device");
	sd_emit_string(out, report->device);
	if (report->cores)
		sd_emit_pair_uint(out, "cores", report->cores);
	sd_emit_pair_uint(out, "runs", report->runs);
	if (report->has_seed)
		sd_emit_pair_uint(out, "seed", report->seed);
	if (report->has_edges)
		sd_emit_pair_uint(out, "edges", report->seen->edges);
	sd_emit_pair_uint(out, "orders", report->seen->orders);
	sd_emit_pair_uint(out, "broken", report->seen->broken);
	put_faults(out, report);
	put_measure(out, "measured", report->seen);
	put_measure(out, "expected", report->expected);
	if (report->planned)
		put_measure(out, "chip", report->planned);
	sd_emit_close(out, '}');
	sd_emit_raw(out, "\n", 1);
}

/* ---- trace ---- */

static bool write_trace(struct cli *cli, struct sd_emitter *out, const struct run_report *report)
{
	const struct sd_trace_part part[] = {
		{ report->cores ? "measured on the host" : "measured on the simulated device", report->seen },
		{ "expected: a model of the host", report->expected },
		{ "expected: the chip, simulated", report->planned },
	};

	/* On the simulated device what is expected is what was seen. */
	return sd_run_trace_write(&cli->mem, out, part, report->planned ? 3 : 1);
}

enum sd_status run_report_write(struct cli *cli, struct sd_emitter *out, const void *what, struct sd_diag *diag)
{
	const struct run_report *report = what;

	if (cli->format == FORMAT_TRACE)
		return write_trace(cli, out, report) ? SD_OK : sd_memory_fail(&cli->mem, diag);
	if (cli->format == FORMAT_JSON)
		write_json(out, report);
	else
		write_text(out, report);
	return SD_OK;
}
