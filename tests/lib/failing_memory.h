/* failing_memory.h - the C library's allocation as the linker wraps it: the k-th call fails, all others do not.
 *
 * For one file of a program that is linked with --wrap for malloc, calloc and realloc. */
#ifndef SD_FAILING_MEMORY_H
#define SD_FAILING_MEMORY_H

#include <stdatomic.h>
#include <stddef.h>

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *at, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *at, size_t bytes);

static atomic_uint calls, fail_at; /* fail_at 0: none fails */

static int fails(void)
{
	return atomic_fetch_add(&calls, 1) + 1 == atomic_load(&fail_at);
}

void *__wrap_malloc(size_t bytes)
{
	return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
	return fails() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *at, size_t bytes)
{
	return fails() ? NULL : __real_realloc(at, bytes);
}

#endif
