/* plan_names.h - the words of a plan: enum members as they stand in every text format,
 * each list with NULL at its end. */
#ifndef SD_PLAN_NAMES_H
#define SD_PLAN_NAMES_H

#include "base/arena.h"
#include "emit.h"
#include "streamd/graph.h"
#include "streamd/plan.h"

#define SD_MODE_NAMES { "static", "single", "dynamic", NULL }
#define SD_SYNC_KIND_NAMES { "event", "notify", NULL }
#define SD_LINK_NAMES { "start", "stream", "sync", "activation", "engine", NULL }
#define SD_CAUSE_NAMES { "data", "control", "subgraph", "attached", "cover", "loop", "split", "order", "host", NULL }

/* Keys of a command, by enum sd_command_kind. */
#define SD_COMMAND_NAMES { "launch", "record", "wait", "notify_record", "notify_wait", "activate", NULL }

/* The whole stream label of a node, in the arena; empty for SD_NO_NODE. False over budget. */
bool sd_label_of(struct sd_arena *mem, const struct sd_graph *graph, uint32_t node, struct sd_text *label);

/* Text that is no JSON: a name with control bytes as \xNN and a backslash before each byte of
 * `escaped`, and printf() of up to 1023 bytes of our own words and figures. */
void sd_put_name(struct sd_emitter *out, struct sd_text name, const char *escaped);
__attribute__((format(printf, 2, 3)))
void sd_put(struct sd_emitter *out, const char *format, ...);

/* What a StreamActive that the planner inserted is called: the name of its StreamSwitch, this, and the place of its stream
 * in the list of streams that the StreamSwitch starts. */
#define SD_INSERTED_SUFFIX "_StreamActive_"

/* How long the end of a name is by which inserted nodes are called; 0: it has no such end. */
uint32_t sd_inserted_suffix(struct sd_text name);

/* The names of all nodes of a plan, inserted ones too; NULL over budget. */
const struct sd_text *sd_plan_names(struct sd_arena *mem, const struct sd_graph *graph, const struct sd_plan *plan);

#endif
