/* Report: takes what a plan took, and answers with the figures so far. */
#include <stdlib.h>
#include <string.h>

#include "conn.h"
#include "packing.h"
#include "rpc.h"
#include "server.h"

#define ROWS_WITH_STREAMS 16u /* of one answer: it stays small */

/* ---- what is said ---- */

static const char *check_key(const Streamd__V1__ReportRequest *request)
{
	size_t len = request->plan_key.len;

	if (len != 0 && len != SD_CACHE_KEY_BYTES)
		return "plan_key has 32 bytes, those of the plan's plan_key";
	if (request->n_run_ns && (len == 0 || *request->device == '\0'))
		return "a report names its plan and what it ran on: plan_key or device is missing";
	return NULL;
}

static const char *check_device(const char *device)
{
	size_t len = strlen(device);

	for (size_t i = 0; i < len; i++) {
		if (device[i] < 0x21 || device[i] > 0x7e)
			return "device is of printable ASCII without spaces";
	}
	return len < SD_REPORT_DEVICE_MAX ? NULL : "device has at most 63 bytes";
}

static const char *check_figures(const Streamd__V1__ReportRequest *request)
{
	if (request->n_run_ns > SD_REPORT_RUNS_MAX)
		return "run_ns has at most 1,024 runs; send several reports";
	if (request->expected_ns > SD_REPORT_NS_MAX)
		return "expected_ns is longer than eleven days";
	for (size_t i = 0; i < request->n_run_ns; i++) {
		if (request->run_ns[i] > SD_REPORT_NS_MAX)
			return "a run of run_ns is longer than eleven days";
	}
	for (size_t i = 0; i < request->n_streams; i++) {
		if (request->streams[i]->busy_ns > SD_REPORT_NS_MAX)
			return "a stream's busy_ns is longer than eleven days";
		if (request->streams[i]->overlap_ns > request->streams[i]->busy_ns)
			return "a stream's overlap_ns is part of its busy_ns and cannot be more";
	}
	return NULL;
}

static const char *check_others(const Streamd__V1__OtherStreams *others)
{
	if (!others)
		return NULL;
	if (others->count > SD_REPORT_OTHERS_MAX)
		return "count of others is more than 1,000,000 streams";
	if (others->busy_ns > SD_REPORT_OTHERS_NS_MAX)
		return "busy_ns of others is longer than 10,000 streams of eleven days";
	if (others->overlap_ns > others->busy_ns)
		return "overlap_ns of others is part of their busy_ns and cannot be more";
	return others->count || !others->busy_ns ? NULL : "others is busy, and its count is 0";
}

static const char *check(const Streamd__V1__ReportRequest *request)
{
	const char *wrong = check_key(request);

	if (!wrong)
		wrong = check_device(request->device);
	if (!wrong)
		wrong = check_figures(request);
	if (!wrong)
		wrong = check_others(request->others);
	return wrong;
}

static void count(struct sd_metrics *metrics, const struct sd_report *report)
{
	metrics->counter[SD_COUNTER_reports]++;
	metrics->overlaps[sd_report_overlap(report->busy_ns, report->overlap_ns)]++;
	for (uint32_t i = 0; i < report->run_count; i++) {
		sd_histogram_add(&metrics->reported_run_time, report->run_ns[i]);
		metrics->runs_against[sd_report_against(report->run_ns[i], report->expected_ns)]++;
	}
}

static void add_others(struct sd_report *report, uint32_t count, uint64_t busy_ns, uint64_t overlap_ns)
{
	report->others.count += count;
	report->others.busy_ns += busy_ns;
	report->others.overlap_ns += overlap_ns;
}

/* Fills `stream`, which has room for SD_REPORT_STREAMS_MAX, and what the report says of streams. */
static void take_streams(const Streamd__V1__ReportRequest *request, struct sd_report_stream *stream, struct sd_report *report)
{
	const Streamd__V1__OtherStreams *others = request->others;
	uint64_t busy_streams = others && others->busy_ns ? others->count : 0;

	report->stream = stream;
	if (others)
		add_others(report, others->count, others->busy_ns, others->overlap_ns);
	for (size_t i = 0; i < request->n_streams; i++) {
		const Streamd__V1__StreamBusy *told = request->streams[i];

		busy_streams += told->busy_ns != 0;
		report->busy_ns += told->busy_ns;
		report->overlap_ns += told->overlap_ns;
		if (report->stream_count < SD_REPORT_STREAMS_MAX)
			stream[report->stream_count++] = (struct sd_report_stream){ told->busy_ns, told->overlap_ns };
		else
			add_others(report, 1, told->busy_ns, told->overlap_ns);
	}
	report->busy_ns += others ? others->busy_ns : 0;
	report->overlap_ns += others ? others->overlap_ns : 0;
	if (busy_streams < 2) /* nothing to overlap with */
		report->busy_ns = report->overlap_ns = 0;
}

/* NULL: no row is kept of it. */
static struct sd_report_row *take(struct sd_server *server, uint32_t uid, const Streamd__V1__ReportRequest *request)
{
	struct sd_report_stream stream[SD_REPORT_STREAMS_MAX];
	struct sd_report report = { .uid = uid, .run_ns = request->run_ns, .run_count = (uint32_t)request->n_run_ns, .expected_ns = request->expected_ns };

	memcpy(report.key, request->plan_key.data, sizeof(report.key));
	memcpy(report.device, request->device, strlen(request->device));
	take_streams(request, stream, &report);
	count(&server->metrics, &report);
	return sd_reports_add(&server->reports, &report, uv_now(&server->loop));
}

/* ---- what is answered ---- */

/* An answer is made in one block: its rows, and the streams of the first ROWS_WITH_STREAMS at most. */
struct listing {
	Streamd__V1__ReportAnswer answer;
	Streamd__V1__PlanRuns *row, **rows;
	Streamd__V1__StreamBusy *stream, **streams;
	uint32_t stream_count;
	Streamd__V1__OtherStreams others[ROWS_WITH_STREAMS];
	uint32_t others_count;
};

static void fill_streams(struct listing *listing, Streamd__V1__PlanRuns *out, const struct sd_report_row *row)
{
	out->n_streams = row->stream_count;
	out->streams = listing->streams + listing->stream_count;
	for (uint32_t i = 0; i < row->stream_count; i++) {
		Streamd__V1__StreamBusy *stream = &listing->stream[listing->stream_count];

		streamd__v1__stream_busy__init(stream);
		stream->busy_ns = row->stream[i].busy_ns;
		stream->overlap_ns = row->stream[i].overlap_ns;
		listing->streams[listing->stream_count++] = stream;
	}
	if (row->others.count) {
		Streamd__V1__OtherStreams *others = &listing->others[listing->others_count++];

		streamd__v1__other_streams__init(others);
		others->count = row->others.count;
		others->busy_ns = row->others.busy_ns;
		others->overlap_ns = row->others.overlap_ns;
		out->others = others;
	}
}

static void fill_row(Streamd__V1__PlanRuns *out, const struct sd_report_row *row, uint64_t now_ms)
{
	streamd__v1__plan_runs__init(out);
	out->plan_key = (ProtobufCBinaryData){ sizeof(row->key), (uint8_t *)(uintptr_t)row->key };
	out->device = sd_unconst(row->device);
	out->reports = row->reports;
	out->runs = row->runs;
	out->last_ns = row->last_ns;
	out->min_ns = row->min_ns;
	out->median_ns = row->median_ns;
	out->mean_ns = sd_report_mean(row);
	out->max_ns = row->max_ns;
	out->expected_ns = row->expected_ns;
	out->against = sd_unconst(sd_against_text(sd_report_against(out->median_ns, row->expected_ns)));
	out->overlap_permille = sd_overlap_permille(row->busy_ns, row->overlap_ns);
	out->overlap = sd_unconst(sd_overlap_text(sd_report_overlap(row->busy_ns, row->overlap_ns)));
	out->age_ms = now_ms - row->at_ms;
}

static int newest_first(const void *a, const void *b)
{
	const struct sd_report_row *const *x = a, *const *y = b;

	return (*x)->order > (*y)->order ? -1 : 1;
}

/* Rows that are meant, the newest first; answers how many. */
static uint32_t collect(const struct sd_reports *reports, const Streamd__V1__ReportRequest *request, const struct sd_report_row **out)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < reports->count; i++) {
		const struct sd_report_row *row = &reports->row[i];

		if ((request->plan_key.len == 0 || memcmp(row->key, request->plan_key.data, sizeof(row->key)) == 0) &&
		    (*request->device == '\0' || strcmp(row->device, request->device) == 0))
			out[found++] = row;
	}
	qsort(out, found, sizeof(*out), newest_first);
	return found;
}

static bool open_listing(struct listing *listing, uint32_t rows, uint32_t streams)
{
	streamd__v1__report_answer__init(&listing->answer);
	listing->row = malloc((rows + 1) * sizeof(*listing->row));
	listing->rows = malloc((rows + 1) * sizeof(*listing->rows));
	listing->stream = malloc((streams + 1) * sizeof(*listing->stream));
	listing->streams = malloc((streams + 1) * sizeof(*listing->streams));
	listing->answer.plans = listing->rows;
	listing->answer.n_plans = rows;
	return listing->row && listing->rows && listing->stream && listing->streams;
}

static struct sd_blob *pack_rows(const struct sd_server *server, const struct sd_report_row *const *row, uint32_t rows, uint32_t with_streams)
{
	struct listing listing = { .stream_count = 0, .others_count = 0 };
	struct sd_blob *body = NULL;
	uint32_t streams = 0;

	for (uint32_t i = 0; i < rows && i < with_streams; i++)
		streams += row[i]->stream_count;
	if (open_listing(&listing, rows, streams)) {
		listing.answer.forgotten = server->reports.evicted;
		for (uint32_t i = 0; i < rows; i++) {
			fill_row(&listing.row[i], row[i], uv_now(&server->loop));
			listing.rows[i] = &listing.row[i];
			if (i < with_streams)
				fill_streams(&listing, &listing.row[i], row[i]);
		}
		body = sd_pack(&listing.answer.base);
	}
	free(listing.row);
	free(listing.rows);
	free(listing.stream);
	free(listing.streams);
	return body;
}

static void answer_rows(struct sd_server *server, struct sd_call *call, const Streamd__V1__ReportRequest *request)
{
	const struct sd_report_row **row = malloc((server->reports.count + 1) * sizeof(const struct sd_report_row *));

	sd_call_answer(call, row ? pack_rows(server, row, collect(&server->reports, request, row), request->plan_key.len ? ROWS_WITH_STREAMS : 0) : NULL);
	free(row);
}

static void answer_report(struct sd_server *server, struct sd_call *call, const Streamd__V1__ReportRequest *request)
{
	const struct sd_report_row *row = take(server, call->conn->uid, request);

	sd_call_answer(call, pack_rows(server, &row, row ? 1 : 0, 1));
}

void sd_answer_report(struct sd_server *server, struct sd_call *call)
{
	Streamd__V1__ReportRequest *request = streamd__v1__report_request__unpack(NULL, call->body_bytes, call->body);
	const char *wrong = request ? check(request) : "the ReportRequest cannot be decoded";

	if (wrong)
		sd_call_cannot_decode(call, wrong);
	else if (request->n_run_ns == 0)
		answer_rows(server, call, request);
	else if (!sd_server_allows(call->conn, SD_ROLE_LEASE))
		sd_call_fail_with(call, SD_CODE_NO_LEASE_ROLE, sd_arg_words(call->rpc->name));
	else
		answer_report(server, call, request);
	if (request)
		streamd__v1__report_request__free_unpacked(request, NULL);
}
