/* session_impl.h - private: a session, and who may touch what of it.
 *
 * While streams are leased, the client belongs to the thread that sends heartbeats, and to nobody else. `lock` guards what
 * both threads look at. */
#ifndef SD_SESSION_IMPL_H
#define SD_SESSION_IMPL_H

#include <pthread.h>

#include "c/client_impl.h"
#include "c/streamd_pool.h"
#include "run/place.h"
#include "streamd/reuse.h"
#include "streamd_session.h"

struct sd_session {
	struct sd_client *client;
	char domain[SD_CLIENT_DOMAIN_MAX];
	bool has_domain;
	uint32_t device, priority;

	/* What was planned; all of it in `mem`. */
	struct sd_arena mem;
	bool is_planned;
	struct sd_request request;
	struct sd_plan plan;

	/* What is leased. */
	bool is_leased;
	struct sd_settings settings;
	struct sd_client_model model;
	struct sd_client_grants grants;
	bool *is_broken;             /* by grant: a run left its stream damaged; owned */
	pthread_t beater;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool stops;                  /* locked */
	bool is_lost;                /* locked */
	struct sd_client_error loss; /* locked */

	/* Where it runs; all is empty before the first run. */
	struct sd_place place;
	struct sd_reuse *reuse;      /* locked where it is set and where heartbeats unbind */
	struct sd_stream_source source;
	uint32_t made_streams;       /* when it was last loaded */
	struct sd_arena run_mem;     /* of the last run */
};

/* Fills an error of the caller's, or nobody's, from a diagnostic about the session's graph. */
enum sd_status sd__session_fail(const struct sd_session *session, const struct sd_diag *diag, struct sd_client_error *error);

/* Whether the lease was lost; `loss` tells how. */
bool sd__session_is_lost(struct sd_session *session, struct sd_client_error *loss);

/* Gives back what is leased, and what was made to run in it; fine if nothing is. Answers what went wrong, or the loss. */
enum sd_status sd__session_give_back(struct sd_session *session, struct sd_client_error *error);

/* What a run chooses where the graph leaves it open: what is leased is counted with the same. */
extern const struct sd_run_options sd__session_choices;

/* Destroys the real streams, and closes their device. */
void sd__session_leave_place(struct sd_session *session);

#endif
