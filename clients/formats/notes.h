/* notes.h - what a reader of foreign files left out or guessed, in sentences for people. */
#ifndef SD_NOTES_H
#define SD_NOTES_H

#include "base/arena.h"

#define SD_NOTES_MAX 8u

struct sd_notes {
	const char *note[SD_NOTES_MAX]; /* sentences without a stop, in the arena of the read */
	uint32_t count;
};

/* Notes beyond the last that fits are dropped; `notes` may be NULL. */
static inline void sd_note(struct sd_notes *notes, const char *sentence)
{
	if (notes && notes->count < SD_NOTES_MAX)
		notes->note[notes->count++] = sentence;
}

#endif
