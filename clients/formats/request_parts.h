/* request_parts.h - private: a request as a message. */
#ifndef SD_REQUEST_PARTS_H
#define SD_REQUEST_PARTS_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"
#include "schema.h"

/* Bytes that sd_request_decode() took, in the arena. */
enum sd_status sd__request_unpack(struct sd_arena *mem, struct sd_text bytes, Streamd__V1__PlanRequest **message, struct sd_diag *diag);

/* The caller's partition: node n goes to list stream[n], below `count`; -1: to none. `name` has the nodes in their order. */
enum sd_status sd__request_set_partition(struct sd_arena *mem, Streamd__V1__PlanRequest *message, const int32_t *stream, char *const *name,
                                         uint32_t node_count, uint32_t count, struct sd_diag *diag);

#endif
