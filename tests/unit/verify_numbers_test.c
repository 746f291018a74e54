/* verify_numbers_test - numbers that the gears of a Case share, and which command has which sync. */
#include "body_world.h"
#include "run_tests.h"

#define GEARS(attr) "p Relu; c Case p " attr " {t {e; q Relu c\n[t]\nta Relu; tb Relu ta; tc Relu tb\n[e]\nea Relu; eb Relu ea; ec Relu eb"
#define STREAMS "p +0 -5 q | -0 ta +1 -2 tc ea +3 -4 ec +5 | -1 tb +2 -3 eb +4"

START_TEST(gears_share_numbers)
{
	BODY_KEEPS(GEARS("_batch_num=2"), "2:p>c 0:ta>tb 1:tb>tc 0:ea>eb 1:eb>ec 3:c>q", STREAMS);
	BODY_BREAKS(GEARS("_batch_num=2"), "0:p>c 1:ta>tb 2:tb>tc 3:ea>eb 4:eb>ec 5:c>q", STREAMS, DENSE);
	BODY_BREAKS(GEARS("_batch_num=2"), "0:p>c 1:ta>tb 2:tb>tc 1:ea>eb 2:eb>ec 3:c>q", STREAMS, DENSE);
}
END_TEST

START_TEST(other_bodies_do_not)
{
	BODY_KEEPS(GEARS(""), "p>c ta>tb tb>tc ea>eb eb>ec c>q", STREAMS);
	BODY_BREAKS(GEARS(""), "2:p>c 0:ta>tb 1:tb>tc 0:ea>eb 1:eb>ec 3:c>q", STREAMS, DENSE);
}
END_TEST

START_TEST(commands_of_one_number_are_told_apart_by_their_body)
{
	BODY_BREAKS(GEARS("_batch_num=2"), "2:p>c 0:ta>tb 1:tb>tc 0:ea>eb 1:eb>ec 3:c>q",
	            "p +0 -5 q | -0 ta +1 -2 tc ea +1 -4 ec +5 | -1 tb +2 -3 eb +4", COMMAND);
}
END_TEST

RUN_TESTS("verify_numbers", gears_share_numbers, other_bodies_do_not, commands_of_one_number_are_told_apart_by_their_body)
