/* wire_text.h - protobuf messages for tests, written by field number.
 *
 *   1"text"     a string: \" \\ and \xNN escape
 *   2=-5        a varint
 *   3~1.5       a double
 *   4{...}      a message
 *   5[1 2 -3]   a packed list of varints; 5[~1 2.5] of doubles
 *   6%7         a fixed 32-bit number
 *   #0aff       raw bytes, to say what the others cannot
 *   (300 ...)   what stands in the parentheses, so many times
 *
 * wire_text(&mem, "1{2{1\"a\" 2\"Relu\"}}") is a PlanRequest with one node. The text must be
 * right: a mistake in it ends the program. */
#ifndef SD_WIRE_TEXT_H
#define SD_WIRE_TEXT_H

#include "base/arena.h"
#include "base/text.h"

struct sd_text wire_text(struct sd_arena *mem, const char *text);

#endif
