#include "attempt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "fired.h"
#include "formats/request.h"
#include "proto/canon.h"
#include "proto/graph_codec.h"
#include "streamd/stream_pass.h"
#include "streamd/verify.h"

static const char *const attr_names[] = {
#define SD_X(key, text) text,
	SD_ATTR_LIST(SD_X)
#undef SD_X
};

/* Keys of the contract that a refusal may name. */
static const char *const contract_words[] = {
	"compat", "single_stream", "hcom_parallel", "event", "auto_multi_stream", "dynamic_multi_stream", "ac_parallel", "memory_priority", "max_parallel_num",
	"explicit_streams", "topo_sorting", "cluster", "unknown_op", "strict", "memory_plan", "search_evaluations", "explain", "simulate",
	"device.engines", "an engine of the device", "scheduler_id", "priority", "profile",
	"max_streams", "max_tasks_per_stream", "max_huge_streams", "max_tasks_per_huge_stream", "max_events", "max_notifies", "unlimited_depth",
	"node name", "name of an engine", "_follow_producer", "set graph", "graph.", "options.", "device.", "_attached_resource_name", "_attached_stream_key", "_attached_notify_",
};

/* The words of a failure without what differs from graph to graph: numbers, and names in quotes. */
static const char *class_of(struct sd_arena *mem, const char *kind, const char *words)
{
	char *out = SD_NEW(mem, char, strlen(kind) + strlen(words) + 3), *at = out;

	SD_REQUIRE(out);
	at += sprintf(at, "%s: ", kind);
	for (; *words; words++) {
		if (*words == '\'') {
			words++;
			words += strcspn(words, "'");
			*at++ = '*';
			if (!*words)
				break;
		} else if (*words >= '0' && *words <= '9') {
			words += strspn(words, "0123456789") - 1;
			*at++ = '#';
		} else {
			*at++ = *words;
		}
	}
	*at = '\0';
	return out;
}

static bool holds_name(const struct sd_request *request, const char *message)
{
	for (uint32_t n = 0; n < request->graph.node_count; n++) {
		char quoted[80];
		struct sd_text name = request->graph.name[n];

		snprintf(quoted, sizeof(quoted), "'%.*s'", (int)(name.len < 64 ? name.len : 64), name.at);
		if (strstr(message, quoted))
			return true;
	}
	return false;
}

/* Whether the text stands in the request as a string or a key, at whatever depth. */
static bool is_in(const json_t *json, const char *text)
{
	const char *key;
	json_t *value;
	size_t i;

	if (json_is_string(json))
		return strcmp(json_string_value(json), text) == 0;
	if (json_is_array(json)) {
		json_array_foreach(json, i, value) {
			if (is_in(value, text))
				return true;
		}
	}
	if (json_is_object(json)) {
		for (void *at = json_object_iter((json_t *)(uintptr_t)json); at; at = json_object_iter_next((json_t *)(uintptr_t)json, at)) {
			key = json_object_iter_key(at);
			if (strcmp(key, text) == 0 || is_in(json_object_iter_value(at), text))
				return true;
		}
	}
	return false;
}

/* Whether a text that the message quotes is one of the request; long ones are cut there. */
static bool quotes_request(const json_t *request, const char *message)
{
	char text[128];

	for (const char *at = strchr(message, '\''); at; at = strchr(at + 1, '\'')) {
		size_t len = strcspn(at + 1, "'");

		if (len == 0 || len >= sizeof(text))
			continue;
		memcpy(text, at + 1, len);
		text[len] = '\0';
		if (strstr(text, "...") || is_in(request, text))
			return true;
	}
	return false;
}

/* A refusal must name a node, an option, a limit or an attribute: something that its sender can change. */
static bool names_something(const json_t *request, const struct attempt *a, const char *message)
{
	if (a->request.graph.name && a->diag.node < a->request.graph.node_count && holds_name(&a->request, message))
		return true;
	if (quotes_request(request, message))
		return true;
	for (size_t i = 0; i < sizeof(attr_names) / sizeof(attr_names[0]); i++) {
		if (strstr(message, attr_names[i]) && is_in(request, attr_names[i]))
			return true;
	}
	for (size_t i = 0; i < sizeof(contract_words) / sizeof(contract_words[0]); i++) {
		if (strstr(message, contract_words[i]))
			return true;
	}
	return false;
}

static void check_refusal(struct sd_arena *mem, const json_t *request, struct attempt *a, enum sd_status status)
{
	char message[SD_MESSAGE_MAX];
	struct sd_names names = sd_graph_names(&a->request.graph);

	a->plan = NULL;
	sd_diag_message(&a->diag, a->request.graph.name ? &names : NULL, message, sizeof(message));
	if (a->diag.code == SD_CODE_NONE || status != sd_code_status(a->diag.code))
		a->failure = class_of(mem, "a refusal without reason", sd_status_name(status));
	else if (status == SD_INTERNAL)
		a->failure = class_of(mem, sd_code_text(a->diag.code), message);
	else if (!names_something(request, a, message))
		a->failure = class_of(mem, "a refusal names nothing of the request", message);
}

static void check_plan(struct sd_arena *mem, struct attempt *a)
{
	struct sd_plan back;
	struct sd_text bytes, again;
	struct sd_verdict verdict;
	struct sd_diag diag = { .code = SD_CODE_NONE };
	char line[SD_MESSAGE_MAX];

	if (sd_identify(mem, &a->request, &a->identity) != SD_OK || sd_plan_encode(mem, a->plan, &a->identity, &bytes) != SD_OK) {
		a->failure = "the plan cannot be encoded";
		return;
	}
	if (sd_plan_decode(mem, bytes, a->request.graph.node_count, a->request.graph.graph_count, &back, NULL, &diag) != SD_OK) {
		sd_diag_message(&diag, NULL, line, sizeof(line));
		a->failure = class_of(mem, "the plan cannot be decoded", line);
		return;
	}
	if (sd_plan_encode(mem, &back, &a->identity, &again) != SD_OK || !sd_text_equal(bytes, again)) {
		a->failure = "the decoded plan is encoded otherwise";
	} else if (sd_verify(mem, &a->request, &back, NULL, NULL, &verdict) != SD_OK) {
		a->failure = "the judge reaches no verdict";
	} else if (verdict.count) {
		sd_violation_text(&verdict.violation[0], NULL, line, sizeof(line));
		a->failure = class_of(mem, "the judge refuses", line);
	}
}

static enum sd_status read_request(struct sd_arena *mem, const json_t *json, struct attempt *a)
{
	char *text = json_dumps(json, JSON_COMPACT);
	struct sd_counts counts;
	struct sd_text content, bytes;
	char *copy;

	SD_REQUIRE(text);
	content.len = (uint32_t)strlen(text);
	content.at = copy = SD_NEW(mem, char, content.len + 1u);
	SD_REQUIRE(copy);
	memcpy(copy, text, content.len + 1u);
	free(text);
	SD_TRY(sd_input_bytes(mem, SD_INPUT_JSON, content, NULL, NULL, &bytes, &a->diag));
	SD_TRY(sd_request_count(bytes, &counts, &a->diag));
	SD_TRY(sd_request_decode(mem, bytes, &counts, &a->request, &a->diag));
	a->request.passes = sd_site_passes;
	a->decoded = true;
	return SD_OK;
}

void attempt(struct sd_arena *mem, const json_t *request, struct attempt *a)
{
	struct sd_hooks hooks;
	enum sd_status status;

	memset(a, 0, sizeof(*a));
	a->diag.node = SD_NO_NODE;
	fired_begin(&hooks);
	status = read_request(mem, request, a);
	if (status == SD_OK)
		status = sd_plan_make(mem, &a->request, &hooks, &a->plan, &a->diag);
	if (status == SD_OK) {
		check_plan(mem, a);
		return;
	}
	fired_refused(&a->diag);
	check_refusal(mem, request, a, status);
}
