/* plan_codec_fuzz - any bytes as a plan for a graph whose size the first two bytes tell: what is taken
 * is in bounds, and is the same after it was written and read again. */
#include "base/check.h"
#include "lib/random_plan.h"
#include "proto/plan_codec.h"

#define BUDGET (64u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_streams(const struct sd_plan *p, uint32_t graphs)
{
	for (uint32_t i = 0; i < p->stream_count; i++) {
		const struct sd_stream *s = &p->stream[i];

		SD_REQUIRE((uint64_t)s->first_command + s->command_count <= p->command_count);
		SD_REQUIRE(s->label_node == SD_NO_NODE || s->label_node < p->node_count);
	}
	for (uint32_t i = 0; i < p->command_count; i++) {
		const uint32_t bound[] = { p->node_count, p->event_count, p->event_count, p->notify_count, p->notify_count, p->activation_count };

		SD_REQUIRE(p->command[i].kind <= SD_ACTIVATE && p->command[i].arg < bound[p->command[i].kind]);
		SD_REQUIRE(p->command[i].in < graphs);
	}
}

static void check_lists(const struct sd_plan *p)
{
	for (uint32_t i = 0; i < p->node_count; i++) {
		const struct sd_placement *n = &p->node[i];

		SD_REQUIRE(n->stream >= -1 && n->stream < (int64_t)p->stream_count);
		SD_REQUIRE((uint64_t)n->attached_first + n->attached_count <= p->attached_count);
		SD_REQUIRE((uint64_t)n->event_first + n->event_count <= p->attached_event_count);
		SD_REQUIRE((uint64_t)n->notify_first + n->notify_count <= p->attached_notify_count);
	}
	for (uint32_t i = 0; i < p->activation_count; i++)
		SD_REQUIRE((uint64_t)p->activation[i].first + p->activation[i].count <= p->activated_count);
	for (uint32_t i = 0; i < p->activated_count; i++)
		SD_REQUIRE(p->activated[i] < p->stream_count);
	for (uint32_t i = 0; i < p->sync_count; i++)
		SD_REQUIRE(p->sync[i].record_stream < p->stream_count && p->sync[i].wait_node < p->node_count);
}

static void check_explanations(const struct sd_plan *p)
{
	char text[SD_MESSAGE_MAX];

	for (uint32_t i = 0; i < p->explanation_count; i++) {
		const struct sd_explanation *e = &p->explanation[i];

		SD_REQUIRE(e->node < p->node_count && e->pass < p->pass_count && e->from >= -1 && e->to >= -1);
		SD_REQUIRE((e->other == SD_NO_NODE || e->other < p->node_count) && (e->through == SD_NO_NODE || e->through < p->node_count));
		SD_REQUIRE(!sd_reason_is_sync(e->reason) || e->number < p->sync_count);
		SD_REQUIRE(sd_explanation_text(e, NULL, text, sizeof(text)) > 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sd_arena mem;
	struct sd_plan plan, again;
	struct sd_identity identity;
	struct sd_text bytes;
	uint32_t nodes = size > 0 ? data[0] : 0, graphs = size > 1 ? data[1] : 0;

	if (size < 2)
		return 0;
	sd_arena_init(&mem, BUDGET);
	bytes = (struct sd_text){ (const char *)data + 2, (uint32_t)size - 2 };
	if (sd_plan_decode(&mem, bytes, nodes, graphs, &plan, &identity, NULL) == SD_OK) {
		check_streams(&plan, graphs);
		check_lists(&plan);
		check_explanations(&plan);
		SD_REQUIRE(sd_plan_encode(&mem, &plan, &identity, &bytes) == SD_OK);
		SD_REQUIRE(sd_plan_decode(&mem, bytes, nodes, graphs, &again, NULL, NULL) == SD_OK);
		SD_REQUIRE(!plan_difference(&plan, &again));
	}
	sd_arena_finish(&mem);
	return 0;
}
