/* tree.h - ordered sets of nodes that lie inside other structures (AVL trees).
 *
 * The caller owns the nodes; nothing here takes memory, so nothing fails. A tree may keep a
 * figure of each subtree (a smallest one, a sum): `refresh` computes it from the node and its
 * children, and is called wherever a subtree changes. O(log n) for all but sd_tree_is_sound. */
#ifndef SD_TREE_H
#define SD_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sd_tree_node {
	struct sd_tree_node *child[2]; /* smaller, larger */
	uint8_t height;
};

struct sd_tree {
	struct sd_tree_node *root;
	/* No two nodes of a tree may compare as equal. */
	int (*compare)(const struct sd_tree_node *a, const struct sd_tree_node *b);
	void (*refresh)(struct sd_tree_node *node); /* NULL: no figure is kept */
};

/* The structure that holds `node` as its member. */
#define SD_TREE_OF(node, type, member) ((type *)((uintptr_t)(node) - offsetof(type, member)))

void sd_tree_insert(struct sd_tree *tree, struct sd_tree_node *node);
void sd_tree_remove(struct sd_tree *tree, struct sd_tree_node *node); /* that is in it */

/* What `refresh` looks at has changed in a node of the tree; its place has not. */
void sd_tree_touch(struct sd_tree *tree, struct sd_tree_node *node);

/* The node that compares as equal to `key`; the smallest one above it; the smallest. NULL: none. */
struct sd_tree_node *sd_tree_find(const struct sd_tree *tree, const struct sd_tree_node *key);
struct sd_tree_node *sd_tree_above(const struct sd_tree *tree, const struct sd_tree_node *key);
struct sd_tree_node *sd_tree_first(const struct sd_tree *tree);

/* True if order and heights are as they must be; for tests. */
bool sd_tree_is_sound(const struct sd_tree *tree);

#endif
