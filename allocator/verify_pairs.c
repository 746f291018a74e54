#include "verify_pairs.h"

enum sd_status sd__pairs_init(struct sd__pairs *pairs, const struct sd__judge *judge)
{
	const struct sd_plan *plan = judge->plan;
	const uint32_t count[2] = { [SD_SYNC_EVENT] = plan->event_count, [SD_SYNC_NOTIFY] = plan->notify_count };

	pairs->judge = judge;
	SD__TAKE(pairs->next, judge->mem, uint32_t, plan->sync_count + 1);
	for (int i = 0; i < 2; i++) {
		SD__TAKE(pairs->first[i], judge->mem, uint32_t, count[i] + 1);
		memset(pairs->first[i], 0xff, count[i] * sizeof(uint32_t));
		SD__TAKE(pairs->last[i], judge->mem, uint32_t, plan->sync_count + 1);
		for (uint32_t y = 0; y < plan->sync_count; y++)
			pairs->last[i][y] = y;
	}
	/* Backwards, so that the ring of a number starts with the sync told first. */
	for (uint32_t y = plan->sync_count; y-- > 0;) {
		uint32_t *first = &pairs->first[plan->sync[y].kind][plan->sync[y].id], last = y;

		if (*first != SD__NONE)
			last = pairs->last[0][*first];
		pairs->next[y] = *first == SD__NONE ? y : *first;
		pairs->next[last] = y;
		pairs->last[0][y] = last;
		*first = y;
	}
	for (uint32_t y = 0; y < plan->sync_count; y++)
		pairs->last[0][y] = y;
	return SD_OK;
}

/* What a loop waits for in front of its next turn belongs to its body. */
static bool is_turn_of(const struct sd__judge *judge, uint32_t node, uint32_t in)
{
	return sd__has_groups(judge, node) && in == sd__turning_body(judge, node);
}

static bool fits(const struct sd__judge *judge, const struct sd_sync *sync, uint32_t stream, const struct sd_command *command)
{
	if (sd__is_wait(command))
		return sync->wait_stream == stream && (sd__wait_in(judge, sync->wait_node) == command->in || is_turn_of(judge, sync->wait_node, command->in));
	return sync->record_stream == stream && sd__run_in(judge, sync->record_node) == command->in;
}

uint32_t sd__pairs_find(struct sd__pairs *pairs, uint32_t stream, const struct sd_command *command)
{
	const struct sd_plan *plan = pairs->judge->plan;
	enum sd_sync_kind kind = sd__kind_of(command);
	uint32_t first, y, *last;

	if (command->arg >= (kind == SD_SYNC_EVENT ? plan->event_count : plan->notify_count))
		return SD__NONE;
	first = pairs->first[kind][command->arg];
	if (first == SD__NONE || pairs->next[first] == first)
		return first;
	/* Commands and syncs both come body after body: the one searched for is near the last one found. */
	last = &pairs->last[sd__is_wait(command)][first];
	y = *last;
	do {
		if (fits(pairs->judge, &plan->sync[y], stream, command))
			return *last = y;
		y = pairs->next[y];
	} while (y != *last);
	return first;
}
