#include "loaders_book.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>

#define TENANTS 0xffffu
#define TENANTS_MAX 256u

struct book *book_open(uint32_t budget, int32_t rounds, bool is_shared)
{
	uint32_t waits_max = (uint32_t)rounds * 2;
	size_t bytes = sizeof(struct book) + waits_max * sizeof(struct book_wait);
	struct book *book = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (book == MAP_FAILED)
		return NULL;
	book->budget = budget;
	book->waits_max = waits_max;
	book->is_shared = is_shared;
	atomic_store(&book->rounds_left, rounds);
	return book;
}

void book_trouble(struct book *book, const char *format, ...)
{
	va_list args;

	if (atomic_fetch_add(&book->troubles, 1) != 0)
		return;
	va_start(args, format);
	vsnprintf(book->trouble, sizeof(book->trouble), format, args);
	va_end(args);
}

static uint32_t place_of(struct book *book, uint64_t slot)
{
	uint32_t place = (uint32_t)(slot & 0x3ffffff) >> 2;

	if (place < PLACES_MAX)
		return place;
	book_trouble(book, "slot %llu lies beyond all places", (unsigned long long)slot);
	return 0;
}

static void count_held(struct book *book)
{
	uint32_t held = atomic_fetch_add(&book->held, 1) + 1, most = atomic_load(&book->most_held);

	while (held > most && !atomic_compare_exchange_weak(&book->most_held, &most, held))
		;
	if (held > book->budget)
		book_trouble(book, "%u slots are held, there are %u", held, book->budget);
}

void book_claim(struct book *book, uint32_t loader, uint64_t slot)
{
	_Atomic uint32_t *place = &book->place[place_of(book, slot)];
	uint32_t before = 0, mine = (loader + 1) << 16;

	atomic_store(&book->seat[loader].is_busy, 1);
	if (atomic_compare_exchange_strong(place, &before, mine | 1))
		count_held(book);
	else if (!book->is_shared || (before & ~TENANTS) != mine || (before & TENANTS) >= TENANTS_MAX)
		book_trouble(book, "slot %llu is given to loader %u, and loader %u has it (%u models)", (unsigned long long)slot, loader,
		             (before >> 16) - 1, before & TENANTS);
	else
		atomic_fetch_add(place, 1);
	atomic_store(&book->seat[loader].is_busy, 0);
}

void book_strike(struct book *book, uint32_t loader, uint64_t slot)
{
	_Atomic uint32_t *place = &book->place[place_of(book, slot)];

	atomic_store(&book->seat[loader].is_busy, 1);
	if ((atomic_load(place) & TENANTS) > 1) {
		atomic_fetch_sub(place, 1);
	} else {
		/* First: as soon as the place is free somebody else may be written down there. */
		atomic_fetch_sub(&book->held, 1);
		atomic_store(place, 0);
	}
	atomic_store(&book->seat[loader].is_busy, 0);
}

void book_strike_all(struct book *book, uint32_t loader)
{
	for (uint32_t i = 0; i < PLACES_MAX; i++) {
		if (atomic_load(&book->place[i]) >> 16 != loader + 1)
			continue;
		atomic_fetch_sub(&book->held, 1);
		atomic_store(&book->place[i], 0);
	}
}

void book_add_wait(struct book *book, const struct book_wait *wait)
{
	uint32_t at = atomic_fetch_add(&book->wait_count, 1);

	if (at < book->waits_max)
		book->wait[at] = *wait;
}
