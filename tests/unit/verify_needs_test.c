/* verify_needs_test - orders that run through nodes not launched, and edges that order nothing. */
#include "run_tests.h"
#include "world.h"

START_TEST(orders_pass_through_nodes_not_launched)
{
	WORLD_KEEPS(world_make("aBc", "aB Bc", "a!0|?0c", "01"));
	WORLD_BREAKS(world_make("aBc", "aB Bc", "a|c", "01"), UNORDERED);
	WORLD_KEEPS(world_make("abCde", "aC bC Cd Ce", "a!0?1d|b!1?0e", "01"));
	WORLD_BREAKS(world_make("abCde", "aC bC Cd Ce", "a!0d|b?0e", "01"), UNORDERED);
	WORLD_BREAKS(world_make("abCDE", "aC bC CD DE EC", "ab", "0"), UNORDERED);
}
END_TEST

START_TEST(edges_into_the_next_turn_order_nothing)
{
	struct world *w = world_make("abn", "ab bn na", "abn", "0");

	w->op_type[2] = 2;
	WORLD_KEEPS(w);
	WORLD_BREAKS(world_make("abn", "ab bn na", "abn", "0"), UNORDERED);
}
END_TEST

RUN_TESTS("verify_needs", orders_pass_through_nodes_not_launched, edges_into_the_next_turn_order_nothing)
