/* Plans a model, leases its streams, runs it on the cores here: newcomer MODEL [OPTIONS] */
#include <stdio.h>
#include <stdlib.h>
#include <streamd_session.h>

static struct sd_client_error error;

static void must(enum sd_status status)
{
	if (status == SD_OK)
		return;
	fprintf(stderr, "%s: %s\n", error.code, error.message);
	exit(1);
}

int main(int argc, char **argv)
{
	struct sd_session *session;
	struct sd_session_plan plan;
	struct sd_session_lease lease;
	struct sd_session_run run;

	must(sd_session_open(&session, NULL, &error));
	must(sd_session_plan(session, argc > 1 ? argv[1] : "-", argc > 2 ? argv[2] : NULL, &plan, &error));
	printf("%u nodes on %u streams, %u events\n", plan.nodes, plan.streams, plan.events);
	must(sd_session_lease(session, 1000, &lease, &error));
	printf("%u streams leased, %u of them new\n", lease.streams, lease.new_streams);
	must(sd_session_run(session, "host", 3, &run, &error));
	printf("one run takes %.0f us, overlap %.1f %%\n", (double)run.span_ns / 1000, 100 * run.overlap);
	for (unsigned i = 0; i < run.stream_count; i++)
		printf("stream %u: busy %.0f us, %.0f of them beside others\n", i,
		       (double)run.stream[i].busy_ns / 1000, (double)run.stream[i].overlap_ns / 1000);
	must(sd_session_close(session, &error));
	return 0;
}
