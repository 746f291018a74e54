#include "optype.h"

static const char *const op_text[SD_OP_COUNT] = {
	[SD_OP_OTHER] = "",
#define SD_X(name, text) [SD_OP_##name] = text,
	SD_OP_LIST(SD_X)
#undef SD_X
};

enum sd_op sd_op_find(struct sd_text type)
{
	for (int op = SD_OP_OTHER + 1; op < SD_OP_COUNT; op++) {
		if (sd_text_is(type, op_text[op]))
			return (enum sd_op)op;
	}
	return SD_OP_OTHER;
}

static bool text_holds(struct sd_text text, struct sd_text part)
{
	for (uint32_t at = 0; at + part.len <= text.len; at++) {
		if (memcmp(text.at + at, part.at, part.len) == 0)
			return true;
	}
	return false;
}

bool sd_op_is_functional(struct sd_text type)
{
	switch (sd_op_find(type)) {
	case SD_OP_IF:
	case SD_OP__IF:
	case SD_OP_STATELESS_IF:
	case SD_OP_CASE:
	case SD_OP_STATELESS_CASE:
	case SD_OP_WHILE:
	case SD_OP__WHILE:
	case SD_OP_STATELESS_WHILE:
	case SD_OP_FOR:
		return true;
	default:
		return text_holds(type, SD_TEXT("PartitionedCall"));
	}
}

bool sd_op_copies(struct sd_text type)
{
	return text_holds(type, SD_TEXT("Memcpy"));
}
