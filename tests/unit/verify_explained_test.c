/* verify_explained_test - explanations that speak of what there is not are found; others are nobody's business. */
#include <string.h>

#include "run_tests.h"
#include "world.h"

static struct sd_explanation why[2];

static struct world *explained(void)
{
	static const struct sd_text pass[] = { { "by_label", sizeof("by_label") - 1 } };
	struct world *w = world_make("abcd", "ab ac bd cd", "a!0b?1d|?0c!1", "01");

	why[0] = (struct sd_explanation){ 1, 0, SD_REASON_FOLLOWS, -1, 77, 0, SD_NO_NODE, 0 };
	why[1] = (struct sd_explanation){ 2, 0, SD_REASON_SYNC_DATA, -1, -1, 0, 3, 1 };
	w->plan.explained = true;
	w->plan.pass_name = pass;
	w->plan.pass_count = 1;
	w->plan.explanation = why;
	w->plan.explanation_count = 2;
	return w;
}

#define SPOILED(change)                          \
	do {                                     \
		struct world *w = explained();   \
		change;                          \
		WORLD_BREAKS(w, COUNT);          \
	} while (0)

START_TEST(what_they_say_does_not_matter)
{
	WORLD_KEEPS(explained());
}
END_TEST

START_TEST(what_they_speak_of_must_be_there)
{
	SPOILED(why[0].node = 4);
	SPOILED(why[0].other = 4);
	SPOILED(why[1].through = 4);
	SPOILED(why[0].pass = 1);
	SPOILED(why[0].reason = SD_REASONS);
	SPOILED(why[0].from = -2);
	SPOILED(why[1].to = -2);
	SPOILED(why[1].number = 2);
}
END_TEST

RUN_TESTS("verify_explained", what_they_say_does_not_matter, what_they_speak_of_must_be_there)
