/* grpc.h - the listeners of gRPC: on a Unix socket beside the framed one and, where it is set, on TCP.
 *
 * The handlers are those of the table in rpc.c; what is here and in grpc_*.c is HTTP/2 and gRPC's
 * envelope around them. For the loop thread. */
#ifndef SD_GRPC_H
#define SD_GRPC_H

#include <stdbool.h>
#include <stdint.h>

#include "config.h"
#include "listener.h"

struct sd_server;
struct sd_tls;
struct sd_grpc_conn;
struct sd_grpc_method;
struct nghttp2_option;
struct nghttp2_session_callbacks;

#define SD_GRPC_BUFFER (64u << 10)

struct sd_grpc {
	bool is_begun;
	struct sd_listener on_unix, on_tcp;
	struct nghttp2_session_callbacks *callbacks;
	struct nghttp2_option *option_unix, *option_tcp;
	struct sd_grpc_method *methods;
	uint32_t method_count;
	struct sd_tls *tls; /* NULL: TCP, if any, is in the clear */
	unsigned char *buffer; /* of every connection: what goes out is gathered here */
	struct sd_grpc_conn *dirty; /* connections that have something to send or to settle */
};

/* Whether the settings of gRPC fit together; false: `error` says what is wrong. */
bool sd_grpc_check(const struct sd_config *config, char error[SD_CONFIG_ERROR_MAX]);

/* Opens the listeners. `framed` is where the framed socket is. */
bool sd_grpc_open(struct sd_server *server, const struct sd_socket_place *framed, char error[SD_CONFIG_ERROR_MAX]);

/* Certificates are read again. False: those that were read before stay. */
bool sd_grpc_reload(struct sd_server *server, char error[SD_CONFIG_ERROR_MAX]);

/* Before the loop waits: what was answered goes out. */
void sd_grpc_turn(struct sd_server *server);

/* No new peers. Then, once all connections are gone and the loop has ended, all else. */
void sd_grpc_stop(struct sd_server *server);
void sd_grpc_close(struct sd_server *server);

#endif
