/* standin_control.h - the functions by which a test steers a stand-in. */
#ifndef SD_STANDIN_CONTROL_H
#define SD_STANDIN_CONTROL_H

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "standin.h"

static inline struct standin_control standin_open(const char *path)
{
	struct standin_control control;
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL), *found;

	if (!library)
		abort();
#define X(name, answer, arguments)                                  \
	found = dlsym(library, #name);                              \
	if (!found)                                                 \
		abort();                                            \
	memcpy(&control.name, &found, sizeof(found));
	STANDIN_CONTROL(X)
#undef X
	return control;
}

#endif
