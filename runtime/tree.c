#include "tree.h"

static int height(const struct sd_tree_node *node)
{
	return node ? node->height : 0;
}

static void measure(struct sd_tree_node *node)
{
	int left = height(node->left), right = height(node->right);

	node->height = (left > right ? left : right) + 1;
}

static struct sd_tree_node *turn_right(struct sd_tree_node *node)
{
	struct sd_tree_node *up = node->left;

	node->left = up->right;
	up->right = node;
	measure(node);
	measure(up);
	return up;
}

static struct sd_tree_node *turn_left(struct sd_tree_node *node)
{
	struct sd_tree_node *up = node->right;

	node->right = up->left;
	up->left = node;
	measure(node);
	measure(up);
	return up;
}

static struct sd_tree_node *balanced(struct sd_tree_node *node)
{
	int lean = height(node->left) - height(node->right);

	measure(node);
	if (lean > 1) {
		if (height(node->left->left) < height(node->left->right))
			node->left = turn_left(node->left);
		return turn_right(node);
	}
	if (lean < -1) {
		if (height(node->right->right) < height(node->right->left))
			node->right = turn_right(node->right);
		return turn_left(node);
	}
	return node;
}

/* Depth of the recursion: that of the tree, at most 1.44 log2 n. */
static struct sd_tree_node *inserted(struct sd_tree_node *at, struct sd_tree_node *node, sd_tree_compare compare)
{
	if (!at)
		return node;
	if (compare(node, at) < 0)
		at->left = inserted(at->left, node, compare);
	else
		at->right = inserted(at->right, node, compare);
	return balanced(at);
}

void sd_tree_insert(struct sd_tree *tree, struct sd_tree_node *node)
{
	*node = (struct sd_tree_node){ .height = 1 };
	tree->root = inserted(tree->root, node, tree->compare);
}

static struct sd_tree_node *without_first(struct sd_tree_node *at, struct sd_tree_node **first)
{
	if (!at->left) {
		*first = at;
		return at->right;
	}
	at->left = without_first(at->left, first);
	return balanced(at);
}

static struct sd_tree_node *removed(struct sd_tree_node *at, struct sd_tree_node *node, sd_tree_compare compare)
{
	if (at == node) {
		struct sd_tree_node *next;

		if (!at->left || !at->right)
			return at->left ? at->left : at->right;
		at->right = without_first(at->right, &next);
		next->left = at->left;
		next->right = at->right;
		return balanced(next);
	}
	if (compare(node, at) < 0)
		at->left = removed(at->left, node, compare);
	else
		at->right = removed(at->right, node, compare);
	return balanced(at);
}

void sd_tree_remove(struct sd_tree *tree, struct sd_tree_node *node)
{
	tree->root = removed(tree->root, node, tree->compare);
}

struct sd_tree_node *sd_tree_at_least(const struct sd_tree *tree, const struct sd_tree_node *key)
{
	struct sd_tree_node *best = NULL;

	for (struct sd_tree_node *at = tree->root; at;) {
		if (tree->compare(at, key) >= 0) {
			best = at;
			at = at->left;
		} else {
			at = at->right;
		}
	}
	return best;
}

struct sd_tree_node *sd_tree_below(const struct sd_tree *tree, const struct sd_tree_node *key)
{
	struct sd_tree_node *best = NULL;

	for (struct sd_tree_node *at = tree->root; at;) {
		if (tree->compare(at, key) < 0) {
			best = at;
			at = at->right;
		} else {
			at = at->left;
		}
	}
	return best;
}

struct sd_tree_node *sd_tree_above(const struct sd_tree *tree, const struct sd_tree_node *key)
{
	struct sd_tree_node *best = NULL;

	for (struct sd_tree_node *at = tree->root; at;) {
		if (tree->compare(at, key) > 0) {
			best = at;
			at = at->left;
		} else {
			at = at->right;
		}
	}
	return best;
}

struct sd_tree_node *sd_tree_first(const struct sd_tree *tree)
{
	struct sd_tree_node *at = tree->root;

	while (at && at->left)
		at = at->left;
	return at;
}

struct sd_tree_node *sd_tree_last(const struct sd_tree *tree)
{
	struct sd_tree_node *at = tree->root;

	while (at && at->right)
		at = at->right;
	return at;
}
