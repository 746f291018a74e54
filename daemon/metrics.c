#include "metrics.h"

#include <stdarg.h>
#include <stdio.h>

#include "rpc.h"

static const uint64_t bound_ns[SD_METRIC_BUCKETS] = {
	100000, 250000, 500000, 1000000, 2500000, 5000000, 10000000, 25000000, 50000000, 100000000, 500000000,
	1000000000, 5000000000, 30000000000,
};
static const char *const bound_text[SD_METRIC_BUCKETS] = {
	"0.0001", "0.00025", "0.0005", "0.001", "0.0025", "0.005", "0.01", "0.025", "0.05", "0.1", "0.5", "1", "5", "30",
};

static const enum sd_status statuses[] = {
	SD_OK, SD_CANCELLED, SD_INVALID_ARGUMENT, SD_DEADLINE_EXCEEDED, SD_NOT_FOUND, SD_PERMISSION_DENIED,
	SD_RESOURCE_EXHAUSTED, SD_FAILED_PRECONDITION, SD_UNIMPLEMENTED, SD_INTERNAL, SD_UNAVAILABLE,
};
#define STATUSES (sizeof(statuses) / sizeof(statuses[0]))

static const char *const source_text[SD_SOURCES] = {
#define SD_X(name, text) text,
	SD_SOURCE_LIST(SD_X)
#undef SD_X
};
static const char *const stage_text[SD_STAGES] = {
#define SD_X(name, text) text,
	SD_STAGE_LIST(SD_X)
#undef SD_X
};

void sd_histogram_add(struct sd_histogram *histogram, uint64_t ns)
{
	uint32_t b = 0;

	while (b < SD_METRIC_BUCKETS && ns > bound_ns[b])
		b++;
	histogram->bucket[b]++;
	histogram->count++;
	histogram->sum_ns += ns;
}

uint64_t sd_histogram_bound_ns(uint32_t bucket)
{
	return bound_ns[bucket];
}

const char *sd_metrics_method(uint32_t method)
{
	static const char *const extra[SD_METRIC_EXTRAS] = { "unknown", [SD_METRIC_HEALTH] = "Health", [SD_METRIC_REFLECTION] = "ServerReflection" };
	const struct sd_rpc *row = sd_rpc_row(method);

	return row ? row->name : extra[method - sd_rpc_count()];
}

const char *sd_metrics_stage(enum sd_stage stage)
{
	return stage_text[stage];
}

void sd_metrics_request(struct sd_metrics *metrics, uint32_t method, enum sd_status status, uint64_t ns)
{
	metrics->requests[method][status]++;
	sd_histogram_add(&metrics->request_time[method], ns);
}

void sd_metrics_job(struct sd_metrics *metrics, const struct sd_result *result)
{
	for (int stage = 0; stage < SD_STAGES; stage++) {
		if (result->stage_ns[stage])
			sd_histogram_add(&metrics->stage_time[stage], result->stage_ns[stage]);
	}
	metrics->counter[SD_COUNTER_plans] += result->source == SD_SOURCE_PLANNED;
}

void sd_metrics_totals(const struct sd_metrics *metrics, uint64_t *requests, uint64_t *errors)
{
	*requests = *errors = 0;
	for (uint32_t m = 0; m < SD_METRIC_METHODS; m++) {
		for (uint32_t s = 0; s < SD_METRIC_STATUSES; s++) {
			*requests += metrics->requests[m][s];
			*errors += s == SD_OK ? 0 : metrics->requests[m][s];
		}
	}
}

struct text {
	char *out;
	size_t cap, len;
};

static void put(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct text *t, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(t->out + t->len, t->cap - t->len, format, args);
	va_end(args);
	if (n > 0)
		t->len = t->len + (size_t)n < t->cap ? t->len + (size_t)n : t->cap - 1;
}

static void head(struct text *t, const char *name, const char *type, const char *help)
{
	put(t, "# HELP streamd_%s %s\n# TYPE streamd_%s %s\n", name, help, name, type);
}

static void put_requests(struct text *t, const struct sd_metrics *metrics)
{
	head(t, "requests_total", "counter", "Requests that were answered.");
	for (uint32_t m = 0; m <= sd_rpc_count(); m++) {
		for (size_t s = 0; s < STATUSES; s++)
			put(t, "streamd_requests_total{method=\"%s\",status=\"%s\"} %llu\n", sd_metrics_method(m),
			    sd_status_name(statuses[s]), (unsigned long long)metrics->requests[m][statuses[s]]);
	}
	head(t, "grpc_requests_total", "counter", "Calls by gRPC that ended, with health checks and server reflection.");
	for (uint32_t m = 0; m < sd_rpc_count() + SD_METRIC_EXTRAS; m++) {
		for (size_t s = 0; s < STATUSES; s++)
			put(t, "streamd_grpc_requests_total{method=\"%s\",status=\"%s\"} %llu\n", sd_metrics_method(m),
			    sd_status_name(statuses[s]), (unsigned long long)metrics->grpc_requests[m][statuses[s]]);
	}
	head(t, "plan_answers_total", "counter", "Plans that were answered, by where they came from.");
	for (int source = SD_SOURCE_RAW; source < SD_SOURCES; source++)
		put(t, "streamd_plan_answers_total{source=\"%s\"} %llu\n", source_text[source],
		    (unsigned long long)metrics->answers[source]);
}

/* `label` with its value, or an empty text. */
static void put_histogram(struct text *t, const char *name, const char *label, const struct sd_histogram *histogram)
{
	const char *comma = *label ? "," : "", *open = *label ? "{" : "", *close = *label ? "}" : "";
	uint64_t below = 0;

	for (uint32_t b = 0; b < SD_METRIC_BUCKETS; b++) {
		below += histogram->bucket[b];
		put(t, "streamd_%s_bucket{%s%sle=\"%s\"} %llu\n", name, label, comma, bound_text[b], (unsigned long long)below);
	}
	put(t, "streamd_%s_bucket{%s%sle=\"+Inf\"} %llu\n", name, label, comma, (unsigned long long)histogram->count);
	put(t, "streamd_%s_sum%s%s%s %llu.%09llu\n", name, open, label, close,
	    (unsigned long long)(histogram->sum_ns / 1000000000), (unsigned long long)(histogram->sum_ns % 1000000000));
	put(t, "streamd_%s_count%s%s%s %llu\n", name, open, label, close, (unsigned long long)histogram->count);
}

static void put_refused(struct text *t, const struct sd_metrics *metrics)
{
	static const char *const resource_text[SD_POOL_RESOURCES] = {
		[SD_POOL_STREAMS] = "stream", [SD_POOL_HUGE_STREAMS] = "huge_stream", [SD_POOL_EVENTS] = "event", [SD_POOL_NOTIFIES] = "notify",
	};

	head(t, "pool_refused_total", "counter", "Acquires and reserves that were refused, by what there was too little of.");
	for (int resource = 0; resource < SD_POOL_RESOURCES; resource++)
		put(t, "streamd_pool_refused_total{resource=\"%s\"} %llu\n", resource_text[resource],
		    (unsigned long long)metrics->pool_refused[resource]);
}

static void put_reported(struct text *t, const struct sd_metrics *metrics)
{
	head(t, "reported_runs_total", "counter", "Runs of plans that loaders reported, by how they compare with what was expected.");
	for (int i = 0; i < SD_AGAINSTS; i++)
		put(t, "streamd_reported_runs_total{against=\"%s\"} %llu\n", sd_against_text((enum sd_against)i), (unsigned long long)metrics->runs_against[i]);
	head(t, "reported_overlaps_total", "counter", "Reports, by how far streams were busy together.");
	for (int i = 0; i < SD_OVERLAPS; i++)
		put(t, "streamd_reported_overlaps_total{overlap=\"%s\"} %llu\n", sd_overlap_text((enum sd_overlap)i), (unsigned long long)metrics->overlaps[i]);
	head(t, "reported_run_seconds", "histogram", "Time of runs of plans, as loaders reported it.");
	put_histogram(t, "reported_run_seconds", "", &metrics->reported_run_time);
}

static void put_times(struct text *t, const struct sd_metrics *metrics)
{
	char label[64];

	head(t, "request_seconds", "histogram", "Time from the last byte of a request to its answer.");
	for (uint32_t m = 0; m <= sd_rpc_count(); m++) {
		snprintf(label, sizeof(label), "method=\"%s\"", sd_metrics_method(m));
		put_histogram(t, "request_seconds", label, &metrics->request_time[m]);
	}
	head(t, "stage_seconds", "histogram", "Time of the stages of a job.");
	for (int stage = 0; stage < SD_STAGES; stage++) {
		snprintf(label, sizeof(label), "stage=\"%s\"", stage_text[stage]);
		put_histogram(t, "stage_seconds", label, &metrics->stage_time[stage]);
	}
	head(t, "loop_turn_seconds", "histogram", "Time of one turn of the event loop, in which nobody else is served.");
	put_histogram(t, "loop_turn_seconds", "", &metrics->turn_time);
	head(t, "pool_wait_seconds", "histogram", "Time that acquires which were granted waited in line.");
	put_histogram(t, "pool_wait_seconds", "", &metrics->pool_wait_time);
}

size_t sd_metrics_write(const struct sd_metrics *metrics, const uint64_t gauge[SD_GAUGES], char *out, size_t cap)
{
	struct text t = { out, cap, 0 };

	head(&t, "build_info", "gauge", "Always 1; the label tells the version.");
	put(&t, "streamd_build_info{version=\"%s\"} 1\n", SD_VERSION);
#define SD_X(name, help)                                  \
	head(&t, #name "_total", "counter", help);        \
	put(&t, "streamd_" #name "_total %llu\n", (unsigned long long)metrics->counter[SD_COUNTER_##name]);
	SD_COUNTER_LIST(SD_X)
#undef SD_X
#define SD_X(name, help)                 \
	head(&t, #name, "gauge", help);  \
	put(&t, "streamd_" #name " %llu\n", (unsigned long long)gauge[SD_GAUGE_##name]);
	SD_GAUGE_LIST(SD_X)
#undef SD_X
	put_requests(&t, metrics);
	put_refused(&t, metrics);
	put_times(&t, metrics);
	put_reported(&t, metrics);
	return t.len;
}
