/* tree.h - a balanced tree (AVL) of nodes that lie in the caller's objects.
 *
 * No two nodes compare as equal, so that the order does not depend on how the tree was filled.
 * Everything but a walk over all is O(log n), and nothing is allocated. */
#ifndef SD_TREE_H
#define SD_TREE_H

#include <stddef.h>
#include <stdint.h>

struct sd_tree_node {
	struct sd_tree_node *left, *right;
	int height;
};

/* <0, 0, >0; `a` and `b` are nodes of one tree, or a node like them that is searched for. */
typedef int (*sd_tree_compare)(const struct sd_tree_node *a, const struct sd_tree_node *b);

struct sd_tree {
	struct sd_tree_node *root;
	sd_tree_compare compare;
};

/* The object of type `type` whose member `member` is the node. */
#define SD_TREE_OF(type, member, node) ((type *)((uintptr_t)(node) - offsetof(type, member)))

void sd_tree_insert(struct sd_tree *tree, struct sd_tree_node *node);
void sd_tree_remove(struct sd_tree *tree, struct sd_tree_node *node); /* it is in the tree */

/* The first node that is not below `key` / the last one that is below; NULL if there is none. */
struct sd_tree_node *sd_tree_at_least(const struct sd_tree *tree, const struct sd_tree_node *key);
struct sd_tree_node *sd_tree_below(const struct sd_tree *tree, const struct sd_tree_node *key);

/* The first one that is above it. */
struct sd_tree_node *sd_tree_above(const struct sd_tree *tree, const struct sd_tree_node *key);

struct sd_tree_node *sd_tree_first(const struct sd_tree *tree);
struct sd_tree_node *sd_tree_last(const struct sd_tree *tree);

#endif
