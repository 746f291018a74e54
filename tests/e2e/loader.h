/* loader.h - one process of loaders.c. */
#ifndef SD_LOADER_PROCESS_H
#define SD_LOADER_PROCESS_H

#include "loaders_book.h"

#define LOADER_TROUBLE 3 /* exit status: the book tells what */

/* Loads, runs and unloads models until no rounds are left; may kill itself. Answers the exit status. */
int loader_live(struct book *book, const char *socket, uint32_t number, uint32_t seed);

#endif
