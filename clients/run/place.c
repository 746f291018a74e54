#include "place.h"

#include "device_limits.h"
#include "streamd/device_host.h"
#include "streamd/device_sim.h"

/* 0 is no limit in a request, and what the profile says to the simulated device. */
static uint32_t most(int64_t limit)
{
	return limit > 0 && limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
}

enum sd_status sd_place_simulated(const struct sd_request *request, const struct sd_machine_model *model, struct sd_device **device,
                                  struct sd_diag *diag)
{
	struct sd_limit_set limits;
	struct sd_sim_options options = { .profile = request->device.profile, .model = model };

	SD_TRY(sd_limits_resolve(&request->device, &limits, diag));
	options.streams_max = most(limits.max_streams);
	options.events_max = most(limits.max_events);
	options.notifies_max = most(limits.max_notifies);
	options.tasks_per_stream_max = most(limits.max_tasks_per_stream);
	options.huge_streams_max = most(limits.max_huge_streams);
	options.tasks_per_huge_stream_max = limits.has_huge ? most(limits.max_tasks_per_huge_stream) : 0;
	return sd_sim_open(&options, device, diag);
}

static enum sd_status open_host(const struct sd_request *request, struct sd_device **device, struct sd_diag *diag)
{
	struct sd_limit_set limits;
	struct sd_host_options options = { .cores = 0 };

	SD_TRY(sd_limits_resolve(&request->device, &limits, diag));
	options.has = (struct sd_device_facts){
		.profile = limits.profile, .streams_max = most(limits.max_streams), .events_max = most(limits.max_events),
		.notifies_max = most(limits.max_notifies), .tasks_per_stream_max = most(limits.max_tasks_per_stream),
		.huge_streams_max = most(limits.max_huge_streams), .tasks_per_huge_stream_max = most(limits.max_tasks_per_huge_stream),
		.has_huge = limits.has_huge, .unlimited_depth = limits.unlimited_depth,
	};
	return sd_host_open(&options, device, diag);
}

static enum sd_status open_sim(const struct sd_request *request, struct sd_device **device, struct sd_diag *diag)
{
	struct sd_machine_model chip;

	sd_machine_model_of(&request->device.model, &chip);
	return sd_place_simulated(request, &chip, device, diag);
}

static enum sd_status open_device(const struct sd_device_name *name, const struct sd_request *request, struct sd_device **device, struct sd_diag *diag)
{
	switch (name->kind) {
	case SD_DEVICE_HOST: return open_host(request, device, diag);
	case SD_DEVICE_SIM: return open_sim(request, device, diag);
	default: return sd_device_open_named(name, device, diag);
	}
}

enum sd_status sd_place_open(struct sd_place *place, const struct sd_device_name *name, const struct sd_settings *settings,
                             const struct sd_request *request, sd_log_line line, void *arg, struct sd_diag *diag)
{
	enum sd_status status;

	*place = (struct sd_place){ .name = *name, .settings = *settings };
	SD_TRY(open_device(&place->name, request, &place->device, diag));
	status = sd_stack_open(&place->stack, place->device, &place->settings, line, arg, diag);
	if (status != SD_OK) {
		place->device->ops->close(place->device);
		*place = (struct sd_place){ .device = NULL };
	}
	return status;
}

void sd_place_close(struct sd_place *place)
{
	if (!place->device)
		return;
	sd_stack_close(&place->stack);
	place->device->ops->close(place->device);
	*place = (struct sd_place){ .device = NULL };
}

/* What a task does where a device launches functions and nothing else. */
static void nothing(void *arg)
{
}

enum sd_status sd_place_watch(struct sd_arena *mem, struct sd_place *place, const struct sd_request *request, const struct sd_plan *plan,
                              const struct sd_watch_wish *wish, struct sd_watch *watch, struct sd_diag *diag)
{
	struct sd_watch_wish own = *wish;

	own.options.checks_accesses = place->stack.checked;
	own.options.priority = place->settings.of[SD_SET_STREAM_PRIORITY].value;
	own.options.work = place->name.kind == SD_DEVICE_CUDA || place->name.kind == SD_DEVICE_ACL ? nothing : NULL;
	own.options.runs_at_once = place->name.kind == SD_DEVICE_ACL;
	return sd_watch_plan(mem, request, plan, place->stack.front, &own, watch, diag);
}
