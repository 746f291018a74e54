#include "conn.h"

#include <sys/ioctl.h>

#include "rpc.h"
#include "server.h"

#define GLITCHES_MAX 100u /* at once, and */
#define GLITCHES_PER_SECOND 10u

void sd_conn_enlist(struct sd_conn *conn, const struct sd_conn_kind *kind, struct sd_server *server, const struct sd_who *who)
{
	conn->kind = kind;
	conn->server = server;
	conn->uid = who->uid;
	conn->pid = who->pid;
	conn->is_admin = who->is_admin;
	conn->may_lease = who->may_lease;
	conn->glitches_ms = uv_now(&server->loop);
	conn->id = ++server->last_conn_id;
	conn->next = server->conns;
	if (conn->next)
		conn->next->prev = conn;
	server->conns = conn;
	server->conn_count++;
	server->metrics.counter[SD_COUNTER_connections]++;
}

void sd_answer_drop(const struct sd_answer *answer)
{
	sd_blob_release(answer->body);
	sd_blob_release(answer->deflated.blob);
}

void sd_conn_let_go(struct sd_conn *conn)
{
	sd_rpc_abandon(conn);
	sd_lease_drop_conn(conn);
}

void sd_conn_unlist(struct sd_conn *conn)
{
	sd_conn_let_go(conn);
	*(conn->prev ? &conn->prev->next : &conn->server->conns) = conn->next;
	if (conn->next)
		conn->next->prev = conn->prev;
	conn->server->conn_count--;
}

bool sd_conn_has_unread(const uv_handle_t *handle)
{
	int fd, bytes = 0;

	return uv_fileno(handle, &fd) == 0 && ioctl(fd, FIONREAD, &bytes) == 0 && bytes > 0;
}

bool sd_conn_glitch(struct sd_conn *conn)
{
	uint64_t now = uv_now(&conn->server->loop), forgiven = (now - conn->glitches_ms) * GLITCHES_PER_SECOND / 1000;

	conn->server->metrics.counter[SD_COUNTER_glitches]++;
	if (forgiven) {
		conn->glitches -= forgiven < conn->glitches ? (uint32_t)forgiven : conn->glitches;
		conn->glitches_ms = now;
	}
	return ++conn->glitches <= GLITCHES_MAX;
}
