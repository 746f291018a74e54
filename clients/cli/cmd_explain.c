/* streamctl explain: why each node, or one, is where it is, and what it waits for. */
#include "formats/explain.h"
#include "formats/json_path.h"
#include "formats/plan_names.h"
#include "obtain.h"

static enum sd_status find_node(const struct cli *cli, const struct sd_explained *explained, uint32_t *node, struct sd_diag *diag)
{
	struct sd_text name;

	*node = SD_NO_NODE;
	if (cli->argument_count < 2)
		return SD_OK;
	name = (struct sd_text){ cli->argument[1], (uint32_t)strlen(cli->argument[1]) };
	for (uint32_t n = 0; n < explained->plan->node_count; n++) {
		if (sd_text_equal(explained->name[n], name)) {
			*node = n;
			return SD_OK;
		}
	}
	return SD_FAIL2(diag, SD_CODE_UNKNOWN_REFERENCE, SD_NO_NODE, sd_arg_text(name), sd_arg_words("NODE"));
}

/* What is told, and of which node; SD_NO_NODE: of all. */
struct question {
	struct sd_explained explained;
	uint32_t node;
};

static enum sd_status write(struct cli *cli, struct sd_emitter *out, const void *what, struct sd_diag *diag)
{
	const struct question *question = what;

	if (cli->format != FORMAT_JSON)
		return sd_explained_write_text(&cli->mem, out, &question->explained, question->node, diag);
	sd_explained_write_json(out, &question->explained, question->node);
	sd_emit_raw(out, "\n", 1);
	return SD_OK;
}

static enum exit_status print(struct cli *cli, const struct obtained *plan)
{
	const struct sd_graph *graph = &plan->request.graph;
	struct question question = { .explained = { &plan->plan, graph, sd_plan_names(&cli->mem, graph, &plan->plan) } };
	struct sd_diag diag = { 0 };

	if (!question.explained.name)
		sd_memory_fail(&cli->mem, &diag);
	else
		find_node(cli, &question.explained, &question.node, &diag);
	return diag.code == SD_CODE_NONE ? cli_print(cli, write, &question, graph) : cli_fail(cli, &diag, NULL);
}

enum exit_status cli_explain(struct cli *cli)
{
	enum exit_status status = cli_check_local(cli);
	struct sd_diag diag = { 0 };
	struct cli_error error;
	struct obtained plan;
	struct sd_text bytes;

	if (status != EXIT_GOOD)
		return status;
	if (!cli->overlay.options)
		cli->overlay.options = json_object();
	json_object_set_new(cli->overlay.options, "explain", json_true());
	if (cli_request(cli, cli->argument[0], &bytes, &diag) != SD_OK)
		return cli_fail(cli, &diag, NULL);
	status = cli_obtain(cli, SD_METHOD_EXPLAIN, bytes, &plan, &error);
	status = status == EXIT_GOOD ? print(cli, &plan) : cli_report(cli, &error);
	cli_release(&plan);
	return status;
}
