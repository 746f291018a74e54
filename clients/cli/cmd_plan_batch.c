/* streamctl plan --batch: many graphs, one line for each, in the order of the command line whichever is ready first. */
#include <stdlib.h>
#include <string.h>

#include "formats/plan_json.h"
#include "formats/schema.h"
#include "obtain.h"
#include "proto/wire.h"

#define REQUESTS 1u /* field of PlanBatchRequest */
#define FIELD_BYTES_MAX 11u

struct item {
	struct sd_text bytes;        /* of the request; empty where it could not be read */
	struct cli_error *error;     /* why it has no plan; NULL: it has one, or is not answered yet */
	unsigned char *answer;       /* a PlanAnswer; owned */
	size_t answer_bytes;
	bool is_ready;
};

struct batch {
	struct cli *cli;
	struct item *item;
	uint32_t count, printed;
	uint32_t first;              /* of the call that is under way */
	FILE *file;
	struct sd_emitter *out;
	enum exit_status status;     /* of the first that failed */
};

static enum exit_status fail_memory(struct cli *cli)
{
	struct sd_diag diag = { 0 };

	sd_memory_fail(&cli->mem, &diag);
	return cli_fail(cli, &diag, NULL);
}

/* ---- lines ---- */

/* What is told to people names the file. */
static void tell(struct cli *cli, const char *path, const struct cli_error *error)
{
	struct cli_error told = *error;
	int len = snprintf(told.text, sizeof(told.text), "%s: %.*s", path, (int)error->message.len, error->message.at);

	told.message = (struct sd_text){ told.text, len < (int)sizeof(told.text) ? (uint32_t)len : (uint32_t)sizeof(told.text) - 1 };
	cli_tell_error(cli, &told);
}

static void put_error(struct batch *batch, uint32_t index, const struct cli_error *error)
{
	cli_put_error(batch->out, error);
	tell(batch->cli, batch->cli->argument[index], error);
	if (batch->status == EXIT_GOOD)
		batch->status = cli_status_of(error);
}

static void put_plan(struct batch *batch, struct cli *one, uint32_t index, const struct obtained *plan)
{
	struct sd_diag diag = { 0 };
	struct cli_error error;

	if (sd_plan_write_json(&one->mem, batch->out, &plan->plan, &plan->identity, &plan->request.graph, &diag) == SD_OK) {
		sd_emit_raw(batch->out, "\n", 1);
		return;
	}
	cli_error_from_diag(&error, &diag, &plan->request.graph);
	put_error(batch, index, &error);
}

/* Everything of one line lies in an arena of its own. */
static void print_item(struct batch *batch, uint32_t index)
{
	struct item *item = &batch->item[index];
	struct cli one = *batch->cli;
	struct obtained plan = { .made = NULL };
	struct cli_error error;
	enum exit_status status;

	if (item->error) {
		put_error(batch, index, item->error);
		return;
	}
	sd_arena_init(&one.mem, 0);
	if (one.local) {
		status = cli_obtain(&one, SD_METHOD_PLAN, item->bytes, &plan, &error);
	} else {
		sd_arena_init(&plan.job, 0);
		plan.got.answer = sd_plan_answer_of((struct sd_text){ (const char *)item->answer, (uint32_t)item->answer_bytes });
		status = cli_obtain_answer(&one, item->bytes, &plan, &error);
	}
	if (status == EXIT_GOOD)
		put_plan(batch, &one, index, &plan);
	else
		put_error(batch, index, &error);
	cli_release(&plan);
	sd_arena_finish(&one.mem);
}

static void print_ready(struct batch *batch)
{
	while (batch->printed < batch->count && batch->item[batch->printed].is_ready) {
		struct item *item = &batch->item[batch->printed];

		print_item(batch, batch->printed);
		batch->out->comma = false;
		free(item->answer);
		item->answer = NULL;
		batch->printed++;
		sd_emit_finish(batch->out); /* whoever reads the lines need not wait for the last */
	}
}

/* ---- calls ---- */

static void refuse_item(struct batch *batch, struct item *item, const struct sd_client_error *why)
{
	item->error = sd_arena_alloc(&batch->cli->mem, sizeof(*item->error));
	if (item->error)
		cli_refuse(batch->cli, why, item->error);
}

/* Kept until its turn to be printed comes. False: no memory. */
static bool keep(struct item *item, const struct sd_client_item *heard)
{
	item->answer = malloc(heard->answer_bytes ? heard->answer_bytes : 1);
	if (!item->answer)
		return false;
	memcpy(item->answer, heard->answer, heard->answer_bytes);
	item->answer_bytes = heard->answer_bytes;
	return true;
}

/* The items of a call that could be read are its requests, in order. */
static struct item *find_item(struct batch *batch, uint32_t index)
{
	for (uint32_t i = batch->first; i < batch->count; i++) {
		if (batch->item[i].bytes.at && index-- == 0)
			return &batch->item[i];
	}
	return NULL;
}

static bool hear(void *arg, const struct sd_client_item *heard)
{
	struct batch *batch = arg;
	struct item *item = find_item(batch, heard->index);

	if (!item || item->is_ready)
		return false;
	if (heard->status != SD_OK)
		refuse_item(batch, item, &heard->error);
	if (heard->status != SD_OK ? !item->error : !keep(item, heard))
		return false;
	item->is_ready = true;
	print_ready(batch);
	return true;
}

/* What the daemon takes in one call. */
static enum exit_status read_limits(struct sd_client *client, uint32_t deadline_ms, uint32_t *items, uint64_t *bytes, struct sd_client_error *why)
{
	struct sd_reply reply;
	Streamd__V1__ServiceLimits *limits = NULL;

	if (sd_client_call(client, SD_METHOD_LIMITS, NULL, 0, deadline_ms, &reply) == SD_OK)
		limits = streamd__v1__service_limits__unpack(NULL, reply.body_bytes, reply.body);
	*why = reply.error;
	sd_reply_finish(&reply);
	if (!limits)
		return EXIT_REFUSED;
	*items = limits->batch_items_max ? limits->batch_items_max : UINT32_MAX;
	*bytes = limits->batch_bytes_max ? limits->batch_bytes_max : UINT32_MAX;
	if (limits->frame_bytes_max && limits->frame_bytes_max - SD_FRAME_HEADER < *bytes)
		*bytes = limits->frame_bytes_max - SD_FRAME_HEADER;
	streamd__v1__service_limits__free_unpacked(limits, NULL);
	return EXIT_GOOD;
}

/* Puts as many requests into one body as fit, and at least one; answers the item behind them. */
static uint32_t fill(const struct batch *batch, uint32_t items_max, uint64_t bytes_max, struct sd_buffer *body)
{
	uint32_t i = batch->first, items = 0;

	for (; i < batch->count; i++) {
		const struct sd_text bytes = batch->item[i].bytes;

		if (!bytes.at)
			continue;
		if (items && (items == items_max || body->len + bytes.len + FIELD_BYTES_MAX > bytes_max))
			break;
		sd_put_varint(body, REQUESTS << 3 | SD_WIRE_BYTES);
		sd_put_varint(body, bytes.len);
		sd_buffer_append(body, bytes.at, bytes.len);
		items++;
	}
	return i;
}

/* What was not answered has failed by what the call failed by. */
static void fail_rest(struct batch *batch, uint32_t end, const struct sd_client_error *why)
{
	for (uint32_t i = batch->first; i < end; i++) {
		struct item *item = &batch->item[i];

		if (item->is_ready)
			continue;
		refuse_item(batch, item, why);
		item->is_ready = item->error;
	}
	print_ready(batch);
}

/* One call; answers the item behind those that it was about. */
static uint32_t call(struct batch *batch, struct sd_client *client, uint32_t items_max, uint64_t bytes_max)
{
	struct sd_arena mem;
	struct sd_buffer body;
	struct sd_client_error why = { 0 };
	uint32_t end;

	sd_arena_init(&mem, 0);
	sd_buffer_init(&body, &mem, 4096);
	end = fill(batch, items_max, bytes_max, &body);
	if (body.failed) {
		batch->status = fail_memory(batch->cli);
		end = batch->count;
	} else if (body.len) {
		if (sd_client_plan_batch(client, body.data, body.len, batch->cli->deadline_ms, hear, batch, &why) == SD_OK)
			snprintf(why.message, sizeof(why.message), "the daemon left it without an answer");
	}
	fail_rest(batch, end, &why);
	sd_arena_finish(&mem);
	return end;
}

static void ask(struct batch *batch)
{
	struct sd_client_options options = { .socket = batch->cli->socket, .name = "streamctl" };
	struct sd_client_error why = { 0 };
	struct sd_client *client;
	uint32_t items_max;
	uint64_t bytes_max;

	if (sd_client_open(&client, &options, &why) == SD_OK &&
	    read_limits(client, batch->cli->deadline_ms, &items_max, &bytes_max, &why) == EXIT_GOOD) {
		while (batch->first < batch->count)
			batch->first = call(batch, client, items_max, bytes_max);
	} else {
		fail_rest(batch, batch->count, &why);
	}
	sd_client_close(client);
}

/* ---- the command ---- */

static void read_all(struct batch *batch)
{
	struct cli *cli = batch->cli;

	for (uint32_t i = 0; i < batch->count; i++) {
		struct item *item = &batch->item[i];
		struct sd_diag diag = { 0 };

		if (cli_request(cli, cli->argument[i], &item->bytes, &diag) == SD_OK) {
			item->is_ready = cli->local;
			continue;
		}
		item->bytes = (struct sd_text){ NULL, 0 };
		item->error = sd_arena_alloc(&cli->mem, sizeof(*item->error));
		if (item->error)
			cli_error_from_diag(item->error, &diag, NULL);
		item->is_ready = item->error;
	}
}

static enum exit_status run(struct batch *batch)
{
	enum exit_status closed;

	batch->file = cli_open_output(batch->cli);
	if (!batch->file)
		return EXIT_USAGE;
	sd_emit_start(batch->out, batch->file);
	batch->out->on_one_line = true;
	read_all(batch);
	print_ready(batch);
	if (!batch->cli->local)
		ask(batch);
	for (uint32_t i = batch->printed; i < batch->count; i++)
		free(batch->item[i].answer);
	sd_emit_finish(batch->out);
	closed = cli_close_output(batch->cli, batch->file);
	if (batch->status == EXIT_GOOD && batch->printed < batch->count)
		return fail_memory(batch->cli);
	return batch->status == EXIT_GOOD ? closed : batch->status;
}

enum exit_status cli_plan_batch(struct cli *cli)
{
	struct batch batch = { .cli = cli, .count = (uint32_t)cli->argument_count };

	if (cli->format != FORMAT_JSON)
		return cli_usage(cli, "plan --batch writes JSON, a line for each graph; leave out --format");
	if (cli->timing)
		return cli_usage(cli, "--timing is of one plan; leave it out with --batch");
	batch.item = SD_NEW0(&cli->mem, struct item, batch.count);
	batch.out = sd_arena_alloc(&cli->mem, sizeof(*batch.out));
	if (!batch.item || !batch.out)
		return fail_memory(cli);
	return run(&batch);
}
