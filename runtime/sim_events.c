#include "sim_internal.h"

#include <stdlib.h>

#include "streamd/vendor_errors.h"

#define EVENT_FLAGS 0x7fu /* all that the runtime knows */
#define NOTIFY_FLAGS 0x1u
#define EVENT_TIMEOUT 507047

static enum sd_status check_flags(uint32_t flags, uint32_t known, const char *what, const char *right, struct sd_diag *diag)
{
	if (!(flags & ~known))
		return SD_OK;
	return SD_FAIL3(diag, SD_CODE_BAD_DEVICE_VALUE, SD_NO_NODE, sd_arg_words(what), sd_arg_int(flags), sd_arg_words(right));
}

enum sd_status sim_find_event(struct sim *sim, sd_handle handle, struct sim_event **event, struct sd_diag *diag)
{
	*event = sd__sim_handles_find(&sim->handles, SIM_EVENT, handle);
	if (*event)
		return SD_OK;
	return SD_FAIL2(diag, SD_CODE_NO_SUCH_HANDLE, SD_NO_NODE, sd_arg_words("event"), sd_arg_int((int64_t)handle));
}

enum sd_status sim_find_notify(struct sim *sim, sd_handle handle, struct sim_notify **notify, struct sd_diag *diag)
{
	*notify = sd__sim_handles_find(&sim->handles, SIM_NOTIFY, handle);
	if (*notify)
		return SD_OK;
	return SD_FAIL2(diag, SD_CODE_NO_SUCH_HANDLE, SD_NO_NODE, sd_arg_words("notify"), sd_arg_int((int64_t)handle));
}

enum sd_status sim_event_create(struct sim *sim, uint32_t flags, sd_handle *event, struct sd_diag *diag)
{
	struct sim_event *e;

	SD_TRY(check_flags(flags, EVENT_FLAGS, "the flags of an event", "of 0x7f", diag));
	SD_TRY(sim_fault(sim, SD_SIM_EVENT_CREATE, diag));
	SD_TRY(sim_has_room(sim->facts.events_used, sim->facts.events_max, "events (vendor error 207007)", diag));
	e = calloc(1, sizeof(*e));
	if (!e || !sd__sim_handles_add(&sim->handles, SIM_EVENT, e, &e->handle)) {
		free(e);
		return sim_no_memory(diag);
	}
	sim->facts.events_created++;
	sim->facts.events_used++;
	*event = e->handle;
	return SD_OK;
}

/* Waits that are queued keep the record that they are for. */
static void forget_record(struct sim *sim, struct sim_event *e)
{
	if (e->has_record)
		sd_machine_drop_signal(sim->machine, e->signal);
	e->has_record = false;
}

enum sd_status sim_event_destroy(struct sim *sim, sd_handle event, struct sd_diag *diag)
{
	struct sim_event *e;

	SD_TRY(sim_find_event(sim, event, &e, diag));
	SD_TRY(sim_fault(sim, SD_SIM_EVENT_DESTROY, diag));
	forget_record(sim, e);
	sd__sim_handles_remove(&sim->handles, event);
	sim->facts.events_destroyed++;
	sim->facts.events_used--;
	free(e);
	return SD_OK;
}

/* Queues a record or a wait; the signal stays the caller's. */
static enum sd_status queue(struct sim *sim, struct sim_stream *s, uint32_t signal, bool is_wait, enum sim_kind kind, sd_handle object, struct sd_diag *diag)
{
	struct sim_item *item = sim_item_new(s);
	enum sd_status status;

	if (!item)
		return sim_no_memory(diag);
	item->waits_for = kind;
	item->object = object;
	if (is_wait)
		status = sd_machine_add_wait(sim->machine, s->machine, signal, kind == SIM_NOTIFY, (uintptr_t)item);
	else
		status = sd_machine_add_record(sim->machine, s->machine, signal, (uintptr_t)item);
	if (status == SD_OK)
		return SD_OK;
	free(item);
	return sim_no_memory(diag);
}

enum sd_status sim_event_record(struct sim *sim, sd_handle stream, sd_handle event, struct sd_diag *diag)
{
	struct sim_stream *s;
	struct sim_event *e;
	uint32_t signal;

	SD_TRY(sim_find_event(sim, event, &e, diag));
	SD_TRY(sim_find_taker(sim, stream, 1, "record", &s, diag));
	SD_TRY(sim_fault(sim, SD_SIM_RECORD, diag));
	if (sd_machine_add_signal(sim->machine, &signal) != SD_OK)
		return sim_no_memory(diag);
	if (queue(sim, s, signal, false, SIM_EVENT, event, diag) != SD_OK) {
		sd_machine_drop_signal(sim->machine, signal);
		return SD_RESOURCE_EXHAUSTED;
	}
	forget_record(sim, e);
	e->signal = signal;
	e->has_record = true;
	e->recorder = stream;
	return SD_OK;
}

static enum sd_status check_recorded(const struct sim_event *e, const char *what, struct sd_diag *diag)
{
	if (e->has_record)
		return SD_OK;
	return SD_FAIL2(diag, SD_CODE_NOT_RECORDED, SD_NO_NODE, sd_arg_int((int64_t)e->handle), sd_arg_words(what));
}

enum sd_status sim_event_wait(struct sim *sim, sd_handle stream, sd_handle event, struct sd_diag *diag)
{
	struct sim_stream *s;
	struct sim_event *e;

	SD_TRY(sim_find_event(sim, event, &e, diag));
	SD_TRY(sim_find_taker(sim, stream, 1, "wait", &s, diag));
	SD_TRY(check_recorded(e, "wait", diag));
	SD_TRY(sim_fault(sim, SD_SIM_WAIT, diag));
	return queue(sim, s, e->signal, true, SIM_EVENT, event, diag);
}

enum sd_status sim_event_reset(struct sim *sim, sd_handle stream, sd_handle event, struct sd_diag *diag)
{
	struct sim_stream *s;
	struct sim_event *e;

	SD_TRY(sim_find_event(sim, event, &e, diag));
	SD_TRY(sim_find_taker(sim, stream, 0, "reset", &s, diag));
	forget_record(sim, e);
	return SD_OK;
}

/* An event without a record has nothing to wait for. */
static bool is_done(const struct sim *sim, sd_handle event)
{
	const struct sim_event *e = sd__sim_handles_find(&sim->handles, SIM_EVENT, event);
	int64_t at;

	return !e || !e->has_record || sd_machine_is_recorded(sim->machine, e->signal, &at);
}

enum sd_status sim_event_query(struct sim *sim, sd_handle event, enum sd_progress *progress, struct sd_diag *diag)
{
	struct sim_event *e;

	SD_TRY(sim_find_event(sim, event, &e, diag));
	if (!is_done(sim, event) && !sim_step(sim, SD_MACHINE_FOR_EVER))
		return sd_machine_is_broken(sim->machine) ? sim_no_memory(diag) : sim_waits_for_ever(sim, e->recorder, diag);
	*progress = is_done(sim, event) ? SD_DONE : SD_NOT_DONE;
	return SD_OK;
}

enum sd_status sim_event_synchronize(struct sim *sim, sd_handle event, int64_t timeout_ms, struct sd_diag *diag)
{
	enum sd_status status;
	struct sim_event *e;

	SD_TRY(sim_find_event(sim, event, &e, diag));
	SD_TRY(sim_check_timeout(timeout_ms, diag));
	SD_TRY(sim_fault(sim, SD_SIM_SYNCHRONIZE, diag));
	status = sim_run_until(sim, is_done, event, timeout_ms, e->recorder, diag);
	if (status != SD_DEADLINE_EXCEEDED)
		return status;
	return SD_FAIL3(diag, SD_CODE_SYNC_TIMEOUT, SD_NO_NODE, sd_arg_words("the event"), sd_arg_int(timeout_ms), sd_arg_int(EVENT_TIMEOUT));
}

static enum sd_status time_of(struct sim *sim, sd_handle event, int64_t *at, struct sd_diag *diag)
{
	struct sim_event *e;

	SD_TRY(sim_find_event(sim, event, &e, diag));
	SD_TRY(check_recorded(e, "time", diag));
	return sd_machine_is_recorded(sim->machine, e->signal, at) ? SD_OK : sd_vendor_fail(diag, "event_elapsed", 107006);
}

enum sd_status sim_event_elapsed(struct sim *sim, sd_handle start, sd_handle end, int64_t *ns, struct sd_diag *diag)
{
	int64_t from, to;

	SD_TRY(time_of(sim, start, &from, diag));
	SD_TRY(time_of(sim, end, &to, diag));
	if (to < from)
		return sd_vendor_fail(diag, "event_elapsed", 107007);
	*ns = to - from;
	return SD_OK;
}

enum sd_status sim_notify_create(struct sim *sim, uint32_t flags, sd_handle *notify, struct sd_diag *diag)
{
	struct sim_notify *n;

	SD_TRY(check_flags(flags, NOTIFY_FLAGS, "the flags of a notify", "0 or 1", diag));
	SD_TRY(sim_fault(sim, SD_SIM_NOTIFY_CREATE, diag));
	SD_TRY(sim_has_room(sim->facts.notifies_used, sim->facts.notifies_max, "notifies (vendor error 207009)", diag));
	n = calloc(1, sizeof(*n));
	if (!n || sd_machine_add_signal(sim->machine, &n->signal) != SD_OK) {
		free(n);
		return sim_no_memory(diag);
	}
	if (!sd__sim_handles_add(&sim->handles, SIM_NOTIFY, n, &n->handle)) {
		sd_machine_drop_signal(sim->machine, n->signal);
		free(n);
		return sim_no_memory(diag);
	}
	sim->facts.notifies_created++;
	sim->facts.notifies_used++;
	*notify = n->handle;
	return SD_OK;
}

enum sd_status sim_notify_destroy(struct sim *sim, sd_handle notify, struct sd_diag *diag)
{
	struct sim_notify *n;

	SD_TRY(sim_find_notify(sim, notify, &n, diag));
	SD_TRY(sim_fault(sim, SD_SIM_NOTIFY_DESTROY, diag));
	sd_machine_drop_signal(sim->machine, n->signal);
	sd__sim_handles_remove(&sim->handles, notify);
	sim->facts.notifies_destroyed++;
	sim->facts.notifies_used--;
	free(n);
	return SD_OK;
}

enum sd_status sim_notify_record(struct sim *sim, sd_handle stream, sd_handle notify, struct sd_diag *diag)
{
	struct sim_stream *s;
	struct sim_notify *n;

	SD_TRY(sim_find_notify(sim, notify, &n, diag));
	SD_TRY(sim_find_taker(sim, stream, 1, "record", &s, diag));
	SD_TRY(sim_fault(sim, SD_SIM_RECORD, diag));
	return queue(sim, s, n->signal, false, SIM_NOTIFY, notify, diag);
}

enum sd_status sim_notify_wait(struct sim *sim, sd_handle stream, sd_handle notify, struct sd_diag *diag)
{
	struct sim_stream *s;
	struct sim_notify *n;

	SD_TRY(sim_find_notify(sim, notify, &n, diag));
	SD_TRY(sim_find_taker(sim, stream, 1, "wait", &s, diag));
	if (n->waits && n->waiter != stream)
		return SD_FAIL2(diag, SD_CODE_NOTIFY_TAKEN, SD_NO_NODE, sd_arg_int((int64_t)notify), sd_arg_int((int64_t)n->waiter));
	SD_TRY(sim_fault(sim, SD_SIM_WAIT, diag));
	SD_TRY(queue(sim, s, n->signal, true, SIM_NOTIFY, notify, diag));
	n->waiter = stream;
	n->waits++;
	return SD_OK;
}
