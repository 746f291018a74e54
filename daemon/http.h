/* http.h - a small HTTP/1.1 server on loopback for those who watch: the status page at / and what it reads,
 * /status.json, /metrics, /healthz, /readyz.
 *
 * Who comes when all places are taken is told 503 and when to come again; when too many leave slowly, the next ones wait in the socket.
 *
 * One request a connection; GET and HEAD alone, and nothing that they ask changes anything. Bounded:
 * the head of a request in bytes and time, the connections in number, and nothing is kept from one
 * request to the next. Page and status tell names; so they are only told to who asks for this machine by
 * an address or as localhost: a page from elsewhere whose own name is made to lead here gets nothing. */
#ifndef SD_HTTP_H
#define SD_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include "config.h"

struct sd_server;
struct sd_http_conn;
struct sd_blob;

#define SD_HTTP_HEAD_MAX 4096u
#define SD_HTTP_TIMEOUT_MS 5000u /* for the head, and for taking the answer */
#define SD_HTTP_CONNECTIONS_MAX 64u
#define SD_HTTP_LEAVING_MAX 32u /* beside them: those that are answered, be it with a 503, and have not closed yet */

struct sd_http {
	uv_tcp_t listener;
	struct sd_http_conn *conns;
	uint32_t conn_count, leaving_count;
	bool is_open;
	bool has_waiting; /* somebody has come for whom there was no place, or no memory */
};

/* Listens, unless http.port is 0. */
bool sd_http_open(struct sd_http *http, struct sd_server *server, char error[SD_CONFIG_ERROR_MAX]);
/* Lets in who waits, if there is a place now: when one has become free, and from time to time. */
void sd_http_take_waiting(struct sd_server *server);
/* Closes the listener and all connections. */
void sd_http_stop(struct sd_http *http);

/* ---- http_parse.c ---- */

/* What a request line asks for. */
enum sd_http_target { SD_HTTP_METRICS, SD_HTTP_HEALTHZ, SD_HTTP_READYZ, SD_HTTP_PAGE, SD_HTTP_STATUS, SD_HTTP_OTHER };
struct sd_http_request {
	int status; /* 200, or what is wrong with it: 400, 404, 405, 421 (page and status, by a foreign name) */
	enum sd_http_target target;
	bool is_head;
};

/* The head of a request, `len` bytes with its empty line. */
struct sd_http_request sd_http_parse(const char *head, size_t len);

/* ---- http_answer.c ---- */

#define SD_HTTP_ANSWER_HEAD_MAX 1024u

struct sd_http_answer {
	char head[SD_HTTP_ANSWER_HEAD_MAX];
	size_t head_len, body_len;
	const void *body;
	struct sd_blob *blob; /* that the body lies in; NULL: it is a constant */
};

/* False: no memory. The caller releases the blob. */
bool sd_http_answer_make(struct sd_server *server, struct sd_http_request request, struct sd_http_answer *answer);

#endif
