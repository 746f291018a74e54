#include "http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "activation.h"
#include "blob.h"
#include "server.h"

#define REST_MAX (64u << 10) /* of what a peer still sends when it is answered */

struct sd_http_conn {
	struct sd_server *server;
	struct sd_http_conn *prev, *next;
	uv_tcp_t tcp;
	uv_timer_t timer;
	uv_write_t write;
	uv_shutdown_t shutdown;
	uint8_t handles_open;
	bool is_answered, is_leaving;
	size_t have; /* bytes of the head; when it is answered, of the rest */
	char head[SD_HTTP_HEAD_MAX];
	struct sd_http_answer answer;
};

/* ---- a connection ---- */

static void on_closed(uv_handle_t *handle)
{
	struct sd_http_conn *conn = handle->data;
	struct sd_server *server = conn->server;

	if (--conn->handles_open)
		return;
	(*(conn->is_leaving ? &server->http.leaving_count : &server->http.conn_count))--;
	sd_blob_release(conn->answer.blob);
	free(conn);
	sd_http_take_waiting(server);
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

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
	struct sd_http_conn *conn = handle->data;
	size_t kept = conn->is_answered ? 0 : conn->have;

	*buf = uv_buf_init(conn->head + kept, (unsigned)(SD_HTTP_HEAD_MAX - kept));
}

/* What lies unread when a socket is closed makes the peer lose the answer. */
static void on_rest(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct sd_http_conn *conn = stream->data;

	if (n > 0)
		conn->have += (size_t)n;
	if (n < 0 || conn->have > REST_MAX)
		close_conn(conn);
}

static void on_shut(uv_shutdown_t *shut, int status)
{
	struct sd_http_conn *conn = shut->data;

	if (status != 0 || uv_read_start((uv_stream_t *)&conn->tcp, on_alloc, on_rest) != 0)
		close_conn(conn);
}

/* It is waited for until it closes, too, and takes nobody's place meanwhile. */
static bool may_leave_slowly(const struct sd_http *http)
{
	return http->leaving_count < SD_HTTP_LEAVING_MAX;
}

static void on_written(uv_write_t *write, int status)
{
	struct sd_http_conn *conn = write->data;
	struct sd_http *http = &conn->server->http;

	conn->have = 0;
	conn->shutdown.data = conn;
	if (status != 0 || !may_leave_slowly(http) || uv_shutdown(&conn->shutdown, (uv_stream_t *)&conn->tcp, on_shut) != 0) {
		close_conn(conn);
		return;
	}
	conn->is_leaving = true;
	http->conn_count--;
	http->leaving_count++;
}

static void answer(struct sd_http_conn *conn, struct sd_http_request request)
{
	uv_buf_t part[2];

	uv_read_stop((uv_stream_t *)&conn->tcp);
	conn->is_answered = true;
	conn->server->metrics.counter[SD_COUNTER_scrapes]++;
	if (!sd_http_answer_make(conn->server, request, &conn->answer)) {
		close_conn(conn);
		return;
	}
	part[0] = uv_buf_init(conn->answer.head, (unsigned)conn->answer.head_len);
	part[1] = uv_buf_init((char *)(uintptr_t)conn->answer.body, (unsigned)conn->answer.body_len);
	conn->write.data = conn;
	uv_timer_again(&conn->timer);
	if (uv_write(&conn->write, (uv_stream_t *)&conn->tcp, part, conn->answer.body_len ? 2 : 1, on_written) != 0)
		close_conn(conn);
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

/* Without a place it is told so at once; what it asks is read away while it leaves, lest it be reset and never read the answer. */
static void serve(struct sd_http_conn *conn)
{
	bool full = conn->server->http.conn_count > SD_HTTP_CONNECTIONS_MAX;

	uv_tcp_init(&conn->server->loop, &conn->tcp);
	uv_timer_init(&conn->server->loop, &conn->timer);
	conn->tcp.data = conn->timer.data = conn;
	conn->handles_open = 2;
	if (uv_accept((uv_stream_t *)&conn->server->http.listener, (uv_stream_t *)&conn->tcp) != 0) {
		close_conn(conn);
		return;
	}
	uv_timer_start(&conn->timer, on_timeout, SD_HTTP_TIMEOUT_MS, SD_HTTP_TIMEOUT_MS);
	if (full)
		answer(conn, (struct sd_http_request){ .status = 503, .target = SD_HTTP_OTHER });
	else if (uv_read_start((uv_stream_t *)&conn->tcp, on_alloc, on_read) != 0)
		close_conn(conn);
}

/* Whether one more can be served, or refused and seen off. */
static bool has_place(const struct sd_http *http)
{
	return http->conn_count + http->leaving_count < SD_HTTP_CONNECTIONS_MAX + SD_HTTP_LEAVING_MAX;
}

void sd_http_take_waiting(struct sd_server *server)
{
	struct sd_http *http = &server->http;
	struct sd_http_conn *conn;

	if (!http->is_open || !http->has_waiting || !has_place(http))
		return;
	conn = calloc(1, sizeof(*conn));
	if (!conn)
		return;
	http->has_waiting = false;
	conn->server = server;
	conn->next = http->conns;
	if (conn->next)
		conn->next->prev = conn;
	http->conns = conn;
	http->conn_count++;
	serve(conn);
}

/* Until it is taken nobody else is: those behind it wait in the socket. */
static void on_connection(uv_stream_t *listener, int status)
{
	struct sd_server *server = listener->data;

	if (status != 0)
		return;
	server->http.has_waiting = true;
	sd_http_take_waiting(server);
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
