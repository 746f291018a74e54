/* What each piece of memory was last used by. */
#include <stdlib.h>
#include <string.h>

#include "race_impl.h"

static struct sd__segment *segment_of(struct sd_tree_node *node)
{
	return node ? SD_TREE_OF(node, struct sd__segment, node) : NULL;
}

/* The first segment that ends above an address. */
static struct sd__segment *first_above(const struct sd_race_check *check, uint64_t address)
{
	struct sd__segment key = { .end = address };

	return segment_of(sd_tree_above(&check->memory, &key.node));
}

bool sd__is_known(const struct sd_race_check *check, const struct sd__race_stream *self, struct sd__touch touch)
{
	if (touch.at <= check->host[touch.stream])
		return true;
	return self && (touch.stream == self->number || sd__clock_at(self->known, touch.stream) >= touch.at);
}

static struct sd__segment *add(struct sd_race_check *check, uint64_t begin, uint64_t end)
{
	struct sd__segment *segment = calloc(1, sizeof(*segment));

	if (!segment) {
		check->is_broken = true;
		return NULL;
	}
	segment->begin = begin;
	segment->end = end;
	sd_tree_insert(&check->memory, &segment->node);
	return segment;
}

static void take_out(struct sd_race_check *check, struct sd__segment *segment)
{
	sd_tree_remove(&check->memory, &segment->node);
	free(segment->read);
	free(segment);
}

/* Cuts a segment in two; answers the one in front of `at`. */
static struct sd__segment *cut(struct sd_race_check *check, struct sd__segment *segment, uint64_t at)
{
	struct sd__touch *read = NULL;
	struct sd__segment *front;

	if (segment->read_count > 0) {
		read = malloc(segment->read_count * sizeof(*read));
		if (!read) {
			check->is_broken = true;
			return NULL;
		}
		memcpy(read, segment->read, segment->read_count * sizeof(*read));
	}
	front = add(check, segment->begin, at);
	if (!front) {
		free(read);
		return NULL;
	}
	front->write = segment->write;
	front->is_freed = segment->is_freed;
	front->read = read;
	front->read_count = front->read_cap = segment->read_count;
	segment->begin = at;
	return front;
}

/* Tells of the write, or of what read since, where it may still run. */
static void hold_against(struct sd_race_check *check, const struct sd__race_stream *self, uint32_t task, struct sd__segment *segment,
                         enum sd_race_kind of_write, enum sd_race_kind of_read, bool reads_too)
{
	if (segment->write.at && !sd__is_known(check, self, segment->write))
		sd__race_found(check, of_write, segment->write.task, task, segment->begin, segment->end);
	for (uint32_t i = 0; reads_too && i < segment->read_count; i++) {
		if (!sd__is_known(check, self, segment->read[i]))
			sd__race_found(check, of_read, segment->read[i].task, task, segment->begin, segment->end);
	}
}

static void look(struct sd_race_check *check, const struct sd__race_stream *self, uint32_t task, struct sd__segment *segment, enum sd__use use)
{
	if (segment->is_freed && self)
		sd__race_found(check, SD_RACE_USE_AFTER_FREE, SD__HOST_TASK, task, segment->begin, segment->end);
	switch (use) {
	case SD__READS: hold_against(check, self, task, segment, self ? SD_RACE_RAW : SD_RACE_READ_BEFORE_SYNC, SD_RACE_WAR, false); break;
	case SD__WRITES: hold_against(check, self, task, segment, SD_RACE_WAW, SD_RACE_WAR, true); break;
	case SD__FREES: hold_against(check, self, task, segment, SD_RACE_USE_AFTER_FREE, SD_RACE_USE_AFTER_FREE, true); break;
	case SD__GIVES: break;
	}
}

/* Of reads that are ordered the later one stands for both. */
static void note_read(struct sd_race_check *check, const struct sd__race_stream *self, struct sd__touch touch, struct sd__segment *segment)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < segment->read_count; i++) {
		if (!sd__is_known(check, self, segment->read[i]))
			segment->read[kept++] = segment->read[i];
	}
	segment->read_count = kept;
	if (kept == segment->read_cap) {
		uint32_t cap = kept ? kept * 2 : 2;
		struct sd__touch *larger = realloc(segment->read, cap * sizeof(*larger));

		if (!larger) {
			check->is_broken = true;
			return;
		}
		segment->read = larger;
		segment->read_cap = cap;
	}
	segment->read[segment->read_count++] = touch;
}

/* Notes what was looked at. A write, and what the host does to a block, make one segment of the range: then
 * this one may go. */
static void note(struct sd_race_check *check, const struct sd__race_stream *self, struct sd__touch touch, struct sd__segment *segment,
                 enum sd__use use)
{
	if (use == SD__READS && self) {
		note_read(check, self, touch, segment);
	} else if (use == SD__WRITES && self) {
		segment->write = touch;
		segment->read_count = 0;
	} else if (use == SD__FREES || use == SD__GIVES) {
		segment->is_freed = use == SD__FREES;
	}
}

/* The segment that begins at `at`, made where there is none, cut where it reaches over `end`. */
static struct sd__segment *segment_at(struct sd_race_check *check, uint64_t at, uint64_t end)
{
	struct sd__segment *segment = first_above(check, at);

	if (!segment || segment->begin > at)
		return add(check, at, segment && segment->begin < end ? segment->begin : end);
	if (segment->begin < at && !cut(check, segment, at))
		return NULL;
	return segment->end > end ? cut(check, segment, end) : segment;
}

/* A write makes one segment of all that it covers. */
static struct sd__segment *join(struct sd_race_check *check, struct sd__segment *before, struct sd__segment *segment)
{
	if (!before || before->is_freed != segment->is_freed)
		return segment;
	segment->begin = before->begin;
	take_out(check, before);
	return segment;
}

bool sd__shadow_use(struct sd_race_check *check, const struct sd__race_stream *self, struct sd__touch touch, uint64_t address,
                    uint64_t bytes, enum sd__use use)
{
	uint64_t end = address + bytes < address ? UINT64_MAX : address + bytes;
	struct sd__segment *before = NULL;

	while (address < end) {
		struct sd__segment *segment = segment_at(check, address, end);

		if (!segment)
			return false;
		address = segment->end;
		look(check, self, touch.task, segment, use);
		note(check, self, touch, segment, use);
		if (use == SD__WRITES && self)
			before = join(check, before, segment);
	}
	return !check->is_broken;
}

static bool is_worth_keeping(const struct sd_race_check *check, struct sd__segment *segment)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < segment->read_count; i++) {
		if (!sd__is_known(check, NULL, segment->read[i]))
			segment->read[kept++] = segment->read[i];
	}
	segment->read_count = kept;
	if (segment->write.at && sd__is_known(check, NULL, segment->write))
		segment->write.at = 0;
	return kept > 0 || segment->write.at || segment->is_freed;
}

void sd__shadow_prune(struct sd_race_check *check)
{
	struct sd__segment *segment = first_above(check, 0);

	while (segment) {
		uint64_t end = segment->end;

		if (!is_worth_keeping(check, segment))
			take_out(check, segment);
		segment = first_above(check, end);
	}
}

void sd__shadow_finish(struct sd_race_check *check)
{
	struct sd__segment *segment;

	while ((segment = segment_of(sd_tree_first(&check->memory))) != NULL)
		take_out(check, segment);
}
