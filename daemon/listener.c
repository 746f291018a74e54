#include "listener.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/in.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "activation.h"
#include "conn.h"
#include "server.h"
#include "shed.h"

#define ACCEPTS_PER_TICK 16 /* so that a flood of peers leaves time for those that are in */
_Static_assert(SD_SOCKET_PATH_MAX == sizeof(((struct sockaddr_un *)0)->sun_path), "a path that was found fits the address");

#define BACKLOG 512
#define SERVICE_DIRECTORY "/run/streamd"
#define SERVICE_GROUP "streamd"
#define SOCKET_NAME "/streamd.sock"

static bool failed(char error[SD_CONFIG_ERROR_MAX], const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool failed(char error[SD_CONFIG_ERROR_MAX], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error, SD_CONFIG_ERROR_MAX, format, args);
	va_end(args);
	return false;
}

/* ---- where ---- */

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool join(char out[SD_SOCKET_PATH_MAX], const char *a, const char *b)
{
	return (size_t)snprintf(out, SD_SOCKET_PATH_MAX, "%s%s", a, b) < SD_SOCKET_PATH_MAX;
}

bool sd_socket_find(const char *configured, const char *runtime_dir, struct sd_socket_place *place)
{
	memset(place, 0, sizeof(*place));
	if (*configured)
		return join(place->path, configured, "");
	if (runtime_dir && *runtime_dir && is_directory(runtime_dir)) {
		return join(place->directory, runtime_dir, "/streamd") && join(place->path, place->directory, SOCKET_NAME);
	}
	place->is_service = true;
	return join(place->directory, SERVICE_DIRECTORY, "") && join(place->path, SERVICE_DIRECTORY, SOCKET_NAME);
}

bool sd_socket_find_beside(const char *configured, const struct sd_socket_place *beside, const char *name, struct sd_socket_place *place)
{
	const char *slash = strrchr(beside->path, '/');
	char directory[SD_SOCKET_PATH_MAX] = "";

	*place = *beside;
	if (*configured) {
		place->directory[0] = '\0';
		return join(place->path, configured, "");
	}
	if (slash)
		memcpy(directory, beside->path, (size_t)(slash + 1 - beside->path));
	return join(place->path, directory, name);
}

static bool make_directory(const struct sd_socket_place *place, const char *setting, char *error)
{
	const char *path = place->directory;

	if (!*path || is_directory(path))
		return true;
	if (mkdir(path, place->is_service ? 0750 : 0700) == 0)
		return true;
	return failed(error, "%s cannot be created: %s; create it, or say where the socket is to be with %s", path, strerror(errno), setting);
}

/* Root hands the service's socket to the group of those who may use it, where there is one. */
static void give_to_group(const struct sd_socket_place *place)
{
	struct group *group = place->is_service && geteuid() == 0 ? getgrnam(SERVICE_GROUP) : NULL;

	if (group && (chown(place->directory, 0, group->gr_gid) != 0 || chown(place->path, 0, group->gr_gid) != 0))
		fprintf(stderr, "streamd: %s stays without group %s: %s\n", place->path, SERVICE_GROUP, strerror(errno));
}

/* ---- who ---- */

static bool take_lock(struct sd_listener *listener, const char *path, const char *setting, char *error)
{
	char lock[SD_SOCKET_PATH_MAX + 8];

	snprintf(lock, sizeof(lock), "%s.lock", path);
	listener->lock_fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (listener->lock_fd < 0)
		return failed(error, "lock file %s cannot be opened: %s", lock, strerror(errno));
	if (flock(listener->lock_fd, LOCK_EX | LOCK_NB) == 0)
		return true;
	if (errno == EWOULDBLOCK)
		return failed(error, "another streamd serves %s (it holds %s); stop it, or choose another path with %s", path, lock, setting);
	return failed(error, "lock file %s cannot be locked: %s", lock, strerror(errno));
}

/* With the lock held, a socket at the path belongs to nobody alive. */
static bool remove_stale(const char *path, char *error)
{
	struct stat st;

	if (lstat(path, &st) != 0)
		return errno == ENOENT || failed(error, "%s cannot be looked at: %s", path, strerror(errno));
	if (!S_ISSOCK(st.st_mode))
		return failed(error, "%s is there and is no socket; it stays as it is: move it away or choose another path", path);
	return unlink(path) == 0 || failed(error, "%s, left by a daemon that is gone, cannot be removed: %s", path, strerror(errno));
}

/* ---- listening ---- */

static bool take_passed(struct sd_listener *listener)
{
	listener->fd = sd_activation_take(listener->path);
	listener->is_open = listener->is_passed = listener->fd >= 0;
	return listener->is_passed;
}

static void remove_own(const struct sd_listener *listener)
{
	if (*listener->path && !listener->is_passed)
		unlink(listener->path);
}

static bool bind_and_listen(struct sd_listener *listener, const struct sd_socket_place *place, char *error)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	mode_t before;
	bool bound;

	memcpy(address.sun_path, place->path, sizeof(place->path));
	listener->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (listener->fd < 0)
		return failed(error, "no socket can be had: %s", strerror(errno));
	/* Nobody may connect before the mode is right. */
	before = umask(0177);
	bound = bind(listener->fd, (struct sockaddr *)&address, sizeof(address)) == 0;
	umask(before);
	if (!bound)
		return failed(error, "%s cannot be bound: %s", place->path, strerror(errno));
	listener->is_open = true;
	give_to_group(place);
	if (chmod(place->path, place->is_service ? 0660 : 0600) != 0 || listen(listener->fd, BACKLOG) != 0)
		return failed(error, "%s cannot be listened on: %s", place->path, strerror(errno));
	return true;
}

static bool bind_tcp(struct sd_listener *listener, const char *address, uint16_t port, char *error)
{
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} where = { 0 };
	socklen_t len = sizeof(where.v4);
	int on = 1;

	if (uv_ip4_addr(address, port, &where.v4) != 0) {
		len = sizeof(where.v6);
		if (uv_ip6_addr(address, port, &where.v6) != 0)
			return failed(error, "%s is no address of IPv4 or IPv6", address);
	}
	listener->fd = socket(where.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (listener->fd < 0)
		return failed(error, "no socket can be had: %s", strerror(errno));
	setsockopt(listener->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(listener->fd, &where.any, len) != 0 || listen(listener->fd, BACKLOG) != 0)
		return failed(error, "%s port %u cannot be listened on: %s", address, port, strerror(errno));
	listener->is_open = true;
	return true;
}

static void turn_away(struct sd_listener *listener, int fd, const struct sd_diag *why)
{
	listener->server->metrics.counter[SD_COUNTER_connections_refused]++;
	sd_last_errors_add_conn(&listener->server->last_errors, 0, why);
	listener->door->turn_away(listener->server, fd, why);
}

static enum sd_status tell_full(const struct sd_server *server, struct sd_diag *diag)
{
	return SD_FAIL1(diag, SD_CODE_LIMIT_CONNECTIONS, SD_NO_NODE, sd_arg_int(server->conn_count));
}

static enum sd_status check_room(struct sd_server *server, struct sd_diag *diag)
{
	return server->conn_count >= server->connections_max ? tell_full(server, diag) : sd_shed_check_peer(server, diag);
}

#define GROUPS_MAX 256u

/* Whether the peer is in the group that may hold leases, be it its first or another one. */
static bool may_lease(const struct sd_server *server, int fd, gid_t gid)
{
	gid_t group[GROUPS_MAX];
	socklen_t bytes = sizeof(group);

	if (server->lease_gid == SD_ANY_GID || gid == server->lease_gid)
		return true;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, group, &bytes) != 0)
		return false;
	for (size_t i = 0; i < bytes / sizeof(group[0]); i++) {
		if (group[i] == server->lease_gid)
			return true;
	}
	return false;
}

static void admit_peer(struct sd_listener *listener, int fd)
{
	struct sd_server *server = listener->server;
	struct ucred peer = { .uid = UINT32_MAX };
	socklen_t len = sizeof(peer);
	struct sd_diag diag = { 0 };

	if (check_room(server, &diag) != SD_OK) {
		turn_away(listener, fd, &diag);
		return;
	}
	if (!*listener->path) {
		listener->door->let_in(server, fd, NULL);
		return;
	}
	getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len);
	listener->door->let_in(server, fd, &(struct sd_who){ .uid = peer.uid, .pid = peer.pid, .is_admin = peer.uid == 0 || peer.uid == geteuid(),
	                                                     .may_lease = may_lease(server, fd, peer.gid) });
}

/* Without a descriptor the peer would stay in the queue and wake us for ever; so the spare
 * one is used to take it, tell it, and let it go. */
static bool refuse_with_spare(struct sd_listener *listener)
{
	struct sd_diag diag = { 0 };
	int fd;

	if (listener->spare_fd < 0)
		return false;
	tell_full(listener->server, &diag);
	close(listener->spare_fd);
	fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd >= 0)
		turn_away(listener, fd, &diag);
	listener->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return fd >= 0;
}

static void take_peers(struct sd_listener *listener, int most)
{
	for (int i = 0; i < most; i++) {
		int fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0)
			admit_peer(listener, fd);
		else if (errno == EMFILE || errno == ENFILE) {
			if (!refuse_with_spare(listener))
				return;
		} else if (errno != EINTR && errno != ECONNABORTED)
			return;
	}
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
	take_peers(poll->data, ACCEPTS_PER_TICK);
}

static void begin(struct sd_listener *listener, struct sd_server *server, const struct sd_door *door)
{
	*listener = (struct sd_listener){ .server = server, .door = door, .fd = -1, .lock_fd = -1, .spare_fd = -1 };
}

static bool start(struct sd_listener *listener, bool bound)
{
	if (!bound) {
		if (listener->is_open)
			remove_own(listener);
		if (listener->fd >= 0)
			close(listener->fd);
		listener->is_open = false;
		sd_listener_close(listener);
		return false;
	}
	listener->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	listener->poll.data = listener;
	uv_poll_init(&listener->server->loop, &listener->poll, listener->fd);
	uv_poll_start(&listener->poll, UV_READABLE, on_readable);
	return true;
}

bool sd_listener_open(struct sd_listener *listener, struct sd_server *server, const struct sd_socket_place *place,
                      const struct sd_door *door, const char *setting, char error[SD_CONFIG_ERROR_MAX])
{
	begin(listener, server, door);
	memcpy(listener->path, place->path, sizeof(listener->path));
	return start(listener, take_passed(listener) ||
	                       (make_directory(place, setting, error) && take_lock(listener, place->path, setting, error) &&
	                        remove_stale(place->path, error) && bind_and_listen(listener, place, error)));
}

bool sd_listener_open_tcp(struct sd_listener *listener, struct sd_server *server, const char *address, uint16_t port,
                          const struct sd_door *door, char error[SD_CONFIG_ERROR_MAX])
{
	begin(listener, server, door);
	return start(listener, bind_tcp(listener, address, port, error));
}

static void on_poll_closed(uv_handle_t *handle)
{
	close(((struct sd_listener *)handle->data)->fd);
}

void sd_listener_stop(struct sd_listener *listener)
{
	if (!listener->is_open)
		return;
	listener->is_open = false;
	remove_own(listener);
	/* Who connected before that believes to be in: it is told goodbye like all others. In a socket that is passed on it waits
	 * for the next daemon. */
	if (!listener->is_passed)
		take_peers(listener, BACKLOG);
	uv_close((uv_handle_t *)&listener->poll, on_poll_closed);
}

void sd_listener_close(struct sd_listener *listener)
{
	if (listener->lock_fd >= 0)
		close(listener->lock_fd);
	if (listener->spare_fd >= 0)
		close(listener->spare_fd);
	listener->lock_fd = listener->spare_fd = -1;
}
