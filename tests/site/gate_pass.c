/* gate_pass.c - a site's table with one pass that keeps plans back for as long as a test wants.
 *
 * A graph with a node whose attribute `_gate` names a file is not planned further while that file
 * is there; the plan is the same whenever that is. So a test can have a job that is under way for
 * certain, on a machine as fast or as slow as it likes. A job that is told to end goes on at once.
 * Who waits says so by a file of the same name with `.reached` behind it. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "streamd/graph.h"
#include "streamd/stream_pass.h"

#define PATH_BYTES 256

static void say(const char *path)
{
	char name[PATH_BYTES + sizeof(".reached")];
	int fd;

	snprintf(name, sizeof(name), "%s.reached", path);
	fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
}

static void wait_at(struct sd_text file, const struct sd_streams *streams)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "%.*s", (int)file.len, file.at);
	if (access(path, F_OK) != 0)
		return;
	say(path);
	while (access(path, F_OK) == 0 && !sd_stream_pass_stopped(streams))
		nanosleep(&moment, NULL);
}

static int gate(const struct sd_graph *graph, struct sd_streams *streams)
{
	for (uint32_t n = 0; n < graph->node_count; n++) {
		for (uint32_t i = 0; i < graph->attrs[n].count; i++) {
			const struct sd_attr *attr = &graph->attr[graph->attrs[n].first + i];

			if (sd_text_is(attr->name, "_gate") && attr->value.kind == SD_VALUE_STRING)
				wait_at(attr->value.string, streams);
		}
	}
	return 0;
}

const struct sd_stream_pass sd_site_passes[] = {
	{ .name = "gate", .version = 1, .run = gate },
	{ .name = NULL },
};
