#include "http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "activation.h"
#include "server.h"

#define BODY_MAX SD_METRICS_TEXT_MAX
#define LINE_MAX_BYTES 512

struct sd_http_conn {
	struct sd_server *server;
	struct sd_http_conn *prev, *next;
	uv_tcp_t tcp;
	uv_timer_t timer;
	uv_write_t write;
	uint8_t handles_open;
	size_t have;
	char head[SD_HTTP_HEAD_MAX];
	char *answer; /* head and body, from the request to the last byte written */
};

static const char *const target_path[] = {
	[SD_HTTP_METRICS] = "/metrics", [SD_HTTP_HEALTHZ] = "/healthz", [SD_HTTP_READYZ] = "/readyz",
};

static enum sd_http_target find_target(const char *path, size_t len)
{
	const char *query = memchr(path, '?', len);

	if (query)
		len = (size_t)(query - path);
	for (int target = 0; target < SD_HTTP_OTHER; target++) {
		if (strlen(target_path[target]) == len && memcmp(target_path[target], path, len) == 0)
			return (enum sd_http_target)target;
	}
	return SD_HTTP_OTHER;
}

static bool is_version(const char *at, size_t len)
{
	return len >= 8 && memcmp(at, "HTTP/1.", 7) == 0 && (at[7] == '0' || at[7] == '1');
}

struct sd_http_request sd_http_parse(const char *head, size_t len)
{
	struct sd_http_request request = { .status = 400, .target = SD_HTTP_OTHER };
	const char *end = memchr(head, '\r', len), *path, *version;
	size_t line = end ? (size_t)(end - head) : len;

	path = memchr(head, ' ', line);
	version = path ? memchr(path + 1, ' ', line - (size_t)(path + 1 - head)) : NULL;
	if (!version || path == head || path[1] != '/' || !is_version(version + 1, line - (size_t)(version + 1 - head)))
		return request;
	request.is_head = (size_t)(path - head) == 4 && memcmp(head, "HEAD", 4) == 0;
	if (!request.is_head && ((size_t)(path - head) != 3 || memcmp(head, "GET", 3) != 0)) {
		request.status = 405;
		return request;
	}
	request.target = find_target(path + 1, (size_t)(version - path - 1));
	request.status = request.target == SD_HTTP_OTHER ? 404 : 200;
	return request;
}

/* ---- a connection ---- */

static void on_closed(uv_handle_t *handle)
{
	struct sd_http_conn *conn = handle->data;

	if (--conn->handles_open)
		return;
	conn->server->http.conn_count--;
	free(conn->answer);
	free(conn);
}

static void close_conn(struct sd_http_conn *conn)
{
	if (uv_is_closing((uv_handle_t *)&conn->tcp))
		return;
	*(conn->prev ? &conn->prev->next : &conn->server->http.conns) = conn->next;
	if (conn->next)
		conn->next->prev = conn->prev;
	uv_close((uv_handle_t *)&conn->tcp, on_closed);
	uv_close((uv_handle_t *)&conn->timer, on_closed);
}

static void on_timeout(uv_timer_t *timer)
{
	close_conn(timer->data);
}

static void on_written(uv_write_t *write, int status)
{
	close_conn(write->data);
}

static const char *reason_of(int status)
{
	switch (status) {
	case 200: return "OK";
	case 404: return "Not Found";
	case 405: return "Method Not Allowed";
	case 431: return "Request Header Fields Too Large";
	case 503: return "Service Unavailable";
	default: return "Bad Request";
	}
}

static size_t write_body(struct sd_server *server, struct sd_http_request *request, char *out, size_t cap)
{
	uint64_t gauge[SD_GAUGES];

	if (request->status != 200)
		return (size_t)snprintf(out, cap, "%s\n", reason_of(request->status));
	switch (request->target) {
	case SD_HTTP_METRICS:
		sd_server_gauges(server, gauge);
		return sd_metrics_write(&server->metrics, gauge, out, cap);
	case SD_HTTP_READYZ:
		if (sd_server_is_draining(server)) {
			request->status = 503;
			return (size_t)snprintf(out, cap, "draining\n");
		}
		return (size_t)snprintf(out, cap, "ready\n");
	default:
		return (size_t)snprintf(out, cap, "ok\n");
	}
}

static void answer(struct sd_http_conn *conn, struct sd_http_request request)
{
	size_t body_len;
	int head_len;
	uv_buf_t part[2];

	uv_read_stop((uv_stream_t *)&conn->tcp);
	conn->answer = malloc(LINE_MAX_BYTES + BODY_MAX);
	if (!conn->answer) {
		close_conn(conn);
		return;
	}
	conn->server->metrics.counter[SD_COUNTER_scrapes]++;
	body_len = write_body(conn->server, &request, conn->answer + LINE_MAX_BYTES, BODY_MAX);
	head_len = snprintf(conn->answer, LINE_MAX_BYTES,
	                    "HTTP/1.1 %d %s\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
	                    "Content-Length: %zu\r\n%sConnection: close\r\n\r\n",
	                    request.status, reason_of(request.status), body_len, request.status == 405 ? "Allow: GET, HEAD\r\n" : "");
	part[0] = uv_buf_init(conn->answer, (unsigned)head_len);
	part[1] = uv_buf_init(conn->answer + LINE_MAX_BYTES, request.is_head ? 0 : (unsigned)body_len);
	conn->write.data = conn;
	if (uv_write(&conn->write, (uv_stream_t *)&conn->tcp, part, request.is_head ? 1 : 2, on_written) != 0)
		close_conn(conn);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
	struct sd_http_conn *conn = handle->data;

	*buf = uv_buf_init(conn->head + conn->have, (unsigned)(SD_HTTP_HEAD_MAX - conn->have));
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct sd_http_conn *conn = stream->data;

	if (n < 0) {
		close_conn(conn);
		return;
	}
	conn->have += (size_t)n;
	if (memmem(conn->head, conn->have, "\r\n\r\n", 4))
		answer(conn, sd_http_parse(conn->head, conn->have));
	else if (conn->have == SD_HTTP_HEAD_MAX)
		answer(conn, (struct sd_http_request){ .status = 431, .target = SD_HTTP_OTHER });
}

static void serve(struct sd_http_conn *conn, uv_stream_t *listener)
{
	bool full = conn->server->http.conn_count > SD_HTTP_CONNECTIONS_MAX;

	uv_tcp_init(&conn->server->loop, &conn->tcp);
	uv_timer_init(&conn->server->loop, &conn->timer);
	conn->tcp.data = conn->timer.data = conn;
	conn->handles_open = 2;
	if (uv_accept(listener, (uv_stream_t *)&conn->tcp) != 0) {
		close_conn(conn);
		return;
	}
	uv_timer_start(&conn->timer, on_timeout, SD_HTTP_TIMEOUT_MS, 0);
	if (full)
		answer(conn, (struct sd_http_request){ .status = 503, .target = SD_HTTP_OTHER });
	else if (uv_read_start((uv_stream_t *)&conn->tcp, on_alloc, on_read) != 0)
		close_conn(conn);
}

static void on_connection(uv_stream_t *listener, int status)
{
	struct sd_server *server = listener->data;
	struct sd_http_conn *conn = status == 0 ? calloc(1, sizeof(*conn)) : NULL;

	if (!conn)
		return;
	conn->server = server;
	conn->next = server->http.conns;
	if (conn->next)
		conn->next->prev = conn;
	server->http.conns = conn;
	server->http.conn_count++;
	serve(conn, listener);
}

/* ---- the listener ---- */

bool sd_http_open(struct sd_http *http, struct sd_server *server, char error[SD_CONFIG_ERROR_MAX])
{
	struct sockaddr_in address;
	int port = (int)server->config.http_port, status, passed;

	*http = (struct sd_http){ 0 };
	if (port == 0)
		return true;
	uv_ip4_addr("127.0.0.1", port, &address);
	uv_tcp_init(&server->loop, &http->listener);
	http->listener.data = server;
	http->is_open = true;
	passed = sd_activation_take_port((uint16_t)port);
	status = passed >= 0 ? uv_tcp_open(&http->listener, passed) : uv_tcp_bind(&http->listener, (const struct sockaddr *)&address, 0);
	if (status == 0)
		status = uv_listen((uv_stream_t *)&http->listener, 64, on_connection);
	if (status == 0)
		return true;
	sd_http_stop(http);
	snprintf(error, SD_CONFIG_ERROR_MAX, "http.port = %d: 127.0.0.1:%d cannot be listened on: %s; set http.port to a free port, "
	         "or to 0 for none", port, port, uv_strerror(status));
	return false;
}

void sd_http_stop(struct sd_http *http)
{
	if (http->is_open)
		uv_close((uv_handle_t *)&http->listener, NULL);
	http->is_open = false;
	while (http->conns)
		close_conn(http->conns);
}
