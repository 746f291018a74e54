#include "device_limits.h"

#define NOTIFIES 1024
#define EVENTS_NOT_STATED 65536

struct profile {
	const char *name;
	int64_t streams, tasks, events;
	int64_t huge_streams, huge_tasks; /* 0: the device has none */
	bool unlimited_depth;
};

static const struct profile profiles[] = {
	{ "default",    1024, 1024,  65536,             8192, 8192, false },
	{ "ascend910b", 2038, 2013,  65536,             0,    0,    false },
	{ "ascend950",  2016, 2014,  131072,            0,    0,    true },
	{ "ascend910a", 2016, 2042,  65536,             0,    0,    false },
	{ "ascend310p", 992,  2042,  1024,              0,    0,    false },
	{ "ascend310",  992,  65500, 1024,              0,    0,    false },
	{ "ascend310b", 480,  2010,  EVENTS_NOT_STATED, 0,    0,    false },
	{ "adc",        255,  1018,  1024,              0,    0,    false },
	{ "610lite",    112,  1024,  512,               16,   8192, false },
	{ "arch5162",   118,  90,    768,               128,  2048, false },
	{ "arch9201",   2016, 2014,  EVENTS_NOT_STATED, 0,    0,    false },
	{ "as31xm1",    64,   4058,  65536,             0,    0,    false },
	{ "mc32",       159,  4054,  512,               0,    0,    false },
	{ "nano",       56,   1018,  512,               0,    0,    false },
};
#define PROFILE_COUNT (sizeof(profiles) / sizeof(profiles[0]))

/* Names of devices that share another one's figures. */
static const struct {
	const char *name, *row;
} aliases[] = {
	{ "ascend910_93", "ascend910b" },
	{ "ascend350",    "ascend950" },
	{ "tiny",         "ascend310b" },
	{ "mc62",         "mc32" },
	{ "kirin",        "nano" },
};

#define KNOWN_PROFILES "default, ascend910b, ascend910_93, ascend950, ascend350, ascend910a, ascend310p, ascend310, " \
	"ascend310b, tiny, adc, 610lite, arch5162, arch9201, as31xm1, mc32, mc62, nano, kirin"

static bool find_row(struct sd_text name, uint32_t *row)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		if (sd_text_is(name, aliases[i].name)) {
			name = (struct sd_text){ aliases[i].row, (uint32_t)strlen(aliases[i].row) };
			break;
		}
	}
	for (uint32_t i = 0; i < PROFILE_COUNT; i++) {
		if (sd_text_is(name, profiles[i].name)) {
			*row = i;
			return true;
		}
	}
	return false;
}

enum sd_status sd_limits_resolve(const struct sd_plan_device *device, struct sd_limit_set *limits, struct sd_diag *diag)
{
	const struct profile *profile;
	uint32_t row = 0;

	if (device->profile.len && !find_row(device->profile, &row)) {
		return SD_FAIL2(diag, SD_CODE_UNKNOWN_PROFILE, SD_NO_NODE, sd_arg_text(device->profile),
		                sd_arg_words(KNOWN_PROFILES));
	}
	profile = &profiles[row];
	*limits = (struct sd_limit_set){
		.profile = row,
		.max_streams = profile->streams,
		.max_tasks_per_stream = profile->tasks,
		.max_huge_streams = profile->huge_streams,
		.max_tasks_per_huge_stream = profile->huge_tasks,
		.max_events = profile->events,
		.max_notifies = NOTIFIES,
		.unlimited_depth = profile->unlimited_depth,
		.has_huge = profile->huge_streams > 0 || device->limits.has_max_tasks_per_huge_stream,
	};
#define SD_X(name)                                              \
	if (device->limits.has_##name)                          \
		limits->name = device->limits.name;
	SD_LIMIT_LIST(SD_X)
#undef SD_X
	if (device->limits.has_unlimited_depth)
		limits->unlimited_depth = device->limits.unlimited_depth;
	return SD_OK;
}

const char *sd_profile_name(int64_t number)
{
	bool known = number >= 0 && number < (int64_t)PROFILE_COUNT;

	return profiles[known ? number : 0].name;
}
