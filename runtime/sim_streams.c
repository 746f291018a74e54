#include "sim_internal.h"

#include <stdlib.h>

#include "streamd/stream_flags.h"
#include "streamd/vendor_errors.h"

#define DESTROY_WAITS_MS 30000
#define ABORTED 107023
#define STOPPED 507000
#define SYNC_TIMEOUT 507046

enum sd_status sim_no_memory(struct sd_diag *diag)
{
	return sd_vendor_fail(diag, "the call", 207001);
}

enum sd_status sim_has_room(uint64_t used, uint64_t max, const char *what, struct sd_diag *diag)
{
	if (max == 0 || used < max)
		return SD_OK;
	return SD_FAIL3(diag, SD_CODE_DEVICE_FULL, SD_NO_NODE, sd_arg_words(what), sd_arg_int((int64_t)used), sd_arg_int((int64_t)max));
}

enum sd_status sim_find_stream(struct sim *sim, sd_handle handle, struct sim_stream **stream, struct sd_diag *diag)
{
	*stream = sd__sim_handles_find(&sim->handles, SIM_STREAM, handle);
	if (*stream)
		return SD_OK;
	return SD_FAIL2(diag, SD_CODE_NO_SUCH_HANDLE, SD_NO_NODE, sd_arg_words("stream"), sd_arg_int((int64_t)handle));
}

enum sd_status sim_find_taker(struct sim *sim, sd_handle handle, uint32_t count, const char *what, struct sim_stream **stream, struct sd_diag *diag)
{
	const struct sim_stream *s;

	SD_TRY(sim_find_stream(sim, handle, stream, diag));
	s = *stream;
	if (!s->takes_tasks)
		return SD_FAIL2(diag, SD_CODE_NO_TASKS_HERE, SD_NO_NODE, sd_arg_int((int64_t)handle), sd_arg_words(what));
	if (s->depth && (count > s->depth || sd_machine_queued(sim->machine, s->machine) > s->depth - count))
		return SD_FAIL3(diag, SD_CODE_QUEUE_FULL, SD_NO_NODE, sd_arg_int((int64_t)handle), sd_arg_int(count), sd_arg_int(s->depth));
	return SD_OK;
}

/* What a stream of these flags counts against: nothing for one that stands for none or is the AI CPU's. */
static bool is_counted(uint32_t flags)
{
	return !(flags & (SD_STREAM_FORBIDDEN_DEFAULT | SD_STREAM_AICPU));
}

static bool is_huge(uint32_t flags)
{
	return is_counted(flags) && (flags & SD_STREAM_HUGE);
}

static uint32_t depth_of(const struct sim *sim, uint32_t flags)
{
	if (!is_counted(flags) || (sim->facts.unlimited_depth && (flags & SD_STREAM_PERSISTENT)))
		return 0;
	return is_huge(flags) ? sim->facts.tasks_per_huge_stream_max : sim->facts.tasks_per_stream_max;
}

static enum sd_status check_room(const struct sim *sim, uint32_t flags, struct sd_diag *diag)
{
	if (is_counted(flags))
		SD_TRY(sim_has_room(sim->facts.streams_used, sim->facts.streams_max, "streams (vendor error 207008)", diag));
	if (is_huge(flags))
		SD_TRY(sim_has_room(sim->huge_used, sim->facts.huge_streams_max, "huge streams (vendor error 207008)", diag));
	return SD_OK;
}

static enum sd_status add_to_machine(struct sim *sim, struct sim_stream *s, int32_t priority, struct sd_diag *diag)
{
	s->takes_tasks = !(s->flags & SD_STREAM_FORBIDDEN_DEFAULT);
	s->rt_id = INT32_MAX;
	if (!s->takes_tasks)
		return SD_OK;
	if (sd_machine_add_stream(sim->machine, sd_stream_priority_clamp(priority), false, &s->machine) != SD_OK)
		return sim_no_memory(diag);
	s->rt_id = (int32_t)s->machine;
	return SD_OK;
}

enum sd_status sim_stream_create(struct sim *sim, int32_t priority, uint32_t flags, sd_handle *stream, int32_t *rt_id, struct sd_diag *diag)
{
	struct sim_stream *s;
	enum sd_status status;

	SD_TRY(sd_stream_flags_check(flags, sim->facts.has_huge, diag));
	SD_TRY(sim_fault(sim, SD_SIM_STREAM_CREATE, diag));
	SD_TRY(check_room(sim, flags, diag));
	s = calloc(1, sizeof(*s));
	if (!s || !sd__sim_handles_add(&sim->handles, SIM_STREAM, s, &s->handle)) {
		free(s);
		return sim_no_memory(diag);
	}
	s->flags = flags;
	s->depth = depth_of(sim, flags);
	status = add_to_machine(sim, s, priority, diag);
	if (status != SD_OK) {
		sd__sim_handles_remove(&sim->handles, s->handle);
		free(s);
		return status;
	}
	sim->facts.streams_created++;
	sim->facts.streams_used += is_counted(flags);
	sim->huge_used += is_huge(flags);
	*stream = s->handle;
	*rt_id = s->rt_id;
	return SD_OK;
}

static bool is_empty(const struct sim *sim, sd_handle handle)
{
	const struct sim_stream *s = sd__sim_handles_find(&sim->handles, SIM_STREAM, handle);

	return !s || !s->takes_tasks || sd_machine_queued(sim->machine, s->machine) == 0;
}

static enum sd_status drain(struct sim *sim, sd_handle stream, int64_t timeout_ms, struct sd_diag *diag)
{
	enum sd_status status = sim_run_until(sim, is_empty, stream, timeout_ms, stream, diag);

	if (status != SD_DEADLINE_EXCEEDED)
		return status;
	return SD_FAIL3(diag, SD_CODE_SYNC_TIMEOUT, SD_NO_NODE, sd_arg_words("the stream"), sd_arg_int(timeout_ms), sd_arg_int(SYNC_TIMEOUT));
}

enum sd_status sim_stream_destroy(struct sim *sim, sd_handle stream, bool force, struct sd_diag *diag)
{
	struct sim_stream *s;

	SD_TRY(sim_find_stream(sim, stream, &s, diag));
	SD_TRY(sim_fault(sim, SD_SIM_STREAM_DESTROY, diag));
	if (!force) {
		SD_TRY(drain(sim, stream, DESTROY_WAITS_MS, diag));
		SD_TRY(sim_find_stream(sim, stream, &s, diag)); /* a task may have destroyed it */
	}
	sd__sim_handles_remove(&sim->handles, stream);
	sim_drop_all(sim, s);
	if (s->takes_tasks)
		sd_machine_remove_stream(sim->machine, s->machine);
	sim->facts.streams_destroyed++;
	sim->facts.streams_used -= is_counted(s->flags);
	sim->huge_used -= is_huge(s->flags);
	free(s);
	return SD_OK;
}

/* What became of the tasks since the last synchronize; told once. */
static enum sd_status take_outcome(struct sim *sim, sd_handle stream, struct sd_diag *diag)
{
	struct sim_stream *s = sd__sim_handles_find(&sim->handles, SIM_STREAM, stream);
	int64_t vendor_code = s ? s->vendor_code : 0;

	if (!vendor_code)
		return SD_OK;
	s->vendor_code = 0;
	if (s->ended)
		return SD_FAIL3(diag, SD_CODE_STREAM_ABORTED, SD_NO_NODE, sd_arg_int((int64_t)stream), sd_arg_words(s->ended), sd_arg_int(vendor_code));
	return SD_FAIL3(diag, SD_CODE_TASK_FAILED, SD_NO_NODE, sd_arg_int((int64_t)stream), sd_arg_int((int64_t)s->failed_task), sd_arg_int(vendor_code));
}

enum sd_status sim_stream_synchronize(struct sim *sim, sd_handle stream, int64_t timeout_ms, struct sd_diag *diag)
{
	struct sim_stream *s;

	SD_TRY(sim_find_stream(sim, stream, &s, diag));
	SD_TRY(sim_check_timeout(timeout_ms, diag));
	SD_TRY(sim_fault(sim, SD_SIM_SYNCHRONIZE, diag));
	SD_TRY(drain(sim, stream, timeout_ms, diag));
	return take_outcome(sim, stream, diag);
}

enum sd_status sim_stream_query(struct sim *sim, sd_handle stream, enum sd_progress *progress, struct sd_diag *diag)
{
	struct sim_stream *s;

	SD_TRY(sim_find_stream(sim, stream, &s, diag));
	if (!is_empty(sim, stream) && !sim_step(sim, SD_MACHINE_FOR_EVER))
		return sd_machine_is_broken(sim->machine) ? sim_no_memory(diag) : sim_waits_for_ever(sim, stream, diag);
	*progress = is_empty(sim, stream) ? SD_DONE : SD_NOT_DONE;
	return SD_OK;
}

static void note_end(struct sim_stream *s, const char *ended, int64_t vendor_code)
{
	s->ended = ended;
	s->vendor_code = vendor_code;
}

enum sd_status sim_stream_abort(struct sim *sim, sd_handle stream, struct sd_diag *diag)
{
	struct sim_stream *s;

	SD_TRY(sim_find_taker(sim, stream, 0, "abort", &s, diag));
	if (!is_empty(sim, stream))
		note_end(s, "aborted", ABORTED);
	sim_drop_all(sim, s);
	return SD_OK;
}

enum sd_status sim_stream_stop(struct sim *sim, sd_handle stream, struct sd_diag *diag)
{
	struct sd_machine_head head;
	struct sd_machine_end end;
	struct sim_stream *s;

	SD_TRY(sim_find_taker(sim, stream, 0, "stop", &s, diag));
	if (!sd_machine_at(sim->machine, s->machine, &head) || head.kind != SD_MACHINE_WORK)
		return SD_OK;
	note_end(s, "stopped", STOPPED);
	sd_machine_cut(sim->machine, s->machine, &end);
	sim_item_ends(sim, &end, true);
	return SD_OK;
}

enum sd_status sim_stream_hold(struct sim *sim, sd_handle stream, struct sd_diag *diag)
{
	struct sim_item *item;
	struct sim_stream *s;

	SD_TRY(sim_find_taker(sim, stream, 1, "hold", &s, diag));
	item = sim_item_new(s);
	if (!item)
		return sim_no_memory(diag);
	item->waits_for = SIM_STREAM;
	item->object = stream;
	if (sd_machine_add_hold(sim->machine, s->machine, (uintptr_t)item) == SD_OK)
		return SD_OK;
	free(item);
	return sim_no_memory(diag);
}

enum sd_status sim_activate(struct sim *sim, sd_handle stream, sd_handle started, struct sd_diag *diag)
{
	struct sim_stream *s, *to;
	struct sim_item *item;

	SD_TRY(sim_find_taker(sim, started, 0, "activation", &to, diag));
	SD_TRY(sim_find_taker(sim, stream, 1, "activation", &s, diag));
	item = sim_item_new(s);
	if (!item)
		return sim_no_memory(diag);
	if (sd_machine_add_activate(sim->machine, s->machine, to->machine, (uintptr_t)item) == SD_OK)
		return SD_OK;
	free(item);
	return sim_no_memory(diag);
}
