/* counted.h - from where on a counter of instructions looks: what comes before then runs much faster under callgrind
 * (--instr-atstart=no). Does nothing where the header of valgrind is not installed, and outside of it. */
#ifndef COUNTED_H
#define COUNTED_H

#if defined(__has_include)
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif
#endif

static inline void counted_from_here(void)
{
#ifdef CALLGRIND_START_INSTRUMENTATION
	CALLGRIND_START_INSTRUMENTATION;
#endif
}

#endif
