#include "packing.h"

#include "rpc.h"

struct sd_blob *sd_pack(const ProtobufCMessage *message)
{
	struct sd_blob *blob = sd_blob_create(protobuf_c_message_get_packed_size(message));

	if (blob)
		protobuf_c_message_pack(message, blob->data);
	return blob;
}

void sd_call_fail_with(struct sd_call *call, enum sd_code code, struct sd_arg arg)
{
	struct sd_diag diag = { 0 };

	SD_FAIL1(&diag, code, SD_NO_NODE, arg);
	sd_call_fail(call, &diag);
}

void sd_call_cannot_decode(struct sd_call *call, const char *words)
{
	sd_call_fail_with(call, SD_CODE_BAD_FRAME, sd_arg_words(words));
}
