/* plan_json_fuzz - any text as a plan of one graph: refused with words, or judged without harm. And as a plan
 * alone: refused, or equal to itself. */
#include "base/check.h"
#include "formats/plan_diff.h"
#include "formats/plan_json.h"
#include "formats/request.h"
#include "proto/graph_codec.h"
#include "streamd/verify.h"

#define BUDGET (64u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char fork_request[] =
	"{\"graph\": {\"name\": \"fork\", \"nodes\": [{\"name\": \"x\", \"op_type\": \"Data\"}, "
	"{\"name\": \"a\", \"op_type\": \"Relu\", \"inputs\": [\"x:0\"], \"attrs\": {\"_stream_label\": \"side\"}}, "
	"{\"name\": \"b\", \"op_type\": \"Relu\", \"inputs\": [\"x:0\"]}, "
	"{\"name\": \"c\", \"op_type\": \"Add\", \"inputs\": [\"a:0\", \"b:0\"]}]}}";

static void decode_fork(struct sd_arena *mem, struct sd_request *request)
{
	struct sd_counts counts;
	struct sd_text bytes;

	SD_REQUIRE(sd_input_bytes(mem, SD_INPUT_JSON, SD_TEXT(fork_request), NULL, NULL, &bytes, NULL) == SD_OK);
	SD_REQUIRE(sd_request_count(bytes, &counts, NULL) == SD_OK);
	SD_REQUIRE(sd_request_decode(mem, bytes, &counts, request, NULL) == SD_OK);
}

static void judge(struct sd_arena *mem, const struct sd_request *request, const struct sd_plan *plan)
{
	struct sd_names names = sd_graph_names(&request->graph);
	struct sd_verdict verdict = { 0 };
	char line[SD_MESSAGE_MAX];

	if (sd_verify(mem, request, plan, NULL, NULL, &verdict) != SD_OK)
		return;
	for (uint32_t i = 0; i < verdict.count && i < SD_VIOLATIONS_MAX; i++)
		SD_REQUIRE(sd_violation_text(&verdict.violation[i], &names, line, sizeof(line)) > 0);
}

static void explain(const struct sd_request *request, const struct sd_plan *plan)
{
	struct sd_names names = sd_graph_names(&request->graph);
	char text[SD_MESSAGE_MAX];

	for (uint32_t i = 0; i < plan->explanation_count; i++)
		SD_REQUIRE(sd_explanation_text(&plan->explanation[i], &names, text, sizeof(text)) > 0);
}

static void compare_with_itself(struct sd_arena *mem, struct sd_text text)
{
	struct sd_plan_alone alone;
	struct sd_plan_diff diff;

	if (sd_plan_alone_read(mem, text, &alone, NULL) == SD_OK)
		SD_REQUIRE(sd_plan_compare(mem, &alone, &alone, &diff, NULL) == SD_OK && diff.count == 0);
	sd_plan_alone_finish(&alone);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_diag diag = { 0 };
	char message[SD_MESSAGE_MAX];
	struct sd_request request;
	struct sd_arena mem;
	struct sd_plan plan;

	sd_arena_init(&mem, BUDGET);
	decode_fork(&mem, &request);
	if (sd_plan_read_json(&mem, (struct sd_text){ (const char *)data, (uint32_t)size }, &request.graph, &plan, &diag) == SD_OK) {
		judge(&mem, &request, &plan);
		explain(&request, &plan);
	} else {
		SD_REQUIRE(diag.code != SD_CODE_NONE && sd_diag_message(&diag, NULL, message, sizeof(message)) > 0);
	}
	compare_with_itself(&mem, (struct sd_text){ (const char *)data, (uint32_t)size });
	sd_arena_finish(&mem);
	return 0;
}
