#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "acquire.h"
#include "conn.h"
#include "holders.h"
#include "log.h"

#define TOP 3u
#define NAME_SHOWN 48 /* bytes of a name, escapes included, with the NUL */

struct words {
	char *out;
	size_t len; /* what does not fit is left out */
};

static void put(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct words *words, const char *format, ...)
{
	size_t left = SD_HOLDERS_MAX - words->len;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(words->out + words->len, left, format, args);
	va_end(args);
	if (n > 0 && (size_t)n < left)
		words->len += (size_t)n;
	else
		words->out[words->len] = '\0';
}

static void put_share(struct words *words, const struct sd_share *share, const char *before)
{
	char name[NAME_SHOWN];
	const struct sd_holder *holder = share->facts.owner;

	name[sd_log_escape(name, sizeof(name), holder->name, strlen(holder->name))] = '\0';
	put(words, "%s'%s' (uid %u, pid %d): %llu", before, name, holder->conn->uid, (int)holder->conn->pid, (unsigned long long)share->held);
}

void sd_shortage_tell(struct sd_pool_device *device, const struct sd_pool_shortfall *shortfall, char out[SD_HOLDERS_MAX], struct sd_diag *diag)
{
	struct words words = { .out = out };
	struct sd_share share[TOP];
	struct sd_ranking top = { .resource = shortfall->resource, .most = TOP, .share = share };
	struct sd_pool_stats stats;

	put(&words, "%llu", (unsigned long long)shortfall->limit);
	sd_rank_holders(device->pool, &top);
	for (uint32_t i = 0; i < top.count; i++)
		put_share(&words, &share[i], i ? ", " : ", held by ");
	sd_pool_stats(device->pool, &stats);
	if (top.holders > TOP)
		put(&words, ", and %u more", top.holders - TOP);
	if (stats.slots_idle && (shortfall->resource == SD_POOL_STREAMS || shortfall->resource == SD_POOL_HUGE_STREAMS))
		put(&words, ", %u idle", stats.slots_idle);
	diag->arg[2] = sd_arg_words(out);
	device->refused++;
}
