/* Plans a graph of N lanes by M nodes that is in memory nowhere, and says what came and how much memory it took: example LANES LENGTH. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "streamd_nano.h"

struct model {
	uint32_t lanes, length;
	uint64_t launches, records, waits;
	char name[24], input[24], *inputs[1];
};

/* Lane by lane: each node reads the one before it, and the first of a lane the graph's input, node 0. */
static bool describe(void *user, uint32_t graph, uint32_t index, streamd_v1_Node *node)
{
	static char data[] = "Data", relu[] = "Relu", reduce[] = "HcomAllReduce";
	struct model *model = user;

	(void)graph;
	snprintf(model->name, sizeof(model->name), "n%u", index);
	snprintf(model->input, sizeof(model->input), "n%u", index % model->length == 1 ? 0 : index - 1);
	node->name = model->name;
	node->op_type = index == 0 ? data : (index - 1) / model->length % 2 ? reduce : relu;
	if (index == 0)
		return true;
	model->inputs[0] = model->input;
	node->inputs = model->inputs;
	node->inputs_count = 1;
	return true;
}

static bool count(void *user, uint32_t stream, const streamd_v1_Command *command)
{
	struct model *model = user;

	(void)stream;
	model->launches += command->which_what == streamd_v1_Command_launch_tag;
	model->records += command->which_what == streamd_v1_Command_record_tag;
	model->waits += command->which_what == streamd_v1_Command_wait_tag;
	return true;
}

/* The most memory that this process had resident, as the system counts it. */
static void print_peak(void)
{
	char line[128];
	FILE *status = fopen("/proc/self/status", "r");

	while (status && fgets(line, sizeof(line), status))
		if (strncmp(line, "VmHWM:", 6) == 0)
			printf("resident at most:%s", line + 6);
	if (status)
		fclose(status);
}

int main(int argc, char **argv)
{
	static struct sd_nano client;
	static struct model model;
	struct sd_nano_sink sink = { .command = count, .user = &model };
	struct sd_nano_request request = { .root = { .name = "lanes" }, .node = describe, .user = &model };
	struct sd_nano_error error;
	streamd_v1_Plan plan;

	model.lanes = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 4;
	model.length = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 25;
	if (model.lanes == 0 || model.length < 2) {
		fprintf(stderr, "usage: example LANES LENGTH   a length of at least 2\n");
		return 2;
	}
	request.root.nodes = model.lanes * model.length + 1;
	if (sd_nano_init(&client, NULL) != SD_OK || sd_nano_plan(&client, &request, 60000, &sink, &plan, &error) != SD_OK) {
		fprintf(stderr, "%s: %s\n", error.code, error.message);
		return 1;
	}
	sd_nano_close(&client);
	printf("%u streams, %u events; %llu launches, %llu records, %llu waits; the client has %zu bytes\n", plan.stream_count, plan.event_count,
	       (unsigned long long)model.launches, (unsigned long long)model.records, (unsigned long long)model.waits, sizeof(client));
	print_peak();
	return 0;
}
