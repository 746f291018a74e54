/* annotate.h - the streams of a plan, written back into what it was made from, so that a framework can apply it.
 *
 * Written are Graph Engine's own names. Of each node: `stream_id`, its physical stream, -1 if it is not launched;
 * `_logic_stream_id`, where it has a logical stream; `_user_stream_label`, where labels alone bring the placement
 * about and it has none yet: the label of its stream, else "stream_<logical id>"; none where there is one stream only. Labels do not do where bodies or
 * activations decide, nor beside single_stream.
 *   - A request gets attributes of nodes, and the option explicit_streams: planned again it is placed alike.
 *   - A dump gets its fields and attributes, and stream_num, event_num and notify_num of the model. The rest of its
 *     text stays as it is. Planned again with trust in its stream ids it is placed alike. */
#ifndef SD_ANNOTATE_H
#define SD_ANNOTATE_H

#include "base/arena.h"
#include "emit.h"
#include "streamd/request.h"
#include "streamd/plan.h"

struct sd_annotation {
	const struct sd_plan *plan;
	const struct sd_request *request;
	const int32_t *logical;      /* by node of the graph; of what has none and is launched that of its physical stream */
	const struct sd_text *label; /* by node; empty: none is written */
	bool has_labels;             /* false: labels would not do */
};

/* RESOURCE_EXHAUSTED over budget. */
enum sd_status sd_annotation_make(struct sd_arena *mem, const struct sd_request *request, const struct sd_plan *plan,
                                  struct sd_annotation *annotation, struct sd_diag *diag);

/* The request of these bytes, as JSON with a newline behind it. */
enum sd_status sd_annotate_request(struct sd_arena *mem, struct sd_emitter *out, const struct sd_annotation *annotation, struct sd_text bytes,
                                   struct sd_diag *diag);

/* The dump from which the request was made. */
enum sd_status sd_annotate_dump(struct sd_arena *mem, struct sd_emitter *out, const struct sd_annotation *annotation, struct sd_text dump,
                                struct sd_diag *diag);

#endif
