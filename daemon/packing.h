/* packing.h - what all small methods do with their messages. */
#ifndef SD_PACKING_H
#define SD_PACKING_H

#include "base/diag.h"
#include "blob.h"
#include "call.h"
#include "streamd.pb-c.h"

/* The bytes of a message; NULL: no memory. */
struct sd_blob *sd_pack(const ProtobufCMessage *message);

/* One field around the bytes of another message, into memory for 11 bytes: a number (left out when 0), or the head of what has
 * `len` bytes. Answers how many bytes were written. */
uint8_t sd_put_number(unsigned char *out, unsigned field, uint64_t value);
uint8_t sd_put_head(unsigned char *out, unsigned field, uint64_t len);

/* protobuf-c's strings are not const, though packing only reads them. */
static inline char *sd_unconst(const char *text)
{
	return (char *)(uintptr_t)text;
}

/* Answers a call with an error of one argument. */
void sd_call_fail_with(struct sd_call *call, enum sd_code code, struct sd_arg arg);

/* Answers a call whose message makes no sense. */
void sd_call_cannot_decode(struct sd_call *call, const char *words);

#endif
