#include "sim_internal.h"

#include "streamd/vendor_errors.h"

static const struct {
	const char *name;
	int64_t vendor_code; /* how such a call fails as a rule */
} calls[SD_SIM_CALLS] = {
	[SD_SIM_STREAM_CREATE] = { "stream_create", 207008 },
	[SD_SIM_STREAM_DESTROY] = { "stream_destroy", 507000 },
	[SD_SIM_EVENT_CREATE] = { "event_create", 207007 },
	[SD_SIM_EVENT_DESTROY] = { "event_destroy", 507000 },
	[SD_SIM_NOTIFY_CREATE] = { "notify_create", 207009 },
	[SD_SIM_NOTIFY_DESTROY] = { "notify_destroy", 507000 },
	[SD_SIM_SUBMIT] = { "submit", 507002 },
	[SD_SIM_TASK] = { "task", 507015 },
	[SD_SIM_RECORD] = { "record", 507000 },
	[SD_SIM_WAIT] = { "wait", 507000 },
	[SD_SIM_SYNCHRONIZE] = { "synchronize", 507000 },
	[SD_SIM_MEMORY_ALLOC] = { "memory_alloc", 207018 },
	[SD_SIM_MEMORY_FREE] = { "memory_free", 507000 },
};

const char *sd_sim_call_name(uint32_t call)
{
	return call < SD_SIM_CALLS ? calls[call].name : NULL;
}

/* A number that looks drawn and depends on its argument alone (the finisher of splitmix64). */
static uint64_t mixed(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

int64_t sim_fault_of(struct sim *sim, enum sd_sim_call call)
{
	uint64_t number = ++sim->calls[call];

	for (uint32_t i = 0; i < sim->fault_count; i++) {
		const struct sd_sim_fault *f = &sim->faults[i];
		uint64_t count = f->count ? f->count : 1;

		if (f->call == call && number >= f->first && number - f->first < count)
			return f->vendor_code ? f->vendor_code : calls[call].vendor_code;
	}
	if (call != SD_SIM_SYNCHRONIZE && mixed(mixed(sim->seed + call) + number) % 1000 < sim->fault_permille)
		return calls[call].vendor_code;
	return 0;
}

enum sd_status sim_fault(struct sim *sim, enum sd_sim_call call, struct sd_diag *diag)
{
	int64_t vendor_code = sim_fault_of(sim, call);

	return vendor_code ? sd_vendor_fail(diag, calls[call].name, vendor_code) : SD_OK;
}
