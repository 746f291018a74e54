/* verify_simulation_test - a simulation that is none of its plan is found. */
#include <string.h>

#include "run_tests.h"
#include "world.h"

static struct sd_simulated_stream busy[2];
static struct sd_simulated_launch launch[4];
static struct sd_chain_link link[3];

/* a on stream 0 lets b, there, and c, on stream 1, run; d waits for both. */
static struct world *simulated(void)
{
	struct world *w = world_make("abcd", "ab ac bd cd", "a!0b?1d|?0c!1", "01");

	launch[0] = (struct sd_simulated_launch){ 0, 0, false, 0, 10 };
	launch[1] = (struct sd_simulated_launch){ 1, 0, false, 12, 20 };
	launch[2] = (struct sd_simulated_launch){ 2, 1, false, 14, 30 };
	launch[3] = (struct sd_simulated_launch){ 3, 0, false, 33, 40 };
	busy[0] = (struct sd_simulated_stream){ 25, 6 };
	busy[1] = (struct sd_simulated_stream){ 16, 6 };
	link[0] = (struct sd_chain_link){ 0, SD_LINK_START };
	link[1] = (struct sd_chain_link){ 2, SD_LINK_SYNC };
	link[2] = (struct sd_chain_link){ 3, SD_LINK_SYNC };
	w->plan.simulated = true;
	w->plan.simulation = (struct sd_simulation){ 40, 41, 0, 2, 4, 3, busy, launch, link };
	return w;
}

#define SPOILED(change)                           \
	do {                                      \
		struct world *w = simulated();    \
		change;                           \
		WORLD_BREAKS(w, SIMULATION);      \
	} while (0)

START_TEST(one_that_can_be)
{
	WORLD_KEEPS(simulated());
}
END_TEST

START_TEST(launches_that_cannot_be)
{
	SPOILED(launch[1].node = 4);
	SPOILED(launch[1].stream = 2);
	SPOILED(launch[1].stream = 1);
	SPOILED(launch[1].attached = true);
	SPOILED(launch[1].node = 0);                             /* twice, and b not at all */
	SPOILED(w->plan.simulation.launch_count = 3);
	SPOILED(launch[1].began_ns = 9);                         /* while a runs */
	SPOILED(launch[1].ended_ns = 11);
	SPOILED((launch[2].began_ns = 8, busy[1].busy_ns = 22)); /* before a, which it reads, has ended */
}
END_TEST

START_TEST(figures_that_are_not_those_of_the_launches)
{
	SPOILED(w->plan.simulation.stream_count = 1);
	SPOILED(w->plan.simulation.makespan_ns = 41);
	SPOILED(busy[0].busy_ns = 24);
	SPOILED(busy[1].overlap_ns = 17);
}
END_TEST

START_TEST(chains_that_lead_nowhere)
{
	SPOILED(w->plan.simulation.link_count = 0);
	SPOILED(w->plan.simulation.link_count = 2);
	SPOILED(link[0].reason = SD_LINK_SYNC);
	SPOILED(link[2].reason = SD_LINK_START);
	SPOILED(link[1].launch = 4);
	SPOILED((link[0].launch = 3, link[1].launch = 0));
}
END_TEST

RUN_TESTS("verify_simulation", one_that_can_be, launches_that_cannot_be, figures_that_are_not_those_of_the_launches, chains_that_lead_nowhere)
