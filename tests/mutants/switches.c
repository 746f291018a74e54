#include "switches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUTANT(name, where, breaks) extern bool sd_mutant_##name;
#include "list.h"
#undef MUTANT

#define MUTANT(name, where, breaks) bool sd_mutant_##name;
#include "list.h"
#undef MUTANT

const struct mutant mutants[] = {
#define MUTANT(name, where, breaks) { #name, #where, breaks, &sd_mutant_##name },
#include "list.h"
#undef MUTANT
};
const unsigned mutant_count = sizeof(mutants) / sizeof(mutants[0]);

bool mutant_choose(const char *name)
{
	bool found = !name || !*name;

	for (unsigned i = 0; i < mutant_count; i++) {
		*mutants[i].on = name && strcmp(mutants[i].name, name) == 0;
		found |= *mutants[i].on;
	}
	return found;
}

/* Before main: programs of the tests know nothing of mutants. */
__attribute__((constructor)) static void choose_from_environment(void)
{
	const char *name = getenv("SD_MUTANT");

	if (mutant_choose(name))
		return;
	fprintf(stderr, "SD_MUTANT=%s: there is no such mutant\n", name);
	exit(2);
}
