#include "report_run.h"

#include <string.h>

#include "formats/json_message.h"
#include "formats/quote.h"
#include "formats/schema.h"

#define RUNS_MAX 1024u   /* of one report; of more the last ones are told */
#define STREAMS_MAX 256u /* that the daemon keeps one by one; the others are told together, so that a report stays a small message */

/* What tells devices apart: the kind and the number, without the library between them. */
static const char *device_of(struct cli *cli, const char *backend)
{
	const char *number = strrchr(backend, '@');

	return sd_words(&cli->mem, "%.*s%s", (int)strcspn(backend, ":@"), backend, number ? number : "");
}

static bool add_stream(struct cli *cli, uint64_t busy_ns, uint64_t overlap_ns, Streamd__V1__ReportRequest *request)
{
	Streamd__V1__StreamBusy *stream = sd_message_new(&cli->mem, &streamd__v1__stream_busy__descriptor);

	if (!stream)
		return false;
	stream->busy_ns = busy_ns;
	stream->overlap_ns = overlap_ns;
	request->streams[request->n_streams++] = stream;
	return true;
}

static bool add_other(struct cli *cli, uint64_t busy_ns, uint64_t overlap_ns, Streamd__V1__ReportRequest *request)
{
	if (!request->others)
		request->others = sd_message_new(&cli->mem, &streamd__v1__other_streams__descriptor);
	if (!request->others)
		return false;
	request->others->count++;
	request->others->busy_ns += busy_ns;
	request->others->overlap_ns += overlap_ns;
	return true;
}

/* By stream of the plan. False: no memory. */
static bool fill_streams(struct cli *cli, const struct sd_measure *measure, Streamd__V1__ReportRequest *request)
{
	request->streams = SD_NEW(&cli->mem, Streamd__V1__StreamBusy *, STREAMS_MAX);
	if (!request->streams)
		return false;
	for (uint32_t s = 0; s < measure->stream_count; s++) {
		const struct sd_stream_measure *stream = &measure->stream[s];
		bool (*add)(struct cli *, uint64_t, uint64_t, Streamd__V1__ReportRequest *) = s < STREAMS_MAX ? add_stream : add_other;

		if (!add(cli, run_report_mean(measure, stream->busy_ns), run_report_mean(measure, stream->overlap_ns), request))
			return false;
	}
	return true;
}

static bool pack(struct cli *cli, const struct run_subject *subject, const struct run_report *report, struct sd_text *bytes)
{
	const struct sd_watch *seen = report->seen;
	uint32_t runs = seen->measure.runs < RUNS_MAX ? (uint32_t)seen->measure.runs : RUNS_MAX;
	Streamd__V1__ReportRequest *request = sd_message_new(&cli->mem, &streamd__v1__report_request__descriptor);
	const char *device;
	uint8_t *out;

	if (!request || !fill_streams(cli, &seen->measure, request))
		return false;
	request->plan_key = (ProtobufCBinaryData){ sizeof(subject->plan_key), (uint8_t *)(uintptr_t)subject->plan_key };
	device = device_of(cli, report->device);
	if (!device)
		return false;
	request->device = sd_message_string(device);
	request->n_run_ns = runs;
	request->run_ns = seen->span_ns + (seen->measure.runs - runs);
	request->expected_ns = run_report_mean(&report->expected->measure, report->expected->measure.span_ns);
	out = sd_arena_alloc(&cli->mem, streamd__v1__report_request__get_packed_size(request) + 1);
	if (!out)
		return false;
	*bytes = (struct sd_text){ (const char *)out, (uint32_t)streamd__v1__report_request__pack(request, out) };
	return true;
}

enum exit_status cli_report_run(struct cli *cli, const struct run_subject *subject, const struct run_report *report)
{
	ProtobufCAllocator allocator = sd_message_allocator(&cli->mem);
	Streamd__V1__ReportAnswer *told;
	struct sd_diag diag = { 0 };
	struct sd_text bytes, answer;
	enum exit_status status;

	if (!pack(cli, subject, report, &bytes)) {
		sd_memory_fail(&cli->mem, &diag);
		return cli_fail(cli, &diag, NULL);
	}
	status = cli_call(cli, SD_METHOD_REPORT, bytes, &answer);
	if (status != EXIT_GOOD)
		return status;
	told = streamd__v1__report_answer__unpack(&allocator, answer.len, (const uint8_t *)answer.at);
	if (!told)
		return cli_fail_answer(cli);
	if (told->n_plans)
		cli_note(cli, "reported: of %llu runs on %s the median is %.3f us, %.3f us were expected", (unsigned long long)told->plans[0]->runs,
		         told->plans[0]->device, (double)told->plans[0]->median_ns / 1000.0, (double)told->plans[0]->expected_ns / 1000.0);
	else
		cli_note(cli, "reported; the daemon keeps no figures (report.plans_max = 0)");
	return EXIT_GOOD;
}
