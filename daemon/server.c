#include "server.h"

#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "activation.h"
#include "base/check.h"
#include "conn.h"
#include "framed.h"
#include "log.h"
#include "hash.h"
#include "rpc.h"
#include "shed.h"
#include "watch.h"

#define TICK_MS 1000u
#define DESCRIPTORS_KEPT 128u /* for HTTP, logs, libuv's own and the spare one */

static bool failed(char error[SD_CONFIG_ERROR_MAX], const char *what)
{
	snprintf(error, SD_CONFIG_ERROR_MAX, "%s", what);
	return false;
}

/* ---- what is now ---- */

static void count_pools(const struct sd_server *server, uint64_t gauge[SD_GAUGES])
{
	enum sd_gauge of_mode = server->config.pool_mode == SD_POOL_SHARED ? SD_GAUGE_pool_slots_shared : SD_GAUGE_pool_slots_exclusive;

	for (int i = SD_GAUGE_pool_slots; i <= SD_GAUGE_pool_watchers; i++)
		gauge[i] = 0;
	for (uint32_t i = 0; i < server->devices.count; i++) {
		const struct sd_pool_device *device = &server->devices.device[i];
		struct sd_pool_stats stats;

		sd_pool_stats(device->pool, &stats);
		gauge[SD_GAUGE_pool_slots] += stats.slots;
		gauge[SD_GAUGE_pool_slots_idle] += stats.slots_idle;
		gauge[of_mode] += stats.slots - stats.slots_idle;
		gauge[SD_GAUGE_pool_leases] += stats.leases;
		gauge[SD_GAUGE_pool_models] += stats.models;
		gauge[SD_GAUGE_pool_events] += stats.events;
		gauge[SD_GAUGE_pool_notifies] += stats.notifies;
		gauge[SD_GAUGE_pool_waiting] += device->line.count;
	}
	gauge[SD_GAUGE_pool_watchers] = sd_watch_count(&server->devices);
}

void sd_server_gauges(struct sd_server *server, uint64_t gauge[SD_GAUGES])
{
	uint64_t *counter = server->metrics.counter;
	struct sd_cache_stats cache;
	struct sd_jobs_counts jobs;
	size_t resident = 0;

	sd_cache_read_stats(&server->cache, &cache);
	sd_jobs_count(&server->jobs, &jobs);
	uv_resident_set_memory(&resident);
	gauge[SD_GAUGE_connections] = server->conn_count;
	gauge[SD_GAUGE_requests_open] = server->requests_open;
	gauge[SD_GAUGE_request_bytes_held] = server->request_bytes;
	gauge[SD_GAUGE_jobs_running] = jobs.running;
	gauge[SD_GAUGE_jobs_queued] = jobs.queued;
	gauge[SD_GAUGE_workers] = server->jobs.worker_count;
	gauge[SD_GAUGE_report_rows] = server->reports.count;
	gauge[SD_GAUGE_batches_open] = server->batches.count;
	gauge[SD_GAUGE_batch_jobs] = server->batches.jobs;
	gauge[SD_GAUGE_cache_entries] = cache.entries;
	gauge[SD_GAUGE_cache_bytes] = cache.bytes;
	gauge[SD_GAUGE_cache_max_bytes] = cache.bytes_max;
	count_pools(server, gauge);
	gauge[SD_GAUGE_shed_stage] = sd_shed_stage(server);
	gauge[SD_GAUGE_draining] = sd_server_is_draining(server);
	gauge[SD_GAUGE_uptime_seconds] = (uv_now(&server->loop) - server->started_ms) / 1000;
	gauge[SD_GAUGE_resident_bytes] = resident;
	counter[SD_COUNTER_joins] = jobs.joins;
	counter[SD_COUNTER_cache_hits] = cache.hits;
	counter[SD_COUNTER_cache_raw_hits] = cache.raw_hits;
	counter[SD_COUNTER_cache_misses] = cache.misses;
	counter[SD_COUNTER_cache_evictions] = cache.evictions;
	counter[SD_COUNTER_log_lines_dropped] = sd_log_dropped();
}

bool sd_server_allows(const struct sd_conn *conn, int role)
{
	if (conn->is_admin)
		return true;
	return role != SD_ROLE_ADMIN && (role != SD_ROLE_LEASE || conn->may_lease);
}

bool sd_server_may_log(struct sd_server *server, struct sd_conn *conn)
{
	uint64_t now = uv_now(&server->loop);

	if ((!conn || sd_log_allowed(&conn->log_bucket, SD_LOG_PER_PEER, now)) &&
	    sd_log_allowed(&server->log_bucket, SD_LOG_ALL_PEERS, now))
		return true;
	server->metrics.counter[SD_COUNTER_log_lines_withheld]++;
	return false;
}

/* ---- clock and signals ---- */

static void on_tick(uv_timer_t *timer)
{
	struct sd_server *server = timer->data;
	struct sd_conn *next;

	for (struct sd_conn *conn = server->conns; conn; conn = next) {
		next = conn->next;
		conn->kind->watch(conn);
	}
	sd_http_take_waiting(server);
}

static void on_more(uv_idle_t *handle)
{
}

static void look_for_more(struct sd_server *server)
{
	if (sd_batch_can_send(server))
		uv_idle_start(&server->on_more, on_more);
	else
		uv_idle_stop(&server->on_more);
}

/* What a turn of the loop took without the wait in it: for so long nobody else was served. */
static void on_turn(uv_prepare_t *handle)
{
	struct sd_server *server = handle->data;
	uint64_t now, idle = uv_metrics_idle_time(&server->loop);

	sd_watch_turn(server);
	sd_batch_turn(server);
	sd_jobs_set_held(&server->jobs, server->request_bytes, server->config.queue_bytes_max);
	sd_grpc_turn(server);
	look_for_more(server);
	now = uv_hrtime();
	sd_histogram_add(&server->metrics.turn_time, now - server->turn_ns - (idle - server->idle_ns));
	server->turn_ns = now;
	server->idle_ns = idle;
}

/* More open files are asked for where they are needed; where they are not to be had, fewer
 * connections are taken. */
static void set_connections_max(struct sd_server *server)
{
	uint64_t want = server->config.connections_max + DESCRIPTORS_KEPT;
	struct rlimit files;

	server->connections_max = (uint32_t)server->config.connections_max;
	if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= want)
		return;
	files.rlim_cur = files.rlim_max < want ? files.rlim_max : want;
	setrlimit(RLIMIT_NOFILE, &files);
	getrlimit(RLIMIT_NOFILE, &files);
	if (files.rlim_cur < want)
		server->connections_max = files.rlim_cur > 2 * DESCRIPTORS_KEPT ? (uint32_t)files.rlim_cur - DESCRIPTORS_KEPT
		                                                               : (uint32_t)files.rlim_cur / 2;
}

/* A group that is not there has no members. */
static void set_lease_group(struct sd_server *server)
{
	const char *name = server->config.pool_group;
	const struct group *group = *name ? getgrnam(name) : NULL;

	server->lease_gid = group ? group->gr_gid : *name ? SD_ANY_GID - 1 : SD_ANY_GID;
}

static void apply_settings(struct sd_server *server)
{
	sd_log_set_level((enum sd_log_level)server->config.log_level);
	sd_cache_resize(&server->cache, server->config.cache_bytes_max);
	sd_reports_resize(&server->reports, (uint32_t)server->config.report_plans_max);
	sd_devices_apply(&server->devices, &server->config);
	set_lease_group(server);
	set_connections_max(server);
}

/* A mistake in the file leaves everything as it is. */
static void on_reload(uv_signal_t *handle, int number)
{
	struct sd_server *server = handle->data;
	struct sd_config fresh;
	char error[SD_CONFIG_ERROR_MAX];
	struct sd_line line;
	unsigned kept;
	bool fine;

	sd_service_reloading();
	fine = sd_config_load(&fresh, server->source, error);
	kept = fine ? sd_config_reload(&server->config, &fresh) : 0;
	if (fine)
		apply_settings(server);
	fine = fine && sd_grpc_reload(server, error);
	if (sd_log_begin(&line, fine ? SD_LOG_INFO : SD_LOG_ERROR, "reload")) {
		sd_log_text(&line, "result", fine ? "settings read again" : error);
		sd_log_int(&line, "need_restart", kept);
		sd_log_end(&line);
	}
	sd_service_ready(fine ? "serving" : "serving; the settings on disk are wrong, see the log");
}

static void start_signals(struct sd_server *server)
{
	const struct {
		uv_signal_t *handle;
		uv_signal_cb callback;
		int number;
	} row[] = {
		{ &server->on_term, sd_drain_on_signal, SIGTERM },
		{ &server->on_int, sd_drain_on_signal, SIGINT },
		{ &server->on_hup, on_reload, SIGHUP },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		uv_signal_init(&server->loop, row[i].handle);
		row[i].handle->data = server;
		uv_signal_start(row[i].handle, row[i].callback, row[i].number);
	}
}

static void start_timers(struct sd_server *server)
{
	uv_timer_init(&server->loop, &server->tick);
	server->tick.data = server;
	uv_timer_start(&server->tick, on_tick, TICK_MS, TICK_MS);
	uv_timer_init(&server->loop, &server->drain_timer);
	server->drain_timer.data = server;
	uv_prepare_init(&server->loop, &server->on_turn);
	server->on_turn.data = server;
	server->turn_ns = uv_hrtime();
	uv_prepare_start(&server->on_turn, on_turn);
	uv_idle_init(&server->loop, &server->on_more);
}

/* ---- life ---- */

static uint32_t worker_count(const struct sd_config *config)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	return config->workers ? (uint32_t)config->workers : cores > 0 ? (uint32_t)cores : 1;
}

static bool open_sockets(struct sd_server *server, char *error)
{
	static const struct sd_door framed_door = { sd_framed_open, sd_framed_turn_away };
	static const char setting[] = "STREAMD_SOCKET or --set socket.path=PATH";
	struct sd_socket_place place;

	if (!sd_socket_find(server->config.socket_path, getenv("XDG_RUNTIME_DIR"), &place)) {
		snprintf(error, SD_CONFIG_ERROR_MAX, "the path of the socket is longer than %d bytes; choose another with %s",
		         SD_SOCKET_PATH_MAX - 1, setting);
		return false;
	}
	if (!sd_listener_open(&server->listener, server, &place, &framed_door, setting, error))
		return false;
	if (sd_grpc_open(server, &place, error)) {
		if (sd_activation_is_used_up(error))
			return true;
		sd_grpc_stop(server);
	}
	sd_listener_stop(&server->listener);
	return false;
}

static bool open_listeners(struct sd_server *server, char *error)
{
	if (!sd_http_open(&server->http, server, error))
		return false;
	/* Last: who can connect is served. */
	if (open_sockets(server, error))
		return true;
	sd_http_stop(&server->http);
	return false;
}

static bool open_parts(struct sd_server *server, uint64_t salt, char *error)
{
	server->read_buffer = malloc(SD_READ_BUFFER);
	if (!server->read_buffer)
		return failed(error, "no memory is left");
	if (!sd_devices_open(&server->devices, &server->config))
		goto drop_buffer;
	if (!sd_cache_init(&server->cache, server->config.cache_bytes_max, salt))
		goto drop_devices;
	if (!sd_jobs_start(&server->jobs, &server->loop, worker_count(&server->config), &server->cache, sd_rpc_ended, server))
		goto drop_cache;
	if (open_listeners(server, error))
		return true;
	sd_jobs_stop(&server->jobs);
	sd_cache_finish(&server->cache);
	sd_devices_close(&server->devices);
	free(server->read_buffer);
	return false;

drop_cache:
	sd_cache_finish(&server->cache);
drop_devices:
	sd_devices_close(&server->devices);
drop_buffer:
	free(server->read_buffer);
	return failed(error, "the worker threads cannot be started: no memory or too many threads");
}

static void close_loop(struct sd_server *server)
{
	uv_run(&server->loop, UV_RUN_DEFAULT);
	SD_REQUIRE(uv_loop_close(&server->loop) == 0);
}

static void log_start(const struct sd_server *server)
{
	struct sd_line line;

	if (!sd_log_begin(&line, SD_LOG_INFO, "listening"))
		return;
	sd_log_text(&line, "version", SD_VERSION);
	sd_log_text(&line, "socket", server->listener.path);
	sd_log_text(&line, "grpc", server->grpc.on_unix.path);
	sd_log_int(&line, "grpc_tcp_port", (int64_t)server->config.grpc_tcp_port);
	sd_log_int(&line, "http_port", (int64_t)server->config.http_port);
	sd_log_int(&line, "workers", server->jobs.worker_count);
	sd_log_int(&line, "connections_max", server->connections_max);
	sd_log_end(&line);
}

bool sd_server_open(struct sd_server *server, const struct sd_config *config, const struct sd_config_source *source,
                    char error[SD_CONFIG_ERROR_MAX])
{
	uint64_t seed[3];

	memset(server, 0, sizeof(*server));
	server->listener.lock_fd = server->listener.spare_fd = -1;
	server->config = *config;
	server->source = source;
	/* Before the first thread: names of requests must not be able to aim at a place in a table. */
	if (getrandom(seed, sizeof(seed), 0) != sizeof(seed))
		return failed(error, "the system gives no random bytes");
	sd_hash_seed(seed[0], seed[1]);
	signal(SIGPIPE, SIG_IGN);
	if (uv_loop_init(&server->loop) != 0)
		return failed(error, "the event loop cannot be started: too few open files are allowed");
	uv_loop_configure(&server->loop, UV_METRICS_IDLE_TIME);
	server->started_ms = uv_now(&server->loop);
	if (!open_parts(server, seed[2], error)) {
		close_loop(server);
		sd_listener_close(&server->listener);
		sd_grpc_close(server);
		return false;
	}
	start_signals(server);
	start_timers(server);
	sd_service_open(&server->service, &server->loop);
	apply_settings(server);
	log_start(server);
	sd_service_ready("serving");
	return true;
}

void sd_server_run(struct sd_server *server)
{
	uv_run(&server->loop, UV_RUN_DEFAULT);
}

void sd_server_close(struct sd_server *server)
{
	struct sd_line line;

	sd_listener_stop(&server->listener);
	sd_grpc_stop(server);
	while (server->conns)
		server->conns->kind->close(server->conns, "the daemon ends");
	sd_service_close(&server->service);
	uv_close((uv_handle_t *)&server->on_turn, NULL);
	uv_close((uv_handle_t *)&server->on_more, NULL);
	uv_close((uv_handle_t *)&server->drain_timer, NULL);
	uv_close((uv_handle_t *)&server->tick, NULL);
	uv_close((uv_handle_t *)&server->on_hup, NULL);
	uv_close((uv_handle_t *)&server->on_int, NULL);
	uv_close((uv_handle_t *)&server->on_term, NULL);
	sd_http_stop(&server->http);
	sd_jobs_stop(&server->jobs);
	close_loop(server);
	sd_listener_close(&server->listener);
	sd_grpc_close(server);
	sd_cache_finish(&server->cache);
	sd_reports_finish(&server->reports);
	sd_devices_close(&server->devices);
	sd_last_errors_finish(&server->last_errors);
	sd_status_finish(&server->status_text);
	free(server->read_buffer);
	if (sd_log_begin(&line, SD_LOG_INFO, "stopped"))
		sd_log_end(&line);
}
