/* What a run is of: a plan alone, a request that is planned for it, or both. */
#include "run_subject.h"

#include "formats/json_message.h"
#include "formats/plan_alone.h"
#include "formats/plan_json.h"
#include "formats/quote.h"
#include "proto/canon.h"
#include "run/runnable.h"
#include "streamd/node_work.h"
#include "streamd/verify.h"

static enum sd_status fail_memory(struct cli *cli, struct sd_diag *diag)
{
	return sd_memory_fail(&cli->mem, diag);
}

/* The digest of a graph as plans in JSON spell it. */
static void spell(const unsigned char digest[SD_DIGEST_BYTES], char out[2 * SD_DIGEST_BYTES + 1])
{
	for (size_t i = 0; i < SD_DIGEST_BYTES; i++)
		snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

/* A plan says for which graph it was made; one that says nothing is taken at its word. */
static enum sd_status check_origin(struct cli *cli, const struct sd_request *request, const json_t *root, struct sd_diag *diag)
{
	struct sd_text told = sd_plan_alone_text(root, "graph_hash");
	struct sd_identity identity;
	char *own = sd_arena_alloc(&cli->mem, 2 * SD_DIGEST_BYTES + 1), *kept = sd_arena_alloc(&cli->mem, told.len + 1);

	if (!own || !kept || sd_identify(&cli->mem, request, &identity) != SD_OK)
		return fail_memory(cli, diag);
	spell(identity.graph_hash, own);
	if (told.len == 0 || strspn(told.at, "0") == told.len || sd_text_is(told, own))
		return SD_OK;
	memcpy(kept, told.at, told.len);
	return SD_FAIL2(diag, SD_CODE_PLAN_ELSEWHERE, SD_NO_NODE, sd_arg_text((struct sd_text){ kept, told.len }),
	                sd_arg_text((struct sd_text){ own, 2 * SD_DIGEST_BYTES }));
}

static int digit_of(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The key that a plan in JSON states. */
static void take_key(struct sd_text told, struct run_subject *subject)
{
	bool is_zero = true;

	subject->has_key = told.len == 2 * SD_DIGEST_BYTES;
	for (uint32_t i = 0; subject->has_key && i < SD_DIGEST_BYTES; i++) {
		int high = digit_of(told.at[2 * i]), low = digit_of(told.at[2 * i + 1]);

		subject->has_key = high >= 0 && low >= 0;
		subject->plan_key[i] = (unsigned char)(high * 16 + low);
		is_zero &= high == 0 && low == 0;
	}
	subject->has_key = subject->has_key && !is_zero;
}

static enum sd_status load_json(struct cli *cli, struct sd_text text, json_t **root, struct sd_diag *diag)
{
	struct sd_json_reader reader = { &cli->mem, diag, SD_CODE_BAD_PLAN };

	return sd_json_load(&reader, NULL, text, root);
}

static enum sd_status read_plan(struct cli *cli, struct sd_text text, struct run_subject *subject, struct sd_diag *diag)
{
	enum sd_status status;
	json_t *root;

	SD_TRY(load_json(cli, text, &root, diag));
	status = sd_plan_read_json(&cli->mem, text, &subject->request.graph, &subject->plan, diag);
	take_key(sd_plan_alone_text(root, "plan_key"), subject);
	if (status == SD_OK && subject->has_edges)
		status = check_origin(cli, &subject->request, root, diag);
	json_decref(root);
	SD_TRY(status);
	return sd_runnable_check(&cli->mem, &subject->plan, diag);
}

/* A request that holds no more than the names of a plan: its tasks take time and no core. */
static json_t *request_of(const json_t *root)
{
	const json_t *nodes = json_object_get(root, "nodes");
	json_t *list = json_array();

	for (size_t i = 0; i < json_array_size(nodes); i++) {
		const json_t *node = json_array_get(nodes, i);
		struct sd_text name = sd_plan_alone_text(node, "name");

		json_array_append_new(list, json_pack("{s:s#,s:s,s:s,s:I}", "name", name.at, (size_t)name.len, "op_type", "Task", "engine", "DNN_VM_RTS",
		                                           "duration_ns", (json_int_t)SD_NODE_UNKNOWN_NS));
	}
	return json_pack("{s:{s:o}}", "graph", "nodes", list);
}

/* The first body that a command names; empty: none. */
static struct sd_text body_of(const json_t *root)
{
	const json_t *streams = json_object_get(root, "streams");

	for (size_t s = 0; s < json_array_size(streams); s++) {
		const json_t *commands = json_object_get(json_array_get(streams, s), "commands");

		for (size_t i = 0; i < json_array_size(commands); i++) {
			struct sd_text in = sd_plan_alone_text(json_array_get(commands, i), "in");

			if (in.len > 0)
				return in;
		}
	}
	return SD_TEXT("");
}

static enum sd_status fail_bodies(struct cli *cli, struct sd_text body, struct sd_diag *diag)
{
	char *kept = sd_arena_alloc(&cli->mem, body.len);

	if (!kept)
		return fail_memory(cli, diag);
	memcpy(kept, body.at, body.len);
	return SD_FAIL1(diag, SD_CODE_PLAN_BODIES, SD_NO_NODE, sd_arg_text((struct sd_text){ kept, body.len }));
}

static enum sd_status request_of_plan(struct cli *cli, const json_t *root, struct sd_text *bytes, struct sd_diag *diag)
{
	json_t *request = request_of(root);
	char *text = request ? json_dumps(request, JSON_COMPACT) : NULL;
	enum sd_status status;

	json_decref(request);
	if (!text)
		return fail_memory(cli, diag);
	status = sd_input_bytes(&cli->mem, SD_INPUT_JSON, (struct sd_text){ text, (uint32_t)strlen(text) }, &cli->overlay, NULL, bytes, diag);
	free(text);
	return status;
}

static enum sd_status take_plan_alone(struct cli *cli, struct sd_text text, struct run_subject *subject, struct sd_diag *diag)
{
	struct sd_text bytes;
	enum sd_status status;
	json_t *root;

	SD_TRY(load_json(cli, text, &root, diag));
	status = body_of(root).len > 0 ? fail_bodies(cli, body_of(root), diag) : request_of_plan(cli, root, &bytes, diag);
	json_decref(root);
	SD_TRY(status);
	SD_TRY(sd_request_take(&cli->mem, bytes, &subject->request, diag));
	return read_plan(cli, text, subject, diag);
}

/* Whether a document is a plan: a request has no streams. */
static bool is_plan(const char *path, struct sd_text content)
{
	json_t *root = sd_input_kind(path, content) == SD_INPUT_JSON ? json_loadb(content.at, content.len, 0, NULL) : NULL;
	bool found = json_object_get(root, "streams") && !json_object_get(root, "graph");

	json_decref(root);
	return found;
}

static enum exit_status plan_request(struct cli *cli, struct sd_text bytes, struct run_subject *subject)
{
	struct cli_error error;
	enum exit_status status = cli_obtain(cli, SD_METHOD_PLAN, bytes, &subject->planned, &error);

	if (status != EXIT_GOOD)
		return cli_report(cli, &error);
	subject->request = subject->planned.request;
	subject->plan = subject->planned.plan;
	memcpy(subject->plan_key, subject->planned.identity.plan_key, sizeof(subject->plan_key));
	subject->has_key = true;
	return EXIT_GOOD;
}

/* A run may keep by luck what the plan does not order. That there are syncs too many is no matter of a run, and limits are the device's. */
static enum sd_status prove(struct cli *cli, struct run_subject *subject, struct sd_diag *diag)
{
	struct sd_names names = sd_graph_names(&subject->request.graph);
	struct sd_verdict verdict = { 0 };
	char line[SD_MESSAGE_MAX];

	if (sd_verify(&cli->mem, &subject->request, &subject->plan, NULL, NULL, &verdict) != SD_OK) {
		*diag = verdict.why;
		return sd_code_status(verdict.why.code);
	}
	for (uint32_t i = 0; i < verdict.count && i < SD_VIOLATIONS_MAX; i++) {
		enum sd_violation_kind kind = verdict.violation[i].kind;

		if (kind == SD_VIOLATION_LIMIT || kind == SD_VIOLATION_REDUNDANT || kind == SD_VIOLATION_UNNEEDED)
			continue;
		sd_violation_text(&verdict.violation[i], &names, line, sizeof(line));
		subject->unproved.at = sd_words(&cli->mem, "the plan is not proved: %s", line);
		subject->unproved.len = (uint32_t)strlen(subject->unproved.at);
		break;
	}
	return SD_OK;
}

static enum exit_status take_given(struct cli *cli, struct sd_text bytes, struct run_subject *subject)
{
	struct sd_diag diag = { 0 };
	struct sd_text text;

	if (sd_request_take(&cli->mem, bytes, &subject->request, &diag) != SD_OK || sd_input_read(&cli->mem, cli->argument[1], &text, &diag) != SD_OK ||
	    read_plan(cli, text, subject, &diag) != SD_OK || prove(cli, subject, &diag) != SD_OK)
		return cli_fail(cli, &diag, &subject->request.graph);
	return EXIT_GOOD;
}

enum exit_status cli_take_subject(struct cli *cli, struct run_subject *subject)
{
	const char *path = cli->argument[0];
	struct sd_diag diag = { 0 };
	struct sd_text content, bytes;

	memset(subject, 0, sizeof(*subject));
	sd_arena_init(&subject->planned.job, 0);
	if (sd_input_read(&cli->mem, path, &content, &diag) != SD_OK)
		return cli_fail(cli, &diag, NULL);
	subject->has_edges = cli->argument_count == 2 || !is_plan(path, content);
	if (!subject->has_edges) {
		if (cli->checks)
			return cli_usage(cli, "--check needs the request: its edges say what tasks read and write; name it in front of the plan");
		return take_plan_alone(cli, content, subject, &diag) == SD_OK ? EXIT_GOOD : cli_fail(cli, &diag, &subject->request.graph);
	}
	if (cli_request_bytes(cli, path, content, &bytes, &diag) != SD_OK)
		return cli_fail(cli, &diag, NULL);
	return cli->argument_count == 2 ? take_given(cli, bytes, subject) : plan_request(cli, bytes, subject);
}

void cli_drop_subject(struct run_subject *subject)
{
	cli_release(&subject->planned);
}
