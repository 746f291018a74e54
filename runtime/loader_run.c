/* One run of a loaded model. */
#include "loader_impl.h"

static int64_t patience(const struct sd_model_run *model)
{
	return model->load.timeout_ms > 0 ? model->load.timeout_ms : SD_FOR_EVER;
}

/* What a full queue holds runs to its end, since all that it waits for is enqueued (issue.h); then there is room. */
static enum sd_status make_room(struct sd_model_run *model, uint32_t stream, struct sd_diag *diag)
{
	return model->device->ops->stream_synchronize(model->device, model->stream[stream], patience(model), diag);
}

static enum sd_status submit_singly(struct sd_model_run *model, struct sd_diag *diag)
{
	const struct sd_device_ops *ops = model->device->ops;
	sd_handle stream = model->stream[model->batch_stream];

	for (uint32_t i = 0; i < model->batched; i++) {
		if (ops->submit(model->device, stream, &model->batch[i], 1, NULL) != SD_RESOURCE_EXHAUSTED)
			continue;
		SD_TRY(make_room(model, model->batch_stream, diag));
		SD_TRY(ops->submit(model->device, stream, &model->batch[i], 1, diag));
	}
	return SD_OK;
}

/* Hands over the tasks that were gathered. */
static enum sd_status flush(struct sd_model_run *model, struct sd_diag *diag)
{
	struct sd_diag refused = { 0 };
	enum sd_status status = SD_OK;

	if (model->batched > 0) {
		status = model->device->ops->submit(model->device, model->stream[model->batch_stream], model->batch, model->batched, &refused);
		if (status == SD_RESOURCE_EXHAUSTED) {
			status = make_room(model, model->batch_stream, diag);
			if (status == SD_OK)
				status = submit_singly(model, diag);
		} else if (status != SD_OK && diag) {
			*diag = refused;
		}
	}
	model->batched = 0;
	return status;
}

static enum sd_status gather(struct sd_model_run *model, const struct sd_step *step, uint32_t launch, struct sd_diag *diag)
{
	struct sd_task *task;

	if (model->batched > 0 && (model->batch_stream != step->stream || model->batched == SD__BATCH))
		SD_TRY(flush(model, diag));
	task = &model->batch[model->batched];
	*task = (struct sd_task){ 0 };
	SD_TRY(model->load.task(model->load.task_arg, step, launch, task, diag));
	model->batch_stream = step->stream;
	model->batched++;
	return SD_OK;
}

static enum sd_status enqueue_once(struct sd_model_run *model, const struct sd_step *step, struct sd_diag *diag)
{
	const struct sd_device_ops *ops = model->device->ops;
	sd_handle stream = model->stream[step->stream];

	switch (step->kind) {
	case SD_STEP_LAUNCH: break;
	case SD_STEP_RECORD: return ops->event_record(model->device, stream, model->event[step->arg], diag);
	case SD_STEP_WAIT: return ops->event_wait(model->device, stream, model->event[step->arg], diag);
	case SD_STEP_NOTIFY_RECORD: return ops->notify_record(model->device, stream, model->notify[step->arg], diag);
	case SD_STEP_NOTIFY_WAIT: return ops->notify_wait(model->device, stream, model->notify[step->arg], diag);
	case SD_STEP_HOLD: return ops->stream_hold(model->device, stream, diag);
	case SD_STEP_ACTIVATE: return ops->activate(model->device, stream, model->stream[step->arg], diag);
	}
	return SD_OK;
}

static enum sd_status enqueue(struct sd_model_run *model, const struct sd_step *step, struct sd_diag *diag)
{
	struct sd_diag refused = { 0 };
	enum sd_status status = enqueue_once(model, step, &refused);

	if (status == SD_RESOURCE_EXHAUSTED) {
		SD_TRY(make_room(model, step->stream, diag));
		return enqueue_once(model, step, diag);
	}
	if (status != SD_OK && diag)
		*diag = refused;
	return status;
}

/* Ends what was begun. A task that runs is not over when its stream is aborted, so it is waited for: then nothing of the
 * caller's is used any more. What the streams tell is known by then. */
static enum sd_status give_up(struct sd_model_run *model, enum sd_status status)
{
	const struct sd_device_ops *ops = model->device->ops;

	model->is_broken = true;
	model->batched = 0;
	for (uint32_t s = 0; s < model->load.plan->stream_count; s++) {
		if (ops->stream_abort(model->device, model->stream[s], NULL) != SD_OK)
			ops->stream_abort(model->device, model->stream[s], NULL);
	}
	for (uint32_t s = 0; s < model->load.plan->stream_count; s++)
		ops->stream_synchronize(model->device, model->stream[s], patience(model), NULL);
	return status;
}

static enum sd_status fill_queues(struct sd_model_run *model, struct sd_diag *diag)
{
	uint32_t launch = 0;

	for (uint32_t i = 0; i < model->steps.step_count; i++) {
		const struct sd_step *step = &model->steps.step[i];

		if (step->kind == SD_STEP_LAUNCH) {
			SD_TRY(gather(model, step, launch++, diag));
		} else {
			SD_TRY(flush(model, diag));
			SD_TRY(enqueue(model, step, diag));
		}
	}
	return flush(model, diag);
}

enum sd_status sd_model_start(struct sd_model_run *model, struct sd_diag *diag)
{
	enum sd_status status;

	if (model->is_broken)
		return SD_FAIL0(diag, SD_CODE_MODEL_BROKEN, SD_NO_NODE);
	status = fill_queues(model, diag);
	return status == SD_OK ? SD_OK : give_up(model, status);
}

enum sd_status sd_model_wait(struct sd_model_run *model, struct sd_diag *diag)
{
	for (uint32_t s = 0; s < model->load.plan->stream_count; s++) {
		enum sd_status status = model->device->ops->stream_synchronize(model->device, model->stream[s], patience(model), diag);

		if (status != SD_OK)
			return give_up(model, status);
	}
	return SD_OK;
}

enum sd_status sd_model_run(struct sd_model_run *model, struct sd_diag *diag)
{
	SD_TRY(sd_model_start(model, diag));
	return sd_model_wait(model, diag);
}
