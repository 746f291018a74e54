/* picture.h - what the pictures of a timeline (SVG, HTML) share: engines as classes, times as words, why a node is where it is. */
#ifndef SD_PICTURE_H
#define SD_PICTURE_H

#include "base/arena.h"
#include "emit.h"
#include "timeline.h"

#define SD_TIME_MAX 32 /* bytes of a time in words */

struct sd_picture {
	const struct sd_timeline *timeline;
	uint32_t engine_count, engine_launched; /* the second: of those that launch something */
	const struct sd_text *engine;   /* by class: its name; those that launch something first come first */
	const uint32_t *engine_of;      /* by node of the plan: class */
	const struct sd_text *label;    /* by stream; empty: none */
	const uint32_t *why_first;      /* by node, one more: its explanations in the plan */
};

/* RESOURCE_EXHAUSTED over budget. */
enum sd_status sd_picture_make(struct sd_arena *mem, const struct sd_timeline *timeline, struct sd_picture *picture, struct sd_diag *diag);

/* "12.5 us" with the unit that suits; NUL-terminated. */
const char *sd_time_words(char out[SD_TIME_MAX], int64_t ns);

#endif
