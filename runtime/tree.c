#include "tree.h"

#include "base/check.h"

#define DEPTH_MAX 64 /* an AVL tree of 2^32 nodes is 46 deep */

static unsigned height(const struct sd_tree_node *node)
{
	return node ? node->height : 0;
}

static void renew(const struct sd_tree *tree, struct sd_tree_node *node)
{
	unsigned a = height(node->child[0]), b = height(node->child[1]);

	node->height = (uint8_t)(1 + (a > b ? a : b));
	if (tree->refresh)
		tree->refresh(node);
}

/* The child on `side` takes the place of its parent. */
static void rotate(const struct sd_tree *tree, struct sd_tree_node **link, int side)
{
	struct sd_tree_node *down = *link, *up = down->child[side];

	down->child[side] = up->child[!side];
	up->child[!side] = down;
	*link = up;
	renew(tree, down);
	renew(tree, up);
}

static void balance(const struct sd_tree *tree, struct sd_tree_node **link)
{
	struct sd_tree_node *node = *link;
	unsigned a = height(node->child[0]), b = height(node->child[1]);
	int side = b > a;
	struct sd_tree_node *higher = node->child[side];

	if ((a > b ? a - b : b - a) < 2) {
		renew(tree, node);
		return;
	}
	if (height(higher->child[!side]) > height(higher->child[side]))
		rotate(tree, &node->child[side], !side);
	rotate(tree, link, side);
}

/* The way from the root to where a node is: `path` gets the links in front of it. */
struct way {
	struct sd_tree_node **path[DEPTH_MAX];
	unsigned depth;
};

static struct sd_tree_node **go_to(struct sd_tree *tree, const struct sd_tree_node *node, struct way *way)
{
	struct sd_tree_node **link = &tree->root;

	way->depth = 0;
	while (*link && *link != node) {
		SD_REQUIRE(way->depth < DEPTH_MAX);
		way->path[way->depth++] = link;
		link = &(*link)->child[tree->compare(node, *link) > 0];
	}
	return link;
}

static void balance_way(const struct sd_tree *tree, struct way *way)
{
	while (way->depth)
		balance(tree, way->path[--way->depth]);
}

void sd_tree_insert(struct sd_tree *tree, struct sd_tree_node *node)
{
	struct way way;
	struct sd_tree_node **link = go_to(tree, node, &way);

	SD_REQUIRE(!*link);
	*link = node;
	node->child[0] = node->child[1] = NULL;
	renew(tree, node);
	balance_way(tree, &way);
}

/* The smallest node above `node` takes its place; `way` then leads to where that one was. */
static void replace(struct sd_tree_node **link, struct way *way)
{
	struct sd_tree_node *node = *link, **from = &node->child[1], *next;
	unsigned place = way->depth + 1;

	way->path[way->depth++] = link;
	while ((*from)->child[0]) {
		SD_REQUIRE(way->depth < DEPTH_MAX);
		way->path[way->depth++] = from;
		from = &(*from)->child[0];
	}
	next = *from;
	*from = next->child[1];
	next->child[0] = node->child[0];
	next->child[1] = node->child[1];
	*link = next;
	if (place < way->depth)
		way->path[place] = &next->child[1];
}

void sd_tree_remove(struct sd_tree *tree, struct sd_tree_node *node)
{
	struct way way;
	struct sd_tree_node **link = go_to(tree, node, &way);

	SD_REQUIRE(*link == node);
	if (node->child[0] && node->child[1])
		replace(link, &way);
	else
		*link = node->child[0] ? node->child[0] : node->child[1];
	balance_way(tree, &way);
}

void sd_tree_touch(struct sd_tree *tree, struct sd_tree_node *node)
{
	struct way way;
	struct sd_tree_node **link = go_to(tree, node, &way);

	SD_REQUIRE(*link == node);
	renew(tree, node);
	while (way.depth)
		renew(tree, *way.path[--way.depth]);
}

struct sd_tree_node *sd_tree_find(const struct sd_tree *tree, const struct sd_tree_node *key)
{
	struct sd_tree_node *node = tree->root;
	int order;

	while (node && (order = tree->compare(key, node)) != 0)
		node = node->child[order > 0];
	return node;
}

struct sd_tree_node *sd_tree_above(const struct sd_tree *tree, const struct sd_tree_node *key)
{
	struct sd_tree_node *node = tree->root, *best = NULL;

	while (node) {
		bool is_above = tree->compare(key, node) < 0;

		if (is_above)
			best = node;
		node = node->child[!is_above];
	}
	return best;
}

struct sd_tree_node *sd_tree_first(const struct sd_tree *tree)
{
	struct sd_tree_node *node = tree->root;

	while (node && node->child[0])
		node = node->child[0];
	return node;
}

static bool is_sound(const struct sd_tree *tree, const struct sd_tree_node *node)
{
	unsigned a, b;

	if (!node)
		return true;
	a = height(node->child[0]);
	b = height(node->child[1]);
	if (node->height != 1 + (a > b ? a : b) || (a > b ? a - b : b - a) > 1)
		return false;
	for (int side = 0; side < 2; side++) {
		const struct sd_tree_node *child = node->child[side];

		if (child && (tree->compare(child, node) > 0) != side)
			return false;
	}
	return is_sound(tree, node->child[0]) && is_sound(tree, node->child[1]);
}

bool sd_tree_is_sound(const struct sd_tree *tree)
{
	const struct sd_tree_node *last = NULL;

	if (!is_sound(tree, tree->root))
		return false;
	for (const struct sd_tree_node *node = sd_tree_first(tree); node; node = sd_tree_above(tree, node)) {
		if (last && tree->compare(last, node) >= 0)
			return false;
		last = node;
	}
	return true;
}
