/* shape.h - what a message may look like, as a table, and the walk that holds bytes to it.
 *
 * Private to proto. A shape has one row for each field number that we know; fields without a
 * row are skipped, as newer clients may send them. The walk allocates nothing, and is as
 * deep as the shapes are nested: no shape contains itself. */
#ifndef SD_SHAPE_H
#define SD_SHAPE_H

#include "wire.h"

enum sd__form {
	SD__UNKNOWN,
	SD__NUMBER,       /* varint; the last one counts */
	SD__NUMBERS,      /* repeated varint, packed or not */
	SD__REAL,         /* double */
	SD__REALS,        /* repeated double, packed or not */
	SD__TEXT,         /* string or bytes, repeated or not */
	SD__MESSAGE,      /* repeated message */
	SD__MESSAGE_ONCE, /* singular message: a second one is refused rather than merged */
};

#define SD__ROWS 23u /* greatest known field number + 1 */

struct sd__shape {
	uint32_t group;          /* fields (1 << number) of which any one makes the message count in... */
	uint8_t group_counter;
	struct {
		uint8_t form;    /* enum sd__form */
		uint8_t counter; /* 1 + place of the uint64_t that counts the items; 0 = not counted */
		const struct sd__shape *shape; /* of messages */
	} row[SD__ROWS];
};

/* Place of a member among the counters, which are a struct of uint64_t. */
#define SD__COUNTER(type, member) (1 + (uint8_t)(offsetof(type, member) / sizeof(uint64_t)))

struct sd__walk {
	uint64_t *counter;      /* [0] sums the bytes of all texts */
	const char *at;         /* the field that is looked at; at the end the first malformed one */
	const char *why;        /* our own words */
};

/* True when `bytes` are a message of that shape; else `walk` tells where and why not. */
bool sd__shape_walk(struct sd__walk *walk, const struct sd__shape *shape, struct sd_text bytes);

#endif
