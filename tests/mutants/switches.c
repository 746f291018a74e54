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

static const struct {
	const char *name;
	bool *on;
} mutants[] = {
#define MUTANT(name, where, breaks) { #name, &sd_mutant_##name },
#include "list.h"
#undef MUTANT
};

bool mutant_choose(const char *name)
{
	bool found = !name || !*name;

	for (size_t i = 0; i < sizeof(mutants) / sizeof(mutants[0]); i++) {
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
