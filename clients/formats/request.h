/* request.h - requests of any kind that people have, as bytes of a PlanRequest.
 *
 * Four kinds are read: request JSON, a PlanRequest, an ONNX model, a dump of Graph Engine.
 * What comes out is what goes to a daemon or to the decoder, which checks it: nothing here decides
 * whether a graph is valid. All memory is the arena's. */
#ifndef SD_REQUEST_FORMAT_H
#define SD_REQUEST_FORMAT_H

#include <jansson.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/diag.h"
#include "notes.h"

enum sd_input_kind { SD_INPUT_JSON, SD_INPUT_PROTOBUF, SD_INPUT_ONNX, SD_INPUT_DUMP };

/* What is said beside the request and replaces what it says; each may be NULL. Paths in
 * errors begin with options, device or device.limits. The JSON must outlive the call. */
struct sd_overlay {
	json_t *options; /* object: keys of Options */
	json_t *device;  /* object: replaces the request's device */
	json_t *limits;  /* object: keys of Limits, over the device's */
	bool trusts_streams; /* of a dump: the streams that it states are the partition */
};

/* Whether the keys of an overlay are known and its values of their types. */
enum sd_status sd_overlay_check(struct sd_arena *mem, const struct sd_overlay *overlay, struct sd_diag *diag);

/* The whole file, "-" is standard input. NOT_FOUND (SD0119) says why it cannot be read. */
enum sd_status sd_input_read(struct sd_arena *mem, const char *path, struct sd_text *content, struct sd_diag *diag);

/* By the ending of `path` (.json, .pb, .onnx, .txt and .pbtxt for dumps), else by what the content looks like. */
enum sd_input_kind sd_input_kind(const char *path, struct sd_text content);

/* The content as bytes of a PlanRequest; `overlay` and `notes` may be NULL. Bytes that are a PlanRequest
 * already and get no overlay are answered as they are. */
enum sd_status sd_input_bytes(struct sd_arena *mem, enum sd_input_kind kind, struct sd_text content, const struct sd_overlay *overlay,
                              struct sd_notes *notes, struct sd_text *bytes, struct sd_diag *diag);

/* Writes bytes that sd_request_decode() took as request JSON, which reads back as the same request. */
enum sd_status sd_request_write_json(struct sd_arena *mem, struct sd_text bytes, FILE *file, struct sd_diag *diag);

#endif
