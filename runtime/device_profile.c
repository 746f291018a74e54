#include "streamd/device_profile.h"

#include "device_limits.h"

static uint32_t figure(int64_t of_profile)
{
	return of_profile < UINT32_MAX ? (uint32_t)of_profile : UINT32_MAX;
}

enum sd_status sd_device_profile_facts(struct sd_text profile, struct sd_device_facts *facts, struct sd_diag *diag)
{
	const struct sd_plan_device device = { .profile = profile };
	struct sd_limit_set limits;

	SD_TRY(sd_limits_resolve(&device, &limits, diag));
	*facts = (struct sd_device_facts){
		.profile = limits.profile,
		.streams_max = figure(limits.max_streams),
		.events_max = figure(limits.max_events),
		.notifies_max = figure(limits.max_notifies),
		.tasks_per_stream_max = figure(limits.max_tasks_per_stream),
		.huge_streams_max = figure(limits.max_huge_streams),
		.tasks_per_huge_stream_max = figure(limits.max_tasks_per_huge_stream),
		.has_huge = limits.has_huge,
		.unlimited_depth = limits.unlimited_depth,
	};
	return SD_OK;
}
