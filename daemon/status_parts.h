/* status_parts.h - private: between status_text.c and status_pools.c. */
#ifndef SD_STATUS_PARTS_H
#define SD_STATUS_PARTS_H

#include "message_json.h"
#include "server.h"

extern const struct sd_message_style sd__status_style; /* every field, whether it is set or not */

/* Cuts a text to `most` bytes, between characters, and says so with an ellipsis. */
void sd__status_cut(char *text, size_t most);

/* The value of "devices". */
void sd__status_pools(struct sd_emitter *out, const struct sd_server *server);

#endif
