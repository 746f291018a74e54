#include "device_host_impl.h"

#include <stdlib.h>

#include "streamd/stream_flags.h"

#define VENDOR_STOPPED 507000
#define DESTROY_WAIT_MS 30000 /* what a chip's runtime allows the queue to run dry */

struct host_stream *host_find_stream(struct host *host, sd_handle handle, struct sd_diag *diag)
{
	struct host_stream *stream = host->is_closing ? NULL : sd_handles_find(&host->streams, handle);

	if (!stream)
		SD_FAIL2(diag, SD_CODE_NO_SUCH_HANDLE, SD_NO_NODE, sd_arg_words("stream"), sd_arg_int((int64_t)handle));
	return stream;
}

static bool is_full(uint32_t used, uint32_t max)
{
	return max != 0 && used >= max;
}

static enum sd_status check_room(struct host *host, uint32_t flags, struct sd_diag *diag)
{
	const struct sd_device_facts *facts = &host->facts;

	if (host_is_fault(&host->calls.stream_create, host->options.fault.stream_create) || is_full(facts->streams_used, facts->streams_max))
		return SD_FAIL3(diag, SD_CODE_DEVICE_FULL, SD_NO_NODE, sd_arg_words("streams"), sd_arg_int(facts->streams_used), sd_arg_int(facts->streams_max));
	if ((flags & SD_STREAM_HUGE) && is_full(host->streams_huge, facts->huge_streams_max))
		return SD_FAIL3(diag, SD_CODE_DEVICE_FULL, SD_NO_NODE, sd_arg_words("huge streams"), sd_arg_int(host->streams_huge),
		                sd_arg_int(facts->huge_streams_max));
	return SD_OK;
}

/* Room for each stream in both heaps. */
static bool grow_heaps(struct host *host)
{
	uint32_t cap = host->heap_cap ? host->heap_cap * 2 : 32;
	uint32_t *ready, *sleeping;

	if (host->streams.count < host->heap_cap)
		return true;
	ready = realloc(host->ready, cap * sizeof(*ready));
	if (ready)
		host->ready = ready;
	sleeping = realloc(host->sleeping, cap * sizeof(*sleeping));
	if (sleeping)
		host->sleeping = sleeping;
	if (!ready || !sleeping)
		return false;
	host->heap_cap = cap;
	return true;
}

static uint32_t depth_of(const struct sd_device_facts *facts, uint32_t flags)
{
	if (facts->unlimited_depth && (flags & SD_STREAM_PERSISTENT) && !(flags & SD_STREAM_AICPU))
		return 0;
	return flags & SD_STREAM_HUGE ? facts->tasks_per_huge_stream_max : facts->tasks_per_stream_max;
}

static void count_stream(struct host *host, uint32_t flags, uint32_t by)
{
	if (flags & SD_STREAM_FORBIDDEN_DEFAULT)
		return;
	host->facts.streams_used += by;
	if (flags & SD_STREAM_HUGE)
		host->streams_huge += by;
}

static struct host_stream *make_stream(struct host *host, int32_t priority, uint32_t flags)
{
	struct host_stream *stream = grow_heaps(host) ? calloc(1, sizeof(*stream)) : NULL;

	if (!stream)
		return NULL;
	stream->handle = sd_handles_add(&host->streams, stream);
	if (stream->handle == SD_NO_HANDLE) {
		free(stream);
		return NULL;
	}
	host_list_init(&stream->link);
	stream->index = sd_handle_index(stream->handle);
	stream->priority = sd_stream_priority_clamp(priority);
	stream->flags = flags;
	stream->depth = depth_of(&host->facts, flags);
	stream->awaited = UINT64_MAX;
	return stream;
}

enum sd_status host_stream_create(struct sd_device *device, int32_t priority, uint32_t flags, sd_handle *handle, int32_t *rt_id, struct sd_diag *diag)
{
	struct host *host = host_of(device);
	struct host_stream *stream = NULL;
	enum sd_status status = sd_stream_flags_check(flags, host->facts.has_huge, diag);

	*handle = SD_NO_HANDLE;
	if (status != SD_OK)
		return status;
	host_lock(host);
	if (!(flags & SD_STREAM_FORBIDDEN_DEFAULT))
		status = check_room(host, flags, diag);
	if (status == SD_OK) {
		stream = make_stream(host, priority, flags);
		if (!stream)
			status = host_short_of("memory", diag);
	}
	if (stream) {
		*handle = stream->handle;
		*rt_id = flags & SD_STREAM_FORBIDDEN_DEFAULT ? INT32_MAX : (int32_t)stream->index;
		count_stream(host, flags, 1);
		host->facts.streams_created += !(flags & SD_STREAM_FORBIDDEN_DEFAULT);
	}
	host_unlock(host);
	return status;
}

/* An empty stream without a number goes. */
void host_stream_free(struct host *host, struct host_stream *stream)
{
	host_unlink(&stream->link);
	sd_handles_let_go(&host->streams, stream->index);
	free(stream->ring);
	free(stream);
}

enum sd_status host_stream_destroy(struct sd_device *device, sd_handle handle, bool force, struct sd_diag *diag)
{
	struct host *host = host_of(device);
	struct host_stream *stream;
	enum sd_status status = SD_OK;

	host_lock(host);
	stream = host_find_stream(host, handle, diag);
	if (stream && !force) {
		status = host_wait_stream(host, handle, stream->enqueued, DESTROY_WAIT_MS, diag);
		stream = status == SD_OK ? host_find_stream(host, handle, diag) : NULL;
	}
	if (stream) {
		count_stream(host, stream->flags, -1u);
		host->facts.streams_destroyed += !(stream->flags & SD_STREAM_FORBIDDEN_DEFAULT);
		sd_handles_retire(&host->streams, handle);
		stream->is_gone = true;
		host_drop_queued(host, stream);
		host_cut(host, stream);
		host_wake(host, stream);
		host_settle(host);
		pthread_cond_broadcast(&host->progress);
	} else if (status == SD_OK) {
		status = SD_NOT_FOUND;
	}
	host_unlock(host);
	return status;
}

enum sd_status host_stream_synchronize(struct sd_device *device, sd_handle handle, int64_t timeout_ms, struct sd_diag *diag)
{
	struct host *host = host_of(device);
	struct host_stream *stream;
	enum sd_status status = SD_NOT_FOUND;

	host_lock(host);
	stream = host_find_stream(host, handle, diag);
	if (stream)
		status = host_wait_stream(host, handle, stream->enqueued, timeout_ms, diag);
	if (status == SD_OK) {
		stream = host_find_stream(host, handle, diag);
		status = stream ? host_tell_fault(stream, diag) : SD_NOT_FOUND;
	}
	host_unlock(host);
	return status;
}

enum sd_status host_stream_query(struct sd_device *device, sd_handle handle, enum sd_progress *progress, struct sd_diag *diag)
{
	struct host *host = host_of(device);
	struct host_stream *stream;

	host_lock(host);
	stream = host_find_stream(host, handle, diag);
	if (stream)
		*progress = stream->count == 0 ? SD_DONE : SD_NOT_DONE;
	host_unlock(host);
	return stream ? SD_OK : SD_NOT_FOUND;
}

/* What its next synchronize tells, unless that has to tell something older. */
static void note_ended(struct host_stream *stream, int64_t vendor_code)
{
	if (stream->fault.status == SD_OK)
		stream->fault = (struct sd_device_fault){
			.status = SD_ABORTED, .vendor_code = vendor_code, .stream = stream->handle, .task_index = stream->tasks_passed };
}

enum sd_status host_stream_abort(struct sd_device *device, sd_handle handle, struct sd_diag *diag)
{
	struct host *host = host_of(device);
	struct host_stream *stream;

	host_lock(host);
	stream = host_find_stream(host, handle, diag);
	if (stream && stream->count > 0) {
		note_ended(stream, VENDOR_ABORTED);
		host_drop_queued(host, stream);
		host_cut(host, stream);
		host_settle(host);
	}
	host_unlock(host);
	return stream ? SD_OK : SD_NOT_FOUND;
}

enum sd_status host_stream_stop(struct sd_device *device, sd_handle handle, struct sd_diag *diag)
{
	struct host *host = host_of(device);
	struct host_stream *stream;

	host_lock(host);
	stream = host_find_stream(host, handle, diag);
	if (stream && (stream->state == HOST_RUNNING || stream->state == HOST_SLEEPING)) {
		note_ended(stream, VENDOR_STOPPED);
		host_cut(host, stream);
	}
	host_unlock(host);
	return stream ? SD_OK : SD_NOT_FOUND;
}

enum sd_status host_stream_hold(struct sd_device *device, sd_handle handle, struct sd_diag *diag)
{
	struct host *host = host_of(device);
	struct host_stream *stream;
	enum sd_status status = SD_NOT_FOUND;

	host_lock(host);
	stream = host_find_stream(host, handle, diag);
	if (stream)
		status = host_make_room(host, stream, 1, diag);
	if (status == SD_OK) {
		host_enqueue(host, stream, &(struct host_entry){ .kind = HOST_HOLD, .hold = ++stream->holds });
		host_settle(host);
	}
	host_unlock(host);
	return status;
}

enum sd_status host_activate(struct sd_device *device, sd_handle handle, sd_handle started, struct sd_diag *diag)
{
	struct host *host = host_of(device);
	struct host_stream *stream;
	enum sd_status status = SD_NOT_FOUND;

	host_lock(host);
	stream = host_find_stream(host, handle, diag);
	if (stream && host_find_stream(host, started, diag))
		status = host_make_room(host, stream, 1, diag);
	if (status == SD_OK) {
		host_enqueue(host, stream, &(struct host_entry){ .kind = HOST_ACTIVATE, .started = started });
		host_settle(host);
	}
	host_unlock(host);
	return status;
}
