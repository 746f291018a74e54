/* metrics.h - what the daemon counts: a fixed set, told as Prometheus text (0.0.4).
 *
 * Labels come from the enums of this project alone, so the number of series is a constant,
 * whatever peers send. For the loop thread; workers report through their job's result. */
#ifndef SD_METRICS_H
#define SD_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "jobs.h"
#include "reports.h"
#include "streamd/pool.h"

/* name, help: each is streamd_<name>_total */
#define SD_COUNTER_LIST(X)                                                                        \
	X(connections, "Connections that were taken.")                                            \
	X(connections_refused, "Connections that were refused at a limit.")                       \
	X(connections_stalled, "Connections that were closed because their peer did not read.")   \
	X(connections_timed_out, "Connections that were closed because their peer was too slow.") \
	X(glitches, "Frames that were legal but made no sense.")                                  \
	X(request_bytes, "Bytes of the bodies of requests.")                                      \
	X(answer_bytes, "Bytes of answers and errors.")                                           \
	X(answers_packed, "Answers by gRPC that went out packed.")                                \
	X(deadlines_missing, "Requests that stated no deadline.")                                 \
	X(plans, "Planning runs that ended well.")                                                \
	X(batch_items, "Requests of batches that were answered.")                                 \
	X(batch_errors, "Of them, those that got an error.")                                      \
	X(joins, "Requests that joined an identical one in flight.")                              \
	X(cache_hits, "Plans that were found in the cache.")                                      \
	X(cache_raw_hits, "Plans that were found by the bytes of their request.")                 \
	X(cache_misses, "Plans that were looked for and not found.")                              \
	X(cache_evictions, "Plans that had to make room.")                                        \
	X(reports, "Reports of what plans took.")                                                 \
	X(pool_acquired_new, "Streams that were given out for the first time.")                   \
	X(pool_acquired_reused, "Streams that were given out again.")                             \
	X(pool_released, "Leases that were given back, by whatever cause.")                       \
	X(pool_forced, "Leases that an operator took away.")                                      \
	X(pool_expired, "Models whose time ran out.")                                             \
	X(grpc_connections, "Connections of them that speak gRPC.")                               \
	X(grpc_resets, "Calls that peers reset.")                                                 \
	X(grpc_goaways, "gRPC connections that were told goodbye.")                               \
	X(tls_refused, "Peers that TLS or the name of their certificate kept out.")               \
	X(shed_extras, "Explain, Simulate and Verify that were refused under load.")              \
	X(shed_misses, "Plans that were refused under load, being neither known nor under way.")  \
	X(shed_leases, "Models and leases that were refused under load.")                         \
	X(shed_connections, "Connections that were refused under load.")                          \
	X(scrapes, "Answers of the HTTP listener.")                                               \
	X(log_lines_withheld, "Log lines that peers caused too many of.")                         \
	X(log_lines_dropped, "Log lines that standard error did not take.")

/* name, unit suffix included; help */
#define SD_GAUGE_LIST(X)                                                     \
	X(connections, "Connections that are open.")                         \
	X(requests_open, "Requests whose job is not done.")                  \
	X(request_bytes_held, "Bytes of requests that are read, wait or run.") \
	X(jobs_running, "Jobs that a worker has.")                           \
	X(jobs_queued, "Jobs that wait for a worker.")                       \
	X(workers, "Planning threads.")                                      \
	X(batches_open, "Batches that are not answered in full.")            \
	X(batch_jobs, "Jobs of batches that wait or run.")                   \
	X(cache_entries, "Plans in the cache.")                              \
	X(cache_bytes, "Bytes of the cache.")                                \
	X(cache_max_bytes, "Most bytes of the cache.")                       \
	X(report_rows, "Plans, each by device, of which it is kept what they took.") \
	X(pool_slots, "Streams that are given out or kept.")                 \
	X(pool_slots_idle, "Of them, those that nobody holds.")              \
	X(pool_slots_exclusive, "Streams that are held, in exclusive mode.") \
	X(pool_slots_shared, "Streams that are held, in shared mode.")       \
	X(pool_leases, "Leases.")                                            \
	X(pool_models, "Models of peers.")                                   \
	X(pool_events, "Events that are held.")                              \
	X(pool_notifies, "Notifies that are held.")                          \
	X(pool_waiting, "Acquires that wait in line.")                       \
	X(pool_watchers, "Peers that watch a device.")                       \
	X(shed_stage, "What is refused: 0 nothing, 1 extras, 2 plans that are not known too, 3 connections too.") \
	X(draining, "1 while the daemon drains.")                            \
	X(uptime_seconds, "Time since the start.")                           \
	X(resident_bytes, "Memory of the process.")

enum sd_counter {
#define SD_X(name, help) SD_COUNTER_##name,
	SD_COUNTER_LIST(SD_X)
#undef SD_X
	SD_COUNTERS
};

enum sd_gauge {
#define SD_X(name, help) SD_GAUGE_##name,
	SD_GAUGE_LIST(SD_X)
#undef SD_X
	SD_GAUGES
};

/* Rows of the method table, one for unknown methods, and those that only gRPC has. */
#define SD_METRIC_METHODS 36u
enum sd_metric_extra { SD_METRIC_HEALTH = 1, SD_METRIC_REFLECTION, SD_METRIC_EXTRAS };
#define SD_METRIC_STATUSES 17u /* of enum sd_status */
#define SD_METRIC_BUCKETS 14u
#define SD_METRICS_TEXT_MAX (224u << 10) /* with every number at its longest */

struct sd_histogram {
	uint64_t bucket[SD_METRIC_BUCKETS + 1]; /* the last: above all bounds */
	uint64_t count, sum_ns;
};

struct sd_metrics {
	uint64_t counter[SD_COUNTERS];
	uint64_t requests[SD_METRIC_METHODS][SD_METRIC_STATUSES];
	uint64_t grpc_requests[SD_METRIC_METHODS][SD_METRIC_STATUSES]; /* of them those by gRPC, and health and reflection */
	uint64_t answers[SD_SOURCES];
	struct sd_histogram request_time[SD_METRIC_METHODS], stage_time[SD_STAGES], turn_time, pool_wait_time, reported_run_time;
	uint64_t runs_against[SD_AGAINSTS], overlaps[SD_OVERLAPS]; /* as they were reported */
	uint64_t pool_refused[SD_POOL_RESOURCES];
};

void sd_histogram_add(struct sd_histogram *histogram, uint64_t ns);

/* The longest time that counts in a bucket; the last bucket has none. */
uint64_t sd_histogram_bound_ns(uint32_t bucket);

/* What the row of a method, or a stage of a job, is called. */
const char *sd_metrics_method(uint32_t method);
const char *sd_metrics_stage(enum sd_stage stage);

/* A request ended: `method` is a row of the method table, or its count for an unknown one. */
void sd_metrics_request(struct sd_metrics *metrics, uint32_t method, enum sd_status status, uint64_t ns);

/* A job ended. */
void sd_metrics_job(struct sd_metrics *metrics, const struct sd_result *result);

/* All requests that were answered, and those of them that were not OK. */
void sd_metrics_totals(const struct sd_metrics *metrics, uint64_t *requests, uint64_t *errors);

/* Writes everything, NUL-terminated; answers the length. */
size_t sd_metrics_write(const struct sd_metrics *metrics, const uint64_t gauge[SD_GAUGES], char *out, size_t cap);

#endif
