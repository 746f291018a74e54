/* streamctl compare: what a request would get with other options, as one table. The first row is the request as
 * it stands; every --option is a row of its own, and its figures stand beside the first row's. */
#include <stdlib.h>
#include <string.h>

#include "formats/json_path.h"
#include "formats/plan_names.h"
#include "obtain.h"

#define FIGURE_LIST(X)                                                                                  \
	X(streams) X(logical) X(attached) X(longest) X(syncs) X(events) X(notifies) X(activations)      \
	X(commands) X(tasks) X(moved)

enum figure {
#define SD_X(name) FIGURE_##name,
	FIGURE_LIST(SD_X)
#undef SD_X
	FIGURES
};

static const char *const figure_name[FIGURES] = {
#define SD_X(name) #name,
	FIGURE_LIST(SD_X)
#undef SD_X
};

struct row {
	const char *option;     /* as it was given; "" for the request as it stands */
	bool refused;
	struct cli_error error;
	int64_t figure[FIGURES];
};

struct table {
	struct cli *cli;
	enum sd_input_kind kind;
	struct sd_text content;  /* of the input */
	int32_t *base_stream;    /* per node of the graph: where the first row has it */
	uint32_t base_count;
	uint32_t count;
	struct row *row;
};

/* ---- making the rows ---- */

static void count_streams(const struct sd_plan *plan, int64_t figure[FIGURES])
{
	for (uint32_t s = 0; s < plan->stream_count; s++) {
		int64_t tasks = plan->stream[s].task_count;

		figure[FIGURE_tasks] += tasks;
		figure[FIGURE_longest] = tasks > figure[FIGURE_longest] ? tasks : figure[FIGURE_longest];
	}
}

/* Nodes that are on another logical stream than in the first row. */
static int64_t count_moved(const struct table *t, const struct sd_plan *plan)
{
	int64_t moved = 0;

	for (uint32_t n = 0; n < t->base_count && n < plan->node_count; n++)
		moved += plan->node[n].logical_stream != t->base_stream[n];
	return moved;
}

static void measure(const struct table *t, const struct sd_plan *plan, int64_t figure[FIGURES])
{
	figure[FIGURE_streams] = plan->stream_count;
	figure[FIGURE_logical] = plan->logical_stream_count;
	figure[FIGURE_attached] = plan->attached_stream_count;
	figure[FIGURE_syncs] = plan->sync_count;
	figure[FIGURE_events] = plan->event_count;
	figure[FIGURE_notifies] = plan->notify_count;
	figure[FIGURE_activations] = plan->activation_count;
	figure[FIGURE_commands] = plan->command_count;
	figure[FIGURE_moved] = count_moved(t, plan);
	count_streams(plan, figure);
}

static bool keep_base(struct table *t, const struct obtained *plan)
{
	t->base_count = plan->request.graph.node_count;
	t->base_stream = SD_NEW(&t->cli->mem, int32_t, t->base_count);
	for (uint32_t n = 0; t->base_stream && n < t->base_count; n++)
		t->base_stream[n] = plan->plan.node[n].logical_stream;
	return t->base_stream != NULL;
}

static struct sd_text keep_text(struct cli *cli, struct sd_text text)
{
	char *copy = sd_arena_alloc(&cli->mem, text.len);

	if (!copy)
		return SD_TEXT("");
	memcpy(copy, text.at, text.len);
	return (struct sd_text){ copy, text.len };
}

/* The error's words may lie in what is given back now. */
static void keep_error(struct cli *cli, struct row *row)
{
	row->refused = true;
	row->error.node = keep_text(cli, row->error.node);
	row->error.pass = keep_text(cli, row->error.pass);
}

static void fill_row(struct table *t, struct row *row, json_t *options)
{
	struct sd_overlay overlay = t->cli->overlay;
	struct sd_diag diag = { 0 };
	struct obtained plan;
	struct sd_text bytes;

	overlay.options = options;
	if (sd_input_bytes(&t->cli->mem, t->kind, t->content, &overlay, NULL, &bytes, &diag) != SD_OK) {
		cli_error_from_diag(&row->error, &diag, NULL);
		keep_error(t->cli, row);
		return;
	}
	if (cli_obtain(t->cli, SD_METHOD_PLAN, bytes, &plan, &row->error) != EXIT_GOOD) {
		keep_error(t->cli, row);
	} else if (!t->base_stream && !keep_base(t, &plan)) {
		sd_memory_fail(&t->cli->mem, &diag);
		cli_error_from_diag(&row->error, &diag, NULL);
		keep_error(t->cli, row);
	} else {
		measure(t, &plan.plan, row->figure);
	}
	cli_release(&plan);
}

/* ---- printing ---- */

#define CELL_MAX 64

/* "5", and behind it how much more that is than in the first row. */
static void format_cell(char out[CELL_MAX], const struct table *t, uint32_t row, enum figure figure)
{
	int64_t value = t->row[row].figure[figure], more = value - t->row[0].figure[figure];

	if (row == 0 || figure == FIGURE_moved || more == 0)
		snprintf(out, CELL_MAX, "%lld", (long long)value);
	else
		snprintf(out, CELL_MAX, "%lld (%+lld)", (long long)value, (long long)more);
}

static int column_width(const struct table *t, enum figure figure)
{
	size_t width = strlen(figure_name[figure]);
	char cell[CELL_MAX];

	for (uint32_t i = 0; i < t->count; i++) {
		format_cell(cell, t, i, figure);
		if (!t->row[i].refused && strlen(cell) > width)
			width = strlen(cell);
	}
	return (int)width;
}

static const char *row_name(const struct row *row)
{
	return *row->option ? row->option : "as it stands";
}

static void print_row(struct sd_emitter *out, const struct table *t, uint32_t i, int name_width, const int width[FIGURES])
{
	const struct row *row = &t->row[i];
	const char *name = row_name(row);
	char cell[CELL_MAX];

	sd_put_name(out, (struct sd_text){ name, (uint32_t)strlen(name) }, "");
	sd_put(out, "%*s", name_width - (int)strlen(name), "");
	if (row->refused) {
		sd_put(out, "  refused: %.*s: %.*s\n", (int)row->error.code.len, row->error.code.at, (int)row->error.message.len, row->error.message.at);
		return;
	}
	for (int f = 0; f < FIGURES; f++) {
		format_cell(cell, t, i, (enum figure)f);
		sd_put(out, "  %*s", f + 1 < FIGURES ? -width[f] : 0, cell);
	}
	sd_put(out, "\n");
}

static void print_text(struct sd_emitter *out, const struct table *t)
{
	int name_width = (int)strlen("options"), width[FIGURES];

	for (uint32_t i = 0; i < t->count; i++) {
		if ((int)strlen(row_name(&t->row[i])) > name_width)
			name_width = (int)strlen(row_name(&t->row[i]));
	}
	sd_put(out, "%-*s", name_width, "options");
	for (int f = 0; f < FIGURES; f++) {
		width[f] = column_width(t, (enum figure)f);
		sd_put(out, "  %*s", f + 1 < FIGURES ? -width[f] : 0, figure_name[f]);
	}
	sd_put(out, "\n");
	for (uint32_t i = 0; i < t->count; i++)
		print_row(out, t, i, name_width, width);
}

static void put_figures(struct sd_emitter *out, const struct row *row, const struct row *base)
{
	for (int f = 0; f < FIGURES; f++) {
		if (base && f == FIGURE_moved)
			continue;
		sd_emit_key(out, figure_name[f]);
		sd_emit_int(out, row->figure[f] - (base ? base->figure[f] : 0));
	}
}

static void put_refusal(struct sd_emitter *out, const struct row *row)
{
	sd_emit_key(out, "refused");
	sd_emit_open(out, '{');
	sd_emit_key(out, "code");
	sd_emit_text(out, row->error.code);
	sd_emit_key(out, "message");
	sd_emit_text(out, row->error.message);
	sd_emit_close(out, '}');
}

static void print_json(struct sd_emitter *out, const struct table *t)
{
	sd_emit_open(out, '[');
	for (uint32_t i = 0; i < t->count; i++) {
		const struct row *row = &t->row[i];

		sd_emit_line(out, 1);
		sd_emit_open(out, '{');
		sd_emit_key(out, "option");
		sd_emit_string(out, row->option);
		if (row->refused) {
			put_refusal(out, row);
		} else {
			put_figures(out, row, NULL);
			sd_emit_key(out, "against_base");
			sd_emit_open(out, '{');
			put_figures(out, row, &t->row[0]);
			sd_emit_close(out, '}');
		}
		sd_emit_close(out, '}');
	}
	sd_emit_raw(out, "\n", 1);
	sd_emit_close(out, ']');
	sd_emit_raw(out, "\n", 1);
}

static enum sd_status write(struct cli *cli, struct sd_emitter *out, const void *what, struct sd_diag *diag)
{
	if (cli->format == FORMAT_JSON)
		print_json(out, what);
	else
		print_text(out, what);
	return SD_OK;
}

/* Without a first row there is nothing to compare with; a later one that is refused says so in its place. */
enum exit_status cli_compare(struct cli *cli)
{
	struct table t = { .cli = cli, .count = cli->alternative_count + 1 };
	enum exit_status status = cli_check_local(cli);
	struct sd_diag diag = { 0 };

	if (status != EXIT_GOOD)
		return status;
	if (cli->alternative_count == 0)
		return cli_usage(cli, "compare needs an --option, or several: each is one alternative");
	t.row = SD_NEW0(&cli->mem, struct row, t.count);
	if (!t.row) {
		sd_memory_fail(&cli->mem, &diag);
		return cli_fail(cli, &diag, NULL);
	}
	if (sd_input_read(&cli->mem, cli->argument[0], &t.content, &diag) != SD_OK)
		return cli_fail(cli, &diag, NULL);
	t.kind = sd_input_kind(cli->argument[0], t.content);
	for (uint32_t i = 0; i < t.count; i++) {
		t.row[i].option = i ? cli->alternative[i - 1].text : "";
		fill_row(&t, &t.row[i], i ? cli->alternative[i - 1].options : NULL);
		if (i == 0 && t.row[0].refused)
			return cli_report(cli, &t.row[0].error);
	}
	return cli_print(cli, write, &t, NULL);
}
