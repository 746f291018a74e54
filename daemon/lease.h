/* lease.h - models of peers and what they hold: bound to a connection and to time.
 *
 * A model is registered by a connection and is nobody else's. It ends with Unload, with its
 * connection, or when it was not heard of for its time; then all its leases, events and notifies
 * go back at once. The counts of connections and users are kept here. For the loop thread. */
#ifndef SD_LEASE_H
#define SD_LEASE_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "devices.h"

struct sd_conn;
struct sd_server;
struct sd_blob;

#define SD_MODEL_NAME_MAX 512u /* bytes, of a domain too */

/* A model as the daemon knows it; `owner` of the pool's. */
struct sd_holder {
	struct sd_server *server;
	struct sd_conn *conn;
	struct sd_holder *prev, *next; /* of the connection */
	struct sd_pool_device *device;
	struct sd_user *user;
	sd_pool_id model; /* the pool's number */
	uint32_t domain;
	uint32_t priority, ttl_ms;
	uint64_t registered_ms, heard_ms;
	uint32_t waiting;      /* its acquires in the line of the device */
	bool is_nameless;      /* made for Reserve without a model */
	uv_timer_t timer;      /* its time runs out, unless it was heard of since */
	char name[];
};

/* Slots that are no more, as on the wire. */
struct sd_gone {
	uint64_t *slot; /* owned */
	size_t count, cap;
};
/* Without memory some are missing: whoever made their streams keeps them longer. */
void sd_gone_add(struct sd_gone *gone, uint64_t slot);
void sd_gone_move(struct sd_gone *to, struct sd_gone *from); /* `from` is empty then */
void sd_gone_finish(struct sd_gone *gone);

/* Answers of acquires that named a token: a connection's last ones. */
#define SD_TOKENS 16u
struct sd_token {
	uint64_t model, token; /* as on the wire; model 0: none */
	struct sd_blob *answer;
};

struct sd_holding { /* of a connection */
	struct sd_holder *first;
	uint32_t models;
	uint64_t streams;
	struct sd_token token[SD_TOKENS];
	uint32_t next_token;
	bool was_used; /* it registered a model */
	/* Until its next heartbeat: leases that an operator took away, and slots that are no more by that. */
	struct sd_gone taken, owed;
};

struct sd_register {
	struct sd_text name, domain; /* an empty domain: the process of the peer */
	uint32_t device, priority, ttl_ms;
	bool is_nameless;
};

/* A new model of the connection. */
enum sd_status sd_lease_register(struct sd_conn *conn, const struct sd_register *ask, struct sd_holder **holder, struct sd_diag *diag);

/* The connection's model with this number of the wire, which is thereby heard of. NOT_FOUND,
 * FAILED_PRECONDITION (it was one), PERMISSION_DENIED (another connection's). */
enum sd_status sd_lease_find_model(struct sd_conn *conn, uint64_t id, struct sd_holder **holder, struct sd_diag *diag);

/* The same whoever it belongs to, and without hearing of it: for operators. */
enum sd_status sd_lease_look_model(struct sd_server *server, uint64_t id, struct sd_holder **holder, struct sd_diag *diag);

/* The same by one of its leases. `was_released`: it was one, and whose is not known any more. */
enum sd_status sd_lease_find(struct sd_conn *conn, uint64_t lease, struct sd_holder **holder, bool *was_released, struct sd_diag *diag);
enum sd_status sd_lease_look(struct sd_server *server, uint64_t lease, struct sd_holder **holder, bool *was_released, struct sd_diag *diag);

/* Gives one lease back. */
enum sd_status sd_lease_release(struct sd_holder *holder, uint64_t lease, bool is_broken, struct sd_gone *gone, struct sd_diag *diag);

/* While others wait nothing is kept idle: gives up the idle slots of the model's domain. */
void sd_lease_give_way(struct sd_holder *holder, struct sd_gone *gone);

/* The model is no more; `gone` may be NULL. Answers how many leases it had. */
uint32_t sd_lease_unload(struct sd_holder *holder, const char *why, struct sd_gone *gone);

/* Whether the model may hold so many streams more. RESOURCE_EXHAUSTED: its user or its connection may not. */
enum sd_status sd_lease_allows(const struct sd_holder *holder, uint64_t streams, struct sd_diag *diag);

/* It holds so many streams more now. */
void sd_lease_count(struct sd_holder *holder, uint32_t streams);

/* It was heard of; all of a connection were. */
void sd_lease_hear(struct sd_holder *holder);
void sd_lease_hear_all(struct sd_conn *conn);

/* The connection is gone, or about to be. */
void sd_lease_drop_conn(struct sd_conn *conn);

static inline uint64_t sd_holder_id(const struct sd_holder *holder)
{
	return sd_id_on_wire(holder->device, holder->model);
}

#endif
