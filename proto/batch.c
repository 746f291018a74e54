#include "batch.h"

#include "wire.h"

#define REQUESTS 1u /* field of PlanBatchRequest */

/* The next request; false at the end, or where `wire` is bad. */
static bool next_item(struct sd_wire *wire, struct sd_text *item)
{
	struct sd_field field;
	const unsigned char *from = wire->at;

	while (sd_wire_next(wire, &field)) {
		if (field.number == REQUESTS && field.type == SD_WIRE_BYTES) {
			*item = field.bytes;
			return true;
		}
		if (field.number == REQUESTS) {
			*wire = (struct sd_wire){ from, from, true };
			return false;
		}
		from = wire->at;
	}
	return false;
}

enum sd_status sd_batch_count(struct sd_text bytes, uint64_t *items, struct sd_diag *diag)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_text item;

	*items = 0;
	while (next_item(&wire, &item))
		++*items;
	if (!wire.bad)
		return SD_OK;
	return SD_FAIL2(diag, SD_CODE_BAD_WIRE, SD_NO_NODE, sd_arg_int((const char *)wire.at - bytes.at), sd_arg_words("it is no PlanBatchRequest"));
}

void sd_batch_split(struct sd_text bytes, struct sd_text *item)
{
	struct sd_wire wire = sd_wire_over(bytes);

	while (next_item(&wire, item))
		item++;
}
