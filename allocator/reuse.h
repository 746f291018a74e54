/* reuse.h - numbers for resources that nodes ask for by key: equal keys share one.
 *
 * Attached streams, events and notifies are handed out by one rule: within a graph, the
 * group whose first required member comes last is served first; in a group keys are served in byte
 * order; every key takes the next number, or as many as it asks for. */
#ifndef SD_REUSE_H
#define SD_REUSE_H

#include "job.h"

struct sd_wish {
	uint32_t node;
	uint32_t entry;         /* which of the node's requests */
	struct sd_text group;
	struct sd_text key;     /* whole key, by which wishes are ordered */
	uint32_t split;         /* where the first part of the key ends: ("a", "bc") is not ("ab", "c") */
	bool alone;             /* never shares; stands behind equal keys, in node order */
	bool required;          /* a wish that is not is served only beside one of its node that is */
	uint32_t count;         /* numbers that the key takes; at least 1 */
	int64_t type;           /* wishes of one key must agree on it */
	uint32_t number;        /* first number; SD_NO_INDEX: not served */
};

struct sd_wishes {
	SD_VEC(struct sd_wish) list;
};

/* Room for one more wish, all members 0; NULL over budget. */
struct sd_wish *sd_wish_add(struct sd_job *job, struct sd_wishes *wishes);

/* Serves all wishes from `*next` on. E19999 when wishes of one key differ in type. */
enum sd_status sd_wishes_serve(struct sd_job *job, struct sd_wishes *wishes, uint32_t *next);

/* a + b + "_stream_<number>" (number left out when below -1); false over budget. */
bool sd_wish_key(struct sd_job *job, struct sd_text a, struct sd_text b, int64_t number, struct sd_text *key);

/* What a node's requests are written in: a list of maps, or one map (as `count` 1). */
struct sd_wish_source {
	uint32_t count;
	const struct sd_map *map;
	bool is_list;
};

/* Reads the attribute; count 0 where it is absent or of another type. */
struct sd_wish_source sd_wish_source(const struct sd_job *job, uint32_t node, enum sd_attr_key key);

bool sd_map_string(const struct sd_map *map, const char *name, struct sd_text *out);
bool sd_map_int(const struct sd_map *map, const char *name, int64_t *out);
bool sd_map_true(const struct sd_map *map, const char *name);
const struct sd_value *sd_map_find(const struct sd_map *map, const char *name);

/* Whether the node's requests are in the newer list format; the older attributes are then ignored. */
static inline bool sd_wish_is_list_format(const struct sd_job *job, uint32_t node)
{
	return sd_graph_has(job->graph, node, SD_ATTR_ATTACHED_STREAM_INFO_LIST) ||
	       sd_graph_has(job->graph, node, SD_ATTR_ATTACHED_SYNC_RES_INFO_LIST);
}

#define SD_DEFAULT_STREAM_GROUP SD_TEXT("_default_stream_info_group")
#define SD_DEFAULT_EVENT_GROUP SD_TEXT("_default_event_info_group")

#endif
