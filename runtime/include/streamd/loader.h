/* loader.h - runs a plan on a device: streams, events and notifies are taken, queues filled, and all given back.
 *
 * Load takes what the plan needs or nothing. A run fills the queues in the order of issue.h and waits
 * until all is done; it may be repeated. When a run fails its streams are aborted, what runs is waited
 * for, as long as a run may take, and the model can only be unloaded. Unload gives back what it can and may be called again for the rest.
 *
 * Which body runs and how many turns a loop takes is asked once, when the model is loaded: a device
 * is handed whole queues, and nobody looks at a condition between them. So a task of a loop's body, or one behind the
 * loop, may begin beside the condition that would have decided on it: plans leave that order to whoever reads the
 * condition. What runs on the host is not run here.
 *
 * A plan says nothing of what lags behind its turn of a loop. Where a notify would be recorded again and it is not sure that it
 * was waited for, which would lose the record, the record waits for that, by an event that the loader takes besides the plan's.
 *
 * One thread at a time for each model. Plan, flow and what they point to must outlive it. */
#ifndef SD_LOADER_H
#define SD_LOADER_H

#include "streamd/device.h"
#include "streamd/issue.h"

struct sd_model_run; /* a loaded model */

/* A stream that a model needs, in the order of loading: one for each stream of the plan, then those
 * which its collectives use besides. */
struct sd_stream_want {
	int32_t priority;
	uint32_t flags;      /* enum sd_stream_flag */
	int64_t task_count;
};

/* Who gives streams. */
struct sd_stream_source {
	/* All or nothing: fills one handle for each want. */
	enum sd_status (*acquire)(void *arg, const struct sd_stream_want *want, uint32_t count, sd_handle *stream, struct sd_diag *diag);
	/* `is_broken`: its work was aborted; nobody else should be given it. On failure it is still held. */
	enum sd_status (*release)(void *arg, sd_handle stream, bool is_broken, struct sd_diag *diag);
	void *arg;
};

struct sd_load {
	const struct sd_plan *plan;
	const struct sd_flow *flow;
	struct sd_choices choices;
	const struct sd_stream_source *source; /* NULL: the device makes new ones */
	/* What is to run for the launch `step`, number `launch` of a run: fills *task, which is cleared. Asked in every run. */
	enum sd_status (*task)(void *arg, const struct sd_step *step, uint32_t launch, struct sd_task *task, struct sd_diag *diag);
	void *task_arg;
	int32_t priority;                      /* of streams to which the plan gives none */
	bool detects_overflow;                 /* streams with flag OVERFLOW */
	bool runs_at_once;                     /* streams without PERSISTENT: those of Ascend's keep their tasks for a model of its own */
	int64_t timeout_ms;                    /* of a run, for each stream; 0: for ever */
};

/* ---- admission ---- */

enum sd_admission_resource { SD_ADMIT_STREAMS, SD_ADMIT_HUGE_STREAMS, SD_ADMIT_EVENTS, SD_ADMIT_NOTIFIES, SD_ADMIT_RESOURCES };

/* What loading a plan takes, and what a device has left; `available` is UINT64_MAX where there is no limit. */
struct sd_load_admission {
	struct sd_admission_row {
		uint64_t needed, available, missing;
	} row[SD_ADMIT_RESOURCES];
	uint32_t follow_streams; /* of the streams needed, those for collectives */
	bool fits;
};

/* `turn_events`: what the loader takes besides the plan's to keep turns of loops apart, with the choices of a load.
 * Huge streams that exist are not told by a device: of them only the maximum is looked at. */
void sd_load_admit(const struct sd_plan *plan, uint32_t turn_events, const struct sd_device_facts *facts, struct sd_load_admission *admission);

/* The events that a load takes: the plan's, and those that keep turns apart, which are never more than the plan has notifies.
 * RESOURCE_EXHAUSTED: `mem` is over budget. */
enum sd_status sd_load_events(struct sd_arena *mem, const struct sd_load *load, uint32_t *events, struct sd_diag *diag);

/* The streams that the plan needs, in the order of loading; NULL: `mem` is over budget. Flags: PERSISTENT unless they run at
 * once; HUGE where the plan says so; FORCE_COPY on streams with collectives; OVERFLOW if asked for. */
struct sd_stream_want *sd_streams_wanted(struct sd_arena *mem, const struct sd_load *load, uint32_t *count);

/* ---- a model ---- */

/* RESOURCE_EXHAUSTED with figures when it does not fit; else what the device or the source answers. */
enum sd_status sd_model_load(struct sd_device *device, const struct sd_load *load, struct sd_model_run **model, struct sd_diag *diag);

/* Fills the queues and waits. FAILED_PRECONDITION after a run that failed. */
enum sd_status sd_model_run(struct sd_model_run *model, struct sd_diag *diag);

/* The two halves of a run. */
enum sd_status sd_model_start(struct sd_model_run *model, struct sd_diag *diag);
enum sd_status sd_model_wait(struct sd_model_run *model, struct sd_diag *diag);

/* OK: `*model` is NULL now. Else the first thing that could not be given back; what is left is still in it. */
enum sd_status sd_model_unload(struct sd_model_run **model, struct sd_diag *diag);

const struct sd_issue *sd_model_issue(const struct sd_model_run *model);
sd_handle sd_model_stream(const struct sd_model_run *model, uint32_t stream);

#endif
