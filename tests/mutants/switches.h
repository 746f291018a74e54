/* switches.h - the mutants of a build with option `mutants`, and which one is on. */
#ifndef SWITCHES_H
#define SWITCHES_H

#include <stdbool.h>

/* Switches on the mutant of this name and all others off; an empty name or NULL: all off. False if there is none. */
bool mutant_choose(const char *name);

#endif
