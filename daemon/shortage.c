#include <stdio.h>

#include "acquire.h"
#include "conn.h"
#include "log.h"

#define TOP 3u
#define NAME_SHOWN 48 /* bytes of a name, escapes included, with the NUL */

struct share {
	const struct sd_holder *holder;
	uint64_t held;
};

struct top {
	enum sd_pool_resource resource;
	struct share share[TOP]; /* largest first; of equal ones the oldest */
	uint32_t holders;
};

static uint64_t held_of(const struct sd_pool_model_facts *facts, enum sd_pool_resource resource)
{
	switch (resource) {
	case SD_POOL_EVENTS: return facts->events;
	case SD_POOL_NOTIFIES: return facts->notifies;
	default: return facts->leases;
	}
}

static void rank(void *arg, const struct sd_pool_model_facts *facts)
{
	struct top *top = arg;
	struct share share = { facts->owner, held_of(facts, top->resource) };

	if (share.held == 0)
		return;
	top->holders++;
	for (uint32_t i = 0; i < TOP; i++) {
		if (share.held > top->share[i].held) {
			struct share next = top->share[i];

			top->share[i] = share;
			share = next;
		}
	}
}

static size_t put(char *out, size_t cap, const struct share *share, const char *before)
{
	char name[NAME_SHOWN];
	const struct sd_holder *holder = share->holder;
	int n;

	name[sd_log_escape(name, sizeof(name), holder->name, strlen(holder->name))] = '\0';
	n = snprintf(out, cap, "%s'%s' (uid %u, pid %d): %llu", before, name, holder->conn->uid, (int)holder->conn->pid,
	             (unsigned long long)share->held);
	return n > 0 && (size_t)n < cap ? (size_t)n : 0;
}

void sd_shortage_tell(struct sd_pool_device *device, const struct sd_pool_shortfall *shortfall, char words[SD_HOLDERS_MAX], struct sd_diag *diag)
{
	struct top top = { .resource = shortfall->resource };
	struct sd_pool_stats stats;
	size_t len = (size_t)snprintf(words, SD_HOLDERS_MAX, "%llu", (unsigned long long)shortfall->limit);

	sd_pool_each_model(device->pool, rank, &top);
	for (uint32_t i = 0; i < TOP && top.share[i].held; i++)
		len += put(words + len, SD_HOLDERS_MAX - len, &top.share[i], i ? ", " : ", held by ");
	sd_pool_stats(device->pool, &stats);
	if (top.holders > TOP)
		len += (size_t)snprintf(words + len, SD_HOLDERS_MAX - len, ", and %u more", top.holders - TOP);
	if (stats.slots_idle && (shortfall->resource == SD_POOL_STREAMS || shortfall->resource == SD_POOL_HUGE_STREAMS))
		snprintf(words + len, SD_HOLDERS_MAX - len, ", %u idle", stats.slots_idle);
	diag->arg[2] = sd_arg_words(words);
	device->refused++;
}
