/* minimal - without any one of its syncs a plan is wrong.
 *
 * usage: minimal [--draw N] REQUEST...
 * Plans each request, lets the judge prove the plan, then takes out one sync at a time
 * (all of them, or N drawn evenly; default 500): record and wait go, the numbers behind
 * move up, task counts fall. The judge must find each such plan wrong, by an order that
 * is lost, not by its form. Prints one TAP line a request. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/local.h"
#include "proto/graph_codec.h"
#include "streamd/verify.h"

static bool is_sync_command(const struct sd_command *command, enum sd_sync_kind kind)
{
	if (kind == SD_SYNC_EVENT)
		return command->kind == SD_RECORD || command->kind == SD_WAIT;
	return command->kind == SD_NOTIFY_RECORD || command->kind == SD_NOTIFY_WAIT;
}

static int64_t tasks_of(const struct sd_command *command)
{
	return command->kind == SD_WAIT ? 2 : 1;
}

/* Copies the commands without those of `gone`; moves the numbers behind it up. */
static void copy_commands(const struct sd_plan *plan, const struct sd_sync *gone, struct sd_stream *stream,
                          struct sd_command *command)
{
	uint32_t used = 0;

	for (uint32_t s = 0; s < plan->stream_count; s++) {
		uint32_t first = used;

		for (uint32_t i = 0; i < plan->stream[s].command_count; i++) {
			struct sd_command c = plan->command[plan->stream[s].first_command + i];

			if (is_sync_command(&c, gone->kind) && c.arg == gone->id) {
				stream[s].task_count -= tasks_of(&c);
				continue;
			}
			if (is_sync_command(&c, gone->kind) && c.arg > gone->id)
				c.arg--;
			command[used++] = c;
		}
		stream[s].first_command = first;
		stream[s].command_count = used - first;
	}
}

static struct sd_plan plan_without(struct sd_arena *mem, const struct sd_plan *plan, uint32_t sync)
{
	const struct sd_sync *gone = &plan->sync[sync];
	struct sd_plan less = *plan;
	struct sd_stream *stream = SD_NEW(mem, struct sd_stream, plan->stream_count);
	struct sd_command *command = SD_NEW(mem, struct sd_command, plan->command_count);
	struct sd_sync *rest = SD_NEW(mem, struct sd_sync, plan->sync_count);
	uint32_t count = 0;

	memcpy(stream, plan->stream, plan->stream_count * sizeof(*stream));
	copy_commands(plan, gone, stream, command);
	for (uint32_t i = 0; i < plan->sync_count; i++) {
		if (i == sync)
			continue;
		rest[count] = plan->sync[i];
		rest[count].id -= rest[count].kind == gone->kind && rest[count].id > gone->id;
		count++;
	}
	less.stream = stream;
	less.command = command;
	less.sync = rest;
	less.sync_count = count;
	less.command_count -= 2;
	less.event_count -= gone->kind == SD_SYNC_EVENT;
	less.notify_count -= gone->kind == SD_SYNC_NOTIFY;
	return less;
}

static bool is_lost_order(enum sd_violation_kind kind)
{
	return kind == SD_VIOLATION_UNORDERED || kind == SD_VIOLATION_LANE || kind == SD_VIOLATION_DEADLOCK;
}

/* Whether the judge finds the plan wrong for a lost order. */
static bool is_broken(struct sd_arena *mem, const struct sd_request *request, const struct sd_plan *plan)
{
	struct sd_verdict verdict;

	if (sd_verify(mem, request, plan, NULL, NULL, &verdict) != SD_OK)
		return false;
	for (uint32_t i = 0; i < verdict.count && i < SD_VIOLATIONS_MAX; i++) {
		if (is_lost_order(verdict.violation[i].kind))
			return true;
	}
	return false;
}

static bool sweep(struct sd_arena *mem, const struct sd_request *request, const struct sd_plan *plan, uint32_t draw)
{
	uint32_t tries = draw && draw < plan->sync_count ? draw : plan->sync_count, kept = 0;

	for (uint32_t k = 0; k < tries; k++) {
		uint32_t i = (uint32_t)((uint64_t)k * plan->sync_count / tries);
		struct sd_arena_mark mark = sd_arena_mark(mem);
		struct sd_plan less = plan_without(mem, plan, i);

		if (!is_broken(mem, request, &less)) {
			printf("#   sync %u (record node %u, wait node %u) can go\n", i, plan->sync[i].record_node, plan->sync[i].wait_node);
			kept++;
		}
		sd_arena_rewind(mem, mark);
	}
	printf("#   %u of %u syncs tried, %u streams\n", tries, plan->sync_count, plan->stream_count);
	return kept == 0;
}

static bool try_file(struct sd_arena *mem, const char *path, uint32_t draw)
{
	struct sd_text bytes = local_read(mem, path);
	struct sd_request request = { 0 };
	struct sd_diag diag = { .code = SD_CODE_NONE };
	struct sd_counts counts;
	const struct sd_plan *plan;
	struct sd_verdict verdict;

	if (sd_request_count(bytes, &counts, &diag) != SD_OK || sd_request_decode(mem, bytes, &counts, &request, &diag) != SD_OK ||
	    sd_plan_make(mem, &request, NULL, &plan, &diag) != SD_OK) {
		printf("#   is refused with %s\n", sd_code_text(diag.code));
		return false;
	}
	if (sd_verify(mem, &request, plan, NULL, NULL, &verdict) != SD_OK || verdict.count) {
		printf("#   the plan is not proved\n");
		return false;
	}
	return sweep(mem, &request, plan, draw);
}

int main(int argc, char **argv)
{
	uint32_t draw = 500;
	int first = 1, failed = 0;

	if (argc > 2 && strcmp(argv[1], "--draw") == 0) {
		draw = (uint32_t)strtoul(argv[2], NULL, 10);
		first = 3;
	}
	for (int i = first; i < argc; i++) {
		struct sd_arena mem;
		bool well;

		sd_arena_init(&mem, 0);
		well = try_file(&mem, argv[i], draw);
		printf("%s %d - %s\n", well ? "ok" : "not ok", i - first + 1, argv[i]);
		failed += !well;
		sd_arena_finish(&mem);
	}
	printf("1..%d\n", argc - first);
	return failed || argc <= first ? 1 : 0;
}
