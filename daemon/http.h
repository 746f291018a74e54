/* http.h - a small HTTP/1.1 server on loopback for those who watch: /metrics, /healthz, /readyz.
 *
 * One request a connection; GET and HEAD. Bounded: the head of a request in bytes and
 * time, the connections in number, and nothing is kept from one request to the next. */
#ifndef SD_HTTP_H
#define SD_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "config.h"

struct sd_server;
struct sd_http_conn;

#define SD_HTTP_HEAD_MAX 4096u
#define SD_HTTP_TIMEOUT_MS 5000u
#define SD_HTTP_CONNECTIONS_MAX 64u

struct sd_http {
	uv_tcp_t listener;
	struct sd_http_conn *conns;
	uint32_t conn_count;
	bool is_open;
};

/* Listens, unless http.port is 0. */
bool sd_http_open(struct sd_http *http, struct sd_server *server, char error[SD_CONFIG_ERROR_MAX]);
/* Closes the listener and all connections. */
void sd_http_stop(struct sd_http *http);

/* What a request line asks for. */
enum sd_http_target { SD_HTTP_METRICS, SD_HTTP_HEALTHZ, SD_HTTP_READYZ, SD_HTTP_OTHER };
struct sd_http_request {
	int status; /* 200, or what is wrong with it: 400, 404, 405 */
	enum sd_http_target target;
	bool is_head;
};

/* The head of a request, `len` bytes with its empty line. */
struct sd_http_request sd_http_parse(const char *head, size_t len);

#endif
