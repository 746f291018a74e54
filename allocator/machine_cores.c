#include "machine_internal.h"

#include "base/heap.h"

/* Who has waited longest goes first; of equals the more urgent stream, then the one added first. */
static int compare_waiting(const void *ctx, uint32_t a, uint32_t b)
{
	const struct sd_machine *m = ctx;
	const struct sd__item *x = &m->items.at[a], *y = &m->items.at[b];
	int32_t px = m->streams.at[x->stream].priority, py = m->streams.at[y->stream].priority;

	if (x->ready != y->ready)
		return x->ready < y->ready ? -1 : 1;
	if (px != py)
		return px < py ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void stir(struct sd_machine *m, uint32_t pool)
{
	if (sd_vec_room(m->mem, &m->stirred))
		m->stirred.at[m->stirred.count++] = pool;
	else
		m->is_broken = true;
}

static void queue(struct sd_machine *m, uint32_t pool, uint32_t item)
{
	struct sd__pool *p = &m->pools.at[pool];

	if (!sd_vec_room(m->mem, &p->waiting)) {
		m->is_broken = true;
		return;
	}
	m->items.at[item].pins++;
	sd_heap_push(p->waiting.at, &p->waiting.count, item, compare_waiting, m);
	stir(m, pool);
}

static void leave_front(struct sd_machine *m, uint32_t pool)
{
	struct sd__pool *p = &m->pools.at[pool];

	sd__item_unpin(m, sd_heap_pop(p->waiting.at, &p->waiting.count, compare_waiting, m));
}

/* The first that still waits. */
static uint32_t front(struct sd_machine *m, uint32_t pool)
{
	struct sd__pool *p = &m->pools.at[pool];

	while (p->waiting.count && m->items.at[p->waiting.at[0]].is_over)
		leave_front(m, pool);
	return p->waiting.count ? p->waiting.at[0] : SD__NONE;
}

/* Place of a key in the list of exclusive pools: of the first that is not smaller. */
static uint32_t place_of(const struct sd_machine *m, uint64_t key)
{
	uint32_t low = 0, high = m->by_key.count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (m->pools.at[m->by_key.at[middle]].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t sd__pool_of(struct sd_machine *m, uint64_t exclusive)
{
	uint32_t at = place_of(m, exclusive);

	if (at < m->by_key.count && m->pools.at[m->by_key.at[at]].key == exclusive)
		return m->by_key.at[at];
	if (!sd_vec_room(m->mem, &m->by_key) || !sd_vec_room(m->mem, &m->pools))
		return SD__NONE;
	memmove(m->by_key.at + at + 1, m->by_key.at + at, (m->by_key.count++ - at) * sizeof(*m->by_key.at));
	m->pools.at[m->pools.count] = (struct sd__pool){ .total = 1, .free = 1, .key = exclusive };
	return m->by_key.at[at] = m->pools.count++;
}

static void begin(struct sd_machine *m, uint32_t item)
{
	struct sd__item *it = &m->items.at[item];

	if (!it->has_begun)
		it->began = m->now;
	it->has_begun = true;
}

void sd__work_wants(struct sd_machine *m, uint32_t item)
{
	struct sd__item *it = &m->items.at[item];

	if (it->pool != SD__NONE && !it->has_pool) {
		queue(m, it->pool, item);
		return;
	}
	if (it->left[SD__CUBE] == 0 && it->left[SD__VECTOR] == 0) {
		begin(m, item);
		sd__agenda_add(m, sd__sum(m->now, it->duration), SD__ENDS, item, it->order, NULL);
		return;
	}
	it->is_queued = true;
	for (uint32_t i = 0; i < SD__CORES; i++) {
		if (m->items.at[item].left[i])
			queue(m, i, item);
	}
}

/* A block's duration beside the other works that are on its kind of core. */
static int64_t slowed(const struct sd_machine *m, const struct sd__item *it)
{
	uint64_t factor = 0, permille = m->model.contention_permille;

	for (uint32_t i = 0; i < SD__CORES; i++) {
		uint64_t others = m->pools.at[i].users - (it->held[i] > 0);

		if (it->left[i] && others * permille > factor)
			factor = others * permille;
	}
	factor = factor < 1000000 ? factor : 1000000;
	return sd__sum(it->duration, it->duration / 1000 * (int64_t)factor + it->duration % 1000 * (int64_t)factor / 1000);
}

static void take(struct sd_machine *m, uint32_t item, const uint32_t *amount)
{
	struct sd__item *it = &m->items.at[item];
	int64_t ends = sd__sum(m->now, slowed(m, it));

	begin(m, item);
	for (uint32_t i = 0; i < SD__CORES; i++) {
		m->pools.at[i].free -= amount[i];
		m->pools.at[i].users += amount[i] && !it->held[i];
		it->held[i] += amount[i];
		it->left[i] -= amount[i];
	}
	sd__agenda_add(m, ends, SD__CORES_FREE, item, it->order, amount);
}

/* All cores at once; only at the front of every queue in which it stands. */
static bool start_rigid(struct sd_machine *m, uint32_t item)
{
	const struct sd__item *it = &m->items.at[item];
	const uint32_t need[SD__CORES] = { it->left[SD__CUBE], it->left[SD__VECTOR] };

	for (uint32_t i = 0; i < SD__CORES; i++) {
		if (need[i] && (front(m, i) != item || m->pools.at[i].free < need[i]))
			return false;
	}
	for (uint32_t i = 0; i < SD__CORES; i++) {
		if (need[i])
			leave_front(m, i);
	}
	m->items.at[item].is_queued = false;
	take(m, item, need);
	return true;
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* As many cores as are free; it stays in front while it could use more. */
static bool start_blocks(struct sd_machine *m, uint32_t item, uint32_t kind)
{
	struct sd__item *it = &m->items.at[item];
	uint32_t amount[SD__CORES] = { 0 };

	amount[kind] = least(least(it->left[kind], m->pools.at[kind].free), it->at_once - it->held[kind]);
	if (amount[kind] == 0)
		return false;
	take(m, item, amount);
	if (it->left[kind] == 0 || it->held[kind] == it->at_once) {
		it->is_queued = false;
		leave_front(m, kind);
	}
	return true;
}

static bool deal(struct sd_machine *m, uint32_t kind)
{
	bool has_dealt = false;
	uint32_t item;

	while ((item = front(m, kind)) != SD__NONE) {
		if (!(m->items.at[item].rigid ? start_rigid(m, item) : start_blocks(m, item, kind)))
			break;
		has_dealt = true;
	}
	return has_dealt;
}

void sd__cores_deal(struct sd_machine *m)
{
	while (m->stirred.count) {
		uint32_t pool = m->stirred.at[--m->stirred.count], item;

		if (pool < SD__CORES)
			continue;
		while (m->pools.at[pool].free && (item = front(m, pool)) != SD__NONE) {
			m->pools.at[pool].free--;
			m->items.at[item].has_pool = true;
			sd__work_wants(m, item);
			leave_front(m, pool);
		}
	}
	while (deal(m, SD__CUBE) | deal(m, SD__VECTOR))
		;
	m->stirred.count = 0;
}

void sd__work_gives(struct sd_machine *m, uint32_t item, const uint32_t *amount)
{
	for (uint32_t i = 0; i < SD__CORES; i++) {
		struct sd__item *it = &m->items.at[item];

		if (amount[i] == 0)
			continue;
		m->pools.at[i].free += amount[i];
		it->held[i] -= amount[i];
		m->pools.at[i].users -= it->held[i] == 0;
		stir(m, i);
		if (it->left[i] && !it->is_queued) {
			it->is_queued = true;
			queue(m, i, item);
		}
	}
}

void sd__work_leaves(struct sd_machine *m, uint32_t item)
{
	struct sd__item *it = &m->items.at[item];
	const uint32_t held[SD__CORES] = { it->held[SD__CUBE], it->held[SD__VECTOR] };

	it->left[SD__CUBE] = it->left[SD__VECTOR] = 0;
	sd__work_gives(m, item, held);
	if (it->has_pool) {
		m->pools.at[it->pool].free++;
		stir(m, it->pool);
	}
	it->has_pool = false;
}
