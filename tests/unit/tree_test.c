/* tree_test - the balanced tree, beside a sorted array. */
#include "run_tests.h"

#include <stdbool.h>

#include "tree.h"

#define ITEMS 400

struct item {
	int value;
	bool is_in;
	struct sd_tree_node node;
};

static int compare(const struct sd_tree_node *a, const struct sd_tree_node *b)
{
	int x = SD_TREE_OF(const struct item, node, a)->value, y = SD_TREE_OF(const struct item, node, b)->value;

	return (x > y) - (x < y);
}

static struct item item[ITEMS];

/* The nearest item that is in, from `at` on in steps of `by`. */
static struct sd_tree_node *nearest(int at, int by)
{
	for (; at >= 0 && at < ITEMS; at += by) {
		if (item[at].is_in)
			return &item[at].node;
	}
	return NULL;
}

/* Height, or -1 if some node leans. */
static int sound_height(const struct sd_tree_node *node)
{
	int left, right;

	if (!node)
		return 0;
	left = sound_height(node->left);
	right = sound_height(node->right);
	if (left < 0 || right < 0 || left - right > 1 || right - left > 1 || node->height != (left > right ? left : right) + 1)
		return -1;
	return node->height;
}

START_TEST(beside_an_array)
{
	struct sd_tree tree = { .compare = compare };
	unsigned state = 1;

	for (int i = 0; i < ITEMS; i++)
		item[i].value = 2 * i;
	for (int round = 0; round < 20000; round++) {
		int at = (int)((state = state * 1103515245u + 12345u) >> 16) % ITEMS;
		struct item key = { .value = 2 * at + (int)(state >> 8 & 1) };
		int odd = key.value & 1;

		if (item[at].is_in)
			sd_tree_remove(&tree, &item[at].node);
		else
			sd_tree_insert(&tree, &item[at].node);
		item[at].is_in = !item[at].is_in;
		ck_assert_ptr_eq(sd_tree_at_least(&tree, &key.node), nearest(at + odd, 1));
		ck_assert_ptr_eq(sd_tree_above(&tree, &key.node), nearest(at + 1, 1));
		ck_assert_ptr_eq(sd_tree_below(&tree, &key.node), nearest(odd ? at : at - 1, -1));
		ck_assert_ptr_eq(sd_tree_first(&tree), nearest(0, 1));
		ck_assert_ptr_eq(sd_tree_last(&tree), nearest(ITEMS - 1, -1));
		if (round % 64 == 0)
			ck_assert_int_ge(sound_height(tree.root), 0);
	}
}
END_TEST

START_TEST(ordered_input_stays_low)
{
	struct sd_tree tree = { .compare = compare };

	for (int i = 0; i < ITEMS; i++) {
		item[i].value = i;
		sd_tree_insert(&tree, &item[i].node);
	}
	ck_assert_int_le(tree.root->height, 12);
	for (int i = 0; i < ITEMS; i++)
		sd_tree_remove(&tree, &item[i].node);
	ck_assert_ptr_null(tree.root);
}
END_TEST

RUN_TESTS("tree", beside_an_array, ordered_input_stays_low)
