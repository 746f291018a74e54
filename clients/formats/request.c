#include "request.h"

#include "json_message.h"
#include "ge_dump.h"
#include "onnx.h"
#include "proto/graph_codec.h"
#include "request_parts.h"

typedef Streamd__V1__PlanRequest request_t;

static enum sd_status pack(struct sd_arena *mem, const request_t *message, struct sd_text *bytes, struct sd_diag *diag)
{
	size_t len = protobuf_c_message_get_packed_size(&message->base);
	uint8_t *at;

	if (len > UINT32_MAX)
		return SD_FAIL2(diag, SD_CODE_LIMIT_FRAME, SD_NO_NODE, sd_arg_int((int64_t)len), sd_arg_int(UINT32_MAX));
	at = sd_arena_alloc(mem, len);
	if (!at)
		return sd_memory_fail(mem, diag);
	*bytes = (struct sd_text){ (const char *)at, (uint32_t)protobuf_c_message_pack(&message->base, at) };
	return SD_OK;
}

/* ---- what is said beside the request ---- */

static Streamd__V1__Device *device_of(struct sd_arena *mem, request_t *message)
{
	if (!message->device)
		message->device = sd_message_new(mem, &streamd__v1__device__descriptor);
	return message->device;
}

/* Reads `json` over the message that `member` points to, which is made if there is none. */
static enum sd_status read_over(struct sd_json_reader *r, const struct sd_json_path *at, json_t *json,
                                const ProtobufCMessageDescriptor *type, void *member)
{
	ProtobufCMessage **message = member;

	if (!*message)
		*message = sd_message_new(r->mem, type);
	if (!*message)
		return sd_memory_fail(r->mem, r->diag);
	return sd_json_message_read(r, at, json, *message);
}

static enum sd_status lay_over(struct sd_json_reader *r, request_t *message, const struct sd_overlay *overlay)
{
	struct sd_json_path options = sd_json_key(NULL, "options"), device = sd_json_key(NULL, "device");
	struct sd_json_path limits = sd_json_key(&device, "limits");

	if (overlay->options)
		SD_TRY(read_over(r, &options, overlay->options, &streamd__v1__options__descriptor, &message->options));
	if (overlay->device) {
		message->device = NULL;
		SD_TRY(read_over(r, &device, overlay->device, &streamd__v1__device__descriptor, &message->device));
	}
	if (overlay->limits) {
		if (!device_of(r->mem, message))
			return sd_memory_fail(r->mem, r->diag);
		SD_TRY(read_over(r, &limits, overlay->limits, &streamd__v1__limits__descriptor, &message->device->limits));
	}
	return SD_OK;
}

enum sd_status sd_overlay_check(struct sd_arena *mem, const struct sd_overlay *overlay, struct sd_diag *diag)
{
	struct sd_json_reader r = { mem, diag, SD_CODE_BAD_JSON };
	request_t scratch = STREAMD__V1__PLAN_REQUEST__INIT;

	return lay_over(&r, &scratch, overlay);
}

static enum sd_status finish(struct sd_json_reader *r, request_t *message, const struct sd_overlay *overlay, struct sd_text *bytes)
{
	if (overlay)
		SD_TRY(lay_over(r, message, overlay));
	return pack(r->mem, message, bytes, r->diag);
}

/* ---- the kinds ---- */

static enum sd_status from_json(struct sd_json_reader *r, struct sd_text content, const struct sd_overlay *overlay, struct sd_text *bytes)
{
	request_t message = STREAMD__V1__PLAN_REQUEST__INIT;
	enum sd_status status;
	json_t *root;

	SD_TRY(sd_json_load(r, NULL, content, &root));
	status = sd_json_message_read(r, NULL, root, &message.base);
	if (status == SD_OK)
		status = finish(r, &message, overlay, bytes);
	json_decref(root);
	return status;
}

/* What does not decode is handed on as it is: the decoder names what is wrong with it. */
static enum sd_status from_protobuf(struct sd_json_reader *r, struct sd_text content, const struct sd_overlay *overlay, struct sd_text *bytes)
{
	struct sd_counts counts;
	struct sd_request request;
	request_t *message;

	*bytes = content;
	if (!overlay)
		return SD_OK;
	if (sd_request_count(content, &counts, NULL) != SD_OK ||
	    sd_request_decode(r->mem, content, &counts, &request, NULL) == SD_INVALID_ARGUMENT)
		return SD_OK;
	SD_TRY(sd__request_unpack(r->mem, content, &message, r->diag));
	return finish(r, message, overlay, bytes);
}

static enum sd_status from_onnx(struct sd_json_reader *r, struct sd_text content, const struct sd_overlay *overlay, struct sd_text *bytes)
{
	request_t *message;

	SD_TRY(sd_onnx_import(r->mem, content, &message, r->diag));
	return finish(r, message, overlay, bytes);
}

static enum sd_status from_dump(struct sd_json_reader *r, struct sd_text content, const struct sd_overlay *overlay, struct sd_notes *notes,
                                struct sd_text *bytes)
{
	bool trusts_streams = overlay && overlay->trusts_streams;
	request_t *message;

	SD_TRY(sd_ge_dump_import(r->mem, content, &(struct sd_dump_wish){ .trusts_streams = trusts_streams }, &message, notes, r->diag));
	return finish(r, message, overlay, bytes);
}

enum sd_status sd_input_bytes(struct sd_arena *mem, enum sd_input_kind kind, struct sd_text content, const struct sd_overlay *overlay,
                              struct sd_notes *notes, struct sd_text *bytes, struct sd_diag *diag)
{
	struct sd_json_reader r = { mem, diag, SD_CODE_BAD_JSON };

	if (overlay && !overlay->options && !overlay->device && !overlay->limits && !overlay->trusts_streams)
		overlay = NULL;
	switch (kind) {
	case SD_INPUT_PROTOBUF: return from_protobuf(&r, content, overlay, bytes);
	case SD_INPUT_ONNX: return from_onnx(&r, content, overlay, bytes);
	case SD_INPUT_DUMP: return from_dump(&r, content, overlay, notes, bytes);
	case SD_INPUT_JSON: break;
	}
	return from_json(&r, content, overlay, bytes);
}

enum sd_status sd_request_write_json(struct sd_arena *mem, struct sd_text bytes, FILE *file, struct sd_diag *diag)
{
	static const char problem[] = "the file cannot be written";
	struct sd_emitter *out = sd_arena_alloc(mem, sizeof(*out));
	request_t *message;

	if (!out)
		return sd_memory_fail(mem, diag);
	SD_TRY(sd__request_unpack(mem, bytes, &message, diag));
	sd_emit_start(out, file);
	sd_json_message_write(out, &message->base, false);
	sd_emit_raw(out, "\n", 1);
	if (!sd_emit_finish(out))
		return SD_FAIL1(diag, SD_CODE_BROKEN, SD_NO_NODE, sd_arg_words(problem));
	return SD_OK;
}
