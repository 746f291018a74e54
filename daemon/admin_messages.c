#include "admin_messages.h"

#include "packing.h"
#include "rpc.h"
#include "server.h"

void sd_fill_status(const struct sd_server *server, const uint64_t gauge[SD_GAUGES], Streamd__V1__StatusAnswer *answer,
                    char planner[SD_PLANNER_VERSION_MAX])
{
	streamd__v1__status_answer__init(answer);
	sd_planner_version(sd_site_passes, planner);
	answer->version = sd_unconst(SD_VERSION);
	answer->planner = planner;
	answer->draining = sd_server_is_draining(server);
	answer->uptime_ms = uv_now(&server->loop) - server->started_ms;
	answer->workers = (uint32_t)gauge[SD_GAUGE_workers];
	answer->connections = (uint32_t)gauge[SD_GAUGE_connections];
	answer->jobs_running = (uint32_t)gauge[SD_GAUGE_jobs_running];
	answer->jobs_queued = (uint32_t)gauge[SD_GAUGE_jobs_queued];
	answer->plans = server->metrics.counter[SD_COUNTER_plans];
	answer->resident_bytes = gauge[SD_GAUGE_resident_bytes];
	sd_metrics_totals(&server->metrics, &answer->requests, &answer->errors);
}

void sd_fill_cache_stats(struct sd_server *server, Streamd__V1__CacheStatsAnswer *answer)
{
	struct sd_cache_stats stats;
	struct sd_jobs_counts counts;

	streamd__v1__cache_stats_answer__init(answer);
	sd_cache_read_stats(&server->cache, &stats);
	sd_jobs_count(&server->jobs, &counts);
	answer->entries = stats.entries;
	answer->bytes = stats.bytes;
	answer->bytes_max = stats.bytes_max;
	answer->hits = stats.hits;
	answer->raw_hits = stats.raw_hits;
	answer->joins = counts.joins;
	answer->misses = stats.misses;
	answer->evictions = stats.evictions;
}

void sd_fill_job(const struct sd_job_info *info, Streamd__V1__Job *job)
{
	uint64_t age_ms = (uv_hrtime() - info->arrived_ns) / 1000000;

	streamd__v1__job__init(job);
	job->id = info->id;
	job->method = sd_unconst(info->rpc->name);
	job->state = sd_unconst(info->state == SD_JOB_QUEUED ? "queued" : "running");
	job->age_ms = age_ms;
	job->deadline_ms_left = age_ms < info->deadline_ms ? info->deadline_ms - (uint32_t)age_ms : 0;
	job->bytes = info->bytes;
	job->requests = info->requests;
}
