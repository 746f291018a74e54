/* server.h - the daemon as one object: the loop and everything that hangs on it.
 *
 * Created in one order, destroyed in the mirror of it. One loop thread owns all of it;
 * workers see the jobs and the cache alone. */
#ifndef SD_SERVER_H
#define SD_SERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "batch.h"
#include "cache.h"
#include "config.h"
#include "devices.h"
#include "grpc.h"
#include "http.h"
#include "jobs.h"
#include "last_errors.h"
#include "listener.h"
#include "log.h"
#include "metrics.h"
#include "reports.h"
#include "service.h"
#include "status_text.h"

#define SD_READ_BUFFER (64u << 10)
#define SD_ANY_GID UINT32_MAX

struct sd_conn;

enum sd_drain_state { SD_SERVING, SD_DRAINING, SD_DRAINED };

struct sd_server {
	uv_loop_t loop;
	struct sd_config config;
	const struct sd_config_source *source; /* read again on SIGHUP */
	struct sd_metrics metrics;
	struct sd_last_errors last_errors;
	struct sd_status_text status_text;
	struct sd_cache cache;
	struct sd_jobs jobs;
	struct sd_batches batches;
	struct sd_reports reports;
	struct sd_listener listener;
	struct sd_grpc grpc;
	struct sd_http http;
	struct sd_devices devices;
	uint32_t lease_gid; /* whose members may hold leases; SD_ANY_GID: everybody */
	struct sd_service service;
	uv_signal_t on_term, on_int, on_hup;
	uv_timer_t tick;
	uv_prepare_t on_turn; /* the loop is about to wait */
	uv_idle_t on_more;    /* runs while there is something to do at once: the loop does not wait then */
	uint64_t turn_ns, idle_ns; /* at its last turn: the time, and how much of it was spent waiting */
	struct sd_conn *conns;
	uint32_t conn_count;
	uint32_t connections_max; /* as configured, or what the limit of open files allows */
	uint32_t requests_open;
	uint64_t request_bytes;   /* of all requests that are being read, wait or run */
	uint64_t last_conn_id, started_ms;
	struct sd_log_bucket log_bucket; /* of all peers */
	/* Of every connection: bytes go from here into a frame at once. */
	unsigned char *read_buffer;
	enum sd_drain_state drain_state;
	uv_timer_t drain_timer;
	uint64_t drain_began_ms;
};

/* Opens everything. False: `error` says what could not be had and what to do. */
bool sd_server_open(struct sd_server *server, const struct sd_config *config, const struct sd_config_source *source,
                    char error[SD_CONFIG_ERROR_MAX]);

/* Serves until it is drained. */
void sd_server_run(struct sd_server *server);

void sd_server_close(struct sd_server *server);

/* What is now, for metrics and Status. */
void sd_server_gauges(struct sd_server *server, uint64_t gauge[SD_GAUGES]);

/* Whether a peer may cause one more log line now; `conn` is NULL when it is gone. */
bool sd_server_may_log(struct sd_server *server, struct sd_conn *conn);

/* drain.c: no new connections and requests, what runs is finished, what waits is refused;
 * then the loop ends. A second signal ends the process at once. */
void sd_drain_begin(struct sd_server *server);
void sd_drain_on_signal(uv_signal_t *handle, int number);
bool sd_server_is_draining(const struct sd_server *server);

/* Whether the peer may use methods of that role. */
bool sd_server_allows(const struct sd_conn *conn, int role);

#endif
