#include "reuse.h"

#include <stdio.h>

#include "base/merge.h"
#include "mutants.h"

struct sd_wish *sd_wish_add(struct sd_job *job, struct sd_wishes *wishes)
{
	struct sd_wish *wish;

	if (!sd_vec_room(job->mem, &wishes->list))
		return NULL;
	wish = &wishes->list.at[wishes->list.count++];
	*wish = (struct sd_wish){ .count = 1, .number = SD_NO_INDEX };
	return wish;
}

bool sd_wish_key(struct sd_job *job, struct sd_text a, struct sd_text b, int64_t number, struct sd_text *key)
{
	char digits[40] = "";
	char *at;

	if (number >= -1)
		snprintf(digits, sizeof(digits), "_stream_%lld", (long long)number);
	key->len = a.len + b.len + (uint32_t)strlen(digits);
	key->at = at = SD_NEW(job->mem, char, key->len);
	if (!at)
		return false;
	memcpy(at, a.at, a.len);
	memcpy(at + a.len, b.at, b.len);
	memcpy(at + a.len + b.len, digits, strlen(digits));
	return true;
}

/* ---- reading requests ---- */

struct sd_wish_source sd_wish_source(const struct sd_job *job, uint32_t node, enum sd_attr_key key)
{
	const struct sd_value *value = sd_graph_attr(job->graph, node, key);

	if (!value || (value->kind != SD_VALUE_MAP && value->kind != SD_VALUE_MAPS))
		return (struct sd_wish_source){ 0, NULL, false };
	return (struct sd_wish_source){ value->kind == SD_VALUE_MAP ? 1 : value->count, value->maps, value->kind == SD_VALUE_MAPS };
}

const struct sd_value *sd_map_find(const struct sd_map *map, const char *name)
{
	for (uint32_t i = 0; i < map->count; i++) {
		if (sd_text_is(map->entry[i].name, name))
			return &map->entry[i].value;
	}
	return NULL;
}

bool sd_map_string(const struct sd_map *map, const char *name, struct sd_text *out)
{
	const struct sd_value *value = sd_map_find(map, name);

	if (!value || value->kind != SD_VALUE_STRING)
		return false;
	*out = value->string;
	return true;
}

bool sd_map_int(const struct sd_map *map, const char *name, int64_t *out)
{
	const struct sd_value *value = sd_map_find(map, name);

	if (!value || value->kind != SD_VALUE_INT)
		return false;
	*out = value->integer;
	return true;
}

bool sd_map_true(const struct sd_map *map, const char *name)
{
	const struct sd_value *value = sd_map_find(map, name);

	return value && value->kind == SD_VALUE_BOOL && value->boolean;
}

/* ---- serving ---- */

struct serving {
	const struct sd_wish *wish;
	uint32_t *group; /* per wish: number of its group, in order of appearance */
	bool by_parts;   /* keys are equal only if their parts are */
};

static int compare_keys(const struct serving *s, uint32_t a, uint32_t b)
{
	int order = sd_text_compare(s->wish[a].key, s->wish[b].key);

	if (order == 0 && s->wish[a].alone != s->wish[b].alone)
		return s->wish[a].alone ? 1 : -1;
	if (order == 0 && s->by_parts && s->wish[a].split != s->wish[b].split)
		return s->wish[a].split < s->wish[b].split ? -1 : 1;
	return order;
}

static int compare_wishes(const void *ctx, uint32_t a, uint32_t b)
{
	const struct serving *s = ctx;

	/* The group seen last is served first. */
	if (s->group[a] != s->group[b])
		return (s->group[a] > s->group[b]) != SD_MUTANT(attached_groups_in_order) ? -1 : 1;
	return compare_keys(s, a, b);
}

/* Serves wishes order[0 .. count), which share one key. */
static enum sd_status serve_key(struct sd_job *job, struct sd_wish *wish, const uint32_t *order, uint32_t count,
                                uint32_t *stamp, uint32_t *next)
{
	const struct sd_wish *first = NULL;

	for (uint32_t i = 0; i < count; i++) {
		struct sd_wish *w = &wish[order[i]];

		if (!w->required)
			continue;
		first = first ? first : w;
		stamp[w->node] = *next;
		if (w->type != first->type)
			return SD_FAIL2(job->diag, SD_CODE_BAD_GROUP_ATTR, w->node, sd_arg_words("_attached_notify_type"),
			                sd_arg_words("the same for all nodes that share a key"));
	}
	if (!first)
		return SD_OK;
	for (uint32_t i = 0; i < count; i++) {
		struct sd_wish *w = &wish[order[i]];

		if (w->required || (stamp[w->node] == *next && !SD_MUTANT(attached_offer_ignored))) {
			w->number = *next;
			w->count = first->count;
		}
	}
	*next += SD_MUTANT(resource_one_of_many) ? 1 : first->count;
	return SD_OK;
}

/* Numbers the groups in the order in which something is required of them; a group of which
 * nothing is required takes part in no order, whatever its number. */
static enum sd_status number_groups(struct sd_job *job, const struct sd_wish *wish, uint32_t count, uint32_t *order, uint32_t *group)
{
	struct sd_text *text = SD_NEW(job->mem, struct sd_text, count);
	uint32_t *number = SD_NEW(job->mem, uint32_t, count), at = 0, groups;

	SD_NEED(job, text && number);
	for (int required = 1; required >= 0; required--) {
		for (uint32_t i = 0; i < count; i++) {
			if (wish[i].required != (bool)required)
				continue;
			order[at] = i;
			text[at++] = wish[i].group;
		}
	}
	SD_TRY(sd_job_intern(job, text, count, 0, number, &groups));
	for (uint32_t i = 0; i < count; i++)
		group[order[i]] = number[i];
	return SD_OK;
}

enum sd_status sd_wishes_serve(struct sd_job *job, struct sd_wishes *wishes, uint32_t *next)
{
	uint32_t count = wishes->list.count, *order, *spare, *stamp;
	struct sd_wish *wish = wishes->list.at;
	struct serving s = { wish, SD_NEW(job->mem, uint32_t, count), job->options->compat == SD_NATIVE };

	order = SD_NEW(job->mem, uint32_t, count);
	spare = SD_NEW(job->mem, uint32_t, count);
	stamp = SD_NEW(job->mem, uint32_t, count ? job->graph->node_count : 0);
	SD_NEED(job, s.group && order && spare && stamp);
	SD_TRY(number_groups(job, wish, count, order, s.group));
	for (uint32_t i = 0; i < count; i++) {
		order[i] = i;
		stamp[wish[i].node] = SD_NO_INDEX;
	}
	sd_merge_sort(order, spare, count, compare_wishes, &s);
	for (uint32_t i = 0, end; i < count; i = end) {
		end = i + 1;
		while (end < count && (!wish[order[i]].alone || SD_MUTANT(resource_shared_without_key)) && compare_wishes(&s, order[i], order[end]) == 0)
			end++;
		SD_TRY(serve_key(job, wish, order + i, end - i, stamp, next));
	}
	return SD_OK;
}
