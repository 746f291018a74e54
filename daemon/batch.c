#include "batch.h"

#include <stdlib.h>
#include <string.h>

#include "call_impl.h"
#include "conn.h"
#include "packing.h"
#include "rpc.h"
#include "server.h"

/* Fields of PlanBatchAnswer. */
enum { FIELD_INDEX = 1, FIELD_ANSWER = 2, FIELD_ERROR = 3 };

struct sd_batch {
	struct sd_batch *prev, *next; /* of the server's, while it has a call */
	struct sd_server *server;
	struct sd_call *call;         /* NULL: it is over, and what still runs for it is in vain */
	struct sd_call *items;        /* those that are open */
	struct sd_batch_parts *parts;
	unsigned char *body;
	uint64_t body_bytes;          /* accounted for */
	uint32_t refs;                /* its call, its items, and whoever is at work on it */
	uint32_t next_item, errors;
	uint32_t jobs;                /* that wait or run */
	uint64_t held_bytes;          /* of those below; a share of its connection's */
	uint32_t held_first, held_count, window;
	struct sd_answer held[];      /* answers that the peer has no room for yet: a ring of `window` */
};

void sd_batch_parts_free(struct sd_batch_parts *parts)
{
	if (parts)
		free(parts->body);
	free(parts);
}

struct sd_conn *sd_batch_conn(const struct sd_batch *batch)
{
	return batch->call ? batch->call->conn : NULL;
}

uint64_t sd_batch_bytes(const struct sd_batch *batch)
{
	return batch->body_bytes;
}

/* ---- life ---- */

static void unlist(struct sd_batch *batch)
{
	struct sd_batches *all = &batch->server->batches;

	*(batch->prev ? &batch->prev->next : &all->first) = batch->next;
	*(batch->next ? &batch->next->prev : &all->last) = batch->prev;
	batch->prev = batch->next = NULL;
	all->count--;
}

static void enlist(struct sd_batch *batch)
{
	struct sd_batches *all = &batch->server->batches;

	batch->prev = all->last;
	*(all->last ? &all->last->next : &all->first) = batch;
	all->last = batch;
	all->count++;
}

static uint64_t bytes_of(const struct sd_answer *answer)
{
	return answer->head_len + (answer->body ? answer->body->len : 0) + answer->tail_len + (answer->deflated.blob ? answer->deflated.blob->len : 0);
}

/* `conn`: NULL where it is gone, too. */
static void drop_held(struct sd_batch *batch, struct sd_conn *conn)
{
	if (conn)
		conn->held_bytes -= batch->held_bytes;
	batch->held_bytes = 0;
	for (; batch->held_count; batch->held_count--) {
		sd_answer_drop(&batch->held[batch->held_first]);
		batch->held_first = (batch->held_first + 1) % batch->window;
	}
}

static void release(struct sd_batch *batch)
{
	if (--batch->refs)
		return;
	batch->server->request_bytes -= batch->body_bytes;
	sd_batch_parts_free(batch->parts);
	free(batch->body);
	free(batch);
}

/* Its call is answered, or wanted no more: what is not done is given up, and only that. */
static void end(struct sd_batch *batch)
{
	struct sd_conn *conn = batch->call->conn;
	struct sd_call *item, *next;

	batch->call = NULL;
	unlist(batch);
	drop_held(batch, conn);
	for (item = batch->items; item; item = next) {
		next = item->conn_next;
		if (item->is_answered)
			continue;
		item->is_answered = true;
		sd__call_let_go(item);
	}
	release(batch);
}

static void on_dropped(struct sd_call *call)
{
	end(call->arg);
}

static uint32_t window_of(const struct sd_server *server)
{
	return server->config.batch_jobs_max ? (uint32_t)server->config.batch_jobs_max : server->jobs.worker_count;
}

/* The bytes of its requests: those of the call, or what was packed in them. */
static void take_body(struct sd_batch *batch, struct sd_call *call)
{
	batch->body_bytes = call->body_bytes;
	if (batch->parts->body) {
		batch->body_bytes = batch->parts->body_bytes;
		batch->server->request_bytes += batch->body_bytes;
		batch->server->request_bytes -= call->body_bytes;
		free(call->body);
	} else {
		batch->body = call->body;
	}
	call->body = NULL;
	call->body_bytes = 0;
}

/* What was packed takes more than it was admitted with. */
static bool has_room(const struct sd_call *call, const struct sd_batch_parts *parts)
{
	const struct sd_server *server = call->server;

	return !parts->body || server->request_bytes - call->body_bytes + parts->body_bytes <= server->config.queue_bytes_max;
}

void sd_batch_begin(struct sd_call *call, struct sd_result *found)
{
	uint32_t window = window_of(call->server);
	struct sd_batch *batch;

	call->job = NULL;
	call->job_next = NULL;
	call->dropped = NULL;
	if (!has_room(call, found->parts)) {
		call->is_answered = true;
		sd_call_fail_with(call, SD_CODE_LIMIT_HELD, sd_arg_int((int64_t)call->server->request_bytes));
		sd__call_free(call);
		return;
	}
	batch = calloc(1, sizeof(*batch) + window * sizeof(batch->held[0]));
	if (!batch) {
		call->is_answered = true;
		sd_call_answer(call, NULL);
		sd__call_free(call);
		return;
	}
	batch->server = call->server;
	batch->call = call;
	batch->parts = found->parts;
	found->parts = NULL;
	batch->refs = 1;
	batch->window = window;
	take_body(batch, call);
	call->dropped = on_dropped;
	call->arg = batch;
	enlist(batch);
	batch->server->batches.is_due = true;
}

/* ---- items ---- */

/* The answer of an item around what its call was told. */
static struct sd_answer wrap(uint32_t index, const struct sd_answer *told)
{
	size_t len = told->body ? (size_t)told->head_len + told->body->len + told->tail_len : 0;
	struct sd_answer out = { .is_part = true, .body = told->body, .deflated = told->deflated, .tail_len = told->tail_len };

	out.head_len = sd_put_number(out.head, FIELD_INDEX, index);
	out.head_len = (uint8_t)(out.head_len + sd_put_head(out.head + out.head_len, told->status == SD_OK ? FIELD_ANSWER : FIELD_ERROR, len));
	memcpy(out.head + out.head_len, told->head, told->head_len);
	out.head_len = (uint8_t)(out.head_len + told->head_len);
	memcpy(out.tail, told->tail, told->tail_len);
	return out;
}

static void keep(struct sd_batch *batch, struct sd_answer answer)
{
	batch->held_bytes += bytes_of(&answer);
	batch->call->conn->held_bytes += bytes_of(&answer);
	batch->held[(batch->held_first + batch->held_count) % batch->window] = answer;
	batch->held_count++;
}

void sd_batch_take(struct sd_call *item, const struct sd_answer *answer)
{
	struct sd_batch *batch = item->batch;

	batch->server->batches.is_due = true;
	batch->errors += answer->status != SD_OK;
	if (batch->call)
		keep(batch, wrap(item->item, answer));
	else
		sd_answer_drop(answer);
}

/* From an answer on, a place in the window is its own until it is sent; before that, its job's. */
void sd_batch_leave(struct sd_call *item)
{
	struct sd_batch *batch = item->batch;

	*(item->conn_prev ? &item->conn_prev->conn_next : &batch->items) = item->conn_next;
	if (item->conn_next)
		item->conn_next->conn_prev = item->conn_prev;
	batch->jobs--;
	batch->server->batches.jobs--;
	batch->server->batches.is_due = true;
	release(batch);
}

static struct sd_call *make_item(struct sd_batch *batch)
{
	struct sd_call *item = malloc(sizeof(*item)), *call = batch->call;
	struct sd_text bytes = batch->parts->item[batch->next_item];

	if (!item)
		return NULL;
	*item = (struct sd_call){ .server = batch->server, .batch = batch, .item = batch->next_item, .rpc = call->rpc, .conn_id = call->conn_id,
	                          .request_id = call->request_id, .pack_above = call->pack_above, .body = (unsigned char *)(uintptr_t)bytes.at, .body_bytes = bytes.len,
	                          .deadline_ms = call->deadline_ms, .arrived_ns = call->arrived_ns };
	item->conn_next = batch->items;
	if (item->conn_next)
		item->conn_next->conn_prev = item;
	batch->items = item;
	batch->refs++;
	batch->jobs++;
	batch->server->batches.jobs++;
	sd__call_open(item);
	return item;
}

/* While the daemon drains, what would have to wait is refused, as a call that waits is; gRPC does what came. */
static bool is_refused(const struct sd_batch *batch)
{
	return sd_server_is_draining(batch->server) && !batch->call->conn->kind->does_what_came;
}

/* False: there is no memory, and the connection is closed. */
static bool begin_item(struct sd_batch *batch)
{
	struct sd_call *item = make_item(batch);
	struct sd_diag diag = { 0 };

	if (!item) {
		batch->call->conn->kind->close(batch->call->conn, "no memory is left");
		return false;
	}
	batch->next_item++;
	if (is_refused(batch))
		SD_FAIL0(&diag, SD_CODE_DRAINING, SD_NO_NODE);
	else if (sd_rpc_submit_item(item, &diag) == SD_OK)
		return true;
	item->is_answered = true;
	sd_call_fail(item, &diag);
	sd__call_free(item);
	return true;
}

/* Whether it may have one more job, or answer that is kept back. */
static bool has_window(const struct sd_batch *batch)
{
	uint32_t open = batch->jobs + batch->held_count;
	uint64_t of_others = batch->call->conn->held_bytes - batch->held_bytes;

	/* While others of its connection keep back much, one after the other: it must go on where its peer does read. */
	return of_others > batch->server->config.owed_bytes_max ? open == 0 : open < batch->window;
}

static bool may_begin(const struct sd_batch *batch)
{
	uint32_t share = (uint32_t)(batch->server->config.queue_jobs_max / SD_BATCH_QUEUE_SHARE);

	return batch->call && batch->next_item < batch->parts->count && has_window(batch) && batch->server->batches.jobs < (share ? share : 1);
}

/* ---- turns ---- */

static void finish(struct sd_batch *batch)
{
	Streamd__V1__PlanBatchAnswer answer;
	Streamd__V1__BatchEnd last;
	struct sd_call *call = batch->call;

	streamd__v1__plan_batch_answer__init(&answer);
	streamd__v1__batch_end__init(&last);
	last.items = batch->parts->count;
	last.errors = batch->errors;
	answer.end = &last;
	/* First, because sending may close the connection, which lets go of what is not answered. */
	call->is_answered = true;
	end(batch);
	sd_call_answer(call, sd_pack(&answer.base));
	sd__call_free(call);
}

/* The others of its connection keep back so much that not even one answer more may come: to wait for their peer would be to wait
 * for ever, where that reads this one first. */
static bool is_shut_out(const struct sd_batch *batch)
{
	return batch->call && batch->next_item < batch->parts->count && batch->jobs + batch->held_count == 0 &&
	       batch->call->conn->held_bytes > batch->server->config.unread_bytes_max;
}

static void refuse(struct sd_batch *batch)
{
	struct sd_call *call = batch->call;
	struct sd_diag diag = { 0 };

	SD_FAIL2(&diag, SD_CODE_LIMIT_UNREAD, SD_NO_NODE, sd_arg_int((int64_t)call->conn->held_bytes), sd_arg_int((int64_t)batch->server->config.unread_bytes_max));
	call->is_answered = true;
	end(batch);
	sd_call_fail(call, &diag);
	sd__call_free(call);
}

/* What was answered goes out as far as the peer has room. */
static void send_held(struct sd_batch *batch)
{
	while (batch->call && batch->held_count && !batch->call->conn->kind->is_full(batch->call)) {
		struct sd_answer answer = batch->held[batch->held_first];

		batch->held_first = (batch->held_first + 1) % batch->window;
		batch->held_count--;
		batch->held_bytes -= bytes_of(&answer);
		batch->call->conn->held_bytes -= bytes_of(&answer);
		sd__call_send(batch->call, &answer);
	}
}

static bool is_done(const struct sd_batch *batch)
{
	return batch->call && batch->next_item == batch->parts->count && batch->jobs == 0 && batch->held_count == 0;
}

/* One step of a batch; true when it began something. It is at the end of the line then. */
static bool step(struct sd_batch *batch)
{
	bool has_begun = false;

	batch->refs++;
	send_held(batch);
	if (is_shut_out(batch)) {
		refuse(batch);
	} else if (is_done(batch)) {
		finish(batch);
	} else if (batch->call) {
		unlist(batch);
		enlist(batch);
		has_begun = may_begin(batch) && begin_item(batch);
	}
	/* Only the peer can say that it has read, and it does so without a word. */
	if (batch->call && batch->held_count)
		batch->server->batches.is_due = true;
	release(batch);
	return has_begun;
}

void sd_batch_turn(struct sd_server *server)
{
	struct sd_batches *all = &server->batches;
	bool has_begun = true;

	if (!all->is_due)
		return;
	all->is_due = false;
	while (has_begun) {
		has_begun = false;
		for (uint32_t left = all->count; left && all->first; left--)
			has_begun |= step(all->first);
	}
}

bool sd_batch_can_send(const struct sd_server *server)
{
	const struct sd_batch *batch = server->batches.is_due ? server->batches.first : NULL;

	while (batch && (!batch->held_count || batch->call->conn->kind->is_full(batch->call)))
		batch = batch->next;
	return batch;
}
