/* tree_test - order, balance and the figure of subtrees, whatever comes and goes. */
#include "run_tests.h"

#include "random.h"
#include "tree.h"

#define ITEMS 700

struct item {
	struct sd_tree_node node;
	int key, value, least; /* least value of its subtree */
	bool is_in;
};

static struct item item[ITEMS];
static int dummy;

#define ITEM_OF(at) SD_TREE_OF(at, struct item, node)

static int compare(const struct sd_tree_node *x, const struct sd_tree_node *y)
{
	return ITEM_OF(x)->key - ITEM_OF(y)->key;
}

static void refresh(struct sd_tree_node *node)
{
	struct item *at = ITEM_OF(node);

	at->least = at->value;
	for (int side = 0; side < 2; side++) {
		if (node->child[side] && ITEM_OF(node->child[side])->least < at->least)
			at->least = ITEM_OF(node->child[side])->least;
	}
}

/* Keys in order, each figure right; how many. */
static int walk(const struct sd_tree_node *node, int *last, int *least)
{
	int count, left = 1 << 30, right = 1 << 30;

	*least = 1 << 30;
	if (!node)
		return 0;
	count = walk(node->child[0], last, &left);
	ck_assert_int_lt(*last, ITEM_OF(node)->key);
	*last = ITEM_OF(node)->key;
	count += 1 + walk(node->child[1], last, &right);
	*least = ITEM_OF(node)->value;
	*least = left < *least ? left : *least;
	*least = right < *least ? right : *least;
	ck_assert_int_eq(*least, ITEM_OF(node)->least);
	return count;
}

static void check(const struct sd_tree *tree, int count)
{
	int last = -1;

	ck_assert_int_eq(walk(tree->root, &last, &dummy), count);
	ck_assert(sd_tree_is_sound(tree));
}

START_TEST(comes_and_goes)
{
	struct sd_tree tree = { .compare = compare, .refresh = refresh };
	uint32_t state = 5;
	int count = 0;

	for (int step = 0; step < 20000; step++) {
		struct item *at = &item[random_below(&state, ITEMS)];

		at->key = (int)(at - item);
		if (at->is_in && random_below(&state, 4) == 0) {
			at->value = (int)random_below(&state, 1000);
			sd_tree_touch(&tree, &at->node);
		} else if (at->is_in) {
			sd_tree_remove(&tree, &at->node);
			at->is_in = false;
			count--;
		} else {
			at->value = (int)random_below(&state, 1000);
			sd_tree_insert(&tree, &at->node);
			at->is_in = true;
			count++;
		}
		if (step % 50 == 0)
			check(&tree, count);
	}
	check(&tree, count);
}
END_TEST

START_TEST(stays_flat)
{
	struct sd_tree tree = { .compare = compare };

	for (int i = 0; i < ITEMS; i++) {
		item[i] = (struct item){ .key = i };
		sd_tree_insert(&tree, &item[i].node);
	}
	ck_assert_int_le(tree.root->height, 14); /* 1.45 times the logarithm of 700 */
	ck_assert(sd_tree_is_sound(&tree));
}
END_TEST

START_TEST(finds)
{
	struct sd_tree tree = { .compare = compare };
	struct item key = { 0 };

	ck_assert_ptr_null(sd_tree_first(&tree));
	ck_assert_ptr_null(sd_tree_last(&tree));
	for (int i = 0; i < 100; i++) {
		item[i] = (struct item){ .key = i * 2 };
		sd_tree_insert(&tree, &item[i].node);
	}
	ck_assert_ptr_eq(sd_tree_first(&tree), &item[0].node);
	ck_assert_ptr_eq(sd_tree_last(&tree), &item[99].node);
	for (key.key = -1; key.key < 199; key.key++) {
		struct sd_tree_node *above = sd_tree_above(&tree, &key.node);

		ck_assert_ptr_eq(sd_tree_find(&tree, &key.node), key.key >= 0 && key.key % 2 == 0 ? &item[key.key / 2].node : NULL);
		ck_assert_ptr_eq(sd_tree_at_least(&tree, &key.node), key.key < 199 ? &item[(key.key + 1) / 2].node : NULL);
		ck_assert_ptr_eq(above, key.key < 198 ? &item[(key.key + 2) / 2].node : NULL);
	}
}
END_TEST

START_TEST(knows_when_it_is_not_sound)
{
	struct sd_tree tree = { .compare = compare };

	for (int i = 0; i < 3; i++) {
		item[i] = (struct item){ .key = i };
		sd_tree_insert(&tree, &item[i].node);
	}
	item[0].key = 7;
	ck_assert(!sd_tree_is_sound(&tree));
	item[0].key = 0;
	tree.root->height = 9;
	ck_assert(!sd_tree_is_sound(&tree));
}
END_TEST

RUN_TESTS("tree", comes_and_goes, stays_flat, finds, knows_when_it_is_not_sound)
