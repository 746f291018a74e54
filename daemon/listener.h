/* listener.h - a socket that peers come to: where it is, who may own it, and how they are let in.
 *
 * A lock file beside the socket decides who is alive: only its holder may remove a socket
 * that is left over, and a second daemon on the same path refuses to start. */
#ifndef SD_LISTENER_H
#define SD_LISTENER_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "config.h"

struct sd_diag;
struct sd_server;

#define SD_SOCKET_PATH_MAX SD_CONFIG_TEXT_MAX

struct sd_who;

/* What becomes of those who come; both own the socket from there on. */
struct sd_door {
	void (*let_in)(struct sd_server *server, int fd, const struct sd_who *who); /* `who` NULL: by TCP, the kernel knows nothing */
	void (*turn_away)(struct sd_server *server, int fd, const struct sd_diag *why);
};

struct sd_listener {
	struct sd_server *server;
	const struct sd_door *door;
	char path[SD_SOCKET_PATH_MAX]; /* empty: TCP */
	int fd, lock_fd;
	int spare_fd; /* given up for a moment to refuse a peer when no descriptor is left */
	uv_poll_t poll;
	bool is_open;
	bool is_passed; /* by the service manager, which owns the path */
};

/* The path of the socket: as configured, else by the rule for users and services. `creates`
 * tells the directory that may be made for it, NULL if none. False when it does not fit. */
struct sd_socket_place {
	char path[SD_SOCKET_PATH_MAX];
	char directory[SD_SOCKET_PATH_MAX]; /* to be created when missing; empty: none */
	bool is_service;                    /* for a group, not for one user */
};
bool sd_socket_find(const char *configured, const char *runtime_dir, struct sd_socket_place *place);

/* The same for a socket called `name` beside that of `beside`, unless it is configured. */
bool sd_socket_find_beside(const char *configured, const struct sd_socket_place *beside, const char *name, struct sd_socket_place *place);

/* Takes over the socket of that path that the service manager passes, else takes the lock, removes a socket that a dead
 * daemon left, and listens. `setting` is what another path is set with. */
bool sd_listener_open(struct sd_listener *listener, struct sd_server *server, const struct sd_socket_place *place,
                      const struct sd_door *door, const char *setting, char error[SD_CONFIG_ERROR_MAX]);

/* Listens on an address of IPv4 or IPv6. */
bool sd_listener_open_tcp(struct sd_listener *listener, struct sd_server *server, const char *address, uint16_t port,
                          const struct sd_door *door, char error[SD_CONFIG_ERROR_MAX]);

/* The socket is gone from its directory, who had reached it is let in, and then no new peers. May be called again. */
void sd_listener_stop(struct sd_listener *listener);

/* Gives the lock up; after sd_listener_stop. */
void sd_listener_close(struct sd_listener *listener);

#endif
