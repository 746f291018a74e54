#include "planned.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/vec.h"

struct planned plan_of(struct sd_arena *mem, struct sd_request *request)
{
	struct planned planned = { .request = request, .diag = { .code = SD_CODE_NONE, .node = SD_NO_NODE } };
	enum sd_status status = sd_plan_make(mem, request, NULL, &planned.plan, &planned.diag);

	SD_REQUIRE((status == SD_OK) == (planned.diag.code == SD_CODE_NONE));
	return planned;
}

/* The next word of `rest`, in `mem`; NULL at the end. */
static char *next_word(struct sd_arena *mem, const char **rest)
{
	size_t len;
	char *word;

	*rest += strspn(*rest, " ");
	len = strcspn(*rest, " ");
	if (len == 0)
		return NULL;
	word = SD_NEW0(mem, char, len + 1);
	SD_REQUIRE(word);
	memcpy(word, *rest, len);
	*rest += len;
	return word;
}

/* Cuts at the first `mark`; what stands behind it, "" if it is not there. */
static char *cut(char *word, char mark)
{
	char *at = strchr(word, mark);

	if (!at)
		return word + strlen(word);
	*at = '\0';
	return at + 1;
}

static struct sd_text text_of(const char *text)
{
	return (struct sd_text){ text, (uint32_t)strlen(text) };
}

static bool word_is(const char *word, const char *name)
{
	return strcmp(word, name) == 0;
}

/* A row more, as the last of a const array that lies in `mem`. */
static struct sd_engine_row *add_engine(struct sd_arena *mem, struct sd_plan_device *device)
{
	struct sd_engine_row *grown = SD_NEW0(mem, struct sd_engine_row, device->engine_count + 1u);

	SD_REQUIRE(grown);
	if (device->engine_count)
		memcpy(grown, device->engine, device->engine_count * sizeof(*grown));
	device->engine = grown;
	return &grown[device->engine_count++];
}

static void set_engine(struct sd_arena *mem, struct sd_plan_device *device, char *value)
{
	struct sd_engine_row *row = add_engine(mem, device);
	const char *flags = cut(value, '/');

	row->name = text_of(value);
	row->has_independent = row->independent = strchr(flags, 'i') != NULL;
	row->has_attach = row->attach = strchr(flags, 'a') != NULL;
	row->has_skip_assign_stream = row->skip_assign_stream = strchr(flags, 's') != NULL;
}

static void set_scheduler(struct sd_plan_device *device, const char *value)
{
	struct sd_engine_row *row = (struct sd_engine_row *)(uintptr_t)&device->engine[device->engine_count - 1];

	row->has_scheduler_id = true;
	row->scheduler_id = text_of(value);
}

static void set_parallel(struct sd_arena *mem, struct sd_options *options, char *value)
{
	struct sd_engine_streams *grown = SD_NEW0(mem, struct sd_engine_streams, options->max_parallel_count + 1u);
	const char *streams = cut(value, ':');

	SD_REQUIRE(grown);
	if (options->max_parallel_count)
		memcpy(grown, options->max_parallel, options->max_parallel_count * sizeof(*grown));
	grown[options->max_parallel_count++] = (struct sd_engine_streams){ text_of(value), strtoll(streams, NULL, 10) };
	options->max_parallel = grown;
}

/* The root where no body is named. */
static void set_dynamic(struct sd_graph *g, const char *body)
{
	struct sd_subgraph *graph = (struct sd_subgraph *)(uintptr_t)g->graph;
	uint32_t at = 0;

	while (*body && at < g->graph_count && !sd_text_equal(graph[at].name, text_of(body)))
		at++;
	SD_REQUIRE(at < g->graph_count);
	graph[at].dynamic = true;
}

static void set_word(struct sd_arena *mem, struct sd_request *request, char *word)
{
	struct sd_options *options = &request->options;
	char *value = cut(word, '=');

	if (word_is(word, "apart")) {
		options->cluster = SD_CLUSTER_NONE;
	} else if (word_is(word, "topo")) {
		options->cluster = SD_CLUSTER_TOPO;
	} else if (word_is(word, "memory")) {
		options->memory_priority = true;
	} else if (word_is(word, "single")) {
		options->single_stream = true;
	} else if (word_is(word, "hcom")) {
		options->hcom_parallel = true;
	} else if (word_is(word, "ge")) {
		options->compat = SD_GE;
	} else if (word_is(word, "mode")) {
		options->auto_multi_stream = text_of(value);
	} else if (word_is(word, "dynamic")) {
		set_dynamic(&request->graph, value);
	} else if (word_is(word, "multi")) {
		options->dynamic_multi_stream = true;
	} else if (word_is(word, "ac")) {
		options->ac_parallel = text_of(value);
	} else if (word_is(word, "parallel")) {
		set_parallel(mem, options, value);
	} else if (word_is(word, "engine")) {
		set_engine(mem, &request->device, value);
	} else if (word_is(word, "scheduler")) {
		set_scheduler(&request->device, value);
	} else {
		SD_REQUIRE(word_is(word, "tasks"));
		request->device.limits.has_max_tasks_per_stream = true;
		request->device.limits.max_tasks_per_stream = strtoll(value, NULL, 10);
	}
}

void set_words(struct sd_arena *mem, struct sd_request *request, const char *words)
{
	char *word;

	while ((word = next_word(mem, &words)))
		set_word(mem, request, word);
}

void set_streams(struct sd_arena *mem, struct sd_request *request, const char *streams)
{
	struct sd_options *options = &request->options;
	uint32_t *node = SD_NEW(mem, uint32_t, strlen(streams)), *first = SD_NEW0(mem, uint32_t, strlen(streams) + 2);
	uint32_t count = 0;
	const char *word;

	SD_REQUIRE(node && first);
	options->has_explicit_streams = true;
	options->explicit_count = 1;
	while ((word = next_word(mem, &streams))) {
		if (word_is(word, "|"))
			first[options->explicit_count++] = count;
		else
			node[count++] = node_named(&request->graph, word);
	}
	first[options->explicit_count] = count;
	options->explicit_node = node;
	options->explicit_first = first;
}

/* Text that grows in `mem`; its items stand one blank apart. */
struct line {
	struct sd_arena *mem;
	SD_VEC(char) text;
};

__attribute__((format(printf, 2, 3)))
static void add(struct line *line, const char *format, ...)
{
	char item[1200];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(item, sizeof(item), format, args);
	va_end(args);
	SD_REQUIRE(len >= 0 && (size_t)len < sizeof(item));
	for (int i = line->text.count ? -1 : 0; i < len; i++) {
		SD_REQUIRE(sd_vec_room(line->mem, &line->text));
		line->text.at[line->text.count++] = i < 0 ? ' ' : item[i];
	}
}

static const char *end(struct line *line)
{
	SD_REQUIRE(sd_vec_room(line->mem, &line->text));
	line->text.at[line->text.count] = '\0';
	return line->text.at;
}

const char *streams_of(struct sd_arena *mem, const struct planned *planned)
{
	const struct sd_graph *g = &planned->request->graph;
	struct line line = { .mem = mem };

	if (!planned->plan)
		return sd_code_text(planned->diag.code);
	for (uint32_t n = 0; n < g->node_count; n++) {
		int32_t stream = planned->plan->node[n].logical_stream;

		if (sd_text_is(g->string[g->op_type[n]], "Data"))
			continue;
		if (stream == SD_NO_STREAM)
			add(&line, "%.*s:-", (int)g->name[n].len, g->name[n].at);
		else
			add(&line, "%.*s:%d", (int)g->name[n].len, g->name[n].at, stream);
	}
	return end(&line);
}

const char *syncs_of(struct sd_arena *mem, const struct planned *planned)
{
	const struct sd_graph *g = &planned->request->graph;
	struct line line = { .mem = mem };

	if (!planned->plan)
		return sd_code_text(planned->diag.code);
	for (uint32_t i = 0; i < planned->plan->sync_count; i++) {
		struct sd_text from = g->name[planned->plan->sync[i].record_node], to = g->name[planned->plan->sync[i].wait_node];

		add(&line, "%.*s>%.*s", (int)from.len, from.at, (int)to.len, to.at);
	}
	return end(&line);
}

const char *warnings_of(struct sd_arena *mem, const struct planned *planned)
{
	const struct sd_graph *g = &planned->request->graph;
	struct line line = { .mem = mem };

	if (!planned->plan)
		return sd_code_text(planned->diag.code);
	for (uint32_t i = 0; i < planned->plan->diagnostic_count; i++) {
		const struct sd_diag *diag = &planned->plan->diagnostic[i];
		struct sd_text node = g->name[diag->node];

		add(&line, "%s %.*s", sd_code_text(diag->code) + 2, (int)node.len, node.at);
		for (int k = 0; k < SD_DIAG_ARGS; k++) {
			if (diag->arg[k].kind == SD_ARG_NODE)
				add(&line, ">%.*s", (int)g->name[diag->arg[k].number].len, g->name[diag->arg[k].number].at);
			else if (diag->arg[k].kind == SD_ARG_INT)
				add(&line, "%lld", (long long)diag->arg[k].number);
		}
	}
	return end(&line);
}
