/* call_impl.h - between a call's life (call.c) and the methods that run as jobs (rpc.c). */
#ifndef SD_CALL_IMPL_H
#define SD_CALL_IMPL_H

#include "call.h"
#include "conn.h"
#include "jobs.h"

/* How a call ended. */
struct sd__outcome {
	enum sd_status status;
	enum sd_code code;
	enum sd_source source;
	const struct sd_result *result; /* NULL: no job ended with it */
	struct sd_blob *error;          /* what the peer is told; NULL: nothing, or it was not refused */
};

/* Counts and logs the end of a call; once for each. */
void sd__call_record(struct sd_call *call, const struct sd__outcome *end);

/* Tells the peer of the call; a body of NULL closes the connection, as there is no memory. */
void sd__call_send(struct sd_call *call, const struct sd_answer *answer);

/* The call is over for its peer; a job goes on while another call wants it. */
void sd__call_let_go(struct sd_call *call);

/* It is open from here on: counted, and with a timer of its own. */
void sd__call_open(struct sd_call *call);

/* The same, and it hangs on its connection. Takes it off again and frees it. */
void sd__call_attach(struct sd_conn *conn, struct sd_call *call);
void sd__call_free(struct sd_call *call);

#endif
