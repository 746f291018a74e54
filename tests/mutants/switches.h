/* switches.h - the mutants of a build with option `mutants`, and which one is on. */
#ifndef SWITCHES_H
#define SWITCHES_H

#include <stdbool.h>

struct mutant {
	const char *name;
	const char *where;  /* pass of the chain, or what it is made of */
	const char *breaks; /* one sentence */
	bool *on;
};

extern const struct mutant mutants[];
extern const unsigned mutant_count;

/* Switches on the mutant of this name and all others off; an empty name or NULL: all off. False if there is none. */
bool mutant_choose(const char *name);

#endif
