/* loaders_book.h - what all processes of loaders.c write down in memory that they share.
 *
 * A slot is written down after it was granted and struck out before it is given back, so that the
 * book never says more than the daemon has given out: if it says more than there is, or the same
 * slot twice, then the daemon gave it. A loader is `busy` while it writes: whoever kills one strikes
 * out what it had, and does not do so in the middle of a line. */
#ifndef SD_LOADERS_BOOK_H
#define SD_LOADERS_BOOK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define LOADERS_MAX 64u
#define PLACES_MAX 8192u /* of slots; a pool uses the lowest that are free */

/* An acquire that was granted, or that waited for all of its time. */
struct book_wait {
	int64_t sent_ns, heard_ns;
	uint32_t waited_ms, priority;
	bool is_granted;
};

struct book_seat { /* of a loader */
	_Atomic uint32_t is_busy;
	_Atomic uint32_t is_leaving; /* it will end by itself: nobody needs to kill it */
};

struct book {
	uint32_t budget, waits_max;
	bool is_shared;              /* models of one loader may hold a slot together */
	_Atomic int32_t rounds_left;
	_Atomic uint32_t held, most_held;
	_Atomic uint32_t place[PLACES_MAX]; /* (loader + 1) << 16 | how many of its models hold it */
	_Atomic uint32_t wait_count;
	_Atomic uint64_t granted, refused, reused, broken, closed;
	struct book_seat seat[LOADERS_MAX];
	_Atomic uint32_t troubles;
	char trouble[512];           /* the first */
	struct book_wait wait[];
};

/* In memory that forked processes share; NULL: there is none. */
struct book *book_open(uint32_t budget, int32_t rounds, bool is_shared);

/* Something is wrong. Only the first is kept. */
__attribute__((format(printf, 2, 3)))
void book_trouble(struct book *book, const char *format, ...);

/* The loader holds the slot; it held it, and is about to give it back. */
void book_claim(struct book *book, uint32_t loader, uint64_t slot);
void book_strike(struct book *book, uint32_t loader, uint64_t slot);

/* Strikes out all of a loader that does not run any more, or is about to end. */
void book_strike_all(struct book *book, uint32_t loader);

void book_add_wait(struct book *book, const struct book_wait *wait);

#endif
