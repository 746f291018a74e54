/* library_without.h - a copy of a library that lacks one function. */
#ifndef SD_LIBRARY_WITHOUT_H
#define SD_LIBRARY_WITHOUT_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Spoils the name wherever it stands alone, so that nobody finds it. Returns `path`, to be unlinked. */
static inline const char *library_without(const char *library, const char *name, char *path, size_t cap)
{
	FILE *from = fopen(library, "rb"), *to;
	size_t bytes, length = strlen(name) + 1, spoiled = 0;
	char *all;

	ck_assert_ptr_nonnull(from);
	fseek(from, 0, SEEK_END);
	bytes = (size_t)ftell(from);
	rewind(from);
	all = malloc(bytes);
	ck_assert_ptr_nonnull(all);
	ck_assert_uint_eq(fread(all, 1, bytes, from), bytes);
	fclose(from);
	for (size_t i = 1; i + length <= bytes; i++)
		if (all[i - 1] == '\0' && memcmp(all + i, name, length) == 0) {
			all[i] = '_';
			spoiled++;
		}
	ck_assert_uint_gt(spoiled, 0);
	snprintf(path, cap, "/tmp/streamd-library-XXXXXX");
	to = fdopen(mkstemp(path), "wb");
	ck_assert_ptr_nonnull(to);
	ck_assert_uint_eq(fwrite(all, 1, bytes, to), bytes);
	fclose(to);
	free(all);
	return path;
}

#endif
