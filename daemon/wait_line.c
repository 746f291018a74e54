#include "wait_line.h"

static uint32_t clamp(uint32_t priority)
{
	return priority < SD_LINE_PRIORITIES ? priority : SD_LINE_PRIORITIES - 1;
}

void sd_wait_line_join(struct sd_wait_line *line, struct sd_line_place *place, uint32_t priority)
{
	struct sd_line_place **last = &line->last[clamp(priority)];

	place->priority = clamp(priority);
	place->prev = *last;
	place->next = NULL;
	*(*last ? &(*last)->next : &line->first[place->priority]) = place;
	*last = place;
	line->count++;
}

void sd_wait_line_leave(struct sd_wait_line *line, struct sd_line_place *place)
{
	*(place->prev ? &place->prev->next : &line->first[place->priority]) = place->next;
	*(place->next ? &place->next->prev : &line->last[place->priority]) = place->prev;
	line->count--;
}

static struct sd_line_place *first_from(const struct sd_wait_line *line, uint32_t priority)
{
	for (; priority < SD_LINE_PRIORITIES; priority++) {
		if (line->first[priority])
			return line->first[priority];
	}
	return NULL;
}

struct sd_line_place *sd_wait_line_head(const struct sd_wait_line *line)
{
	return first_from(line, 0);
}

struct sd_line_place *sd_wait_line_behind(const struct sd_wait_line *line, const struct sd_line_place *place)
{
	return place->next ? place->next : first_from(line, place->priority + 1);
}

bool sd_wait_line_is_ahead_of(const struct sd_wait_line *line, uint32_t priority)
{
	const struct sd_line_place *head = sd_wait_line_head(line);

	return head && head->priority <= clamp(priority);
}
