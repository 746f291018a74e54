/* canon.h - the canonical form of a request, and its digests.
 *
 * Two requests that must get the same plan have the same canonical bytes: nodes by
 * position, references by index, labels and attributes by content (sorted by name),
 * options and device as resolved values, the planner's fingerprint. Node names are left
 * out, and those of the graph and its subgraphs; only where a rule of the planner compares
 * names does the rank of each node's name among all go into plan_key, and only where a custom
 * stream pass reads names, these themselves. The form is never kept: it is hashed as it is made. */
#ifndef SD_CANON_H
#define SD_CANON_H

#include "plan_codec.h"
#include "streamd/request.h"

/* Fills graph_hash, plan_key and planner for a request that sd_request_decode() has made.
 * RESOURCE_EXHAUSTED over budget. Scratch is given back to `mem`. */
enum sd_status sd_identify(struct sd_arena *mem, const struct sd_request *request, struct sd_identity *identity);

/* SHA-256 of any bytes: the raw-bytes shortcut in front of the canonical form. */
void sd_digest(struct sd_text bytes, unsigned char out[SD_DIGEST_BYTES]);

#endif
