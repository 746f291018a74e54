/* config.h - every setting of the daemon: one table.
 *
 * The parser of files and of --set, --help, the documented default file and all messages
 * come from SD_CONFIG_LIST. Order of what wins: file, then environment, then --set. */
#ifndef SD_CONFIG_H
#define SD_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum sd_config_type {
	SD_CONFIG_COUNT, /* 17 */
	SD_CONFIG_BYTES, /* 17, 64 KiB, 64 MiB, 1 GiB */
	SD_CONFIG_MS,    /* 250 ms, 30 s, 10 min; a bare number is milliseconds */
	SD_CONFIG_TEXT,
	SD_CONFIG_LEVEL, /* debug, info, warn, error, off */
	SD_CONFIG_MODE,  /* exclusive, shared */
};

#define SD_CONFIG_TEXT_MAX 108 /* with its NUL: what the address of a Unix socket holds */

/* member, key, type, default, least, most, whether SIGHUP reads it again, meaning */
#define SD_CONFIG_LIST(X)                                                                                               \
	X(socket_path, "socket.path", TEXT, "", 0, 0, false,                                                            \
	  "where the framed socket is; empty: streamd/streamd.sock in $XDG_RUNTIME_DIR, else in /run")                  \
	X(connections_max, "socket.connections_max", COUNT, "1024", 1, 100000, true,                                    \
	  "connections at one time; one more gets a polite refusal")                                                    \
	X(open_requests_max, "socket.open_requests_max", COUNT, "32", 1, 65536, true,                                   \
	  "requests open on one connection; then it is not read until one is done")                                     \
	X(frame_bytes_max, "socket.frame_bytes_max", BYTES, "64 MiB", 4096, UINT64_C(1) << 31, true,                    \
	  "largest frame; a graph of 100,000 nodes has 14 MiB")                                                         \
	X(owed_bytes_max, "socket.owed_bytes_max", BYTES, "1 MiB", 4096, UINT64_C(1) << 31, true,                       \
	  "answers that a peer has not read yet; above it the connection is not read")                                  \
	X(unread_bytes_max, "socket.unread_bytes_max", BYTES, "65 MiB", 4096, UINT64_C(1) << 32, true,                  \
	  "answers that a peer has not read yet; above it a framed connection is closed, a call by gRPC refused")                 \
	X(hello_ms, "socket.hello_timeout", MS, "5 s", 10, 600000, true,                                                \
	  "a connection that has not said hello by then is closed")                                                     \
	X(frame_ms, "socket.frame_timeout", MS, "30 s", 10, 3600000, true,                                              \
	  "time for the whole of a frame once it has begun")                                                            \
	X(idle_ms, "socket.idle_timeout", MS, "300 s", 10, 86400000, true,                                              \
	  "a connection with nothing open is closed after this silence; ping keeps it")                                 \
	X(stall_ms, "socket.stall_timeout", MS, "30 s", 10, 3600000, true,                                              \
	  "a peer that takes no byte of its answers for so long is closed")                                             \
	X(grpc_unix, "grpc.unix", COUNT, "1", 0, 1, false,                                                              \
	  "1: gRPC is served on a Unix socket; 0: it is not")                                                           \
	X(grpc_path, "grpc.path", TEXT, "", 0, 0, false,                                                                \
	  "where that socket is; empty: grpc.sock beside the framed socket")                                            \
	X(grpc_tcp_port, "grpc.tcp_port", COUNT, "0", 0, 65535, false,                                                  \
	  "port of gRPC on TCP; 0: off")                                                                                \
	X(grpc_tcp_address, "grpc.tcp_address", TEXT, "127.0.0.1", 0, 0, false,                                         \
	  "address of gRPC on TCP; one that is not of this machine alone needs tls.client_ca")                          \
	X(grpc_streams_max, "grpc.streams_max", COUNT, "128", 1, 65536, true,                                           \
	  "calls open on one gRPC connection; clients keep further ones back")                                          \
	X(grpc_header_bytes_max, "grpc.header_bytes_max", BYTES, "64 KiB", 1024, 1u << 20, true,                        \
	  "headers of one gRPC call")                                                                                   \
	X(grpc_resets_max, "grpc.resets_max", COUNT, "10000", 1, UINT32_MAX, false,                                     \
	  "calls that the peer of a connection may reset at once, as those do whose deadline has passed; one more ends it") \
	X(grpc_resets_per_second, "grpc.resets_per_second", COUNT, "1000", 1, UINT32_MAX, false,                        \
	  "of them, how many are forgiven each second")                                                                 \
	X(grpc_keepalive_ms, "grpc.keepalive", MS, "60 s", 10, 86400000, true,                                          \
	  "a gRPC peer that has been silent so long is asked with a ping whether it is there")                          \
	X(grpc_keepalive_timeout_ms, "grpc.keepalive_timeout", MS, "20 s", 10, 3600000, true,                           \
	  "one that does not answer such a ping by then is closed")                                                     \
	X(grpc_compress_above, "grpc.compress_above", BYTES, "0", 0, 1u << 31, true,                                    \
	  "plans of so many bytes and more go packed to gRPC clients that take gzip, which pays on slow networks alone; 0: none") \
	X(grpc_age_ms, "grpc.age", MS, "0", 0, 1u << 31, true,                                                          \
	  "gRPC connections are told to reconnect after so long, for load balancers; 0: never, as leases end with them") \
	X(tls_certificate, "tls.certificate", TEXT, "", 0, 0, true,                                                     \
	  "file with the certificate of gRPC on TCP and those that vouch for it, PEM; empty: no TLS")                   \
	X(tls_key, "tls.key", TEXT, "", 0, 0, true,                                                                     \
	  "file with its private key, PEM")                                                                             \
	X(tls_client_ca, "tls.client_ca", TEXT, "", 0, 0, true,                                                         \
	  "file with the authorities of clients, PEM; set: who shows no certificate of theirs is not let in")           \
	X(tls_names, "tls.names", TEXT, "", 0, 0, true,                                                                 \
	  "names of certificates that are let in, parted by commas; empty: all; *.a.b stands for one name before .a.b") \
	X(tls_lease_names, "tls.lease_names", TEXT, "", 0, 0, true,                                                     \
	  "names of certificates that may hold streams; empty: all that are let in")                                    \
	X(tls_admin_names, "tls.admin_names", TEXT, "", 0, 0, true,                                                     \
	  "names of certificates that may administer; empty: none")                                                     \
	X(workers, "jobs.workers", COUNT, "0", 0, 256, false,                                                           \
	  "planning threads; 0: one for each core")                                                                     \
	X(queue_jobs_max, "jobs.queue_jobs_max", COUNT, "256", 1, 1000000, true,                                        \
	  "jobs that wait for a thread; one more is refused and may try again")                                         \
	X(queue_bytes_max, "jobs.queue_bytes_max", BYTES, "256 MiB", 65536, UINT64_C(1) << 40, true,                    \
	  "bytes of all requests that are being read, wait or run")                                                     \
	X(deadline_ms_default, "jobs.deadline_default", MS, "60 s", 1, 600000, true,                                    \
	  "deadline of a request that states none")                                                                     \
	X(deadline_ms_max, "jobs.deadline_max", MS, "10 min", 1, 86400000, true,                                        \
	  "longest deadline; a later one is taken for this")                                                            \
	X(batch_items_max, "batch.items_max", COUNT, "1024", 1, 65536, true,                                            \
	  "requests of one PlanBatch")                                                                                  \
	X(batch_bytes_max, "batch.bytes_max", BYTES, "64 MiB", 4096, UINT64_C(1) << 31, true,                           \
	  "bytes of one PlanBatch, unpacked; a frame has to hold it too")                                               \
	X(batch_jobs_max, "batch.jobs_max", COUNT, "0", 0, 256, true,                                                   \
	  "jobs that one PlanBatch may have waiting or running; 0: one for each planning thread")                       \
	X(nodes_max, "limits.nodes_max", COUNT, "200000", 1, UINT32_MAX - 1, true,                                      \
	  "nodes of one graph, those of subgraphs too")                                                                 \
	X(edges_max, "limits.edges_max", COUNT, "2000000", 1, UINT32_MAX - 1, true,                                     \
	  "inputs of all nodes of one graph")                                                                           \
	X(attrs_max, "limits.attrs_max", COUNT, "2000000", 1, UINT32_MAX - 1, true,                                     \
	  "attributes of one graph")                                                                                    \
	X(job_bytes_max, "limits.job_bytes_max", BYTES, "512 MiB", 65536, UINT64_C(1) << 40, true,                      \
	  "memory of one job")                                                                                          \
	X(cache_bytes_max, "cache.bytes_max", BYTES, "256 MiB", 0, UINT64_C(1) << 40, true,                             \
	  "memory for finished plans, one at most a sixteenth of it; 0: none are kept")                                 \
	X(report_plans_max, "report.plans_max", COUNT, "1024", 0, 4096, true,                                           \
	  "plans, each by device, of which Report keeps what they took; 0: of none")                                    \
	X(http_port, "http.port", COUNT, "9190", 0, 65535, false,                                                       \
	  "port on 127.0.0.1 for the status page, /status.json, /metrics, /healthz and /readyz; 0: off")                \
	X(http_page, "http.page", COUNT, "1", 0, 1, true,                                                               \
	  "1: the page and /status.json tell who holds what, by name; 0: they are not there, and the rest tells figures alone") \
	X(devices, "pool.devices", COUNT, "1", 0, 64, false,                                                            \
	  "devices whose streams are given out; 0: none")                                                               \
	X(pool_group, "pool.group", TEXT, "", 0, 0, true,                                                               \
	  "group whose members may hold streams, beside root and the daemon's own user; empty: all who can connect")    \
	X(pool_profile, "pool.profile", TEXT, "", 0, 0, true,                                                           \
	  "device profile that the limits below come from where they are 0; empty: default")                            \
	X(pool_streams_max, "pool.streams_max", COUNT, "0", 0, 1u << 24, true,                                          \
	  "streams of one device; 0: the profile's")                                                                    \
	X(pool_streams_reserved, "pool.streams_reserved", COUNT, "0", 0, 1u << 24, true,                                \
	  "of them, kept from everybody")                                                                               \
	X(pool_huge_streams_max, "pool.huge_streams_max", COUNT, "0", 0, 1u << 24, true,                                \
	  "of them, huge ones; 0: the profile's")                                                                       \
	X(pool_tasks_max, "pool.tasks_max", COUNT, "0", 0, UINT64_C(1) << 53, true,                                     \
	  "tasks that one stream takes; 0: the profile's")                                                              \
	X(pool_huge_tasks_max, "pool.huge_tasks_max", COUNT, "0", 0, UINT64_C(1) << 53, true,                           \
	  "tasks that one huge stream takes; 0: the profile's")                                                         \
	X(pool_events_max, "pool.events_max", COUNT, "0", 0, UINT32_MAX, true,                                          \
	  "events of one device; 0: the profile's")                                                                     \
	X(pool_notifies_max, "pool.notifies_max", COUNT, "0", 0, UINT32_MAX, true,                                      \
	  "notifies of one device; 0: the profile's")                                                                   \
	X(pool_mode, "pool.mode", MODE, "exclusive", 0, 0, true,                                                        \
	  "exclusive: a stream is given to one model at a time; shared: to up to 256 of one domain")                    \
	X(pool_keep_idle, "pool.keep_idle", COUNT, "1", 0, 1, true,                                                     \
	  "1: streams that nobody holds are kept, to be given again; 0: they are to be destroyed")                      \
	X(pool_ttl_ms, "pool.ttl", MS, "60 s", 10, 86400000, true,                                                      \
	  "a model that is not heard of for so long loses what it holds; Heartbeat and ping keep it")                   \
	X(pool_uid_streams_max, "pool.uid_streams_max", COUNT, "0", 0, 1u << 24, true,                                  \
	  "streams of one device that the peers of one user may hold; 0: any")                                          \
	X(pool_conn_streams_max, "pool.conn_streams_max", COUNT, "2024", 1, 1u << 20, true,                             \
	  "streams that one connection may hold")                                                                       \
	X(pool_conn_models_max, "pool.conn_models_max", COUNT, "256", 1, 1u << 20, true,                                \
	  "models that one connection may have")                                                                        \
	X(pool_waiting_max, "pool.waiting_max", COUNT, "1024", 0, 1u << 20, true,                                       \
	  "acquires that wait in line on one device; one more is refused and may try again")                            \
	X(drain_ms, "drain.timeout", MS, "25 s", 10, 3600000, true,                                                     \
	  "what still runs so long after SIGTERM is given up")                                                          \
	X(log_level, "log.level", LEVEL, "info", 0, 0, true,                                                            \
	  "debug, info, warn, error or off; debug has a line for each request, info for each failed one")

struct sd_config {
#define SD_CONFIG_MEMBER_COUNT(name) uint64_t name;
#define SD_CONFIG_MEMBER_BYTES(name) uint64_t name;
#define SD_CONFIG_MEMBER_MS(name) uint64_t name;
#define SD_CONFIG_MEMBER_LEVEL(name) uint64_t name;
#define SD_CONFIG_MEMBER_MODE(name) uint64_t name;
#define SD_CONFIG_MEMBER_TEXT(name) char name[SD_CONFIG_TEXT_MAX];
#define SD_X(name, key, type, def, min, max, reload, meaning) SD_CONFIG_MEMBER_##type(name)
	SD_CONFIG_LIST(SD_X)
#undef SD_X
};

#define SD_CONFIG_FILE "/etc/streamd/streamd.conf"
#define SD_CONFIG_ERROR_MAX 512

/* Where settings come from. */
struct sd_config_source {
	const char *file;        /* NULL: SD_CONFIG_FILE where it exists */
	const char *const *sets; /* section.key=value, in order */
	size_t set_count;
};

void sd_config_defaults(struct sd_config *config);

/* Fills `config` from defaults, file, environment and --set. False: `error` says what is
 * wrong, where (file and line), and what would be right. */
bool sd_config_load(struct sd_config *config, const struct sd_config_source *source, char error[SD_CONFIG_ERROR_MAX]);

/* One setting from text, as after = in a file. */
bool sd_config_set(struct sd_config *config, const char *key, const char *value, char error[SD_CONFIG_ERROR_MAX]);

/* Takes over those settings of `fresh` that may change while the daemon runs. Answers how
 * many others differ and stay as they are. */
unsigned sd_config_reload(struct sd_config *config, const struct sd_config *fresh);

/* The documented default file, and the same as a table for --help. */
void sd_config_print_file(FILE *out);
void sd_config_print_help(FILE *out);

#endif
