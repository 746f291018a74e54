#include "grpc.h"

#include <nghttp2/nghttp2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grpc_conn.h"
#include "server.h"
#include "tls.h"

#define SOCKET_NAME "grpc.sock"
#define CONTINUATIONS_MAX 16

static bool failed(char error[SD_CONFIG_ERROR_MAX], const char *words)
{
	snprintf(error, SD_CONFIG_ERROR_MAX, "%s", words);
	return false;
}

/* ---- settings ---- */

static bool is_loopback(const char *address)
{
	return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0;
}

bool sd_grpc_check(const struct sd_config *config, char error[SD_CONFIG_ERROR_MAX])
{
	if (!sd_tls_check(config, error))
		return false;
	if (config->grpc_tcp_port && !is_loopback(config->grpc_tcp_address) && !*config->tls_client_ca)
		return failed(error, "grpc.tcp_address is not of this machine alone, so clients must show certificates; set tls.certificate, "
		                     "tls.key and tls.client_ca, or listen on 127.0.0.1");
	return true;
}

/* The limits of nghttp2, each set on purpose: what a peer may make it do without being a call. */
static nghttp2_option *make_option(const struct sd_config *config, bool is_unix)
{
	nghttp2_option *option;

	if (nghttp2_option_new(&option) != 0)
		return NULL;
	nghttp2_option_set_stream_reset_rate_limit(option, config->grpc_resets_max, config->grpc_resets_per_second);
	nghttp2_option_set_max_continuations(option, CONTINUATIONS_MAX);
	nghttp2_option_set_no_closed_streams(option, 1);
	/* Clients on Unix sockets put the path into :authority in ways that its rules forbid; what counts is checked here. */
	if (is_unix)
		nghttp2_option_set_no_http_messaging(option, 1);
	return option;
}

bool sd_grpc_reload(struct sd_server *server, char error[SD_CONFIG_ERROR_MAX])
{
	struct sd_tls *fresh;

	if (!server->config.grpc_tcp_port || !*server->config.tls_certificate)
		return true;
	/* Again, since settings that need a restart stayed as they were: nobody gets in by what the others became. */
	fresh = sd_grpc_check(&server->config, error) ? sd_tls_load(&server->config, error) : NULL;
	if (!fresh)
		return false;
	sd_tls_free(server->grpc.tls);
	server->grpc.tls = fresh;
	return true;
}

/* ---- life ---- */

static const struct sd_door door = { sd_grpc_conn_open, sd_grpc_turn_away };

static bool make_parts(struct sd_server *server)
{
	struct sd_grpc *grpc = &server->grpc;

	grpc->buffer = malloc(SD_GRPC_BUFFER);
	grpc->methods = sd_grpc_methods_make(&grpc->method_count);
	grpc->option_unix = make_option(&server->config, true);
	grpc->option_tcp = make_option(&server->config, false);
	return grpc->buffer && grpc->methods && grpc->option_unix && grpc->option_tcp && sd_grpc_callbacks_make(&grpc->callbacks);
}

static bool open_unix(struct sd_server *server, const struct sd_socket_place *framed, char *error)
{
	struct sd_socket_place place;

	if (!server->config.grpc_unix)
		return true;
	if (!sd_socket_find_beside(server->config.grpc_path, framed, SOCKET_NAME, &place))
		return failed(error, "the path of the gRPC socket is too long for the address of a socket; choose another with --set grpc.path=PATH");
	if (strcmp(place.path, framed->path) == 0)
		return failed(error, "the framed socket and that of gRPC have one path; choose another with --set grpc.path=PATH, or --set grpc.unix=0 for none");
	return sd_listener_open(&server->grpc.on_unix, server, &place, &door, "--set grpc.path=PATH", error);
}

static bool open_tcp(struct sd_server *server, char *error)
{
	const struct sd_config *config = &server->config;

	return !config->grpc_tcp_port || sd_listener_open_tcp(&server->grpc.on_tcp, server, config->grpc_tcp_address,
	                                                      (uint16_t)config->grpc_tcp_port, &door, error);
}

bool sd_grpc_open(struct sd_server *server, const struct sd_socket_place *framed, char error[SD_CONFIG_ERROR_MAX])
{
	server->grpc.is_begun = true;
	server->grpc.on_unix.lock_fd = server->grpc.on_unix.spare_fd = server->grpc.on_tcp.lock_fd = server->grpc.on_tcp.spare_fd = -1;
	if (!make_parts(server))
		failed(error, "no memory is left");
	else if (sd_grpc_reload(server, error) && open_unix(server, framed, error) && open_tcp(server, error))
		return true;
	sd_grpc_stop(server);
	return false;
}

void sd_grpc_turn(struct sd_server *server)
{
	struct sd_grpc_conn *grpc;

	while ((grpc = server->grpc.dirty)) {
		server->grpc.dirty = grpc->dirty_next;
		grpc->is_dirty = false;
		sd_grpc_conn_turn(grpc);
	}
}

void sd_grpc_stop(struct sd_server *server)
{
	sd_listener_stop(&server->grpc.on_unix);
	sd_listener_stop(&server->grpc.on_tcp);
}

void sd_grpc_close(struct sd_server *server)
{
	struct sd_grpc *grpc = &server->grpc;

	if (!grpc->is_begun)
		return;
	sd_listener_close(&grpc->on_unix);
	sd_listener_close(&grpc->on_tcp);
	sd_tls_free(grpc->tls);
	nghttp2_session_callbacks_del(grpc->callbacks);
	nghttp2_option_del(grpc->option_unix);
	nghttp2_option_del(grpc->option_tcp);
	free(grpc->methods);
	free(grpc->buffer);
}
