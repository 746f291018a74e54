/* attached_resources - events and notifies that operators ask for and use themselves.
 *
 * Rule   Behind the numbers of the syncs, notifies first, graph by graph: every (group, key)
 *        takes one number (an older notify request as many as it says), shared by all nodes
 *        with it (reuse.c). Formats: _attached_sync_res_info_list (type 0 event, 1 notify;
 *        an empty reuse key is never shared; only required entries ask),
 *        _attached_notify_info (a map: group, key, type, number), _attached_sync_res_info
 *        (a list of events; without key never shared). _disable_attached_resource asks for
 *        nothing; graphs of unknown shape get no events.
 * Why    Loaders create them with the model; no command of the plan records or waits for them.
 * Cost   O(nodes + wishes * log wishes). */
#include "passes.h"

#include "dynamic.h"
#include "reuse.h"
#include "mutants.h"

#define TYPE_EVENT 0
#define TYPE_NOTIFY 1

static enum sd_status must_hold(struct sd_job *job, uint32_t node, const char *name, const char *what)
{
	return SD_FAIL2(job->diag, SD_CODE_BAD_GROUP_ATTR, node, sd_arg_words(name), sd_arg_words(what));
}

static struct sd_wish *add(struct sd_job *job, struct sd_wishes *wishes, uint32_t node, uint32_t entry, struct sd_text group)
{
	struct sd_wish *wish = sd_wish_add(job, wishes);

	if (!wish)
		return NULL;
	wish->node = node;
	wish->entry = entry;
	wish->group = group;
	wish->required = true;
	return wish;
}

static enum sd_status wish_from_list(struct sd_job *job, uint32_t node, int64_t type, struct sd_wishes *wishes)
{
	struct sd_wish_source list = sd_wish_source(job, node, SD_ATTR_ATTACHED_SYNC_RES_INFO_LIST);

	for (uint32_t i = 0; list.is_list && i < list.count; i++) {
		struct sd_text name = SD_TEXT(""), reuse = SD_TEXT("");
		struct sd_wish *wish;
		int64_t asked = -1;

		if (!sd_map_int(&list.map[i], "_attached_resource_type", &asked) || asked != type)
			continue;
		sd_map_string(&list.map[i], "_attached_resource_name", &name);
		sd_map_string(&list.map[i], "_attached_resource_reuse_key", &reuse);
		wish = add(job, wishes, node, i, SD_DEFAULT_STREAM_GROUP);
		SD_NEED(job, wish && sd_wish_key(job, name, reuse, -2, &wish->key));
		wish->split = name.len;
		wish->alone = reuse.len == 0;
		wish->required = sd_map_true(&list.map[i], "_attached_resource_required_flag");
	}
	return SD_OK;
}

static enum sd_status wish_old_notify(struct sd_job *job, uint32_t node, struct sd_wishes *wishes)
{
	struct sd_wish_source info = sd_wish_source(job, node, SD_ATTR_ATTACHED_NOTIFY_INFO);
	struct sd_text policy, group, key;
	struct sd_wish *wish;
	int64_t count = 1;

	if (info.count == 0 || info.is_list)
		return SD_OK;
	if (!sd_map_string(info.map, "_attached_notify_policy", &policy) || !sd_text_is(policy, "group"))
		return must_hold(job, node, "_attached_notify_info", "a map with _attached_notify_policy = group");
	if (!sd_graph_string(job->graph, node, SD_ATTR_GROUP, &group))
		return must_hold(job, node, "group", "a string beside _attached_notify_info");
	if (!sd_map_string(info.map, "_attached_notify_key", &key))
		return must_hold(job, node, "_attached_notify_info", "a map with a string _attached_notify_key");
	sd_map_int(info.map, "_attached_notify_num", &count);
	if (count < 1 || count > UINT16_MAX)
		return must_hold(job, node, "_attached_notify_num", "a number from 1 to 65535");
	if (group.len == 0 || key.len == 0)
		return SD_OK;
	wish = add(job, wishes, node, 0, group);
	SD_NEED(job, wish);
	wish->key = key;
	wish->count = (uint32_t)count;
	sd_map_int(info.map, "_attached_notify_type", &wish->type);
	if (wish->type < 0 || wish->type > UINT32_MAX)
		return must_hold(job, node, "_attached_notify_type", "a number from 0 to 4294967295");
	return SD_OK;
}

static enum sd_status wish_old_events(struct sd_job *job, uint32_t node, struct sd_wishes *wishes)
{
	struct sd_wish_source list = sd_wish_source(job, node, SD_ATTR_ATTACHED_SYNC_RES_INFO);

	for (uint32_t i = 0; i < list.count; i++) {
		struct sd_text type, key = SD_TEXT("");
		struct sd_wish *wish;

		if (!sd_map_string(&list.map[i], "_attached_sync_res_type", &type) || !sd_text_is(type, "event"))
			continue;
		sd_map_string(&list.map[i], "_attached_sync_res_key", &key);
		wish = add(job, wishes, node, i, SD_DEFAULT_EVENT_GROUP);
		SD_NEED(job, wish);
		wish->key = key;
		wish->alone = key.len == 0;
	}
	return SD_OK;
}

static enum sd_status ask(struct sd_job *job, uint32_t node, int64_t type, struct sd_wishes *wishes)
{
	if (sd_graph_has(job->graph, node, SD_ATTR_DISABLE_ATTACHED_RESOURCE) && !SD_MUTANT(resource_though_disabled))
		return SD_OK;
	if (sd_wish_is_list_format(job, node))
		return wish_from_list(job, node, type, wishes);
	return type == TYPE_NOTIFY ? wish_old_notify(job, node, wishes) : wish_old_events(job, node, wishes);
}

/* Serves one graph after the other; all wishes end up in `all`. */
static enum sd_status serve(struct sd_job *job, int64_t type, uint32_t *next, struct sd_wishes *all)
{
	for (uint32_t k = 0; k < job->graph->graph_count; k++) {
		const struct sd_subgraph *graph = &job->graph->graph[job->order.graph[k]];
		struct sd_wishes wishes = { { NULL, 0, 0 } };

		if (!sd_dynamic_plans(job->graph, job->order.graph[k]) || (type == TYPE_EVENT && graph->dynamic && !SD_MUTANT(resource_dynamic_events)))
			continue;
		for (uint32_t i = 0; i < graph->node_count; i++)
			SD_TRY(ask(job, job->order.node[graph->first_node + i], type, &wishes));
		SD_TRY(sd_wishes_serve(job, &wishes, next));
		for (uint32_t i = 0; i < wishes.list.count; i++) {
			struct sd_wish *copy = sd_wish_add(job, all);

			SD_NEED(job, copy);
			*copy = wishes.list.at[i];
		}
	}
	return SD_OK;
}

/* The numbers of every node, in the order of its requests. */
static enum sd_status list_numbers(struct sd_job *job, const struct sd_wishes *wishes, struct sd_resources *out)
{
	uint32_t nodes = job->graph->node_count, total = 0, *next = SD_NEW(job->mem, uint32_t, nodes);
	const struct sd_wish *wish = wishes->list.at;

	out->first = SD_NEW0(job->mem, uint32_t, nodes + 1u);
	SD_NEED(job, next && out->first);
	for (uint32_t i = 0; i < wishes->list.count; i++) {
		if (wish[i].number != SD_NO_INDEX)
			out->first[wish[i].node + 1] += wish[i].count;
	}
	for (uint32_t n = 0; n < nodes; n++) {
		next[n] = out->first[n];
		out->first[n + 1] += out->first[n];
	}
	total = out->first[nodes];
	out->id = SD_NEW(job->mem, uint32_t, total);
	SD_NEED(job, out->id);
	for (uint32_t i = 0; i < wishes->list.count; i++) {
		for (uint32_t c = 0; wish[i].number != SD_NO_INDEX && c < wish[i].count; c++)
			out->id[next[wish[i].node]++] = wish[i].number + c;
	}
	return SD_OK;
}

static enum sd_status set_types(struct sd_job *job, const struct sd_wishes *wishes)
{
	const struct sd_wish *wish = wishes->list.at;

	job->notify_type = SD_NEW0(job->mem, uint32_t, job->notify_count);
	SD_NEED(job, job->notify_type);
	for (uint32_t i = 0; i < wishes->list.count; i++) {
		for (uint32_t c = 0; wish[i].number != SD_NO_INDEX && c < wish[i].count; c++)
			job->notify_type[wish[i].number + c] = (uint32_t)wish[i].type;
	}
	return SD_OK;
}

enum sd_status sd__pass_attached_resources(struct sd_job *job)
{
	struct sd_wishes notifies = { { NULL, 0, 0 } }, events = { { NULL, 0, 0 } };

	SD_TRY(serve(job, TYPE_NOTIFY, &job->notify_count, &notifies));
	SD_TRY(serve(job, TYPE_EVENT, &job->event_count, &events));
	SD_TRY(list_numbers(job, &notifies, &job->notifies));
	SD_TRY(list_numbers(job, &events, &job->events));
	return set_types(job, &notifies);
}
