#include "engines.h"

#include "base/merge.h"
#include "engines_types.h"
#include "mutants.h"

#define COST_NOT_STATED 3
#define UNKNOWN_RUNS_ON "AIcoreEngine" /* operators of a type that no table holds */
#define SHIPPED_SCHEDULER SD_TEXT("TS_1") /* the one that all shipped engines have */

/* In byte order of the names. */
static const struct {
	const char *name;
	int64_t cost;
	bool independent, attach, skip_assign_stream;
	enum sd_engine_role role;
} shipped[] = {
	{ "AIcoreEngine",                    1,  false, false, false, SD_ROLE_OWNS },
	{ "DNN_HCCL",                        2,  true,  false, false, SD_ROLE_OWNS },
	{ "DNN_VM_AICPU",                    4,  false, true,  false, SD_ROLE_AICPU },
	{ "DNN_VM_AICPU_ASCEND",             3,  false, true,  false, SD_ROLE_AICPU },
	{ "DNN_VM_AICPU_ASCEND_FFTS_PLUS",   2,  false, true,  false, SD_ROLE_AICPU },
	{ "DNN_VM_AICPU_FFTS_PLUS",          2,  false, true,  false, SD_ROLE_AICPU },
	{ "DNN_VM_CUSTOM",                   0,  false, false, false, SD_ROLE_OTHER },
	{ "DNN_VM_DVPP",                     5,  false, true,  false, SD_ROLE_OTHER },
	{ "DNN_VM_GE_LOCAL",                 9,  false, true,  true,  SD_ROLE_OTHER },
	{ "DNN_VM_HOST_CPU",                 10, false, true,  true,  SD_ROLE_OTHER },
	{ "DNN_VM_RTS",                      2,  false, true,  false, SD_ROLE_OTHER },
	{ "DNN_VM_RTS_FFTS_PLUS",            2,  false, true,  false, SD_ROLE_OTHER },
	{ "DSAEngine",                       2,  false, false, false, SD_ROLE_OWNS },
	{ "VectorEngine",                    2,  false, false, false, SD_ROLE_OWNS },
	{ "ffts_plus",                       1,  false, true,  true,  SD_ROLE_OTHER },
};
#define SHIPPED_COUNT (sizeof(shipped) / sizeof(shipped[0]))

static struct sd_engine shipped_engine(size_t row)
{
	return (struct sd_engine){
		.name = { shipped[row].name, (uint32_t)strlen(shipped[row].name) },
		.cost = shipped[row].cost,
		.independent = shipped[row].independent,
		.attach = shipped[row].attach,
		.skip_assign_stream = shipped[row].skip_assign_stream,
		.idle = shipped[row].skip_assign_stream,
		.role = shipped[row].role,
	};
}

static void overlay(struct sd_engine *engine, const struct sd_engine_row *row, uint32_t scheduler)
{
	if (row->has_independent)
		engine->independent = row->independent;
	if (row->has_attach && !SD_MUTANT(place_row_attach))
		engine->attach = row->attach;
	if (row->has_skip_assign_stream)
		engine->skip_assign_stream = row->skip_assign_stream;
	if (row->has_priority)
		engine->cost = row->priority;
	engine->scheduler = scheduler;
}

static enum sd_status check_rows(const struct sd_plan_device *device, struct sd_diag *diag)
{
	for (uint32_t i = 0; i < device->engine_count; i++) {
		const struct sd_engine_row *row = &device->engine[i];

		if (row->name.len == 0) {
			return SD_FAIL3(diag, SD_CODE_BAD_VALUE, SD_NO_NODE, sd_arg_words("a name in device.engines"),
			                sd_arg_words("empty"), sd_arg_words("the name of an engine"));
		}
		if (row->has_scheduler_id && row->scheduler_id.len == 0) {
			return SD_FAIL3(diag, SD_CODE_BAD_VALUE, SD_NO_NODE, sd_arg_words("scheduler_id in device.engines"),
			                sd_arg_words("empty"), sd_arg_words("the name of a scheduler"));
		}
	}
	return SD_OK;
}

/* A number for the scheduler of each row, equal for equal names; [engine_count] is the shipped one's. */
static uint32_t *number_schedulers(struct sd_arena *mem, const struct sd_plan_device *device)
{
	struct sd_text *id = SD_NEW(mem, struct sd_text, (size_t)device->engine_count + 1);

	if (!id)
		return NULL;
	for (uint32_t i = 0; i < device->engine_count; i++)
		id[i] = device->engine[i].has_scheduler_id ? device->engine[i].scheduler_id : SHIPPED_SCHEDULER;
	id[device->engine_count] = SHIPPED_SCHEDULER;
	return sd_text_ranks(mem, id, device->engine_count + 1);
}

/* Merges the shipped table and the rows of the request, both sorted by name. */
static uint32_t merge_tables(const struct sd_plan_device *device, const uint32_t *scheduler, struct sd_engine *out)
{
	size_t ours = 0;
	uint32_t theirs = 0, count = 0;

	while (ours < SHIPPED_COUNT || theirs < device->engine_count) {
		struct sd_engine ship = ours < SHIPPED_COUNT ? shipped_engine(ours) : (struct sd_engine){ 0 };
		int order = ours == SHIPPED_COUNT ? 1 :
		            theirs == device->engine_count ? -1 :
		            sd_text_compare(ship.name, device->engine[theirs].name);
		struct sd_engine *engine = &out[count++];

		if (order <= 0) {
			*engine = ship;
			engine->scheduler = scheduler[device->engine_count];
			ours++;
		} else {
			*engine = (struct sd_engine){ .name = device->engine[theirs].name, .cost = COST_NOT_STATED };
		}
		if (order >= 0) {
			overlay(engine, &device->engine[theirs], scheduler[theirs]);
			theirs++;
		}
	}
	return count;
}

enum sd_status sd_engines_make(struct sd_arena *mem, const struct sd_plan_device *device,
                               struct sd_engines *engines, struct sd_diag *diag)
{
	struct sd_engine *table = SD_NEW(mem, struct sd_engine, SHIPPED_COUNT + device->engine_count);
	const uint32_t *scheduler = number_schedulers(mem, device);

	if (!table || !scheduler)
		return SD_FAIL1(diag, SD_CODE_LIMIT_MEMORY, SD_NO_NODE, sd_arg_int((int64_t)mem->budget_bytes));
	SD_TRY(check_rows(device, diag));
	engines->count = merge_tables(device, scheduler, table);
	engines->engine = table;
	engines->aicore = sd_engines_find(engines, SD_TEXT(UNKNOWN_RUNS_ON));
	engines->vector = sd_engines_find(engines, SD_TEXT("VectorEngine"));
	engines->custom = sd_engines_find(engines, SD_TEXT("DNN_VM_CUSTOM"));
	return SD_OK;
}

uint32_t sd_engines_find(const struct sd_engines *engines, struct sd_text name)
{
	uint32_t low = 0, high = engines->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order = sd_text_compare(engines->engine[middle].name, name);

		if (order == 0)
			return middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return SD_NO_ENGINE;
}

/* ---- placement ---- */

/* What each distinct string means, as the name of an engine and as an operator type. */
struct lookup {
	uint32_t *named; /* SD_NO_ENGINE: no such engine */
	uint32_t *runs;  /* SD_NO_ENGINE: unknown type, to be refused */
};

static void fill_lookup(struct lookup *lookup, const struct sd_request *request, const struct sd_engines *engines)
{
	const struct sd_graph *g = &request->graph;
	uint32_t unknown = request->options.unknown_op == SD_UNKNOWN_REJECT ? SD_NO_ENGINE : engines->aicore;

	for (uint32_t i = 0; i < g->string_count; i++) {
		struct sd_text engine = sd__engine_of_type(g->string[i]);

		lookup->named[i] = sd_engines_find(engines, g->string[i]);
		lookup->runs[i] = engine.len ? sd_engines_find(engines, engine) : unknown;
	}
}

/* The engine that a pair of attributes names: one without the other says nothing. */
static bool find_pair(const struct sd_graph *g, uint32_t node, enum sd_attr_key engine, enum sd_attr_key library,
                      struct sd_text *name)
{
	struct sd_text kernels;

	return sd_graph_string(g, node, engine, name) && name->len > 0 &&
	       ((sd_graph_string(g, node, library, &kernels) && kernels.len > 0) || SD_MUTANT(place_pair_half));
}

static bool find_stated(const struct sd_graph *g, uint32_t node, struct sd_text *name)
{
	return find_pair(g, node, SD_ATTR_LXFUSION_ENGINE_NAME, SD_ATTR_LXFUSION_KERNEL_LIB_NAME, name) ||
	       find_pair(g, node, SD_ATTR_SPECIFIED_ENGINE_NAME, SD_ATTR_SPECIFIED_KERNEL_LIB_NAME, name);
}

enum sd_engine_source sd_engine_of(const struct sd_graph *g, uint32_t node, struct sd_text *name)
{
	*name = g->string[g->engine[node]];
	if (name->len > 0)
		return SD_ENGINE_STATED;
	if (find_stated(g, node, name))
		return SD_ENGINE_BY_ATTRIBUTE;
	*name = sd__engine_of_type(g->string[g->op_type[node]]);
	if (name->len > 0)
		return SD_ENGINE_BY_TYPE;
	*name = SD_TEXT(UNKNOWN_RUNS_ON);
	return SD_ENGINE_BY_DEFAULT;
}

enum sd_status sd_engines_place(struct sd_arena *mem, const struct sd_request *request,
                                const struct sd_engines *engines, uint32_t **engine_of_node,
                                struct sd_diag *diag)
{
	const struct sd_graph *g = &request->graph;
	uint32_t *placed = SD_NEW(mem, uint32_t, g->node_count);
	struct sd_arena_mark mark = sd_arena_mark(mem);
	struct lookup lookup = { SD_NEW(mem, uint32_t, g->string_count), SD_NEW(mem, uint32_t, g->string_count) };

	if (!placed || !lookup.named || !lookup.runs)
		return SD_FAIL1(diag, SD_CODE_LIMIT_MEMORY, SD_NO_NODE, sd_arg_int((int64_t)mem->budget_bytes));
	fill_lookup(&lookup, request, engines);
	for (uint32_t node = 0; node < g->node_count; node++) {
		uint32_t type = g->op_type[node];
		struct sd_text name;

		if (g->engine[node] != 0 && !SD_MUTANT(place_stated_ignored)) {
			placed[node] = lookup.named[g->engine[node]];
		} else if (find_stated(g, node, &name)) {
			placed[node] = sd_engines_find(engines, name);
		} else if (lookup.runs[type] == SD_NO_ENGINE) {
			return SD_FAIL1(diag, SD_CODE_NO_ENGINE_FOR_OP, node, sd_arg_text(g->string[type]));
		} else {
			placed[node] = lookup.runs[type];
		}
	}
	sd_arena_rewind(mem, mark);
	*engine_of_node = placed;
	return SD_OK;
}
