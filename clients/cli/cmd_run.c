/* streamctl run: a plan on threads of this machine, on the simulated device, or on acl or cuda; did it keep the graph, and what overlapped? */
#include "cli.h"
#include "formats/json_path.h"
#include "report_run.h"
#include "run_report.h"
#include "run/place.h"
#include "run_subject.h"

#define RUNS 3u /* of which the first warms up caches and threads */

/* Cores that are all alike, and nothing costs time but the tasks themselves. */
static struct sd_machine_model model_of_host(uint32_t cores)
{
	return (struct sd_machine_model){ .cube_cores = cores, .vector_cores = cores, .aicpu_servers = cores };
}

/* ---- runs ---- */

static struct sd_watch_wish wish_of(const struct cli *cli, const struct run_subject *subject)
{
	return (struct sd_watch_wish){
		.options = { .random = cli->has_seed, .draws_choices = true, .seed = cli->seed },
		.runs = cli->runs ? cli->runs : RUNS, .keeps_times = cli->format == FORMAT_TRACE, .has_edges = subject->has_edges,
	};
}

/* The same runs on a model. */
static enum sd_status watch_model(struct cli *cli, const struct run_subject *subject, const struct sd_machine_model *model, bool takes_one_core,
                                  struct sd_device **device, struct sd_watch *watch, struct sd_diag *diag)
{
	struct sd_watch_wish wish = wish_of(cli, subject);

	wish.options.takes_one_core = takes_one_core;
	SD_TRY(sd_place_simulated(&subject->request, model, device, diag));
	return sd_watch_plan(&cli->mem, &subject->request, &subject->plan, *device, &wish, watch, diag);
}

/* Devices and what was seen on them; all that is not NULL is to be ended. */
struct scene {
	struct sd_place place;
	struct sd_device *model, *chip;
	struct sd_watch seen, expected, planned;
};

static enum sd_status end_scene(struct scene *scene, struct sd_diag *diag)
{
	struct sd_device *device[] = { scene->model, scene->chip };
	enum sd_status status = sd_watch_end(&scene->seen, diag);

	sd_watch_end(&scene->expected, NULL);
	sd_watch_end(&scene->planned, NULL);
	sd_place_close(&scene->place);
	for (size_t i = 0; i < sizeof(device) / sizeof(device[0]); i++) {
		if (device[i])
			device[i]->ops->close(device[i]);
	}
	return status;
}

static void log_line(void *arg, const char *line)
{
	fprintf(stderr, "%s\n", line);
}

/* The runs themselves. */
static enum sd_status see(struct cli *cli, const struct run_subject *subject, struct scene *scene, struct run_report *report, struct sd_diag *diag)
{
	struct sd_watch_wish wish = wish_of(cli, subject);
	struct sd_stack *stack = &scene->place.stack;

	SD_TRY(sd_place_watch(&cli->mem, &scene->place, &subject->request, &subject->plan, &wish, &scene->seen, diag));
	if (stack->logged)
		sd_log_device_state(stack->logged, log_line, NULL);
	if (stack->checked)
		report->races = sd_race_device_check(stack->checked, &report->missed);
	return SD_OK;
}

/* On the device, as the environment says, and the flags besides. */
static enum sd_status open_place(const struct cli *cli, const struct run_subject *subject, const struct sd_device_name *name, struct scene *scene,
                                 struct sd_diag *diag)
{
	struct sd_settings settings;

	SD_TRY(sd_settings_read(&settings, NULL, NULL, diag));
	if (cli->checks)
		settings.of[SD_SET_MEM_CHECK].value = 1;
	return sd_place_open(&scene->place, name, &settings, &subject->request, log_line, NULL, diag);
}

static enum sd_status run_all(struct cli *cli, const struct run_subject *subject, struct scene *scene, struct run_report *report, struct sd_diag *diag)
{
	struct sd_machine_model chip, host;
	struct sd_device_facts facts;

	sd_machine_model_of(&subject->request.device.model, &chip);
	SD_TRY(see(cli, subject, scene, report, diag));
	report->is_checked = scene->place.stack.checked;
	report->seen = &scene->seen;
	report->expected = &scene->expected;
	if (scene->place.name.kind != SD_DEVICE_HOST)
		return watch_model(cli, subject, &chip, false, &scene->model, &scene->expected, diag);
	scene->place.device->ops->facts(scene->place.device, &facts);
	report->cores = facts.cube_cores;
	host = model_of_host(facts.cube_cores);
	report->planned = &scene->planned;
	SD_TRY(watch_model(cli, subject, &host, true, &scene->model, &scene->expected, diag));
	return watch_model(cli, subject, &chip, false, &scene->chip, &scene->planned, diag);
}

static enum exit_status report_of(struct cli *cli, const struct run_subject *subject, const char *backend, const struct sd_device_name *name)
{
	struct scene *scene = SD_NEW0(&cli->mem, struct scene, 1);
	struct run_report report = {
		.graph_name = subject->request.graph.graph[SD_ROOT].name, .device = backend,
		.runs = wish_of(cli, subject).runs, .has_seed = cli->has_seed, .seed = cli->seed, .has_edges = subject->has_edges,
		.unproved = subject->unproved,
	};
	struct sd_diag diag = { 0 };
	enum exit_status status;

	if (!scene) {
		sd_memory_fail(&cli->mem, &diag);
		return cli_fail(cli, &diag, NULL);
	}
	if (open_place(cli, subject, name, scene, &diag) != SD_OK || run_all(cli, subject, scene, &report, &diag) != SD_OK) {
		end_scene(scene, NULL);
		return cli_fail(cli, &diag, &subject->request.graph);
	}
	status = cli_print(cli, run_report_write, &report, &subject->request.graph);
	run_report_faults(&report);
	if (status == EXIT_GOOD && !run_report_is_good(&report))
		status = EXIT_REFUSED;
	if (status == EXIT_GOOD && cli->reports)
		status = cli_report_run(cli, subject, &report);
	if (end_scene(scene, &diag) != SD_OK)
		return cli_fail(cli, &diag, &subject->request.graph);
	return status;
}

enum exit_status cli_run(struct cli *cli)
{
	const char *backend = cli->device ? cli->device : "host";
	enum exit_status status = cli_check_local(cli);
	struct run_subject *subject = sd_arena_alloc(&cli->mem, sizeof(*subject));
	struct sd_device_name name;
	struct sd_diag diag = { 0 };

	if (status != EXIT_GOOD)
		return status;
	if (sd_device_name_read(backend, &name, NULL) != SD_OK)
		return cli_usage(cli, "--device of run is host or sim, or acl or cuda (:LIBRARY, @NUMBER), where the plan runs, not %s; what it is planned for is the request's device",
		                 backend);
	if (!subject) {
		sd_memory_fail(&cli->mem, &diag);
		return cli_fail(cli, &diag, NULL);
	}
	status = cli_take_subject(cli, subject);
	if (status == EXIT_GOOD && cli->reports && !subject->has_key)
		status = cli_usage(cli, "--report names the plan by its plan_key, which this plan does not state; run its request, or a plan as it was answered");
	if (status == EXIT_GOOD)
		status = report_of(cli, subject, backend, &name);
	cli_drop_subject(subject);
	return status;
}
