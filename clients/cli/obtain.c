#include "obtain.h"

#include "formats/json_path.h"

/* `error` lives in the caller, so its words must not be copied away from it. */
static enum exit_status refuse(struct cli_error *error, const struct sd_diag *diag, const struct sd_graph *graph)
{
	cli_error_from_diag(error, diag, graph);
	return EXIT_REFUSED;
}

static void tell_pass(void *arg, const struct local_plan *made, const char *pass)
{
	struct cli *cli = arg;

	cli_progress(cli, cli->began_ns, "planning %u nodes: %s is done, %.1f s", made->request.graph.node_count, pass,
	             (double)(cli_now_ns() - cli->began_ns) / 1e9);
}

static enum exit_status obtain_here(struct cli *cli, struct sd_text bytes, struct obtained *plan, struct cli_error *error)
{
	struct sd_diag diag = { 0 };
	enum sd_status status;

	plan->made = sd_arena_alloc(&cli->mem, sizeof(*plan->made));
	if (!plan->made) {
		sd_memory_fail(&cli->mem, &diag);
		return refuse(error, &diag, NULL);
	}
	cli->began_ns = cli_now_ns();
	status = sd_local_plan(&plan->job, bytes, &(struct local_watch){ tell_pass, cli }, plan->made, &diag);
	cli_progress_done(cli);
	if (status != SD_OK)
		return refuse(error, &diag, &plan->made->request.graph);
	plan->request = plan->made->request;
	plan->plan = plan->made->plan;
	plan->identity = plan->made->identity;
	return EXIT_GOOD;
}

enum exit_status cli_obtain_answer(struct cli *cli, struct sd_text bytes, struct obtained *plan, struct cli_error *error)
{
	const struct sd_graph *graph = &plan->request.graph;
	struct sd_diag diag = { 0 };

	if (sd_planned_take(&cli->mem, bytes, plan->got.answer.plan, &plan->request, &plan->plan, &plan->identity, &diag) != SD_OK)
		return refuse(error, &diag, graph);
	return EXIT_GOOD;
}

static enum exit_status obtain_there(struct cli *cli, enum sd_method method, struct sd_text bytes, struct obtained *plan,
                                     struct cli_error *error)
{
	enum exit_status status = cli_remote_plan(cli, method, bytes, &plan->got, error);

	return status == EXIT_GOOD ? cli_obtain_answer(cli, bytes, plan, error) : status;
}

enum exit_status cli_obtain(struct cli *cli, enum sd_method method, struct sd_text bytes, struct obtained *plan, struct cli_error *error)
{
	*plan = (struct obtained){ .made = NULL };
	sd_arena_init(&plan->job, 0);
	return cli->local ? obtain_here(cli, bytes, plan, error) : obtain_there(cli, method, bytes, plan, error);
}

void cli_release(struct obtained *plan)
{
	sd_arena_finish(&plan->job);
}

enum exit_status cli_check_local(struct cli *cli)
{
	if (cli->local && !cli->reports && (cli->socket || cli->deadline_ms))
		return cli_usage(cli, "--local plans without a daemon; leave out %s", cli->socket ? "--socket" : "--deadline");
	return EXIT_GOOD;
}
