/* overlap_bench - how much of the shorter of two branches runs beside the other one on the host device.
 *
 * usage: overlap_bench ROUNDS
 * Each round measures each branch alone and then both, by two events of a third stream, and the part of
 * the shorter one that was saved: (alone + alone - both) / shorter. One line of JSON; per mille, each round. */
#include <stdio.h>
#include <stdlib.h>

#include "streamd/device_host.h"

#define TASKS 10u
#define TASK_NS 4000000u /* long beside a wake-up, short beside the patience of who waits */
#define ROUNDS_MAX 100

static struct sd_device *device;

/* What must work, or the figures mean nothing. */
static void must(enum sd_status status)
{
	if (status != SD_OK) {
		fprintf(stderr, "overlap_bench: %s\n", sd_status_name(status));
		exit(1);
	}
}

static sd_handle stream(void)
{
	sd_handle made;
	int32_t rt_id;

	must(device->ops->stream_create(device, 0, 0, &made, &rt_id, NULL));
	return made;
}

static void branch(sd_handle on, enum sd_task_kind kind, uint32_t communicator)
{
	struct sd_task task[TASKS];

	for (uint32_t i = 0; i < TASKS; i++)
		task[i] = (struct sd_task){ .name = "task", .kind = kind, .duration_ns = TASK_NS, .communicator = communicator };
	must(device->ops->submit(device, on, task, TASKS, NULL));
}

/* Time from the moment at which the streams are let go to that at which the last is done. */
static int64_t measure(const sd_handle *on, const enum sd_task_kind *kind, uint32_t count)
{
	sd_handle starter = stream(), opener = stream(), start, end, event;
	int64_t ns;

	must(device->ops->event_create(device, 0, &start, NULL));
	must(device->ops->event_create(device, 0, &end, NULL));
	must(device->ops->event_create(device, 0, &event, NULL));
	must(device->ops->stream_hold(device, starter, NULL));
	must(device->ops->event_record(device, starter, start, NULL));
	for (uint32_t i = 0; i < count; i++) {
		must(device->ops->event_wait(device, on[i], start, NULL));
		branch(on[i], kind[i], i);
	}
	for (uint32_t i = 0; i < count; i++) {
		must(device->ops->event_record(device, on[i], event, NULL));
		must(device->ops->event_wait(device, starter, event, NULL));
	}
	must(device->ops->event_record(device, starter, end, NULL));
	must(device->ops->activate(device, opener, starter, NULL));
	must(device->ops->stream_synchronize(device, starter, 60000, NULL));
	must(device->ops->event_elapsed(device, start, end, &ns, NULL));
	must(device->ops->stream_destroy(device, starter, false, NULL));
	must(device->ops->stream_destroy(device, opener, false, NULL));
	must(device->ops->event_destroy(device, start, NULL));
	must(device->ops->event_destroy(device, end, NULL));
	must(device->ops->event_destroy(device, event, NULL));
	return ns;
}

static void run_case(const char *name, uint32_t cores, const enum sd_task_kind *kind, bool is_one_stream, int rounds, const char *end)
{
	const struct sd_host_options options = { .cores = cores };
	sd_handle on[2];

	must(sd_host_open(&options, &device, NULL));
	on[0] = stream();
	on[1] = is_one_stream ? on[0] : stream();
	printf("\"%s\": [", name);
	for (int round = 0; round < rounds; round++) {
		int64_t first = measure(&on[0], &kind[0], 1), second = measure(&on[1], &kind[1], 1), both = measure(on, kind, 2);
		int64_t shorter = first < second ? first : second;

		printf("%s%lld", round ? ", " : "", (long long)((first + second - both) * 1000 / shorter));
	}
	printf("]%s", end);
	device->ops->close(device);
}

int main(int argc, char **argv)
{
	static const enum sd_task_kind beside_wire[] = { SD_TASK_KERNEL, SD_TASK_COLLECTIVE }, beside_each_other[] = { SD_TASK_KERNEL, SD_TASK_KERNEL };
	int rounds = argc == 2 ? atoi(argv[1]) : 0;

	if (rounds < 1 || rounds > ROUNDS_MAX) {
		fprintf(stderr, "usage: overlap_bench ROUNDS (1 to %d)\n", ROUNDS_MAX);
		return 2;
	}
	printf("{");
	run_case("compute_beside_communication", 1, beside_wire, false, rounds, ", ");
	run_case("compute_beside_compute_two_cores", 2, beside_each_other, false, rounds, ", ");
	run_case("compute_beside_compute_one_core", 1, beside_each_other, false, rounds, ", ");
	run_case("one_stream", 2, beside_wire, true, rounds, "}\n");
	return 0;
}
