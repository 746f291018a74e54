/* pool_alloc_sweep - every allocation of the pool may fail: nothing is changed then, and nothing leaks.
 *
 * The C library's functions are wrapped by the linker. The same short life of a pool is played
 * again and again with its first allocation failing, its second, and so on; a call that fails is
 * made again without failure and must succeed. Prints one TAP line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/failing_memory.h"
#include "streamd/pool.h"

static struct sd_pool *pool;
static struct sd_pool_grant grant[400];

static int same_stats(const struct sd_pool_stats *a, const struct sd_pool_stats *b)
{
	return a->created == b->created && a->reused == b->reused && a->slots == b->slots && a->leases == b->leases &&
	       a->models == b->models && a->events == b->events && a->notifies == b->notifies;
}

static int acquire(sd_pool_id model, const struct sd_pool_want *want, uint32_t wants)
{
	struct sd_pool_stats before, after;
	enum sd_status status;

	sd_pool_stats(pool, &before);
	status = sd_pool_acquire(pool, model, want, wants, 2, 1, grant, NULL, NULL);
	if (status == SD_OK)
		return 1;
	sd_pool_stats(pool, &after);
	return status == SD_INTERNAL && same_stats(&before, &after) && sd_pool_is_sound(pool) &&
	       sd_pool_acquire(pool, model, want, wants, 2, 1, grant, NULL, NULL) == SD_OK;
}

static int add(const char *name, sd_pool_id *model)
{
	struct sd_text text = { name, (uint32_t)strlen(name) };

	for (int tries = 0; tries < 3; tries++) {
		uint32_t domain;

		if (sd_pool_domain(pool, text, &domain) == SD_OK && sd_pool_add_model(pool, domain, NULL, model) == SD_OK)
			return 1;
		if (!sd_pool_is_sound(pool))
			return 0;
	}
	return 0;
}

static int live(void)
{
	static const struct sd_pool_limits limits = { .mode = SD_POOL_SHARED };
	static const struct sd_pool_want want[] = { { .count = 70 }, { .priority = 1, .count = 3 }, { .priority = 2, .count = 300 }, { .count = 2 } };
	sd_pool_id a, b, c;
	int well;

	if (sd_pool_create(&pool, &limits) != SD_OK && (pool || sd_pool_create(&pool, &limits) != SD_OK))
		return 0;
	well = add("one", &a) && add("one", &b) && add("two", &c) && acquire(a, want, 2) && acquire(b, want, 4) && acquire(c, want, 1) &&
	       sd_pool_remove_model(pool, a, NULL, NULL) == SD_OK && acquire(c, want + 1, 3) && sd_pool_is_sound(pool);
	sd_pool_destroy(pool);
	return well;
}

int main(void)
{
	unsigned total, bad = 0;
	int well = live();

	total = calls;
	for (fail_at = 1; fail_at <= total; fail_at++) {
		calls = 0;
		if (!live()) {
			printf("#   allocation %u fails\n", fail_at);
			bad++;
		}
	}
	well = well && bad == 0 && total > 10;
	printf("%s 1 - %u allocations, each fails once\n1..1\n", well ? "ok" : "not ok", total);
	return well ? 0 : 1;
}
