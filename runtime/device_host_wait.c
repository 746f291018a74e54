#include "device_host_impl.h"

#define NS_PER_MS 1000000u
#define VENDOR_STREAM_TIMEOUT 507046 /* what a chip answers */
#define VENDOR_EVENT_TIMEOUT 507047

/* What a caller waits for: a record, or a stream that has passed so many entries. */
struct waited {
	struct host_record *record; /* NULL: the stream */
	sd_handle stream;
	uint64_t target;
};

enum answer { DONE, NOT_YET, GONE };

/* Looks, and leaves word that the caller is to be told of a change. */
static enum answer look(struct host *host, const struct waited *waited, struct sd_diag *diag)
{
	struct host_stream *stream;

	if (waited->record)
		return waited->record->is_done ? DONE : NOT_YET;
	stream = host_find_stream(host, waited->stream, diag);
	if (!stream || stream->passed >= waited->target)
		return stream ? DONE : GONE;
	if (stream->awaited > waited->target)
		stream->awaited = waited->target;
	return NOT_YET;
}

static struct sd_arg number(sd_handle handle)
{
	return sd_arg_int((int64_t)handle);
}

/* The stream that makes a record which is not done; NULL if nobody will. */
static struct host_stream *maker(struct host *host, const struct host_record *record)
{
	return record->is_dropped ? NULL : sd_handles_find(&host->streams, record->recorder);
}

/* The stream that the blocked `stream` waits for, and what it waits for; NULL if nothing that is enqueued ends it. */
static const struct host_stream *next_blocked(struct host *host, const struct host_stream *stream, const char **what, sd_handle *which)
{
	const struct host_entry *entry = host_head(stream);
	const struct host_stream *next;

	if (entry->kind == HOST_WAIT) {
		*what = entry->record->is_dropped ? "the dropped record of event" : "event";
		*which = entry->record->event;
		return maker(host, entry->record);
	}
	if (entry->kind != HOST_NOTIFY_WAIT) {
		*what = "the activation of stream";
		*which = stream->handle;
		return NULL;
	}
	*what = "notify";
	*which = entry->notify->handle;
	next = entry->notify->records ? sd_handles_find(&host->streams, entry->notify->recorder) : NULL;
	return next && next->count > 0 ? next : NULL;
}

/* Nothing runs and nothing could: follows the waits to the one that nothing ends, or round a circle. */
static enum sd_status tell_stuck(struct host *host, const struct host_stream *stream, struct sd_diag *diag)
{
	const char *what = NULL;
	sd_handle which = SD_NO_HANDLE;

	for (uint32_t steps = 0;; steps++) {
		const struct host_stream *next = next_blocked(host, stream, &what, &which);

		if (!next || steps == host->streams.count)
			break;
		stream = next;
	}
	return SD_FAIL3(diag, SD_CODE_WAITS_FOR_EVER, SD_NO_NODE, number(stream->handle), sd_arg_words(what), number(which));
}

static enum sd_status tell_for_ever(struct host *host, const struct waited *waited, struct sd_diag *diag)
{
	const struct host_stream *stream = waited->record ? maker(host, waited->record) : sd_handles_find(&host->streams, waited->stream);

	if (!stream)
		return SD_FAIL2(diag, SD_CODE_EVENT_DROPPED, SD_NO_NODE, number(waited->record->event), number(waited->record->recorder));
	return tell_stuck(host, stream, diag);
}

static enum sd_status tell_late(const struct waited *waited, int64_t timeout_ms, struct sd_diag *diag)
{
	return SD_FAIL3(diag, SD_CODE_SYNC_TIMEOUT, SD_NO_NODE, sd_arg_words(waited->record ? "the event" : "the stream"), sd_arg_int(timeout_ms),
	                sd_arg_int(waited->record ? VENDOR_EVENT_TIMEOUT : VENDOR_STREAM_TIMEOUT));
}

/* Until something changes, or that time. */
static void pause_until(struct host *host, bool is_for_record, uint64_t until_ns)
{
	struct timespec until = { .tv_sec = (time_t)(until_ns / 1000000000u), .tv_nsec = (long)(until_ns % 1000000000u) };

	host->callers++;
	host->callers_of_records += is_for_record;
	if (until_ns == UINT64_MAX)
		pthread_cond_wait(&host->progress, &host->lock);
	else
		pthread_cond_timedwait(&host->progress, &host->lock, &until);
	host->callers_of_records -= is_for_record;
	host->callers--;
}

enum sd_status host_check_timeout(int64_t timeout_ms, struct sd_diag *diag)
{
	if (timeout_ms == SD_FOR_EVER || (timeout_ms > 0 && timeout_ms <= INT64_MAX / NS_PER_MS / 2))
		return SD_OK;
	return host_bad_argument("the timeout in ms", timeout_ms, "above 0 and below 2^42, or -1 for ever", diag);
}

static enum sd_status wait_for(struct host *host, const struct waited *waited, int64_t timeout_ms, struct sd_diag *diag)
{
	uint64_t deadline = UINT64_MAX;

	SD_TRY(host_check_timeout(timeout_ms, diag));
	if (timeout_ms != SD_FOR_EVER)
		deadline = host_now_ns() + (uint64_t)timeout_ms * NS_PER_MS;
	for (;;) {
		enum answer answer = look(host, waited, diag);
		uint64_t now = host_now_ns(), until = deadline;

		if (answer != NOT_YET)
			return answer == DONE ? SD_OK : SD_NOT_FOUND;
		if (host_is_idle(host)) {
			uint64_t stuck = host->changed_ns + (uint64_t)host->options.stuck_after_ms * NS_PER_MS;

			if (now >= stuck)
				return tell_for_ever(host, waited, diag);
			until = stuck < deadline ? stuck : deadline;
		}
		if (now >= deadline)
			return tell_late(waited, timeout_ms, diag);
		pause_until(host, waited->record != NULL, until);
	}
}

enum sd_status host_wait_stream(struct host *host, sd_handle stream, uint64_t target, int64_t timeout_ms, struct sd_diag *diag)
{
	return wait_for(host, &(struct waited){ .stream = stream, .target = target }, timeout_ms, diag);
}

enum sd_status host_wait_record(struct host *host, struct host_record *record, int64_t timeout_ms, struct sd_diag *diag)
{
	enum sd_status status;

	record->references++;
	status = wait_for(host, &(struct waited){ .record = record }, timeout_ms, diag);
	host_record_release(record);
	return status;
}

/* What failed since it was last told. */
enum sd_status host_tell_fault(struct host_stream *stream, struct sd_diag *diag)
{
	const struct sd_device_fault fault = stream->fault;
	const struct sd_arg vendor = sd_arg_int(fault.vendor_code);

	stream->fault = (struct sd_device_fault){ 0 };
	if (fault.status == SD_OK)
		return SD_OK;
	if (fault.status == SD_ABORTED)
		return SD_FAIL3(diag, SD_CODE_STREAM_ABORTED, SD_NO_NODE, number(fault.stream),
		                sd_arg_words(fault.vendor_code == VENDOR_ABORTED ? "aborted" : "stopped"), vendor);
	return SD_FAIL3(diag, SD_CODE_TASK_FAILED, SD_NO_NODE, number(fault.stream), sd_arg_int((int64_t)fault.task_index), vendor);
}
