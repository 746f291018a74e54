/* attached_streams - extra streams that a node asks for beside its own.
 *
 * Rule   Graph by graph, behind the main streams: every (group, key) of the graph takes one
 *        stream (reuse.c), and all nodes with it share that. Three formats ask:
 *        _attached_stream_info as a map: group `group` of the node, key as it stands;
 *        _attached_stream_info as a list: default group, key and main stream;
 *        _attached_stream_info_list: default group, reuse key, name and main stream, the
 *        last not under force reuse; only required entries ask.
 *        With _disable_attached_resource a node gets nothing. Of an older list a node keeps
 *        the stream of its greatest key.
 *        In a model of unknown shape, bodies of known shape get nothing.
 * Differs In a model of unknown shape Graph Engine only hands out the numbers. With compat ge
 *        they are counted in the plan, but no node has anything there.
 * Why    Operators that compute and communicate in one task run parts of it beside themselves.
 * Cost   O(nodes + wishes * log wishes). */
#include "passes.h"

#include "dynamic.h"
#include "reuse.h"
#include "mutants.h"

static enum sd_status must_hold(struct sd_job *job, uint32_t node, const char *name, const char *what)
{
	return SD_FAIL2(job->diag, SD_CODE_BAD_GROUP_ATTR, node, sd_arg_words(name), sd_arg_words(what));
}

static enum sd_status wish_from_list(struct sd_job *job, uint32_t node, struct sd_wishes *wishes)
{
	struct sd_wish_source list = sd_wish_source(job, node, SD_ATTR_ATTACHED_STREAM_INFO_LIST);

	for (uint32_t i = 0; list.is_list && i < list.count; i++) {
		struct sd_text name, reuse = SD_TEXT("");
		int64_t stream = sd_map_true(&list.map[i], "_attached_resource_force_reuse") ? -2 : job->stream[node];
		struct sd_wish *wish;

		if (!sd_map_string(&list.map[i], "_attached_resource_name", &name))
			return must_hold(job, node, "_attached_stream_info_list", "a list of maps that each have a string _attached_resource_name");
		sd_map_string(&list.map[i], "_attached_resource_reuse_key", &reuse);
		wish = sd_wish_add(job, wishes);
		SD_NEED(job, wish && sd_wish_key(job, reuse, name, stream, &wish->key));
		wish->node = node;
		wish->entry = i;
		wish->group = SD_DEFAULT_STREAM_GROUP;
		wish->split = reuse.len;
		wish->required = SD_MUTANT(attached_unasked) || sd_map_true(&list.map[i], "_attached_resource_required_flag");
	}
	return SD_OK;
}

static enum sd_status wish_from_map(struct sd_job *job, uint32_t node, const struct sd_map *map, struct sd_wishes *wishes)
{
	struct sd_text policy, group, key;
	struct sd_wish *wish;

	if (!sd_map_string(map, "_attached_stream_policy", &policy) || !sd_text_is(policy, "group"))
		return must_hold(job, node, "_attached_stream_info", "a map with _attached_stream_policy = group");
	if (!sd_graph_string(job->graph, node, SD_ATTR_GROUP, &group))
		return must_hold(job, node, "group", "a string beside _attached_stream_info");
	if (!sd_map_string(map, "_attached_stream_key", &key))
		return must_hold(job, node, "_attached_stream_info", "a map with a string _attached_stream_key");
	if (group.len == 0 || key.len == 0)
		return SD_OK;
	wish = sd_wish_add(job, wishes);
	SD_NEED(job, wish);
	wish->node = node;
	wish->group = SD_MUTANT(attached_groups_share) ? SD_DEFAULT_STREAM_GROUP : group;
	wish->key = key;
	wish->required = true;
	return SD_OK;
}

static enum sd_status wish_from_old_list(struct sd_job *job, uint32_t node, struct sd_wish_source list, struct sd_wishes *wishes)
{
	for (uint32_t i = 0; i < list.count; i++) {
		struct sd_text key;
		struct sd_wish *wish;

		if (!sd_map_string(&list.map[i], "_attached_stream_key", &key))
			return must_hold(job, node, "_attached_stream_info", "a list of maps that each have a string _attached_stream_key");
		wish = sd_wish_add(job, wishes);
		SD_NEED(job, wish && sd_wish_key(job, key, SD_TEXT(""), SD_MUTANT(attached_key_without_main) ? -2 : job->stream[node], &wish->key));
		wish->node = node;
		wish->entry = i;
		wish->group = SD_DEFAULT_STREAM_GROUP;
		wish->required = true;
	}
	return SD_OK;
}

static enum sd_status ask(struct sd_job *job, uint32_t node, struct sd_wishes *wishes)
{
	struct sd_wish_source old = sd_wish_source(job, node, SD_ATTR_ATTACHED_STREAM_INFO);

	if (sd_graph_has(job->graph, node, SD_ATTR_DISABLE_ATTACHED_RESOURCE) && !SD_MUTANT(attached_though_disabled))
		return SD_OK;
	if (sd_wish_is_list_format(job, node))
		return wish_from_list(job, node, wishes);
	if (old.count && !old.is_list)
		return wish_from_map(job, node, old.map, wishes);
	return wish_from_old_list(job, node, old, wishes);
}

/* Lists the streams of every node in the order of its entries; of an older list only the
 * one served last, which has the highest number. */
static enum sd_status list_streams(struct sd_job *job, const struct sd_wishes *wishes)
{
	uint32_t nodes = job->graph->node_count, *next = SD_NEW(job->mem, uint32_t, nodes);
	const struct sd_wish *wish = wishes->list.at;

	job->attached_first = SD_NEW0(job->mem, uint32_t, nodes + 1u);
	job->attached = SD_NEW0(job->mem, uint32_t, wishes->list.count);
	SD_NEED(job, next && job->attached_first && job->attached);
	for (uint32_t i = 0; i < wishes->list.count; i++)
		job->attached_first[wish[i].node + 1] += wish[i].number != SD_NO_INDEX;
	for (uint32_t n = 0; n < nodes; n++) {
		if (job->attached_first[n + 1] > 1 && !sd_wish_is_list_format(job, n))
			job->attached_first[n + 1] = 1;
		next[n] = job->attached_first[n];
		job->attached_first[n + 1] += next[n];
	}
	for (uint32_t i = 0; i < wishes->list.count; i++) {
		uint32_t *at = &job->attached[next[wish[i].node]];

		if (wish[i].number == SD_NO_INDEX)
			continue;
		*at = wish[i].number > *at && !(SD_MUTANT(attached_first_key) && *at) ? wish[i].number : *at;
		next[wish[i].node] += sd_wish_is_list_format(job, wish[i].node);
	}
	return SD_OK;
}

enum sd_status sd__pass_attached_streams(struct sd_job *job)
{
	struct sd_wishes all = { { NULL, 0, 0 } };

	job->logical_stream_count = job->main_stream_count;
	for (uint32_t k = 0; k < job->graph->graph_count; k++) {
		const struct sd_subgraph *graph = &job->graph->graph[job->order.graph[k]];
		struct sd_wishes wishes = { { NULL, 0, 0 } };

		if (!sd_dynamic_plans(job->graph, job->order.graph[k]))
			continue;
		for (uint32_t i = 0; i < graph->node_count; i++)
			SD_TRY(ask(job, job->order.node[graph->first_node + i], &wishes));
		SD_TRY(sd_wishes_serve(job, &wishes, &job->logical_stream_count));
		for (uint32_t i = 0; i < wishes.list.count; i++) {
			struct sd_wish *copy = sd_wish_add(job, &all);

			SD_NEED(job, copy);
			*copy = wishes.list.at[i];
		}
	}
	if (job->graph->graph[SD_ROOT].dynamic && job->options->compat == SD_GE)
		all.list.count = 0;
	return list_streams(job, &all);
}
