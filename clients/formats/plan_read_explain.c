/* Explanations from JSON. Their sentences are made anew, and are not looked at. */
#include "plan_read.h"

#include "json_message.h"

#define PASSES_MAX 256u /* more than any planner has; a list of strangers' names would be slow to search */

static const char *const reason_words[] = {
#define SD_X(name, word, message) word,
	SD_REASON_LIST(SD_X)
#undef SD_X
	NULL,
};

/* The place of a pass's name, which gets one when it is met for the first time. */
static enum sd_status read_pass(void *reader, const struct sd_json_path *at, json_t *json, void *member)
{
	struct sd__plan_reader *r = reader;
	struct sd_text name = { json_string_value(json), (uint32_t)json_string_length(json) }, *copy;
	char *text;

	if (!json_is_string(json))
		return sd_json_fail_type(&r->json, at, json, "a string");
	for (uint32_t i = 0; i < r->pass_name.count; i++) {
		if (sd_text_equal(r->pass_name.at[i], name)) {
			*(uint32_t *)member = i;
			return SD_OK;
		}
	}
	if (!sd_is_pass_name(name) || r->pass_name.count == PASSES_MAX)
		return sd_json_fail(&r->json, at, "is no name of a pass: up to %u small letters, digits and _, and no more than %u of them", SD_PASS_NAME_MAX, PASSES_MAX);
	text = SD_NEW(r->json.mem, char, name.len);
	if (!text || !sd_vec_room(r->json.mem, &r->pass_name))
		return NO_MEMORY(r);
	memcpy(text, name.at, name.len);
	*(uint32_t *)member = r->pass_name.count;
	copy = &r->pass_name.at[r->pass_name.count++];
	*copy = (struct sd_text){ text, name.len };
	return SD_OK;
}

/* A node, or "" for none. */
static enum sd_status read_other(void *reader, const struct sd_json_path *at, json_t *json, void *member)
{
	return json_is_string(json) && json_string_length(json) == 0 ? SD_OK : sd__plan_read_node(reader, at, json, member);
}

#define WHY(member) offsetof(struct sd_explanation, member)
static const struct sd__row_key explanation_keys[] = {
	{ .name = "node", .kind = SD__ROW_OTHER, .offset = WHY(node), .read = sd__plan_read_node },
	{ .name = "pass", .kind = SD__ROW_OTHER, .offset = WHY(pass), .read = read_pass },
	{ .name = "reason", .kind = SD__ROW_WORD, .offset = WHY(reason), .words = reason_words },
	{ .name = "from_stream", .kind = SD__ROW_INT32, .offset = WHY(from) },
	{ .name = "to_stream", .kind = SD__ROW_INT32, .offset = WHY(to) },
	{ .name = "other", .kind = SD__ROW_OTHER, .offset = WHY(other), .read = read_other },
	{ .name = "through", .kind = SD__ROW_OTHER, .offset = WHY(through), .read = read_other },
	{ .name = "number", .kind = SD__ROW_UINT32, .offset = WHY(number) },
	{ .name = "message", .kind = SD__ROW_UNUSED },
	{ 0 },
};

static enum sd_status read_explanation(struct sd__plan_reader *r, const struct sd_json_path *at, json_t *json, struct sd_explanation *why)
{
	*why = (struct sd_explanation){ SD_NO_NODE, UINT32_MAX, SD_REASON_MOVED, SD_NO_STREAM, SD_NO_STREAM, SD_NO_NODE, SD_NO_NODE, 0 };
	SD_TRY(sd__row_read_object(r, at, json, explanation_keys, why));
	if (why->node == SD_NO_NODE || why->pass == UINT32_MAX)
		return sd_json_fail(&r->json, at, "must have a node and a pass");
	if (why->from < SD_NO_STREAM || why->to < SD_NO_STREAM)
		return sd_json_fail(&r->json, at, "must have streams from -1 on");
	return SD_OK;
}

enum sd_status sd__plan_read_explanations(void *reader, const struct sd_json_path *at, json_t *json, void *member)
{
	struct sd__plan_reader *r = reader;
	struct sd_explanation *why;

	(void)member;
	SD_TRY(sd__row_want_list(&r->json, at, json));
	why = SD_NEW(r->json.mem, struct sd_explanation, json_array_size(json));
	if (!why)
		return NO_MEMORY(r);
	for (size_t i = 0; i < json_array_size(json); i++) {
		struct sd_json_path here = sd_json_item(at, i);

		SD_TRY(read_explanation(r, &here, json_array_get(json, i), &why[i]));
	}
	r->plan->explained = true;
	r->plan->explanation = why;
	r->plan->explanation_count = (uint32_t)json_array_size(json);
	r->plan->pass_name = r->pass_name.at;
	r->plan->pass_count = r->pass_name.count;
	return SD_OK;
}
