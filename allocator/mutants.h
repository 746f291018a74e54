/* mutants.h - faults for the tests: a build with option `mutants` carries them, and at most one is switched on.
 *
 * SD_MUTANT(name) stands where a rule would be wrong in one line. In every other build it is the constant 0, so that
 * nothing of it is left. With the option it reads a switch that tests/mutants/switches.c defines and sets before main
 * begins; allocator itself chooses nothing. tests/mutants/list.h names all of them and says what each breaks. */
#ifndef SD_MUTANTS_H
#define SD_MUTANTS_H

#ifdef SD_MUTANTS
#include <stdbool.h>
#define SD_MUTANT(name) (__extension__({ extern bool sd_mutant_##name; sd_mutant_##name; }))
#else
#define SD_MUTANT(name) 0
#endif

#endif
