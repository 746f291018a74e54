#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "client_impl.h"

#define FIRST_PAUSE_MS 20u     /* before a second attempt; doubles */
#define LONGEST_PAUSE_MS 1000u
#define FAREWELL_MS 500        /* how long a call that is given up waits for the daemon's word */

/* ---- calling ---- */

/* Tells the daemon that nobody waits any more. If that cannot be sent at once the connection goes. */
static void withdraw(struct sd_client *client, uint64_t id)
{
	struct sd_frame frame = { .kind = SD_FRAME_CANCEL, .request_id = id };

	sd__link_calm(&client->link);
	if (sd__link_send(&client->link, &frame, NULL, sd__now_ms() + FAREWELL_MS) != SD__SENT)
		sd__link_close(&client->link);
}

static void answer_ping(struct sd_client *client, struct sd_frame frame, const unsigned char *body)
{
	frame.kind = SD_FRAME_PONG;
	if (sd__link_send(&client->link, &frame, body, sd__now_ms() + FAREWELL_MS) != SD__SENT)
		sd__link_close(&client->link);
}

/* A frame that is no answer to the call. */
static void take_other(struct sd_client *client, struct sd_frame frame, const unsigned char *body)
{
	if (frame.kind == SD_FRAME_GOODBYE)
		client->leaving = true;
	if (frame.kind == SD_FRAME_PING)
		answer_ping(client, frame, body);
	if (client->beat_id == 0 || frame.request_id != client->beat_id)
		return;
	if (frame.kind == SD_FRAME_ANSWER)
		sd__heard_beat(client, body, frame.body_bytes);
	if (frame.kind == SD_FRAME_ANSWER || frame.kind == SD_FRAME_ERROR)
		client->beat_id = 0;
}

/* An answer to the call. True when it is the last one, and `status` says how the call ends. */
static bool take_answer(struct sd_client *client, uint64_t id, struct sd__call *call, unsigned char *body, uint32_t bytes, enum sd_status *status)
{
	enum sd__heard heard = call->hear ? sd__hear(call, body, bytes) : SD__HEARD_LAST;

	*status = SD_OK;
	if (heard == SD__HEARD_LAST) {
		call->reply->body = body;
		call->reply->body_bytes = bytes;
		return true;
	}
	free(body);
	if (heard == SD__HEARD_ONE)
		return false;
	withdraw(client, id);
	*status = heard == SD__HEARD_ENOUGH ? sd__tell(&call->reply->error, SD_CODE_CANCELLED, (struct sd_arg){ 0 }, (struct sd_arg){ 0 })
	                                    : sd__tell_broken(&call->reply->error, "the daemon's answer cannot be read");
	return true;
}

/* The frame in the inbox. True when it ends the call. */
static bool take_frame(struct sd_client *client, uint64_t id, struct sd__call *call, enum sd_status *status)
{
	struct sd_frame frame;
	unsigned char *body = sd__link_take(&client->link, &frame);
	bool is_mine = frame.request_id == id;

	if (is_mine && frame.kind == SD_FRAME_ANSWER)
		return take_answer(client, id, call, body, frame.body_bytes, status);
	is_mine = is_mine && frame.kind == SD_FRAME_ERROR;
	if (is_mine)
		*status = sd__tell_remote(&call->reply->error, body, frame.body_bytes);
	else
		take_other(client, frame, body);
	free(body);
	return is_mine;
}

/* Its answer gives something away: whoever gives the call up must know what became of it. */
static bool gives(enum sd_method method)
{
	return method == SD_METHOD_REGISTER_MODEL || method == SD_METHOD_ACQUIRE || method == SD_METHOD_RESERVE;
}

/* Waits a little for the last word about a call that was withdrawn: it may have been granted meanwhile. Without one
 * the connection goes, and what was granted with it. True when the call has an answer after all. */
static bool hear_last_word(struct sd_client *client, uint64_t id, struct sd__call *call, enum sd_status *status)
{
	int64_t until = sd__now_ms() + FAREWELL_MS;

	while (client->link.fd >= 0) {
		enum sd__event event = sd__link_receive(&client->link, until);

		if (event == SD__FRAME && take_frame(client, id, call, status))
			return *status != SD_CANCELLED;
		if (event == SD__WOKEN)
			sd__link_calm(&client->link);
		else if (event != SD__FRAME)
			sd__link_close(&client->link);
	}
	return false;
}

/* The caller does not wait any longer. */
static enum sd_status give_up(struct sd_client *client, uint64_t id, struct sd__call *call, enum sd__event event, bool is_whole)
{
	struct sd_client_error *error = &call->reply->error;
	enum sd_status status;

	/* Half a frame cannot be taken back. */
	if (is_whole)
		withdraw(client, id);
	else
		sd__link_close(&client->link);
	sd__link_calm(&client->link);
	if (gives(call->method) && hear_last_word(client, id, call, &status))
		return status;
	if (event == SD__LATE)
		return sd__tell(error, SD_CODE_DEADLINE, sd_arg_int(call->deadline_ms), (struct sd_arg){ 0 });
	return sd__tell(error, SD_CODE_CANCELLED, (struct sd_arg){ 0 }, (struct sd_arg){ 0 });
}

static enum sd_status end_call(struct sd_client *client, uint64_t id, struct sd__call *call, enum sd__event event, bool is_whole)
{
	if (event == SD__LATE || event == SD__WOKEN)
		return give_up(client, id, call, event, is_whole);
	sd__link_close(&client->link);
	if (event == SD__NO_MEMORY)
		return sd__tell_broken(&call->reply->error, "there is no memory left for the answer");
	call->lost = true;
	return sd__tell_unreachable(client, &call->reply->error, "it hung up before it answered");
}

/* Keeps the models of the connection, and asks which idle streams others wait for: one at a time. */
static enum sd__event send_beat(struct sd_client *client, struct sd__call *call)
{
	struct sd_frame frame = { .method = SD_METHOD_HEARTBEAT, .kind = SD_FRAME_REQUEST };
	enum sd__event event;

	call->next_beat_ms = sd__now_ms() + call->beat_ms;
	if (client->beat_id)
		return SD__SENT;
	frame.request_id = client->beat_id = ++client->last_id;
	event = sd__link_send(&client->link, &frame, NULL, call->until_ms);
	if (event != SD__SENT && event != SD__FRAME)
		return event;
	if (event == SD__FRAME) /* part of it may have gone out */
		sd__link_close(&client->link);
	return SD__SENT;
}

/* The next frame, with heartbeats while there is none. */
static enum sd__event next_frame(struct sd_client *client, struct sd__call *call)
{
	enum sd__event event = SD__SENT;

	while (event == SD__SENT && client->link.fd >= 0) {
		bool is_beating = call->beat_ms && call->next_beat_ms < call->until_ms;

		event = sd__link_receive(&client->link, is_beating ? call->next_beat_ms : call->until_ms);
		if (event == SD__LATE && is_beating)
			event = send_beat(client, call);
	}
	return event == SD__SENT ? SD__LOST : event;
}

/* Reads frames until one ends the call. */
static enum sd_status await(struct sd_client *client, uint64_t id, struct sd__call *call)
{
	enum sd_status status;
	enum sd__event event;

	call->next_beat_ms = sd__now_ms() + call->beat_ms;
	do {
		event = next_frame(client, call);
		if (event == SD__FRAME && take_frame(client, id, call, &status))
			return status;
	} while (event == SD__FRAME);
	return end_call(client, id, call, event, true);
}

/* A frame came in before the request was sent: it says why the daemon does not want it. */
static enum sd_status refused_early(struct sd_client *client, uint64_t id, struct sd__call *call)
{
	enum sd_status status;

	if (!take_frame(client, id, call, &status))
		return end_call(client, id, call, SD__LOST, false);
	sd__link_close(&client->link);
	return status;
}

static enum sd_status attempt(struct sd_client *client, struct sd__call *call)
{
	struct sd_frame frame = { .body_bytes = call->body_bytes, .method = (uint16_t)call->method, .kind = SD_FRAME_REQUEST };
	uint64_t bytes = SD_FRAME_REST + (uint64_t)call->body_bytes;
	enum sd__event event;
	int64_t left;

	call->lost = false;
	call->reply->error = (struct sd_client_error){ 0 };
	if (call->stays && client->link.fd < 0)
		return sd__tell_unreachable(client, &call->reply->error, "the connection is lost, and with it its models and their leases; register anew");
	if (!call->stays)
		SD_TRY(sd__ensure_connected(client, call->until_ms, &call->reply->error));
	if (client->frame_bytes_max && bytes > client->frame_bytes_max)
		return sd__tell(&call->reply->error, SD_CODE_LIMIT_FRAME, sd_arg_int((int64_t)bytes), sd_arg_int((int64_t)client->frame_bytes_max));
	left = call->until_ms - sd__now_ms();
	frame.request_id = ++client->last_id;
	frame.deadline_ms_left = left > 0 ? (uint32_t)left : 1;
	event = sd__link_send(&client->link, &frame, call->body, call->until_ms);
	if (event == SD__SENT)
		return await(client, frame.request_id, call);
	if (event == SD__FRAME)
		return refused_early(client, frame.request_id, call);
	return end_call(client, frame.request_id, call, event, false);
}

static bool may_repeat(enum sd_method method)
{
	switch (method) {
	case SD_METHOD_REPORT: /* it would count twice */
	case SD_METHOD_CACHE_FLUSH:
	case SD_METHOD_DRAIN:
	case SD_METHOD_CANCEL_JOB:
	/* What they name goes with the connection that was lost; what they did there is not known. */
	case SD_METHOD_REGISTER_MODEL:
	case SD_METHOD_ACQUIRE:
	case SD_METHOD_RELEASE:
	case SD_METHOD_UNLOAD:
	case SD_METHOD_RESERVE:
		return false;
	default:
		return true;
	}
}

static uint64_t next_random(struct sd_client *client)
{
	client->random = client->random * 6364136223846793005u + 1442695040888963407u;
	return client->random >> 33;
}

/* Between half of the step and the whole, not below what the daemon asks for. */
static uint32_t pause_ms(struct sd_client *client, uint32_t attempt_number, uint32_t asked_ms)
{
	uint32_t step = FIRST_PAUSE_MS << (attempt_number < 6 ? attempt_number : 6);
	uint32_t chosen;

	if (step > LONGEST_PAUSE_MS)
		step = LONGEST_PAUSE_MS;
	chosen = step / 2 + (uint32_t)(next_random(client) % (step / 2 + 1));
	return chosen > asked_ms ? chosen : asked_ms + chosen / 2;
}

/* Waits before the next attempt; false when the call should end with what it has. */
static bool pause_before(struct sd_client *client, const struct sd__call *call, uint32_t number)
{
	const struct sd_client_error *error = &call->reply->error;
	struct pollfd wake = { client->link.wake, POLLIN, 0 };
	uint32_t ms;

	if (!may_repeat(call->method) || call->has_heard || (call->stays && client->link.fd < 0) || !(error->retryable || call->lost) || number + 1 >= client->attempts)
		return false;
	ms = pause_ms(client, number, error->retry_after_ms);
	if (sd__now_ms() + ms >= call->until_ms)
		return false;
	return poll(&wake, 1, (int)ms) >= 0 || errno == EINTR;
}

enum sd_status sd__client_call(struct sd_client *client, struct sd__call *call)
{
	enum sd_status status;

	*call->reply = (struct sd_reply){ 0 };
	if (call->deadline_ms == 0)
		call->deadline_ms = client->deadline_ms_default;
	call->until_ms = sd__now_ms() + call->deadline_ms;
	for (uint32_t number = 0;; number++) {
		status = attempt(client, call);
		if (status == SD_OK || !pause_before(client, call, number))
			return status;
	}
}

enum sd_status sd_client_call(struct sd_client *client, enum sd_method method, const void *body, size_t body_bytes,
                              uint32_t deadline_ms, struct sd_reply *reply)
{
	struct sd__call call = { .method = method, .body = body, .body_bytes = (uint32_t)body_bytes, .deadline_ms = deadline_ms, .reply = reply };

	if (body_bytes <= UINT32_MAX - SD_FRAME_REST)
		return sd__client_call(client, &call);
	*reply = (struct sd_reply){ 0 };
	return sd__tell(&reply->error, SD_CODE_LIMIT_FRAME, sd_arg_int((int64_t)body_bytes), sd_arg_int(UINT32_MAX - SD_FRAME_REST));
}
