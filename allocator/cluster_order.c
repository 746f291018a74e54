#include "cluster_order.h"

#include "base/merge.h"

#define RANK_CLOSE (1ull << 20) /* between a cluster and one moved in front of it: leaves room for many more */

static void link_before(struct sd_cluster_order *order, uint32_t cluster, uint32_t next)
{
	order->ahead[cluster] = order->ahead[next];
	order->behind[cluster] = next;
	order->behind[order->ahead[next]] = cluster;
	order->ahead[next] = cluster;
}

static void number_all(struct sd_cluster_order *order)
{
	uint64_t rank = 0, step = UINT64_MAX / (order->count + 1ull);

	for (uint32_t c = order->behind[order->count]; c != order->count; c = order->behind[c])
		order->rank[c] = rank += step;
}

bool sd_cluster_order_init(struct sd_cluster_order *order, struct sd_arena *mem, uint32_t count)
{
	*order = (struct sd_cluster_order){
		.count = count, .rank = SD_NEW(mem, uint64_t, count),
		.ahead = SD_NEW(mem, uint32_t, count + 1u), .behind = SD_NEW(mem, uint32_t, count + 1u),
	};
	if (!order->rank || !order->ahead || !order->behind)
		return false;
	order->ahead[count] = order->behind[count] = count;
	for (uint32_t c = 0; c < count; c++)
		link_before(order, c, count);
	number_all(order);
	return true;
}

void sd_cluster_take(struct sd_cluster_order *order, uint32_t cluster)
{
	order->behind[order->ahead[cluster]] = order->behind[cluster];
	order->ahead[order->behind[cluster]] = order->ahead[cluster];
}

void sd_cluster_replace(struct sd_cluster_order *order, uint32_t old, uint32_t cluster)
{
	link_before(order, cluster, old);
	sd_cluster_take(order, old);
	order->rank[cluster] = order->rank[old];
}

static int compare_ranks(const void *ctx, uint32_t a, uint32_t b)
{
	const uint64_t *rank = ((const struct sd_cluster_order *)ctx)->rank;

	return rank[a] < rank[b] ? -1 : rank[a] > rank[b];
}

int sd_cluster_compare_down(const void *ctx, uint32_t a, uint32_t b)
{
	return compare_ranks(ctx, b, a);
}

void sd_cluster_move(struct sd_cluster_order *order, uint32_t *moved, uint32_t moved_count, uint32_t next, uint32_t *spare)
{
	uint64_t low, gap;

	if (moved_count == 0)
		return;
	sd_merge_sort(moved, spare, moved_count, compare_ranks, order);
	for (uint32_t i = 0; i < moved_count; i++) {
		sd_cluster_take(order, moved[i]);
		link_before(order, moved[i], next);
	}
	low = order->ahead[moved[0]] == order->count ? 0 : order->rank[order->ahead[moved[0]]];
	gap = (order->rank[next] - low) / (moved_count + 1ull);
	if (gap == 0) {
		number_all(order);
		return;
	}
	if (gap > RANK_CLOSE)
		gap = RANK_CLOSE;
	for (uint32_t i = 0; i < moved_count; i++)
		order->rank[moved[i]] = low += gap;
}
