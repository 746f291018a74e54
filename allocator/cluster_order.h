/* cluster_order.h - clusters in a list, each with a rank that tells which of two stands first. */
#ifndef SD_CLUSTER_ORDER_H
#define SD_CLUSTER_ORDER_H

#include "base/arena.h"

struct sd_cluster_order {
	uint32_t count;
	uint64_t *rank;           /* per cluster: above 0, ascending along the list */
	uint32_t *ahead, *behind; /* per cluster: neighbours in the list; index `count` is its head */
};

/* The list 0, 1, ... count - 1. False over budget. */
bool sd_cluster_order_init(struct sd_cluster_order *order, struct sd_arena *mem, uint32_t count);

/* Takes a cluster out of the list. */
void sd_cluster_take(struct sd_cluster_order *order, uint32_t cluster);

/* Puts `cluster`, which is not in the list, in the place of `old`. */
void sd_cluster_replace(struct sd_cluster_order *order, uint32_t old, uint32_t cluster);

/* Moves clusters right in front of `next`, in the order in which they stand; `moved` is
 * sorted that way. `spare` has room for as many. O(count) when the gap in front of `next` is
 * used up, which leaves room for many more moves, else O(moved * log moved). */
void sd_cluster_move(struct sd_cluster_order *order, uint32_t *moved, uint32_t moved_count, uint32_t next, uint32_t *spare);

/* For heaps: the one that stands last is the smallest. `ctx` is the order. */
int sd_cluster_compare_down(const void *ctx, uint32_t a, uint32_t b);

#endif
