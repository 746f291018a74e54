/* PlanBatch: several answers to one request, handed on as they come. */
#include "client_impl.h"
#include "proto/wire.h"

/* Fields of PlanBatchAnswer. */
enum { FIELD_INDEX = 1, FIELD_ANSWER = 2, FIELD_ERROR = 3, FIELD_END = 4 };

enum sd__heard sd__hear(struct sd__call *call, const unsigned char *body, size_t bytes)
{
	struct sd_wire wire = sd_wire_over((struct sd_text){ (const char *)body, (uint32_t)bytes });
	struct sd_client_item item = { .status = SD_INTERNAL };
	struct sd_field field;
	bool is_told = false;

	while (sd_wire_next(&wire, &field)) {
		if (field.number == FIELD_END)
			return SD__HEARD_LAST;
		if (field.number == FIELD_INDEX)
			item.index = (uint32_t)field.number_value;
		is_told |= field.number == FIELD_ANSWER || field.number == FIELD_ERROR;
		if (field.number == FIELD_ANSWER) {
			item.status = SD_OK;
			item.answer = (const unsigned char *)field.bytes.at;
			item.answer_bytes = field.bytes.len;
		} else if (field.number == FIELD_ERROR) {
			item.status = sd__tell_remote(&item.error, (const unsigned char *)field.bytes.at, field.bytes.len);
		}
	}
	if (wire.bad || !is_told)
		return SD__HEARD_NONSENSE;
	call->has_heard = true;
	return call->hear(call->hear_arg, &item) ? SD__HEARD_ONE : SD__HEARD_ENOUGH;
}

enum sd_status sd_client_plan_batch(struct sd_client *client, const void *body, size_t body_bytes, uint32_t deadline_ms,
                                    sd_client_hear *hear, void *arg, struct sd_client_error *error)
{
	struct sd_client_error unwanted;
	struct sd_reply reply;
	struct sd__call call = { .method = SD_METHOD_PLAN_BATCH, .body = body, .body_bytes = (uint32_t)body_bytes, .deadline_ms = deadline_ms,
	                         .hear = hear, .hear_arg = arg, .reply = &reply };
	enum sd_status status;

	if (!error)
		error = &unwanted;
	if (body_bytes > UINT32_MAX - SD_FRAME_REST)
		return sd__tell(error, SD_CODE_LIMIT_FRAME, sd_arg_int((int64_t)body_bytes), sd_arg_int(UINT32_MAX - SD_FRAME_REST));
	status = sd__client_call(client, &call);
	*error = reply.error;
	sd_reply_finish(&reply);
	return status;
}
