/* text_message.h - protobuf's text format to protobuf messages, by the messages' own descriptors.
 *
 * Takes what protobuf's printers write and people edit: `field: value`, `field { ... }` and
 * `field < ... >`, lists in brackets, neighbouring strings as one, C escapes, comments, commas
 * and semicolons between fields. Fields that the descriptor does not have are stepped over. An
 * enum's value is read as a word where the descriptor says string. Messages nest at most
 * SD_TEXT_DEPTH deep. */
#ifndef SD_TEXT_MESSAGE_H
#define SD_TEXT_MESSAGE_H

#include <protobuf-c/protobuf-c.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/text.h"

#define SD_TEXT_DEPTH 64u

/* Reads `text` over `message`, all in the arena; strings without escapes are copied, bytes point
 * into `text`. Types that occur are string, bytes, int64, double, bool and messages. INVALID_ARGUMENT
 * (SD0116) with the line and what is wrong there. */
enum sd_status sd_text_message_read(struct sd_arena *mem, struct sd_text text, ProtobufCMessage *message, struct sd_diag *diag);

#endif
