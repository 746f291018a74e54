#include "suggest.h"

#include <stddef.h>
#include <string.h>

#define WORD_MAX 40u /* longer than any key of the schema */

static unsigned least(unsigned a, unsigned b, unsigned c)
{
	unsigned ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* Edit distance, row by row; a swap of neighbours counts as two. */
static unsigned distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	unsigned row[WORD_MAX + 1];

	for (unsigned j = 0; j <= b_len; j++)
		row[j] = j;
	for (unsigned i = 1; i <= a_len; i++) {
		unsigned diagonal = row[0];

		row[0] = i;
		for (unsigned j = 1; j <= b_len; j++) {
			unsigned above = row[j];

			row[j] = least(above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[b_len];
}

const char *sd_suggest(const char *word, const char *(*word_at)(const void *of, unsigned index), const void *of)
{
	size_t len = strlen(word);
	unsigned best = (unsigned)len / 2 + 1;
	const char *found = NULL, *known;

	if (len > WORD_MAX)
		return NULL;
	for (unsigned i = 0; (known = word_at(of, i)) != NULL; i++) {
		size_t known_len = strlen(known);
		unsigned far = known_len <= WORD_MAX ? distance(word, len, known, known_len) : best;

		if (far < best) {
			best = far;
			found = known;
		}
	}
	return found;
}
