/* streamd_session.h - a model from its file to its streams at work: plan, lease, run, give back.
 *
 *     sd_session_open()   connects to the daemon
 *     sd_session_plan()   reads a model and has it planned
 *     sd_session_lease()  leases a stream for each stream of the plan, and the events and notifies
 *     sd_session_run()    runs the plan in these streams, and tells what overlapped
 *     sd_session_close()  gives all of it back
 *
 * in this order; lease and run may be repeated, and so may all from plan on, with another model. What is leased is kept
 * by heartbeats from a thread of the session, until it is given back or the process ends.
 *
 * One thread at a time for each session; nothing is global, and no signal is touched. A function that fails fills
 * `error` (which may be NULL) with what was wrong and what would make it right, in the daemon's words where it was the
 * daemon that refused, and leaves the session as it was before the call, unless it says otherwise. Structs that are
 * filled are the caller's; what they point to is the session's. */
#ifndef STREAMD_SESSION_H
#define STREAMD_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "c/streamd_client.h"

struct sd_session;

/* Zero everywhere is a good choice. */
struct sd_session_options {
	struct sd_client_options client; /* how to connect and to call */
	const char *domain;              /* models of one domain may share real streams; NULL: those of this process */
	uint32_t device;                 /* of the daemon's, from 0: whose streams are leased */
	uint32_t priority;               /* in the line of those who wait for streams: 0 most urgent .. 7 */
};

/* Connects. UNAVAILABLE (SD4010) when no daemon answers there; then *session is NULL. `options` may be NULL. */
enum sd_status sd_session_open(struct sd_session **session, const struct sd_session_options *options, struct sd_client_error *error);

/* ---- planning ---- */

struct sd_session_plan {
	uint32_t nodes;             /* of the request, with its bodies */
	uint32_t streams, events, notifies, syncs;
	bool from_cache;            /* the daemon had the plan already */
};

/* Reads `model` and has it planned: an .onnx model, request JSON, a PlanRequest, a dump of Graph Engine; "-" is standard
 * input. `options` is a JSON object with keys of Options (proto/streamd.proto) that replace those of the model, e.g.
 * {"max_parallel_num": {"AIcoreEngine": 4}}; NULL: none. What was planned before goes, and what was leased is given
 * back first, whatever comes. NOT_FOUND (SD0119): no such file; else what the planner refuses. `plan` may be NULL. */
enum sd_status sd_session_plan(struct sd_session *session, const char *model, const char *options, struct sd_session_plan *plan,
                               struct sd_client_error *error);

/* ---- streams ---- */

struct sd_session_lease {
	uint32_t streams;           /* leased: those of the plan, then those which its collectives use besides */
	uint32_t new_streams;       /* of them, those whose slots never had a stream */
	uint64_t events, notifies;  /* of the plan, and the events by which a run keeps turns of a loop apart */
	uint64_t waited_ms;
};

/* Leases what the plan needs, all of it or nothing; waits in line for at most `wait_ms` where there is too little
 * (0: is refused at once). What was leased before is given back first. RESOURCE_EXHAUSTED: what is short, and who has
 * it. FAILED_PRECONDITION (SD5084): nothing is planned. `lease` may be NULL. */
enum sd_status sd_session_lease(struct sd_session *session, uint32_t wait_ms, struct sd_session_lease *lease, struct sd_client_error *error);

/* ---- runs ---- */

/* A stream of the plan; figures are means over the runs. */
struct sd_session_stream {
	uint64_t slot;              /* of the daemon's pool, in which it ran */
	uint64_t tasks;
	uint64_t busy_ns;           /* while one of its tasks ran */
	uint64_t overlap_ns;        /* of that, while another stream was busy too */
};

struct sd_session_run {
	uint32_t runs;
	uint32_t made_streams;      /* of the real streams, those that were made for this call; the others were in their slots */
	uint64_t edges, orders;     /* of the graph and of the plan, that the runs were held against and kept */
	uint64_t span_ns;           /* of one run, from the first task's begin to the last one's end */
	uint64_t busy_ns;           /* of all streams: what one stream alone would take for the same tasks */
	uint64_t overlap_ns;
	double overlap;             /* what part of busy_ns overlapped, 0 to 1 */
	uint32_t stream_count;
	const struct sd_session_stream *stream; /* until the next call */
};

/* Runs the plan `runs` times (0: 3) in the leased streams, on `device`: "host", the cores of this machine (NULL: that),
 * "sim", a simulated one, "acl" or "cuda", as `streamctl run` takes them; the settings of the runtime hold (`streamctl settings`). A task takes the
 * duration_ns of its node, else 20 us. Real streams are made when they are first run in, and kept in their slots from
 * call to call on the same device. FAILED_PRECONDITION: nothing is leased (SD5084), or the lease was lost meanwhile
 * (SD5085); INVALID_ARGUMENT (SD5013): no such device; INTERNAL (SD5083): an order was not kept. */
enum sd_status sd_session_run(struct sd_session *session, const char *device, uint32_t runs, struct sd_session_run *run, struct sd_client_error *error);

/* ---- ending ---- */

/* Gives everything back, disconnects and frees the session, whatever it answers: the first thing that went wrong on the
 * way, or that the lease had been lost before. NULL is fine. */
enum sd_status sd_session_close(struct sd_session *session, struct sd_client_error *error);

#endif
