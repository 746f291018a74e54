#include "status_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "admin_messages.h"
#include "rpc.h"
#include "status_page.h"
#include "status_parts.h"

const struct sd_message_style sd__status_style = { .all = true };

void sd__status_cut(char *text, size_t most)
{
	static const char ellipsis[] = "\u2026";
	size_t at = most - strlen(ellipsis);

	if (strlen(text) <= most)
		return;
	while (at > 0 && (text[at] & 0xc0) == 0x80)
		at--;
	memcpy(text + at, ellipsis, sizeof(ellipsis));
}

static void open_part(struct sd_emitter *out, const char *key, char bracket)
{
	sd_emit_line(out, 0);
	sd_emit_key(out, key);
	sd_emit_open(out, bracket);
}

/* ---- parts ---- */

static void put_status(struct sd_emitter *out, const struct sd_server *server, const uint64_t gauge[SD_GAUGES])
{
	Streamd__V1__StatusAnswer status;
	char planner[SD_PLANNER_VERSION_MAX];

	sd_fill_status(server, gauge, &status, planner);
	sd_emit_line(out, 0);
	sd_emit_key(out, "status");
	sd_message_write(out, &status.base, &sd__status_style);
}

static void put_figures(struct sd_emitter *out, const struct sd_server *server, const uint64_t gauge[SD_GAUGES])
{
	open_part(out, "gauges", '{');
#define SD_X(name, help) sd_emit_pair_uint(out, #name, gauge[SD_GAUGE_##name]);
	SD_GAUGE_LIST(SD_X)
#undef SD_X
	sd_emit_close(out, '}');
	open_part(out, "counters", '{');
#define SD_X(name, help) sd_emit_pair_uint(out, #name, server->metrics.counter[SD_COUNTER_##name]);
	SD_COUNTER_LIST(SD_X)
#undef SD_X
	sd_emit_close(out, '}');
}

static void put_jobs(struct sd_emitter *out, struct sd_server *server)
{
	struct sd_job_info info[SD_STATUS_ROWS];
	uint32_t shown = sd_jobs_list(&server->jobs, info, SD_STATUS_ROWS);
	struct sd_jobs_counts counts;

	sd_jobs_count(&server->jobs, &counts);
	open_part(out, "jobs", '{');
	sd_emit_key(out, "shown");
	sd_emit_open(out, '[');
	for (uint32_t i = 0; i < shown; i++) {
		Streamd__V1__Job job;

		sd_fill_job(&info[i], &job);
		sd_emit_line(out, 1);
		sd_message_write(out, &job.base, &sd__status_style);
	}
	sd_emit_close(out, ']');
	/* Workers may have ended some since they were listed. */
	sd_emit_pair_uint(out, "rest", counts.running + counts.queued > shown ? counts.running + counts.queued - shown : 0);
	sd_emit_close(out, '}');
}

static void put_cache(struct sd_emitter *out, struct sd_server *server)
{
	Streamd__V1__CacheStatsAnswer cache;

	sd_fill_cache_stats(server, &cache);
	sd_emit_line(out, 0);
	sd_emit_key(out, "cache");
	sd_message_write(out, &cache.base, &sd__status_style);
}

/* ---- times ---- */

static void put_histogram(struct sd_emitter *out, const struct sd_histogram *histogram)
{
	sd_emit_pair_uint(out, "count", histogram->count);
	sd_emit_pair_uint(out, "sum_us", histogram->sum_ns / 1000);
	sd_emit_key(out, "buckets");
	sd_emit_open(out, '[');
	for (uint32_t b = 0; b <= SD_METRIC_BUCKETS; b++)
		sd_emit_uint(out, histogram->bucket[b]);
	sd_emit_close(out, ']');
}

static void put_statuses(struct sd_emitter *out, const uint64_t requests[SD_METRIC_STATUSES])
{
	sd_emit_key(out, "statuses");
	sd_emit_open(out, '{');
	for (int status = 0; status < (int)SD_METRIC_STATUSES; status++) {
		if (requests[status])
			sd_emit_pair_uint(out, sd_status_name((enum sd_status)status), requests[status]);
	}
	sd_emit_close(out, '}');
}

static void put_methods(struct sd_emitter *out, const struct sd_metrics *metrics)
{
	open_part(out, "methods", '[');
	for (uint32_t m = 0; m <= sd_rpc_count(); m++) {
		if (metrics->request_time[m].count == 0)
			continue;
		sd_emit_line(out, 1);
		sd_emit_open(out, '{');
		sd_emit_pair(out, "method", sd_metrics_method(m));
		put_histogram(out, &metrics->request_time[m]);
		put_statuses(out, metrics->requests[m]);
		sd_emit_close(out, '}');
	}
	sd_emit_close(out, ']');
}

static void put_named_time(struct sd_emitter *out, const char *name, const struct sd_histogram *histogram)
{
	sd_emit_line(out, 1);
	sd_emit_open(out, '{');
	sd_emit_pair(out, "stage", name);
	put_histogram(out, histogram);
	sd_emit_close(out, '}');
}

static void put_times(struct sd_emitter *out, const struct sd_metrics *metrics)
{
	open_part(out, "bounds_us", '[');
	for (uint32_t b = 0; b < SD_METRIC_BUCKETS; b++)
		sd_emit_uint(out, sd_histogram_bound_ns(b) / 1000);
	sd_emit_close(out, ']');
	put_methods(out, metrics);
	open_part(out, "stages", '[');
	for (int stage = 0; stage < SD_STAGES; stage++)
		put_named_time(out, sd_metrics_stage((enum sd_stage)stage), &metrics->stage_time[stage]);
	put_named_time(out, "pool_wait", &metrics->pool_wait_time);
	put_named_time(out, "loop_turn", &metrics->turn_time);
	sd_emit_close(out, ']');
}

/* ---- errors ---- */

static void put_error(struct sd_emitter *out, const struct sd_last_error *row)
{
	Streamd__V1__Error *error = streamd__v1__error__unpack(NULL, row->error->len, row->error->data);

	if (!error)
		return;
	sd__status_cut(error->message, SD_STATUS_MESSAGE_MAX);
	sd__status_cut(error->node, SD_STATUS_NAME_MAX);
	sd_emit_line(out, 1);
	sd_emit_open(out, '{');
	sd_emit_key(out, "time_ms");
	sd_emit_int(out, row->time_ms);
	sd_emit_pair_uint(out, "times", row->times);
	sd_emit_pair(out, "method", row->method);
	sd_emit_pair_uint(out, "connection", row->conn_id);
	sd_emit_pair_uint(out, "request", row->request_id);
	sd_message_write_fields(out, &error->base, &sd__status_style);
	sd_emit_close(out, '}');
	streamd__v1__error__free_unpacked(error, NULL);
}

static void put_errors(struct sd_emitter *out, const struct sd_last_errors *errors)
{
	uint64_t shown = 0;

	open_part(out, "errors", '{');
	sd_emit_key(out, "shown");
	sd_emit_open(out, '[');
	for (uint32_t i = 0; i < errors->count; i++) {
		put_error(out, &errors->row[i]);
		shown += errors->row[i].times;
	}
	sd_emit_close(out, ']');
	sd_emit_pair_uint(out, "rest", errors->total - shown);
	sd_emit_close(out, '}');
}

/* ---- the whole ---- */

static void put_head(struct sd_emitter *out)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	sd_emit_pair_uint(out, "time_ms", (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000);
	sd_emit_pair(out, "page", sd_status_page_id);
}

static bool put_all(FILE *file, struct sd_server *server)
{
	struct sd_emitter *out = malloc(sizeof(*out));
	uint64_t gauge[SD_GAUGES];
	bool fine;

	if (!out)
		return false;
	sd_server_gauges(server, gauge);
	sd_emit_start(out, file);
	sd_emit_open(out, '{');
	put_head(out);
	put_status(out, server, gauge);
	put_jobs(out, server);
	put_cache(out, server);
	put_errors(out, &server->last_errors);
	sd_emit_line(out, 0);
	sd_emit_key(out, "devices");
	sd__status_pools(out, server);
	put_times(out, &server->metrics);
	put_figures(out, server, gauge);
	sd_emit_close(out, '}');
	sd_emit_words(out, "\n");
	fine = sd_emit_finish(out);
	free(out);
	return fine;
}

static struct sd_blob *make(struct sd_server *server)
{
	struct sd_blob *text = NULL;
	char *bytes = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&bytes, &len);
	bool fine = file && put_all(file, server);

	if (file)
		fine = fclose(file) == 0 && fine;
	if (fine)
		text = sd_blob_copy(bytes, len);
	free(bytes);
	return text;
}

struct sd_blob *sd_status_text(struct sd_server *server)
{
	struct sd_status_text *kept = &server->status_text;
	uint64_t now = uv_hrtime(), age = SD_STATUS_AGE_MS * UINT64_C(1000000), rest = kept->cost_ns * SD_STATUS_SHARE;
	struct sd_blob *fresh;

	if (kept->text && now - kept->made_ns < (rest > age ? rest : age))
		return sd_blob_acquire(kept->text);
	fresh = make(server);
	if (!fresh)
		return NULL;
	sd_blob_release(kept->text);
	*kept = (struct sd_status_text){ .text = fresh, .made_ns = now, .cost_ns = uv_hrtime() - now };
	return sd_blob_acquire(fresh);
}

void sd_status_finish(struct sd_status_text *kept)
{
	sd_blob_release(kept->text);
	kept->text = NULL;
}
