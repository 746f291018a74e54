/* Which record belongs to which wait.
 *
 * Syncs that share a number take turns, and a plan lists them in the order of their records. So the
 * k-th record of a number on a stream is of the k-th sync of that number that is recorded there, and
 * likewise the k-th wait. */
#include "base/merge.h"
#include "issue_impl.h"

/* One end of a sync, or the command that is to be it. */
struct end {
	uint32_t stream, number, of;
	bool waits, notify;
};

struct sorting {
	const struct end *end;
};

static int compare_ends(const struct end *x, const struct end *y)
{
	if (x->waits != y->waits)
		return x->waits ? 1 : -1;
	if (x->notify != y->notify)
		return x->notify ? 1 : -1;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static int compare(const void *context, uint32_t a, uint32_t b)
{
	const struct end *end = ((const struct sorting *)context)->end;

	return compare_ends(&end[a], &end[b]);
}

static enum sd_status disagree(struct sd__queues *q, const struct end *end)
{
	return SD_FAIL3(q->diag, SD_CODE_SYNCS_DISAGREE, SD_NO_NODE, sd_arg_words(end->notify ? "notify" : "event"), sd_arg_int(end->number),
	                sd_arg_int(end->stream));
}

static uint32_t list_commands(const struct sd_plan *plan, struct end *end)
{
	uint32_t count = 0;

	for (uint32_t s = 0; s < plan->stream_count; s++) {
		for (uint32_t c = plan->stream[s].first_command; c < plan->stream[s].first_command + plan->stream[s].command_count; c++) {
			const struct sd_command *command = &plan->command[c];

			if (command->kind != SD_LAUNCH && command->kind != SD_ACTIVATE)
				end[count++] = (struct end){ s, command->arg, c, command->kind == SD_WAIT || command->kind == SD_NOTIFY_WAIT,
				                             command->kind == SD_NOTIFY_RECORD || command->kind == SD_NOTIFY_WAIT };
		}
	}
	return count;
}

enum sd_status sd__pair_syncs(struct sd__queues *q, uint32_t *sync_of)
{
	const struct sd_plan *plan = q->plan;
	uint32_t told = plan->sync_count * 2, most = plan->command_count > told ? plan->command_count : told, found;
	struct end *command = SD_NEW(q->mem, struct end, plan->command_count + 1), *sync = SD_NEW(q->mem, struct end, told + 1);
	uint32_t *by_command = SD_NEW(q->mem, uint32_t, most + 1), *by_sync = SD_NEW(q->mem, uint32_t, most + 1), *spare = SD_NEW(q->mem, uint32_t, most + 1);

	if (!command || !sync || !by_command || !by_sync || !spare)
		return sd__queues_no_memory(q);
	found = list_commands(plan, command);
	for (uint32_t y = 0; y < plan->sync_count; y++) {
		const struct sd_sync *s = &plan->sync[y];

		sync[2 * y] = (struct end){ s->record_stream, s->id, y, false, s->kind == SD_SYNC_NOTIFY };
		sync[2 * y + 1] = (struct end){ s->wait_stream, s->id, y, true, s->kind == SD_SYNC_NOTIFY };
	}
	for (uint32_t i = 0; i < found; i++)
		by_command[i] = i;
	for (uint32_t i = 0; i < told; i++)
		by_sync[i] = i;
	sd_merge_sort(by_command, spare, found, compare, &(struct sorting){ command });
	sd_merge_sort(by_sync, spare, told, compare, &(struct sorting){ sync });
	for (uint32_t i = 0; i < found || i < told; i++) {
		const struct end *a = i < found ? &command[by_command[i]] : NULL, *b = i < told ? &sync[by_sync[i]] : NULL;

		int order = !a ? 1 : !b ? -1 : compare_ends(a, b);

		/* Both lists are sorted: the lesser one has no partner. */
		if (order != 0)
			return disagree(q, order < 0 ? a : b);
		sync_of[a->of] = b->of;
	}
	return SD_OK;
}
