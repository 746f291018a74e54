/* daemon_here - a whole daemon in the process of a test, which turns its loop itself, and peers on pairs of sockets.
 *
 * It has its sockets in a folder of its own, logs nothing and serves no HTTP. There is one, and it lasts until the process ends. */
#ifndef SD_DAEMON_HERE_H
#define SD_DAEMON_HERE_H

#include "server.h"

extern struct sd_server daemon_here;

/* Opens it where it is not open yet, with settings `key`, `value`, .., NULL. A wrong one ends the process. */
void daemon_here_open(const char *const *settings);

/* A connection, by gRPC or frames, of one who may hold streams and is no operator; answers the peer's end. */
int daemon_here_connect(bool by_grpc);

/* One turn of the loop; what the peer was answered is read and thrown away, where `reads`. */
void daemon_here_turn(int peer, bool reads);

/* Sends `len` bytes in pieces, with a turn after each, until the daemon hangs up; of one who does not read, until nothing more is taken. */
void daemon_here_talk(int peer, const void *data, size_t len, size_t piece, bool reads);

/* Turns until no job is left and, where the peer reads, no batch. */
void daemon_here_wait_for_jobs(int peer, bool reads);

/* Turns until nothing of any peer is left. What takes too many turns ends the process. */
void daemon_here_settle(void);

#endif
