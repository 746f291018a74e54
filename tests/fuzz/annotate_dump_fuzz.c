/* annotate_dump_fuzz - any text as a dump whose plan is written back into it: refused with words, or a dump that means the same
 * graph, and into which the same plan is written without a change. */
#include <stdio.h>

#include "formats/annotate.h"
#include "import_fuzz.h"
#include "streamd/planner.h"

#define NODES_MAX 400u /* planning is not what is tried here */

/* A dump as a request that decodes. False: it is refused, with words. */
static bool decode(struct sd_arena *mem, struct sd_text dump, struct sd_request *request)
{
	struct sd_diag diag = { 0 };
	struct sd_counts counts;
	struct sd_text bytes;

	if (sd_input_bytes(mem, SD_INPUT_DUMP, dump, NULL, NULL, &bytes, &diag) == SD_OK && sd_request_count(bytes, &counts, &diag) == SD_OK &&
	    sd_request_decode(mem, bytes, &counts, request, &diag) == SD_OK) {
		request->passes = sd_site_passes;
		return true;
	}
	fuzz_said(&diag);
	return false;
}

/* The dump with the plan in it; at == NULL: refused, with words. The caller frees it. */
static struct sd_text annotate(struct sd_arena *mem, struct sd_text dump, const struct sd_request *request, const struct sd_plan *plan)
{
	struct sd_emitter *out = sd_arena_alloc(mem, sizeof(*out));
	struct sd_annotation annotation;
	struct sd_diag diag = { 0 };
	enum sd_status status = SD_RESOURCE_EXHAUSTED;
	size_t len = 0;
	char *at = NULL;
	FILE *file = open_memstream(&at, &len);

	SD_REQUIRE(file);
	if (out && sd_annotation_make(mem, request, plan, &annotation, &diag) == SD_OK) {
		sd_emit_start(out, file);
		status = sd_annotate_dump(mem, out, &annotation, dump, &diag);
		sd_emit_finish(out);
	}
	fclose(file);
	if (status == SD_OK)
		return (struct sd_text){ at, (uint32_t)len };
	SD_REQUIRE(!out || diag.code != SD_CODE_NONE);
	free(at);
	return (struct sd_text){ NULL, 0 };
}

static void require_same(const struct sd_graph *a, const struct sd_graph *b)
{
	SD_REQUIRE(a->node_count == b->node_count && a->graph_count == b->graph_count);
	for (uint32_t n = 0; n < a->node_count; n++)
		SD_REQUIRE(sd_text_equal(a->name[n], b->name[n]));
}

static void try(struct sd_arena *mem, struct sd_text dump)
{
	struct sd_request request, again;
	const struct sd_plan *plan;
	struct sd_text first, second;
	struct sd_diag diag = { 0 };

	if (!decode(mem, dump, &request) || request.graph.node_count > NODES_MAX)
		return;
	if (sd_plan_make(mem, &request, &(struct sd_hooks){ .arg = NULL }, &plan, &diag) != SD_OK) {
		fuzz_said(&diag);
		return;
	}
	first = annotate(mem, dump, &request, plan);
	if (!first.at)
		return;
	SD_REQUIRE(decode(mem, first, &again));
	require_same(&request.graph, &again.graph);
	second = annotate(mem, first, &again, plan);
	SD_REQUIRE(second.at && second.len == first.len && memcmp(first.at, second.at, first.len) == 0);
	free((char *)(uintptr_t)second.at);
	free((char *)(uintptr_t)first.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_arena mem;

	sd_arena_init(&mem, IMPORT_BUDGET);
	try(&mem, (struct sd_text){ (const char *)data, (uint32_t)size });
	sd_arena_finish(&mem);
	return 0;
}
