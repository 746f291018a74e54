/* world.h - a small graph and a plan for it, written down in a few letters.
 *
 *   nodes    one letter each; lower case is launched, upper case is not ("abC"); z is a
 *            NetOutput, V a variable, all others a Relu
 *   edges    pairs of letters ("ab bC")
 *   streams  a letter launches the node, *a on an attached stream, !3 records event 3, ?3 waits
 *            for it, !~3 and ?~3 are notifies, @2 activates stream 2 and @23 both of these, |
 *            begins the next stream ("a!0|?0b"). A record in front of all launches is that of
 *            the node launched last
 *   pieces   the logical stream of each physical one ("01"); those with attached launches
 *            only are attached
 *
 * All tables of the plan are filled from that, so that it is a whole one; a test then
 * spoils what it wants to see found. */
#ifndef WORLD_H
#define WORLD_H

#include <check.h>
#include <stdlib.h>

#include "streamd/verify.h"

#define WORLD_MAX 64

struct world {
	struct sd_arena mem;
	struct sd_request request;
	struct sd_plan plan;
	struct sd_verdict verdict;

	struct sd_text name[WORLD_MAX], string[9];
	char letter[WORLD_MAX];
	uint32_t op_type[WORLD_MAX], engine[WORLD_MAX], graph_of[WORLD_MAX], in_first[WORLD_MAX + 1], body_first[WORLD_MAX + 1], extra_of[WORLD_MAX];
	int64_t task_count[WORLD_MAX], attached_task_count[WORLD_MAX];
	struct sd_attr_range attrs[WORLD_MAX];
	uint64_t attr_present[WORLD_MAX];
	struct sd_edge in[WORLD_MAX];
	struct sd_attr attr[WORLD_MAX];
	struct sd_subgraph graph;

	struct sd_stream stream[WORLD_MAX];
	struct sd_command command[4 * WORLD_MAX];
	struct sd_placement node[WORLD_MAX];
	struct sd_sync sync[WORLD_MAX];
	struct sd_activation activation[8];
	uint32_t activated[8];
	int32_t attached_logical[16], attached_stream[16];
	uint32_t inserted[2];
	uint32_t attached_event[8], attached_notify[8], notify_type[8];
	bool has_main[WORLD_MAX], launches_beside[WORLD_MAX][8]; /* by stream; by node and stream */
	struct sd_summary summary[WORLD_MAX];
};

static inline uint32_t world_node(const struct world *w, char letter)
{
	for (uint32_t n = 0; n < w->request.graph.node_count; n++) {
		if (w->letter[n] == letter)
			return n;
	}
	ck_abort_msg("no node %c", letter);
	return 0;
}

static inline void world_graph(struct world *w, const char *nodes, const char *edges)
{
	struct sd_graph *g = &w->request.graph;
	uint32_t count = 0;

	for (const char *c = nodes; *c; c++, g->node_count++) {
		uint32_t n = g->node_count;

		w->letter[n] = *c;
		w->name[n] = (struct sd_text){ &w->letter[n], 1 };
		w->op_type[n] = *c == 'z' ? 3 : *c == 'V' ? 6 : 1;
		w->task_count[n] = *c >= 'a';
		w->attached_task_count[n] = SD_TASKS_UNKNOWN;
		w->extra_of[n] = UINT32_MAX;
	}
	for (uint32_t n = 0; n < g->node_count; n++) {
		w->in_first[n] = count;
		for (const char *e = edges; *e; e += e[2] ? 3 : 2) {
			if (e[1] == w->letter[n])
				w->in[count++] = (struct sd_edge){ world_node(w, e[0]), 0 };
		}
	}
	w->in_first[g->node_count] = g->edge_count = count;
	w->string[0] = SD_TEXT("");
	w->string[1] = SD_TEXT("Relu");
	w->string[2] = SD_TEXT("NextIteration");
	w->string[3] = SD_TEXT("NetOutput");
	w->string[4] = SD_TEXT("HcomAllReduce");
	w->string[5] = SD_TEXT("DNN_VM_HOST_CPU");
	w->string[6] = SD_TEXT("Variable");
	w->string[7] = SD_TEXT("Data");
	w->string[8] = SD_TEXT("StreamSwitch");
	w->graph = (struct sd_subgraph){ .node_count = g->node_count, .parent = SD_NO_NODE };
	g->string_count = 9;
	g->graph_count = 1;
	g->graph = &w->graph;
	g->name = w->name, g->op_type = w->op_type, g->engine = w->engine, g->graph_of = w->graph_of;
	g->in_first = w->in_first, g->body_first = w->body_first, g->task_count = w->task_count;
	g->attached_task_count = w->attached_task_count, g->attrs = w->attrs, g->attr_present = w->attr_present;
	g->extra_of = w->extra_of, g->in = w->in, g->attr = w->attr, g->string = w->string;
}

/* Attributes of one node are given one after the other. */
static inline void world_value(struct world *w, char letter, enum sd_attr_key key, struct sd_value value)
{
	uint32_t n = world_node(w, letter), i = w->request.graph.attr_count++;

	w->attr[i] = (struct sd_attr){ .key = key, .value = value };
	ck_assert(w->attrs[n].count == 0 || w->attrs[n].first + w->attrs[n].count == i);
	w->attrs[n].first = w->attrs[n].count ? w->attrs[n].first : i;
	w->attrs[n].count++;
	w->attr_present[n] |= 1ull << key;
}

static inline void world_attr(struct world *w, char letter, enum sd_attr_key key, int64_t value)
{
	world_value(w, letter, key, (struct sd_value){ .kind = SD_VALUE_INT, .integer = value });
}

/* The node is told to start streams by labels; as a StreamSwitch, if asked for. */
static inline void world_starts(struct world *w, char letter, bool is_switch)
{
	world_attr(w, letter, SD_ATTR_ACTIVE_LABEL_LIST, 0);
	w->op_type[world_node(w, letter)] = is_switch ? 8 : 1;
}

static inline void world_say(struct world *w, char letter, enum sd_attr_key key, const char *text)
{
	world_value(w, letter, key, (struct sd_value){ .kind = SD_VALUE_STRING, .string = { text, (uint32_t)strlen(text) } });
}

/* One map of what a node asks for, with up to four entries that have a name; in a list if `listed`. */
static inline void world_asks(struct world *w, char letter, enum sd_attr_key key, bool listed, const struct sd_attr entry[4])
{
	struct sd_attr *entries = SD_NEW0(&w->mem, struct sd_attr, 4);
	struct sd_map *map = SD_NEW0(&w->mem, struct sd_map, 1);

	ck_assert(entries && map);
	map->entry = entries;
	for (; map->count < 4 && entry[map->count].name.len > 0; map->count++)
		entries[map->count] = entry[map->count];
	world_value(w, letter, key, (struct sd_value){ .kind = listed ? SD_VALUE_MAPS : SD_VALUE_MAP, .count = 1, .maps = map });
}

#define WORLD_INT(of, number) { .name = SD_TEXT(of), .value = { .kind = SD_VALUE_INT, .integer = (number) } }
#define WORLD_TRUE(of) { .name = SD_TEXT(of), .value = { .kind = SD_VALUE_BOOL, .boolean = true } }
#define WORLD_TEXT(of, text) { .name = SD_TEXT(of), .value = { .kind = SD_VALUE_STRING, .string = SD_TEXT(text) } }

/* The node asks for one attached stream, which reads data input `input` (-1: none). */
static inline void world_attaches(struct world *w, char letter, int64_t input)
{
	int64_t *number = SD_NEW(&w->mem, int64_t, 1);
	struct sd_attr entry[4] = { WORLD_TRUE("_attached_resource_required_flag"),
	                            { .name = SD_TEXT("_attached_resource_depend_value_list_int"), .value = { .kind = SD_VALUE_LIST } } };

	ck_assert_ptr_nonnull(number);
	*number = input;
	entry[1].value.list = (struct sd_list){ .item = SD_VALUE_INT, .count = input >= 0, .integer = number };
	world_asks(w, letter, SD_ATTR_ATTACHED_STREAM_INFO_LIST, true, entry);
}

/* The commands as written; syncs get their ends from where their commands stand. */
static inline void world_commands(struct world *w, const char *streams)
{
	struct sd_plan *p = &w->plan;
	struct sd_sync *open[16];
	uint32_t open_count = 0;
	struct sd_stream *stream = &w->stream[p->stream_count++];
	uint32_t node = SD_NO_NODE;
	bool wait = false, beside = false;

	for (const char *c = streams; *c; c++) {
		struct sd_command *command = &w->command[p->command_count];

		if (*c == '|') {
			stream = &w->stream[p->stream_count++];
			stream->first_command = p->command_count;
			continue;
		}
		if (*c == ' ')
			continue;
		if (*c == '*') {
			beside = true;
			continue;
		}
		if (*c == '@') {
			uint32_t i = p->activation_count++;

			w->activation[i] = (struct sd_activation){ .node = node, .first = p->activated_count };
			for (; c[1] >= '0' && c[1] <= '9'; c++, w->activation[i].count++)
				w->activated[p->activated_count++] = (uint32_t)(c[1] - '0');
			stream->task_count += w->activation[i].count - 1;
			*command = (struct sd_command){ .kind = SD_ACTIVATE, .arg = i };
		} else if (*c == '!' || *c == '?') {
			bool notify = c[1] == '~';
			struct sd_sync *sync;

			wait = *c == '?';
			c += notify ? 2 : 1;
			command->kind = notify ? (wait ? SD_NOTIFY_WAIT : SD_NOTIFY_RECORD) : (wait ? SD_WAIT : SD_RECORD);
			command->arg = (uint32_t)(*c - '0');
			sync = &w->sync[command->arg + (notify ? WORLD_MAX / 2 : 0)];
			sync->id = command->arg;
			sync->kind = notify ? SD_SYNC_NOTIFY : SD_SYNC_EVENT;
			*(wait ? &sync->wait_stream : &sync->record_stream) = p->stream_count - 1;
			if (wait)
				open[open_count++] = sync;
			else
				sync->record_node = node;
			if (wait && notify && p->notify_count <= command->arg)
				p->notify_count = command->arg + 1;
			if (wait && !notify && p->event_count <= command->arg)
				p->event_count = command->arg + 1;
			stream->task_count += wait && !notify ? 2 : 1;
		} else {
			node = world_node(w, *c);
			*command = (struct sd_command){ .kind = SD_LAUNCH, .arg = node, .attached = beside };
			if (beside)
				w->launches_beside[node][p->stream_count - 1] = true;
			else
				w->node[node].stream = (int32_t)p->stream_count - 1;
			w->has_main[p->stream_count - 1] |= !beside;
			beside = false;
			while (open_count > 0)
				open[--open_count]->wait_node = node;
			stream->task_count++;
		}
		stream->command_count++;
		p->command_count++;
	}
	memmove(&w->sync[p->event_count], &w->sync[WORLD_MAX / 2], p->notify_count * sizeof(struct sd_sync));
	p->sync_count = p->event_count + p->notify_count;
}

/* The entries of all nodes, by stream. */
static inline void world_attach(struct world *w)
{
	struct sd_plan *p = &w->plan;

	for (uint32_t n = 0; n < p->node_count; n++) {
		w->node[n].attached_first = p->attached_count;
		for (uint32_t s = 0; s < p->stream_count && s < 8; s++) {
			if (!w->launches_beside[n][s])
				continue;
			w->attached_logical[p->attached_count] = (int32_t)w->stream[s].logical_id;
			w->attached_stream[p->attached_count++] = (int32_t)s;
			w->node[n].attached_count++;
		}
	}
}

/* Why each sync is there, as far as its ends tell. Where a world has notifies they are for edges, and events for all else. */
static inline void world_causes(struct world *w)
{
	struct sd_plan *p = &w->plan;

	w->request.options.event = p->notify_count > 0 ? SD_NOTIFY : SD_EVENT;
	for (uint32_t y = 0; y < p->sync_count; y++) {
		struct sd_sync *sync = &w->sync[y];

		if (w->stream[sync->record_stream].attached && w->op_type[sync->wait_node] == 3)
			sync->cause = SD_CAUSE_COVER;
		else if (w->stream[sync->record_stream].attached || w->stream[sync->wait_stream].attached)
			sync->cause = SD_CAUSE_ATTACHED;
		else if (p->notify_count > 0 && sync->kind == SD_SYNC_EVENT)
			sync->cause = SD_CAUSE_SPLIT;
	}
}

static inline struct world *world_make(const char *nodes, const char *edges, const char *streams, const char *pieces)
{
	struct world *w = calloc(1, sizeof(*w));
	struct sd_plan *p = &w->plan;

	ck_assert_ptr_nonnull(w);
	sd_arena_init(&w->mem, 0);
	world_graph(w, nodes, edges);
	p->node_count = w->request.graph.node_count;
	for (uint32_t n = 0; n < p->node_count; n++)
		w->node[n] = (struct sd_placement){ .logical_stream = SD_NO_STREAM, .stream = SD_NO_STREAM };
	world_commands(w, streams);
	for (uint32_t s = 0; s < p->stream_count; s++) {
		w->stream[s].logical_id = (uint32_t)(pieces[s] - '0');
		w->stream[s].label_node = SD_NO_NODE;
		w->stream[s].initially_active = true;
		w->summary[w->stream[s].logical_id].physical_count++;
		if (w->stream[s].logical_id >= p->logical_stream_count)
			p->logical_stream_count = w->stream[s].logical_id + 1;
		if ((w->has_main[s] || w->stream[s].command_count == 0) && w->stream[s].logical_id >= p->main_stream_count)
			p->main_stream_count = w->stream[s].logical_id + 1;
	}
	p->attached_stream_count = p->logical_stream_count - p->main_stream_count;
	for (uint32_t s = 0; s < p->stream_count; s++)
		w->stream[s].attached = w->stream[s].logical_id >= p->main_stream_count;
	for (uint32_t i = 0; i < p->activated_count; i++)
		w->stream[w->activated[i]].initially_active = false;
	for (uint32_t n = 0; n < p->node_count; n++) {
		if (w->node[n].stream >= 0)
			w->node[n].logical_stream = (int32_t)w->stream[w->node[n].stream].logical_id;
	}
	world_attach(w);
	world_causes(w);
	for (uint32_t i = 0; i < p->logical_stream_count; i++) {
		w->summary[i].logical_id = i;
		w->summary[i].label_node = SD_NO_NODE;
	}
	p->summary_count = p->logical_stream_count;
	p->stream = w->stream, p->command = w->command, p->node = w->node, p->sync = w->sync;
	p->activation = w->activation, p->activated = w->activated, p->summary = w->summary;
	p->attached_logical = w->attached_logical, p->attached_stream = w->attached_stream;
	p->attached_event = w->attached_event, p->attached_notify = w->attached_notify, p->notify_type = w->notify_type;
	return w;
}

/* The last node, on the last stream, is one that the plan inserts behind a StreamSwitch. */
static inline void world_insert(struct world *w, char letter, char behind)
{
	struct sd_plan *p = &w->plan;
	uint32_t n = world_node(w, letter), s = p->stream_count - 1;

	ck_assert_uint_eq(n, p->node_count - 1);
	w->inserted[0] = world_node(w, behind);
	p->inserted = w->inserted;
	p->inserted_count = 1;
	w->request.graph.node_count = w->graph.node_count = n;
	w->request.graph.edge_count = w->in_first[n];
	w->stream[s].logical_id = s;
	w->node[n].logical_stream = (int32_t)s;
	p->main_stream_count = p->logical_stream_count = p->summary_count = s;
}

static inline void world_free(struct world *w)
{
	sd_arena_finish(&w->mem);
	free(w);
}

static inline uint32_t world_judge(struct world *w)
{
	ck_assert_int_eq(sd_verify(&w->mem, &w->request, &w->plan, NULL, NULL, &w->verdict), SD_OK);
	return w->verdict.count;
}

static inline bool world_finds(const struct world *w, enum sd_violation_kind kind)
{
	for (uint32_t i = 0; i < w->verdict.count && i < SD_VIOLATIONS_MAX; i++) {
		if (w->verdict.violation[i].kind == kind)
			return true;
	}
	return false;
}

/* Both give the world away. */
#define WORLD_KEEPS(of)                                                                        \
	do {                                                                                   \
		struct world *w_ = (of);                                                       \
		char line_[512] = "";                                                          \
		if (world_judge(w_) > 0)                                                       \
			sd_violation_text(&w_->verdict.violation[0], NULL, line_, sizeof(line_)); \
		ck_assert_str_eq(line_, "");                                                   \
		world_free(w_);                                                                \
	} while (0)

#define WORLD_BREAKS(of, kind)                                     \
	do {                                                       \
		struct world *w_ = (of);                           \
		ck_assert_uint_gt(world_judge(w_), 0);             \
		ck_assert(world_finds(w_, SD_VIOLATION_##kind));   \
		world_free(w_);                                    \
	} while (0)

#endif
