/* verify_internal.h - what the parts of the judge share; private to allocator/verify*.c.
 *
 * The judge looks at a plan in this order, and each step may rely on what the steps
 * before it found whole:
 *   view    the graph with what the plan inserts (verify_view.c)
 *   facts   what the request says: tasks of every node, limits (verify_facts.c)
 *   scopes  what runs when: bodies, their labels and jumps (verify_scopes.c), and where each
 *           node stands among the bodies (verify_flatten.c)
 *   tables  counts, ranges, placements (verify_tables.c), numbers that bodies share
 *           (verify_numbers.c)
 *   slots   command lists cut into slots (verify_slots.c), syncs paired with commands
 *           (verify_pairs.c)
 *   simulation  whether it is one of this plan (verify_simulation.c)
 *   ends    both ends of a sync in one scope, bodies standing together (verify_ends.c)
 *   told    the order in which syncs are listed (verify_told.c)
 *   limits  streams, tasks, events, notifies (verify_limits.c)
 *   replay  an order in which all slots can run, or the deadlock (verify_replay.c)
 *   reach   whether a device comes to what stands in lowered bodies (verify_reach.c)
 *   starts  which streams nodes start, where there are bodies (verify_starts.c)
 *   shared  which events of one number take turns (verify_shared.c)
 *   extras  which orders attached streams ask for (verify_extra.c)
 *   wants   what must come before what where there are bodies (verify_wants.c)
 *   entries where bodies begin, and what the next turn of a loop waits for (verify_entries.c)
 *   needs   which orders the edges ask for, through nodes not launched (verify_needs.c)
 *   columns which streams share a column of the clocks (verify_columns.c)
 *   sweep   vector clocks along that order (verify_sweep.c), through bodies of which one runs
 *           (verify_branch.c): edges (verify_order.c), logical streams (verify_lanes.c), and
 *           whether any sync could go (verify_minimal.c); what rows do not show is asked by
 *           the definition (verify_exact.c)
 *
 * A slot is what one launch brings along on its stream: the waits in front of it, the
 * launch, an activation, the records behind it. A group is a slot without launch: what a node
 * with bodies waits for, or tells, on a stream of theirs. The position of a slot is its number
 * in the column of its stream, counted from 1: where the column is the stream's alone, that on the stream. */
#ifndef SD_VERIFY_INTERNAL_H
#define SD_VERIFY_INTERNAL_H

#include "base/vec.h"
#include "device_limits.h"
#include "streamd/verify.h"
#include "verify_scopes.h"

#define SD__NONE UINT32_MAX /* no slot, sync, activation or origin */

/* What the judge has to know of an operator type; a set of these. */
enum {
	SD__OP_FUNCTIONAL = 1 << 0, /* its bodies launch, not the node */
	SD__OP_CHOOSES = 1 << 8,    /* exactly one of its bodies runs */
	SD__OP_LOOPS = 1 << 9,      /* body 0, its condition, runs at least once, body 1 any number of times */
	SD__OP_LABEL = 1 << 10,     /* LabelSet: jumps lead there */
	SD__OP_GOTO = 1 << 11,      /* LabelGotoEx */
	SD__OP_JUMPS = 1 << 12,     /* LabelSwitchByIndex: jumps to one of several labels */
	SD__OP_GEARS = 1 << 13,     /* Case: its bodies may be the gears of a model, which share numbers */
	SD__OP_OUTPUT = 1 << 1,     /* NetOutput */
	SD__OP_CUTS = 1 << 2,       /* edges out of it lead into the next turn of a loop and order nothing */
	SD__OP_COLLECTIVE = 1 << 3, /* its task count may be stated by the collective library */
	SD__OP_RECEIVES = 1 << 4,   /* a stated task count leaves out one task */
	SD__OP_SWITCH = 1 << 7,     /* StreamSwitch: leaves its stream for the one that it starts */
	SD__OP_BRANCHES = 1 << 14,  /* StreamSwitchN: the same, with one stream for each of its labels */
	SD__OP_VARIABLE = 1 << 5,   /* its value is that of the last node that writes it */
	SD__OP_SOURCE = 1 << 6,     /* data and constants: always there */
};

struct sd__slot {
	uint32_t node, stream;
	uint32_t launch;                     /* command. SD__NONE: the head of a stream, from which a StreamSwitch (`node`) tells what
	                                      * stands behind it; or a group: what a node with bodies waits for, or tells, on a stream of
	                                      * theirs */
	bool group;
	bool front, back, entered;           /* of a group: bodies of its node stand directly behind it; in front of it; begin on its stream */
	uint32_t run_in, wait_in;            /* graphs: the slot happens when they run, and its waits; SD__NONE: nothing can wait here */
	uint32_t wait_first, wait_count;     /* commands */
	uint32_t record_first, record_count; /* commands */
	uint32_t activation;                 /* SD__NONE: activates nothing */
};

/* A launch that must come first though no edge says so. */
struct sd__extra {
	uint32_t from;  /* slot */
	bool optional;  /* asked for if the plan puts it in front, and only then */
};

/* Behind a slot the next turn of a loop begins on its stream. */
struct sd__turn {
	uint32_t node; /* the loop */
	uint32_t next; /* of the same slot; SD__NONE: none */
};

struct sd__judge {
	struct sd_arena *mem;
	const struct sd_request *request;
	const struct sd_graph *graph;
	const struct sd_plan *plan;
	bool (*stop)(void *);
	void *stop_arg;
	struct sd_verdict *verdict;

	/* view */
	uint32_t real_nodes;          /* of the request; the graph also has the inserted ones */

	/* facts */
	struct sd_limit_set limits;
	bool depth_unlimited;         /* streams take any number of tasks */
	uint16_t *op;                 /* by string: set of SD__OP_ */
	int64_t *main_tasks;          /* by node; 0: not launched */
	const uint32_t *engine;       /* by node */
	uint32_t collective_engine;
	uint8_t *relays;              /* by stream: inserted nodes on it */
	bool listed_in_order;         /* the planner's order of nodes is that of the request */

	/* scopes */
	struct sd__scopes scopes;

	uint32_t *rank, *rank_end;    /* by node, with bodies: its place, and that behind its bodies, where all are listed as they run */

	/* slots, stream after stream */
	uint32_t slot_count;
	struct sd__slot *slot;
	uint32_t *slot_first;         /* stream_count + 1: into slot */
	uint32_t *main_slot;          /* by node; SD__NONE: not launched */
	uint32_t *attached_slot;      /* by entry of the plan's attached streams; SD__NONE: not launched */
	bool launched_in_order;       /* every stream launches its nodes in the order of the request */
	uint32_t *sync_of;            /* by command; SD__NONE: neither record nor wait */
	uint32_t *record_slot, *wait_slot; /* by sync */

	/* events that share a number: only where it is so */
	bool events_shared;
	uint32_t event_syncs;
	uint32_t *by_record, *by_wait; /* events, by number, stream and node of that end; by_record later by number and place of record */
	uint32_t *turn_before;        /* by sync: the one with its number that is recorded before it; SD__NONE: none */

	/* replay */
	uint32_t *order;              /* slots, each behind all that it waits for */
	uint32_t *place;              /* by slot: index in order; SD__NONE: never runs */
	uint32_t *starter;            /* by stream: the one slot that activates it; SD__NONE: none, or several */
	uint32_t *starters;           /* by stream: how many slots tell it at its start what they know; 0: it knows nothing then */
	uint32_t *started_first;      /* stream_count + 1, with bodies: into started_by */
	uint32_t *started_by;         /* slots that start a stream */
	uint32_t *arriving_first;     /* slot_count + 1: into arriving */
	uint32_t *arriving;           /* syncs by slot that waits, latest record first */

	/* extras */
	uint32_t *extra_first;        /* slot_count + 1: into extra */
	struct sd__extra *extra;      /* by slot that comes behind */

	/* wants; NULL without bodies */
	uint32_t *group_of;           /* by node: its first group; SD__NONE: none */
	uint32_t *group_next;         /* by slot: the next group of its node */
	uint32_t *want_first, *want;  /* verify_wants.h */

	/* entries */
	uint32_t *turn_of;            /* by slot, where bodies choose: into turn; SD__NONE: none */
	SD_VEC(struct sd__turn) turn;

	/* needs */
	uint32_t *origin;             /* by question, see verify_wants.h; without bodies that is by node. A slot; or slot_count + row of
	                               * a meeting; SD__NONE: nothing before it */
	uint32_t meeting_count;
	uint32_t *meeting;            /* questions to which several launches are the answer; what they lead to first */

	/* columns */
	uint32_t column_count;
	uint32_t *column;             /* by stream: of the rows; SD__NONE: nothing runs on it */
	uint32_t *column_base;        /* by stream: slots of those that had its column before it */
};

enum sd_status sd__verify_view(struct sd__judge *judge);
enum sd_status sd__verify_facts(struct sd__judge *judge);
enum sd_status sd__verify_scopes(struct sd__judge *judge);
enum sd_status sd__verify_tables(struct sd__judge *judge);
enum sd_status sd__verify_flatten(struct sd__judge *judge);
enum sd_status sd__verify_numbers(struct sd__judge *judge, uint32_t next[2]);
void sd__verify_explanations(struct sd__judge *judge);
enum sd_status sd__verify_slots(struct sd__judge *judge);
enum sd_status sd__verify_simulation(struct sd__judge *judge);
enum sd_status sd__verify_ends(struct sd__judge *judge);
enum sd_status sd__verify_reach(struct sd__judge *judge);
enum sd_status sd__verify_starts(struct sd__judge *judge);
enum sd_status sd__verify_switches(struct sd__judge *judge);
void sd__verify_syncs(struct sd__judge *judge);
void sd__verify_limits(struct sd__judge *judge);
enum sd_status sd__verify_replay(struct sd__judge *judge);
enum sd_status sd__verify_extras(struct sd__judge *judge);
enum sd_status sd__verify_wants(struct sd__judge *judge);
enum sd_status sd__verify_entries(struct sd__judge *judge);
enum sd_status sd__verify_needs(struct sd__judge *judge);
enum sd_status sd__verify_columns(struct sd__judge *judge);
enum sd_status sd__verify_sweep(struct sd__judge *judge);

/* The slot that has this position in a column; it must have one. Looks at all streams. */
uint32_t sd__column_slot(const struct sd__judge *judge, uint32_t column, uint32_t position);

/* Events with one number (verify_shared.c). The index is made once tables are whole; `find` answers the event with this
 * number that is recorded (or waited for) on this stream by this node, or else any event of that number that comes
 * behind it in the index; `head` the one that a StreamSwitch records in front of all launches of a stream. */
enum sd_status sd__shared_index(struct sd__judge *judge);
uint32_t sd__shared_find(const struct sd__judge *judge, uint32_t id, uint32_t stream, uint32_t node, bool waits);
uint32_t sd__shared_head(const struct sd__judge *judge, uint32_t id, uint32_t stream);
enum sd_status sd__verify_shared(struct sd__judge *judge);

/* Device tasks of a node's launch on its main stream, or on an attached one. */
int64_t sd__launch_tasks(const struct sd__judge *judge, uint32_t node, bool attached);

/* What is wrong with the number of attached streams, events and notifies of a node; NULL: nothing. */
const char *sd__asked_fault(const struct sd__judge *judge, uint32_t node);

/* The types of all notifies; the first `syncs` of them are syncs. Numbers must be known to be whole. */
void sd__verify_notify_types(struct sd__judge *judge, uint32_t syncs);

/* The maps in which a node asks for attached resources: a list, or a single one. */
struct sd__entries {
	const struct sd_map *map;
	uint32_t count;
	bool listed;
};

struct sd__entries sd__entries_of(const struct sd_graph *graph, uint32_t node, enum sd_attr_key key);

/* The map's value of this name and kind; NULL: it has none. */
const struct sd_value *sd__entry_value(const struct sd_map *map, const char *name, enum sd_value_kind kind);

/* Adds up tasks without overflow. */
int64_t sd__tasks_add(int64_t a, int64_t b);

/* Notes a violation; those beyond SD_VIOLATIONS_MAX are counted only. */
void sd__violate(struct sd_verdict *verdict, enum sd_violation_kind kind, const char *detail,
                 uint32_t a, uint32_t b, int64_t stream, int64_t id);

/* Logical streams that physical ones may be pieces of: tasks that no logical stream takes run on stream 0. */
static inline uint32_t sd__lanes(const struct sd_plan *plan)
{
	return plan->logical_stream_count ? plan->logical_stream_count : 1;
}

/* The StreamSwitch or StreamSwitchN behind which an inserted node stands; the node itself if it is of the request. */
static inline uint32_t sd__stands_for(const struct sd__judge *judge, uint32_t node)
{
	return node < judge->real_nodes ? node : judge->plan->inserted[node - judge->real_nodes];
}

static inline bool sd__is_switch(const struct sd__judge *judge, uint32_t node)
{
	return judge->op[judge->graph->op_type[node]] & SD__OP_SWITCH;
}

/* Whether a node leaves its stream for one that it starts. */
static inline bool sd__leaves(const struct sd__judge *judge, uint32_t node)
{
	return judge->op[judge->graph->op_type[node]] & (SD__OP_SWITCH | SD__OP_BRANCHES);
}

static inline bool sd__op_is(const struct sd__judge *judge, uint32_t node, uint16_t op)
{
	return judge->op[judge->graph->op_type[node]] & op;
}

/* Whether a node waits and tells on the streams of its bodies: nothing in them does it in its place. */
static inline bool sd__has_groups(const struct sd__judge *judge, uint32_t node)
{
	return node < judge->real_nodes && sd__is_choice(judge, node) && !judge->scopes.lowered[node];
}

/* The body of a loop that runs any number of times; SD__NONE: it has none, or is no loop. */
static inline uint32_t sd__turning_body(const struct sd__judge *judge, uint32_t node)
{
	return sd__is_choice(judge, node) && sd__op_is(judge, node, SD__OP_LOOPS) && sd__body_count(judge, node) > 1 ? sd__body(judge, node, 1) : SD__NONE;
}

/* The jumps that lead to slot `at` of node `n`: a label's main one. */
static inline uint32_t sd__jumps_first(const struct sd__judge *judge, uint32_t n, uint32_t at)
{
	return judge->scopes.jump_first && judge->main_slot[n] == at ? judge->scopes.jump_first[n] : 0;
}

static inline uint32_t sd__jumps_end(const struct sd__judge *judge, uint32_t n, uint32_t at)
{
	return judge->scopes.jump_first && judge->main_slot[n] == at ? judge->scopes.jump_first[n + 1] : 0;
}

static inline bool sd__stopped(const struct sd__judge *judge)
{
	return judge->stop && judge->stop(judge->stop_arg);
}

static inline bool sd__cuts(const struct sd__judge *judge, uint32_t node)
{
	return judge->op[judge->graph->op_type[node]] & SD__OP_CUTS;
}

/* Whether the producer of an edge has somebody behind it, and so is no end of its graph: data that closes a loop goes nowhere. */
static inline bool sd__is_read(const struct sd__judge *judge, const struct sd_edge *edge)
{
	return edge->src != SD_NO_NODE && (edge->port == SD_CONTROL || !sd__cuts(judge, edge->src));
}

/* Whether what a node activates is the next turn of an iteration loop: it lists no labels. */
static inline bool sd__turns(const struct sd__judge *judge, uint32_t node)
{
	const struct sd_value *labels = sd_graph_attr(judge->graph, node, SD_ATTR_ACTIVE_LABEL_LIST);

	return !(labels && labels->kind == SD_VALUE_LIST && labels->list.count > 0) &&
	       sd_graph_bool(judge->graph, node, SD_ATTR_IS_LOOP_ACTIVE);
}

/* Position of a slot in the column of its stream. */
static inline uint32_t sd__position(const struct sd__judge *judge, uint32_t slot)
{
	uint32_t stream = judge->slot[slot].stream;

	return judge->column_base[stream] + (slot - judge->slot_first[stream]) + 1;
}

static inline enum sd_sync_kind sd__kind_of(const struct sd_command *command)
{
	return command->kind == SD_NOTIFY_RECORD || command->kind == SD_NOTIFY_WAIT ? SD_SYNC_NOTIFY : SD_SYNC_EVENT;
}

static inline bool sd__is_wait(const struct sd_command *command)
{
	return command->kind == SD_WAIT || command->kind == SD_NOTIFY_WAIT;
}

static inline bool sd__is_record(const struct sd_command *command)
{
	return command->kind == SD_RECORD || command->kind == SD_NOTIFY_RECORD;
}

/* Memory that the judge cannot do without, not cleared (a page that is never touched costs
 * nothing) or cleared: out of budget is the answer of the function. */
#define SD__TAKE(at, mem, type, count)                 \
	do {                                           \
		(at) = SD_NEW(mem, type, (count));     \
		if (!(at))                             \
			return SD_RESOURCE_EXHAUSTED;  \
	} while (0)
#define SD__TAKE0(at, mem, type, count)                \
	do {                                           \
		(at) = SD_NEW0(mem, type, (count));    \
		if (!(at))                             \
			return SD_RESOURCE_EXHAUSTED;  \
	} while (0)

#endif
