/* client_impl.h - private: a client, and one call of it. */
#ifndef SD_CLIENT_IMPL_H
#define SD_CLIENT_IMPL_H

#include "base/diag.h"
#include "client_io.h"

struct sd_client {
	struct sd__link link;
	char path[SD_CLIENT_PATH_MAX];
	char name[64], version[64];
	uint32_t connect_ms, attempts;
	uint32_t deadline_ms, deadline_ms_default; /* stated by the caller (0: not), and what counts */
	uint64_t frame_bytes_max;    /* 0: not stated */
	uint64_t last_id, random;
	bool leaving;                /* the daemon said goodbye: connect anew for the next call */
	uint64_t connections;        /* that were made; the last one is the link's */
	uint32_t models;             /* registered on it: while there are any, goodbye is no reason to leave it */
	uint64_t beat_id;            /* of a heartbeat that is not answered yet; 0: none */
	/* Until the caller is told: slots that are no more, leases that were taken away. */
	struct sd__ids {
		uint64_t *id; /* owned */
		size_t count, cap;
	} gone, taken;
};

struct sd__call {
	enum sd_method method;
	const void *body;
	uint32_t body_bytes, deadline_ms;
	int64_t until_ms;
	bool lost;                   /* the connection broke before an answer */
	bool stays;                  /* it is about what belongs to the connection: another one does not help */
	/* How often the models of the connection are kept while the answer is waited for; 0: they are not. */
	uint32_t beat_ms;
	int64_t next_beat_ms;
	sd_client_hear *hear;        /* of answers that are not the last; NULL: there is one only */
	void *hear_arg;
	bool has_heard;
	struct sd_reply *reply;
};

/* What an answer to a call with `hear` was. */
enum sd__heard { SD__HEARD_ONE, SD__HEARD_LAST, SD__HEARD_ENOUGH, SD__HEARD_NONSENSE };
enum sd__heard sd__hear(struct sd__call *call, const unsigned char *body, size_t bytes);

/* One call as `call` says; deadline_ms 0 is the daemon's default. Overwrites call->reply. */
enum sd_status sd__client_call(struct sd_client *client, struct sd__call *call);

/* Connects and greets where that is needed. */
enum sd_status sd__ensure_connected(struct sd_client *client, int64_t until_ms, struct sd_client_error *error);

/* The body of a HeartbeatAnswer that came beside another call. */
void sd__heard_beat(struct sd_client *client, const unsigned char *body, size_t bytes);

/* Fills an error and answers its status. */
enum sd_status sd__tell(struct sd_client_error *error, enum sd_code code, struct sd_arg a, struct sd_arg b);
enum sd_status sd__tell_diag(struct sd_client_error *error, const struct sd_diag *diag, const struct sd_names *names);
enum sd_status sd__tell_unreachable(const struct sd_client *client, struct sd_client_error *error, const char *why);
enum sd_status sd__tell_broken(struct sd_client_error *error, const char *what);
/* The daemon's Error message. */
enum sd_status sd__tell_remote(struct sd_client_error *error, const unsigned char *body, size_t bytes);

#endif
