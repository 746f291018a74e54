/* pool_source.h - streams of loaded models from the slots that models share: what the loader (loader.h) takes, reuse.h gives.
 *
 * One source for each model. Its streams may be those that another model left, with the same priority and flags; what it
 * gives back is kept for the next one, unless a run broke it. One thread at a time for each source. */
#ifndef SD_POOL_SOURCE_H
#define SD_POOL_SOURCE_H

#include "streamd/loader.h"
#include "streamd/reuse.h"

struct sd_pool_source;

/* Adds a model to `reuse`, which must live as long. RESOURCE_EXHAUSTED: no memory. */
enum sd_status sd_pool_source_open(struct sd_reuse *reuse, struct sd_text domain, struct sd_pool_source **source, struct sd_diag *diag);

/* For struct sd_load; valid as long as the source. A stream that the device fails to destroy is given back all the same,
 * and told of once: `reuse` keeps it as left. */
const struct sd_stream_source *sd_pool_source_streams(const struct sd_pool_source *source);

/* Unbinds and removes the model, when its streams are given back; the source is no more whatever comes. NULL is fine. */
enum sd_status sd_pool_source_close(struct sd_pool_source *source, struct sd_diag *diag);

#endif
