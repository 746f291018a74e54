#include "error.h"

#include "streamd.pb-c.h"
#include "utf8.h"

#define NODE_MAX 512u /* bytes of a name */

/* A text that protobuf takes: what is no UTF-8, and NUL, becomes a question mark. */
static void clean_copy(char *out, size_t cap, const char *at, size_t len)
{
	size_t used = 0;

	for (size_t i = 0; i < len;) {
		size_t n = sd_utf8_length((const unsigned char *)at + i, len - i);
		bool valid = n != 0 && at[i] != '\0';

		n = valid ? n : 1;
		if (used + n >= cap)
			break;
		if (valid)
			memcpy(out + used, at + i, n);
		else
			out[used] = '?';
		used += n;
		i += n;
	}
	out[used] = '\0';
}

struct sd_blob *sd_error_blob(const struct sd_diag *diag, const struct sd_names *names)
{
	Streamd__V1__Error error;
	char raw[SD_MESSAGE_MAX], message[SD_MESSAGE_MAX], node[NODE_MAX + 1] = "";
	struct sd_blob *blob;

	streamd__v1__error__init(&error);
	clean_copy(message, sizeof(message), raw, sd_diag_message(diag, names, raw, sizeof(raw)));
	if (diag->node != SD_NO_NODE && names && names->node) {
		struct sd_text name = names->node(names->of, diag->node);

		clean_copy(node, sizeof(node), name.at, name.len);
	}
	error.code = (char *)(uintptr_t)sd_code_text(diag->code);
	error.status = (char *)(uintptr_t)sd_status_name(sd_code_status(diag->code));
	error.message = message;
	error.node = node;
	error.pass = (char *)(uintptr_t)(diag->pass ? diag->pass : "");
	error.retryable = sd_code_retryable(diag->code);
	error.retry_after_ms = error.retryable ? SD_RETRY_AFTER_MS : 0;
	blob = sd_blob_create(streamd__v1__error__get_packed_size(&error));
	if (blob)
		streamd__v1__error__pack(&error, blob->data);
	return blob;
}
