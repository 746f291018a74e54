/* wait_line.h - acquires that wait for streams: who is served next.
 *
 * In the order of (priority, arrival). Whoever stands first is served first: nobody behind is
 * given anything before, however little it asks for, so that a large one is not starved by
 * small ones. */
#ifndef SD_WAIT_LINE_H
#define SD_WAIT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SD_LINE_PRIORITIES 8u /* 0 is the most urgent */

/* Lies inside whatever waits. */
struct sd_line_place {
	struct sd_line_place *prev, *next; /* of the same priority */
	uint32_t priority;
};

struct sd_wait_line {
	struct sd_line_place *first[SD_LINE_PRIORITIES], *last[SD_LINE_PRIORITIES];
	uint32_t count;
};

/* At the end of those with the same priority; a priority out of range counts as the least urgent. */
void sd_wait_line_join(struct sd_wait_line *line, struct sd_line_place *place, uint32_t priority);
void sd_wait_line_leave(struct sd_wait_line *line, struct sd_line_place *place);

/* Who is served next; who comes behind `place`. NULL: nobody. */
struct sd_line_place *sd_wait_line_head(const struct sd_wait_line *line);
struct sd_line_place *sd_wait_line_behind(const struct sd_wait_line *line, const struct sd_line_place *place);

/* Whether somebody who comes now with this priority must let others go first. */
bool sd_wait_line_is_ahead_of(const struct sd_wait_line *line, uint32_t priority);

#endif
