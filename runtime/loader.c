/* Taking what a plan needs, and giving it back. */
#include <stdlib.h>

#include "loader_impl.h"

/* ---- streams of the device itself ---- */

/* Given back although something went wrong before; a call that fails once is made again. */
static enum sd_status destroy_stream(struct sd_device *device, sd_handle stream, bool force, struct sd_diag *diag)
{
	return device->ops->stream_destroy(device, stream, force, diag);
}

static enum sd_status create_streams(void *arg, const struct sd_stream_want *want, uint32_t count, sd_handle *stream, struct sd_diag *diag)
{
	struct sd_device *device = arg;
	int32_t rt_id;

	for (uint32_t i = 0; i < count; i++) {
		enum sd_status status = device->ops->stream_create(device, want[i].priority, want[i].flags, &stream[i], &rt_id, diag);

		if (status == SD_OK)
			continue;
		while (i-- > 0) {
			if (destroy_stream(device, stream[i], true, NULL) != SD_OK)
				destroy_stream(device, stream[i], true, NULL);
		}
		return status;
	}
	return SD_OK;
}

static enum sd_status release_stream(void *arg, sd_handle stream, bool is_broken, struct sd_diag *diag)
{
	return destroy_stream(arg, stream, is_broken, diag);
}

struct sd_stream_source sd__device_source(struct sd_device *device)
{
	return (struct sd_stream_source){ create_streams, release_stream, device };
}

/* ---- giving back ---- */

/* The first failure is told, the rest goes on. */
static void keep_first(enum sd_status *first, enum sd_status status)
{
	if (*first == SD_OK)
		*first = status;
}

static void give_back(struct sd_model_run *model, sd_handle *handle, enum sd_status (*destroy)(struct sd_device *, sd_handle, struct sd_diag *),
                      enum sd_status *first, struct sd_diag *diag)
{
	enum sd_status status;

	if (*handle == SD_NO_HANDLE)
		return;
	status = destroy(model->device, *handle, diag);
	if (status == SD_OK)
		*handle = SD_NO_HANDLE;
	keep_first(first, status);
}

static enum sd_status give_all_back(struct sd_model_run *model, struct sd_diag *diag)
{
	const struct sd_device_ops *ops = model->device->ops;
	enum sd_status first = SD_OK;

	for (uint32_t i = 0; i < model->load.plan->notify_count; i++)
		give_back(model, &model->notify[i], ops->notify_destroy, &first, diag);
	for (uint32_t i = 0; i < model->steps.event_count; i++)
		give_back(model, &model->event[i], ops->event_destroy, &first, diag);
	for (uint32_t i = 0; model->has_streams && i < model->stream_count; i++) {
		enum sd_status status;

		if (model->stream[i] == SD_NO_HANDLE)
			continue;
		status = model->source.release(model->source.arg, model->stream[i], model->is_broken, diag);
		if (status == SD_OK)
			model->stream[i] = SD_NO_HANDLE;
		keep_first(&first, status);
	}
	return first;
}

static void forget(struct sd_model_run *model)
{
	sd_arena_finish(&model->mem);
	free(model);
}

enum sd_status sd_model_unload(struct sd_model_run **model, struct sd_diag *diag)
{
	SD_TRY(give_all_back(*model, diag));
	forget(*model);
	*model = NULL;
	return SD_OK;
}

/* ---- taking ---- */

static enum sd_status no_memory(struct sd_diag *diag)
{
	return SD_FAIL1(diag, SD_CODE_HOST_SHORT, SD_NO_NODE, sd_arg_words("memory"));
}

static enum sd_status admit(struct sd_model_run *model, struct sd_diag *diag)
{
	struct sd_device_facts facts;
	struct sd_load_admission admission;
	const struct sd_admission_row *row = admission.row;

	model->device->ops->facts(model->device, &facts);
	sd_load_admit(model->load.plan, model->steps.event_count - model->load.plan->event_count, &facts, &admission);
	/* Whoever shares streams knows better how many are left. */
	if (row[SD_ADMIT_STREAMS].missing && !model->load.source)
		return SD_FAIL3(diag, SD_CODE_LOAD_STREAMS, SD_NO_NODE, sd_arg_int((int64_t)row[SD_ADMIT_STREAMS].needed), sd_arg_int(admission.follow_streams),
		                sd_arg_int((int64_t)row[SD_ADMIT_STREAMS].available));
	if (row[SD_ADMIT_HUGE_STREAMS].missing && !model->load.source)
		return SD_FAIL2(diag, SD_CODE_LOAD_HUGE_STREAMS, SD_NO_NODE, sd_arg_int((int64_t)row[SD_ADMIT_HUGE_STREAMS].needed),
		                sd_arg_int((int64_t)row[SD_ADMIT_HUGE_STREAMS].available));
	if (row[SD_ADMIT_EVENTS].missing)
		return SD_FAIL2(diag, SD_CODE_LOAD_EVENTS, SD_NO_NODE, sd_arg_int((int64_t)row[SD_ADMIT_EVENTS].needed),
		                sd_arg_int((int64_t)row[SD_ADMIT_EVENTS].available));
	if (row[SD_ADMIT_NOTIFIES].missing)
		return SD_FAIL2(diag, SD_CODE_LOAD_NOTIFIES, SD_NO_NODE, sd_arg_int((int64_t)row[SD_ADMIT_NOTIFIES].needed),
		                sd_arg_int((int64_t)row[SD_ADMIT_NOTIFIES].available));
	return SD_OK;
}

static enum sd_status take_streams(struct sd_model_run *model, struct sd_diag *diag)
{
	struct sd_stream_want *want = sd_streams_wanted(&model->mem, &model->load, &model->stream_count);

	model->stream = want ? SD_NEW0(&model->mem, sd_handle, model->stream_count + 1) : NULL;
	if (!model->stream)
		return no_memory(diag);
	SD_TRY(model->source.acquire(model->source.arg, want, model->stream_count, model->stream, diag));
	model->has_streams = true;
	return SD_OK;
}

static enum sd_status take_all(struct sd_model_run *model, struct sd_diag *diag)
{
	const struct sd_plan *plan = model->load.plan;
	const struct sd_device_ops *ops = model->device->ops;

	model->event = SD_NEW0(&model->mem, sd_handle, model->steps.event_count + 1);
	model->notify = SD_NEW0(&model->mem, sd_handle, plan->notify_count + 1);
	if (!model->event || !model->notify)
		return no_memory(diag);
	SD_TRY(take_streams(model, diag));
	for (uint32_t i = 0; i < model->steps.event_count; i++)
		SD_TRY(ops->event_create(model->device, 0, &model->event[i], diag));
	for (uint32_t i = 0; i < plan->notify_count; i++)
		SD_TRY(ops->notify_create(model->device, 0, &model->notify[i], diag));
	return SD_OK;
}

static enum sd_status make_steps(struct sd_arena *mem, const struct sd_load *load, struct sd_issue *issue, struct sd__steps *steps, struct sd_diag *diag)
{
	SD_TRY(sd_issue_make(mem, load->plan, load->flow, &load->choices, issue, diag));
	return sd__steps_make(mem, load->plan, issue, steps) ? SD_OK : no_memory(diag);
}

enum sd_status sd_load_events(struct sd_arena *mem, const struct sd_load *load, uint32_t *events, struct sd_diag *diag)
{
	struct sd_issue issue;
	struct sd__steps steps;

	SD_TRY(make_steps(mem, load, &issue, &steps, diag));
	*events = steps.event_count;
	return SD_OK;
}

enum sd_status sd_model_load(struct sd_device *device, const struct sd_load *load, struct sd_model_run **out, struct sd_diag *diag)
{
	struct sd_model_run *model = calloc(1, sizeof(*model));
	enum sd_status status;

	*out = NULL;
	if (!model)
		return no_memory(diag);
	model->device = device;
	model->load = *load;
	model->source = load->source ? *load->source : sd__device_source(device);
	sd_arena_init(&model->mem, 0);
	status = make_steps(&model->mem, load, &model->issue, &model->steps, diag);
	if (status == SD_OK)
		status = admit(model, diag);
	if (status == SD_OK) {
		status = take_all(model, diag);
		/* What cannot be given back at the second attempt is the device's loss: there is nobody to keep it for. */
		if (status != SD_OK && model->event && model->notify && give_all_back(model, NULL) != SD_OK)
			give_all_back(model, NULL);
	}
	if (status != SD_OK) {
		forget(model);
		return status;
	}
	*out = model;
	return SD_OK;
}

const struct sd_issue *sd_model_issue(const struct sd_model_run *model)
{
	return &model->issue;
}

sd_handle sd_model_stream(const struct sd_model_run *model, uint32_t stream)
{
	return model->stream[stream];
}
