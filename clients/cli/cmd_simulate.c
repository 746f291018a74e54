/* streamctl simulate: a plan, given or made for it, on the model of the request's device. */
#include "formats/json_path.h"
#include "formats/plan_names.h"
#include "formats/plan_simulation.h"
#include "run_subject.h"
#include "streamd/simulate.h"

struct answer {
	struct sd_simulation simulation;
	const struct sd_text *name; /* by node */
};

static enum sd_status write(struct cli *cli, struct sd_emitter *out, const void *what, struct sd_diag *diag)
{
	const struct answer *answer = what;

	if (cli->format != FORMAT_JSON) {
		sd_simulation_write_text(out, &answer->simulation, answer->name);
		return SD_OK;
	}
	sd_emit_open(out, '{');
	sd_emit_key(out, "simulation");
	sd_simulation_write_json(out, &answer->simulation, answer->name);
	sd_emit_close(out, '}');
	sd_emit_raw(out, "\n", 1);
	return SD_OK;
}

static enum exit_status simulate(struct cli *cli, const struct run_subject *subject)
{
	const struct sd_graph *graph = &subject->request.graph;
	struct answer answer = { .name = sd_plan_names(&cli->mem, graph, &subject->plan) };
	struct sd_diag diag = { 0 };

	if (!answer.name)
		sd_memory_fail(&cli->mem, &diag);
	if (!answer.name || sd_simulate(&cli->mem, &subject->request, &subject->plan, &answer.simulation, &diag) != SD_OK)
		return cli_fail(cli, &diag, graph);
	if (subject->unproved.len > 0)
		fprintf(stderr, "streamctl: note: %.*s\n", (int)subject->unproved.len, subject->unproved.at);
	return cli_print(cli, write, &answer, graph);
}

enum exit_status cli_simulate(struct cli *cli)
{
	enum exit_status status = cli_check_local(cli);
	struct run_subject *subject = sd_arena_alloc(&cli->mem, sizeof(*subject));
	struct sd_diag diag = { 0 };

	if (status != EXIT_GOOD)
		return status;
	if (!subject) {
		sd_memory_fail(&cli->mem, &diag);
		return cli_fail(cli, &diag, NULL);
	}
	status = cli_take_subject(cli, subject);
	if (status == EXIT_GOOD)
		status = simulate(cli, subject);
	cli_drop_subject(subject);
	return status;
}
