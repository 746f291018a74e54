/* race_story.h - what is fed to a race check, in a few words.
 *
 * Words between blanks; streams are a to z, cells of memory 0 to 9 (64 bytes each), events and notifies 1 to 9:
 *   a:r3 a:w3 a:r3w4   a task that reads and writes cells      a!1 a?1   records event 1, waits for it
 *   a+1 a-1            records notify 1, waits for it           a#  a>b   is held, activates b
 *   a. 1.              the host waits for the stream, the event
 *   hr3 hw3 hf3 hg3    the host reads, writes, frees cell 3, is given it
 *
 * The story must be right: a mistake in it ends the program. */
#ifndef SD_RACE_STORY_H
#define SD_RACE_STORY_H

#include "streamd/race_check.h"

#define STORY_CELL_BYTES 64u

/* Feeds the words; a task's name is its stream's letter and its index. The status is that of the first feed that failed. */
enum sd_status race_story(struct sd_race_check *check, const char *words);

/* "RAW a0>b0 USE_AFTER_FREE_ASYNC a1>host": what a fresh check finds in the story. `out` has room for `cap`. */
void race_found(const char *words, char *out, size_t cap);

#endif
