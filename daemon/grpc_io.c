#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>

#include "grpc_conn.h"
#include "server.h"
#include "tls.h"

#define PLAIN_MAX (16u << 10) /* what one record of TLS holds */

/* ---- out ---- */

struct write {
	uv_write_t request;
	struct sd_grpc_conn *grpc;
	size_t len;
	unsigned char data[];
};

static void on_write(uv_write_t *request, int status)
{
	struct write *write = request->data;
	struct sd_grpc_conn *grpc = write->grpc;

	grpc->moved_bytes += write->len;
	grpc->is_writing = false;
	free(write);
	if (grpc->state == SD_GRPC_CLOSED)
		return;
	if (status < 0)
		sd_grpc_conn_close(grpc, "the peer is gone");
	else
		sd_grpc_dirty(grpc);
}

static void write_later(struct sd_grpc_conn *grpc, const unsigned char *at, size_t len)
{
	struct write *write = malloc(sizeof(*write) + len);
	uv_buf_t buf;

	if (!write) {
		sd_grpc_conn_close(grpc, "no memory is left");
		return;
	}
	*write = (struct write){ .request = { .data = write }, .grpc = grpc, .len = len };
	memcpy(write->data, at, len);
	buf = uv_buf_init((char *)write->data, (unsigned)len);
	grpc->is_writing = true;
	if (uv_write(&write->request, &grpc->io.stream, &buf, 1, on_write) == 0)
		return;
	free(write);
	grpc->is_writing = false;
	sd_grpc_conn_close(grpc, "the peer is gone");
}

/* What the socket takes at once costs no memory; the rest waits, and nothing more is gathered until it has gone. */
static void put(struct sd_grpc_conn *grpc, const unsigned char *at, size_t len)
{
	uv_buf_t buf = uv_buf_init((char *)(uintptr_t)at, (unsigned)len);
	int done = uv_try_write(&grpc->io.stream, &buf, 1);

	if (done < 0 && done != UV_EAGAIN) {
		sd_grpc_conn_close(grpc, "the peer is gone");
		return;
	}
	done = done < 0 ? 0 : done;
	grpc->moved_bytes += (size_t)done;
	if ((size_t)done < len)
		write_later(grpc, at + done, len - (size_t)done);
}

static void put_sealed(struct sd_grpc_conn *grpc)
{
	BIO *out = SSL_get_wbio(grpc->ssl);
	char *at;
	long len = BIO_get_mem_data(out, &at);

	if (len <= 0 || grpc->is_writing)
		return;
	put(grpc, (const unsigned char *)at, (size_t)len);
	if (grpc->state < SD_GRPC_CLOSED)
		BIO_reset(out);
}

/* The session's frames, as many as there is room for; answers how many bytes. */
static size_t gather(struct sd_grpc_conn *grpc, unsigned char *buffer)
{
	size_t n;
	ssize_t more;

	grpc->fill = buffer;
	grpc->room = SD_GRPC_BUFFER;
	for (;;) {
		if (grpc->carry_len == 0) {
			more = nghttp2_session_mem_send(grpc->session, &grpc->carry);
			if (more < 0 || grpc->state == SD_GRPC_CLOSED) {
				sd_grpc_conn_close(grpc, "no frame can be made");
				return 0;
			}
			if (more == 0)
				break;
			grpc->carry_len = (size_t)more;
		}
		n = grpc->carry_len < grpc->room ? grpc->carry_len : grpc->room;
		memcpy(grpc->fill, grpc->carry, n);
		grpc->fill += n;
		grpc->room -= (uint32_t)n;
		grpc->carry += n;
		grpc->carry_len -= n;
		if (grpc->carry_len)
			break;
	}
	return SD_GRPC_BUFFER - grpc->room;
}

void sd_grpc_io_flush(struct sd_grpc_conn *grpc)
{
	unsigned char *buffer = grpc->conn.server->grpc.buffer;

	if (grpc->ssl)
		put_sealed(grpc);
	while (grpc->session && grpc->state < SD_GRPC_CLOSING && !grpc->is_writing) {
		size_t len = gather(grpc, buffer);

		if (len == 0)
			return;
		if (!grpc->ssl) {
			put(grpc, buffer, len);
		} else if (SSL_write(grpc->ssl, buffer, (int)len) == (int)len) {
			put_sealed(grpc);
		} else {
			sd_grpc_conn_close(grpc, "TLS takes no more");
			return;
		}
	}
}

void sd_grpc_io_end(struct sd_grpc_conn *grpc)
{
	if (!grpc->ssl || !grpc->is_shaken)
		return;
	SSL_shutdown(grpc->ssl);
	ERR_clear_error();
	put_sealed(grpc);
}

/* ---- in ---- */

static void feed(struct sd_grpc_conn *grpc, const unsigned char *at, size_t len)
{
	ssize_t done;

	if (grpc->state >= SD_GRPC_CLOSING)
		return;
	done = nghttp2_session_mem_recv(grpc->session, at, len);
	if (grpc->state == SD_GRPC_CLOSED)
		return;
	if (done >= 0) {
		sd_grpc_dirty(grpc);
		return;
	}
	sd_grpc_io_flush(grpc); /* it may tell why */
	sd_grpc_conn_close(grpc, nghttp2_strerror((int)done));
}

/* Who it is and what it may; then its session begins. */
static bool meet(struct sd_grpc_conn *grpc)
{
	struct sd_server *server = grpc->conn.server;
	struct sd_who who = { .uid = grpc->conn.uid, .may_lease = grpc->conn.may_lease };
	char name[SD_TLS_NAME_MAX];
	struct sd_line line;
	bool may = sd_tls_who(grpc->ssl, &server->config, &who, name);

	grpc->is_shaken = true;
	if (sd_server_may_log(server, &grpc->conn) && sd_log_begin(&line, may ? SD_LOG_DEBUG : SD_LOG_INFO, may ? "certificate" : "refused")) {
		sd_log_int(&line, "conn", (int64_t)grpc->conn.id);
		sd_log_int(&line, "uid", who.uid);
		sd_log_text(&line, "name", name);
		sd_log_end(&line);
	}
	grpc->conn.uid = who.uid;
	grpc->conn.is_admin = who.is_admin;
	grpc->conn.may_lease = who.may_lease;
	server->metrics.counter[SD_COUNTER_tls_refused] += !may;
	return may && sd_grpc_session_open(grpc);
}

static void unseal(struct sd_grpc_conn *grpc)
{
	unsigned char plain[PLAIN_MAX];
	int n;

	while ((n = SSL_read(grpc->ssl, plain, sizeof(plain))) > 0) {
		feed(grpc, plain, (size_t)n);
		if (grpc->state == SD_GRPC_CLOSED)
			return;
	}
	n = SSL_get_error(grpc->ssl, n);
	ERR_clear_error();
	if (n != SSL_ERROR_WANT_READ)
		sd_grpc_conn_close(grpc, n == SSL_ERROR_ZERO_RETURN ? "the peer closed" : "TLS is broken");
}

static void on_sealed(struct sd_grpc_conn *grpc, const unsigned char *at, size_t len)
{
	bool fine = BIO_write(SSL_get_rbio(grpc->ssl), at, (int)len) == (int)len;
	int done = 1;

	if (fine && !grpc->is_shaken) {
		done = SSL_do_handshake(grpc->ssl);
		fine = done == 1 ? meet(grpc) : SSL_get_error(grpc->ssl, done) == SSL_ERROR_WANT_READ;
		grpc->conn.server->metrics.counter[SD_COUNTER_tls_refused] += !fine && done != 1;
		ERR_clear_error();
		put_sealed(grpc); /* an alert tells the peer why */
	}
	if (!fine)
		sd_grpc_conn_close(grpc, "TLS cannot be agreed on");
	else if (done == 1 && grpc->state < SD_GRPC_CLOSED)
		unseal(grpc);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
	struct sd_grpc_conn *grpc = handle->data;

	*buf = uv_buf_init((char *)grpc->conn.server->read_buffer, SD_READ_BUFFER);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct sd_grpc_conn *grpc = stream->data;

	if (n < 0) {
		sd_grpc_conn_close(grpc, n == UV_EOF ? "the peer closed" : "the peer is gone");
		return;
	}
	if (n == 0 || grpc->state >= SD_GRPC_CLOSING)
		return;
	grpc->heard_ms = uv_now(&grpc->conn.server->loop);
	if (grpc->ssl)
		on_sealed(grpc, (const unsigned char *)buf->base, (size_t)n);
	else
		feed(grpc, (const unsigned char *)buf->base, (size_t)n);
}

bool sd_grpc_io_start(struct sd_grpc_conn *grpc)
{
	return uv_read_start(&grpc->io.stream, on_alloc, on_read) == 0;
}
