/* streamctl pool list: who holds which streams, and who waits. */
#include <inttypes.h>
#include <string.h>

#include "formats/json_message.h"
#include "formats/quote.h"
#include "formats/schema.h"
#include "pool_verbs.h"
#include "remote.h"

static const char *quoted(char out[SD_QUOTE_MAX], const char *text)
{
	return sd_quote(out, (struct sd_text){ text, (uint32_t)strlen(text) });
}

/* Leases come in the order of their models. */
static void print_holders(const Streamd__V1__ListAnswer *answer)
{
	char name[SD_QUOTE_MAX], domain[SD_QUOTE_MAX];
	size_t at = 0;

	printf("holders: %zu\n", answer->n_models);
	for (size_t i = 0; i < answer->n_models; i++) {
		const Streamd__V1__PoolModel *model = answer->models[i];

		printf("  model %" PRIu64 " %s, domain %s, uid %" PRIu32 ", pid %" PRIu32 ": %" PRIu32 " leases, %" PRIu64 " events, %" PRIu64
		       " notifies, %" PRIu32 " ms left\n", model->model, quoted(name, model->name), quoted(domain, model->domain), model->uid,
		       model->pid, model->leases, model->events, model->notifies, model->ttl_ms_left);
		for (; at < answer->n_leases && answer->leases[at]->model == model->model; at++)
			printf("    lease %" PRIu64 " of slot %" PRIu64 "\n", answer->leases[at]->lease, answer->leases[at]->slot);
	}
}

static void print_slots(const Streamd__V1__ListAnswer *answer)
{
	char names[POOL_FLAGS_TEXT_MAX], domain[SD_QUOTE_MAX];

	printf("slots: %zu\n", answer->n_slots);
	for (size_t i = 0; i < answer->n_slots; i++) {
		const Streamd__V1__PoolSlot *slot = answer->slots[i];

		printf("  slot %" PRIu64 ": domain %s, priority %" PRId32 ", flags %s, %" PRIu64 " tasks, held by %" PRIu32 "%s\n", slot->slot,
		       quoted(domain, slot->domain), slot->priority, pool_flags_text(slot->flags, names, sizeof(names)), slot->task_count,
		       slot->tenants, slot->broken ? ", not given again" : "");
	}
}

static const char *name_of(const Streamd__V1__ListAnswer *answer, uint64_t model)
{
	for (size_t i = 0; i < answer->n_models; i++) {
		if (answer->models[i]->model == model)
			return answer->models[i]->name;
	}
	return "";
}

static void print_waiting(const Streamd__V1__ListAnswer *answer)
{
	char name[SD_QUOTE_MAX];

	printf("waiting: %zu\n", answer->n_waiting);
	for (size_t i = 0; i < answer->n_waiting; i++) {
		const Streamd__V1__PoolWaiter *waiter = answer->waiting[i];

		printf("  %zu. model %" PRIu64 " %s: %" PRIu32 " streams, %" PRIu32 " ms left\n", i + 1, waiter->model,
		       quoted(name, name_of(answer, waiter->model)), waiter->streams, waiter->wait_ms_left);
	}
}

enum exit_status pool_show_list(struct cli *cli, struct sd_text body)
{
	ProtobufCAllocator allocator = sd_message_allocator(&cli->mem);
	Streamd__V1__ListAnswer *message;
	struct sd_text answer;
	enum exit_status status = cli_call(cli, SD_METHOD_LIST, body, &answer);

	if (status != EXIT_GOOD)
		return status;
	message = streamd__v1__list_answer__unpack(&allocator, answer.len, (const uint8_t *)answer.at);
	if (!message)
		return cli_fail_answer(cli);
	print_holders(message);
	print_slots(message);
	print_waiting(message);
	return cli_close_output(cli, stdout);
}
