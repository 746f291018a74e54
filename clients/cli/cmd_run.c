/* streamctl run: a plan on threads of this machine, on the simulated device or on cuda; did it keep the graph, and what overlapped? */
#include "cli.h"
#include "formats/json_path.h"
#include "report_run.h"
#include "run_report.h"
#include "run_subject.h"
#include "streamd/device_host.h"
#include "streamd/device_name.h"
#include "streamd/device_sim.h"
#include "streamd/stack.h"

#define RUNS 3u /* of which the first warms up caches and threads */

/* ---- devices ---- */

/* 0 is no limit in a request, and what the profile says to the simulated device. */
static uint32_t most(int64_t limit)
{
	return limit > 0 && limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
}

static enum sd_status open_sim(const struct run_subject *subject, const struct sd_machine_model *model, struct sd_device **device, struct sd_diag *diag)
{
	const struct sd_limit_set *limits = &subject->limits;
	struct sd_sim_options options = {
		.profile = subject->request.device.profile, .streams_max = most(limits->max_streams), .events_max = most(limits->max_events),
		.notifies_max = most(limits->max_notifies), .tasks_per_stream_max = most(limits->max_tasks_per_stream), .model = model,
	};

	return sd_sim_open(&options, device, diag);
}

static enum sd_status open_host(const struct run_subject *subject, struct sd_device **device, struct sd_diag *diag)
{
	const struct sd_limit_set *limits = &subject->limits;
	struct sd_host_options options = { .has = {
		.profile = limits->profile, .streams_max = most(limits->max_streams), .events_max = most(limits->max_events),
		.notifies_max = most(limits->max_notifies), .tasks_per_stream_max = most(limits->max_tasks_per_stream),
		.huge_streams_max = most(limits->max_huge_streams), .tasks_per_huge_stream_max = most(limits->max_tasks_per_huge_stream),
		.has_huge = limits->has_huge, .unlimited_depth = limits->unlimited_depth,
	} };

	return sd_host_open(&options, device, diag);
}

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
	SD_TRY(open_sim(subject, model, device, diag));
	return sd_watch_plan(&cli->mem, &subject->request, &subject->plan, *device, &wish, watch, diag);
}

/* Devices and what was seen on them; all that is not NULL is to be ended. */
struct scene {
	const struct sd_device_name *name;
	struct sd_settings settings;
	struct sd_device *device, *model, *chip;
	struct sd_stack stack; /* in front of the device */
	struct sd_watch seen, expected, planned;
};

static enum sd_status end_scene(struct scene *scene, struct sd_diag *diag)
{
	struct sd_device *device[] = { scene->device, scene->model, scene->chip };
	enum sd_status status = sd_watch_end(&scene->seen, diag);

	sd_watch_end(&scene->expected, NULL);
	sd_watch_end(&scene->planned, NULL);
	sd_stack_close(&scene->stack);
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

/* What a task does where a device launches functions and nothing else. */
static void nothing(void *arg)
{
}

/* The runs themselves. */
static enum sd_status see(struct cli *cli, const struct run_subject *subject, struct scene *scene, struct run_report *report, struct sd_diag *diag)
{
	struct sd_watch_wish wish = wish_of(cli, subject);

	SD_TRY(sd_stack_open(&scene->stack, scene->device, &scene->settings, log_line, NULL, diag));
	wish.options.checks_accesses = scene->stack.checked;
	wish.options.priority = scene->settings.of[SD_SET_STREAM_PRIORITY].value;
	wish.options.work = scene->name->kind == SD_DEVICE_CUDA ? nothing : NULL;
	SD_TRY(sd_watch_plan(&cli->mem, &subject->request, &subject->plan, scene->stack.front, &wish, &scene->seen, diag));
	if (scene->stack.logged)
		sd_log_device_state(scene->stack.logged, log_line, NULL);
	if (scene->stack.checked)
		report->races = sd_race_device_check(scene->stack.checked, &report->missed);
	return SD_OK;
}

static enum sd_status open_device(const struct run_subject *subject, const struct sd_machine_model *chip, struct scene *scene, struct sd_diag *diag)
{
	switch (scene->name->kind) {
	case SD_DEVICE_HOST: return open_host(subject, &scene->device, diag);
	case SD_DEVICE_SIM: return open_sim(subject, chip, &scene->device, diag);
	default: return sd_device_open_named(scene->name, &scene->device, diag);
	}
}

static enum sd_status run_all(struct cli *cli, const struct run_subject *subject, struct scene *scene, struct run_report *report, struct sd_diag *diag)
{
	struct sd_machine_model chip, host;
	struct sd_device_facts facts;

	sd_machine_model_of(&subject->request.device.model, &chip);
	SD_TRY(open_device(subject, &chip, scene, diag));
	SD_TRY(see(cli, subject, scene, report, diag));
	report->is_checked = scene->stack.checked;
	report->seen = &scene->seen;
	report->expected = &scene->expected;
	if (scene->name->kind != SD_DEVICE_HOST)
		return watch_model(cli, subject, &chip, false, &scene->model, &scene->expected, diag);
	scene->device->ops->facts(scene->device, &facts);
	report->cores = facts.cube_cores;
	host = model_of_host(facts.cube_cores);
	report->planned = &scene->planned;
	SD_TRY(watch_model(cli, subject, &host, true, &scene->model, &scene->expected, diag));
	return watch_model(cli, subject, &chip, false, &scene->chip, &scene->planned, diag);
}

/* What the environment says, and the flags besides. */
static enum sd_status set_scene(const struct cli *cli, const struct sd_device_name *name, struct scene *scene, struct sd_diag *diag)
{
	scene->name = name;
	SD_TRY(sd_settings_read(&scene->settings, NULL, NULL, diag));
	if (cli->checks)
		scene->settings.of[SD_SET_MEM_CHECK].value = 1;
	return SD_OK;
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
	if (set_scene(cli, name, scene, &diag) != SD_OK || run_all(cli, subject, scene, &report, &diag) != SD_OK) {
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
	if (sd_device_name_read(backend, &name, NULL) != SD_OK || name.kind == SD_DEVICE_ACL) /* whose streams wait for a model of its own */
		return cli_usage(cli, "--device of run is host or sim, or cuda (:LIBRARY, @NUMBER), where the plan runs, not %s; what it is planned for is the request's device",
		                 backend);
	if (!subject) {
		sd_memory_fail(&cli->mem, &diag);
		return cli_fail(cli, &diag, NULL);
	}
	status = cli_take_subject(cli, subject);
	if (status == EXIT_GOOD && cli->reports && !subject->has_key)
		status = cli_usage(cli, "--report names the plan by its plan_key, which this plan does not state; run its request, or a plan as it was answered");
	if (status == EXIT_GOOD && sd_limits_resolve(&subject->request.device, &subject->limits, &diag) != SD_OK)
		status = cli_fail(cli, &diag, NULL);
	if (status == EXIT_GOOD)
		status = report_of(cli, subject, backend, &name);
	cli_drop_subject(subject);
	return status;
}
