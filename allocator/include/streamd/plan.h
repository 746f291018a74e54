/* plan.h - the answer: which stream runs each node, and the commands of every stream.
 *
 * A plan speaks in indices: nodes by their number in the graph, bodies by theirs. It
 * holds no name and no text of a request, so that one plan serves every graph that
 * differs in names only; clients put the names back. Built by the planner (or by
 * proto/plan_codec.h from bytes), const ever after, in the job's arena.
 *
 * Three number spaces: logical streams (before the physical split), physical streams
 * (after it; piece k of a logical stream has its own number), nodes. */
#ifndef SD_PLAN_H
#define SD_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "explain.h"
#include "simulation.h"

#define SD_NO_STREAM (-1)

enum sd_mode { SD_MODE_STATIC, SD_MODE_SINGLE, SD_MODE_DYNAMIC };

enum sd_command_kind {
	SD_LAUNCH,        /* arg: node */
	SD_RECORD,        /* arg: event */
	SD_WAIT,          /* arg: event */
	SD_NOTIFY_RECORD, /* arg: notify */
	SD_NOTIFY_WAIT,   /* arg: notify */
	SD_ACTIVATE,      /* arg: index into sd_plan.activation */
};

struct sd_command {
	uint8_t kind;      /* enum sd_command_kind */
	uint8_t attached;  /* a launch on an attached stream */
	uint32_t in;       /* graph it belongs to; SD_ROOT for the root */
	uint32_t arg;
};

struct sd_stream {
	uint32_t logical_id;
	uint32_t label_node;  /* a node whose stream label this is; SD_NO_NODE: no label */
	int32_t priority;     /* 0: the device's default */
	uint32_t flags;
	bool attached, huge, initially_active;
	int64_t task_count;   /* launches by their tasks, activate 1 for each stream behind the first, record 1, event wait 2, notify wait 1 */
	uint32_t first_command, command_count; /* into sd_plan.command */
};

struct sd_placement {
	int32_t logical_stream; /* SD_NO_STREAM: none */
	int32_t stream;         /* SD_NO_STREAM: not launched */
	uint32_t attached_first, attached_count;   /* into attached_logical and attached_stream */
	uint32_t event_first, event_count;         /* into attached_event: resources the node asked for */
	uint32_t notify_first, notify_count;       /* into attached_notify */
	int32_t cube_cores, vector_cores;          /* caps, 0 = none */
	bool host_wait;         /* the host waits for what the device left in front of the node before it runs it */
};

enum sd_sync_kind { SD_SYNC_EVENT, SD_SYNC_NOTIFY };

enum sd_cause {
	SD_CAUSE_DATA, SD_CAUSE_CONTROL, SD_CAUSE_SUBGRAPH, SD_CAUSE_ATTACHED, SD_CAUSE_COVER,
	SD_CAUSE_LOOP, SD_CAUSE_SPLIT, SD_CAUSE_ORDER, SD_CAUSE_HOST,
};

struct sd_sync {
	uint32_t id;
	enum sd_sync_kind kind;
	uint32_t record_node, record_stream, wait_node, wait_stream; /* physical streams */
	enum sd_cause cause;
};

struct sd_activation {
	uint32_t node;
	uint32_t first, count; /* into activated: physical streams, ascending; of a StreamSwitchN one for each label, in their order */
};

/* One logical stream, told as Graph Engine's StreamAllocationSummary tells it. */
struct sd_summary {
	uint32_t logical_id;
	uint32_t label_node;         /* a node whose user stream label this is; SD_NO_NODE: none */
	bool by_stream_pass;         /* its id was allocated by a custom stream pass */
	uint32_t physical_count;     /* physical streams that it became */
	uint32_t follow_count;       /* streams that the loader creates for its collectives */
	uint32_t attached_first, attached_count; /* into summary_attached: logical ids */
	uint32_t node_count;
};

struct sd_plan {
	enum sd_mode mode;
	uint32_t node_count;     /* those of the graph, then inserted ones */
	uint32_t inserted_count;
	uint32_t logical_stream_count, main_stream_count, attached_stream_count;
	uint32_t stream_count, event_count, notify_count; /* counts of numbers, not of syncs */
	uint32_t sync_count, command_count, activation_count, activated_count;
	uint32_t attached_count, attached_event_count, attached_notify_count;
	uint32_t summary_count, summary_attached_count, diagnostic_count;

	const struct sd_stream *stream;
	const struct sd_command *command;
	const struct sd_placement *node;       /* by node index */
	const uint32_t *inserted;              /* per inserted StreamActive: the StreamSwitch or StreamSwitchN behind which it stands; it is
	                                        * called "<switch>_StreamActive_<place of its stream among those that the node starts>" */
	const struct sd_sync *sync;            /* by place of record, then of wait, in execution order */
	const struct sd_activation *activation;/* by place of node */
	const uint32_t *activated;
	const int32_t *attached_logical;
	const int32_t *attached_stream;
	const uint32_t *attached_event;
	const uint32_t *attached_notify;
	const uint32_t *notify_type;           /* notify_count */
	const struct sd_summary *summary;      /* by logical id */
	const uint32_t *summary_attached;
	const struct sd_diag *diagnostic;      /* warnings; no text arguments */

	/* With option explain only. */
	bool explained;
	uint32_t pass_count, explanation_count;
	const struct sd_text *pass_name;       /* passes that ran, in order (sd_is_pass_name()) */
	const struct sd_explanation *explanation; /* by node, then in the order of the decisions */

	/* With option simulate only. */
	bool simulated;
	struct sd_simulation simulation;
};


#endif
