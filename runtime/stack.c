#include "streamd/stack.h"

#include "streamd/task_queue.h"

static enum sd_status put_queue(struct sd_stack *stack, const struct sd_settings *settings, struct sd_diag *diag)
{
	struct sd_task_queue_options options = { .launches_alone = !settings->of[SD_SET_LAUNCH_AGGREGATION].value, .full_wait_ms = SD_FOR_EVER };

	if (!settings->of[SD_SET_LAUNCH_AGGREGATION].origin)
		return SD_OK;
	SD_TRY(sd_task_queue_open(&options, stack->front, &stack->queue, diag));
	stack->front = stack->queue;
	return SD_OK;
}

static enum sd_status put_all(struct sd_stack *stack, const struct sd_settings *settings, struct sd_diag *diag)
{
	SD_TRY(put_queue(stack, settings, diag));
	if (settings->of[SD_SET_MEM_CHECK].value) {
		SD_TRY(sd_race_device_open(stack->front, &stack->checked, diag));
		stack->front = stack->checked;
	}
	if (settings->of[SD_SET_EVENT_LOG].value) {
		SD_TRY(sd_log_device_open(stack->front, stack->line, stack->arg, &stack->logged, diag));
		stack->front = stack->logged;
	}
	return SD_OK;
}

static void close_one(struct sd_device **device)
{
	if (*device)
		(*device)->ops->close(*device);
	*device = NULL;
}

void sd_stack_close(struct sd_stack *stack)
{
	if (stack->logged && stack->line)
		sd_log_device_state(stack->logged, stack->line, stack->arg);
	close_one(&stack->logged);
	close_one(&stack->checked);
	close_one(&stack->queue);
	stack->front = NULL;
}

enum sd_status sd_stack_open(struct sd_stack *stack, struct sd_device *device, const struct sd_settings *settings, sd_log_line line, void *arg,
                             struct sd_diag *diag)
{
	enum sd_status status;

	*stack = (struct sd_stack){ .front = device, .line = line, .arg = arg };
	if (line && settings->of[SD_SET_EVENT_LOG].value)
		sd_settings_tell(settings, line, arg);
	status = put_all(stack, settings, diag);
	if (status != SD_OK)
		sd_stack_close(stack);
	return status;
}
