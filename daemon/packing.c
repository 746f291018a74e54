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

static uint8_t put(unsigned char *out, unsigned tag, uint64_t value)
{
	uint8_t n = 0;

	out[n++] = (unsigned char)tag;
	for (; value >= 0x80; value >>= 7)
		out[n++] = (unsigned char)(value | 0x80);
	out[n++] = (unsigned char)value;
	return n;
}

uint8_t sd_put_number(unsigned char *out, unsigned field, uint64_t value)
{
	return value ? put(out, field << 3, value) : 0;
}

uint8_t sd_put_head(unsigned char *out, unsigned field, uint64_t len)
{
	return put(out, field << 3 | 2, len);
}
