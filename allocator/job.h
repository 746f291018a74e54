/* job.h - the working state of one planning run: what the passes read and write.
 *
 * Private to the planner. Each member names the fact (chain.h) that makes it valid.
 * All arrays live in `mem`; nothing is freed. Nodes are graph indices everywhere;
 * "position" is a node's place in its graph's topological order. */
#ifndef SD_JOB_H
#define SD_JOB_H

#include "adjacency.h"
#include "base/arena.h"
#include "base/vec.h"
#include "engines.h"
#include "device_limits.h"
#include "optype.h"
#include "options.h"
#include "slots.h"
#include "sort.h"
#include "starts.h"
#include "streamd/planner.h"

/* A run of nodes of one engine and label: what the stream passes place (fact CLUSTERS). */
struct sd_cluster {
	uint32_t engine;       /* VectorEngine where the cube/vector mode moved it */
	uint32_t label, user;  /* stream label and user label of its first node; 0 = none */
	uint32_t first_node, node_count; /* into cluster_node, in topological order */
	uint32_t first_pred, pred_count; /* into cluster_pred: distinct producing clusters */
	uint32_t same_engine_successors; /* distinct consuming clusters of its own engine */
	bool force_attach;     /* a node has _force_attach_stream */
	int32_t stream;
	uint32_t root;         /* the cluster whose stream it joined; SD_NO_INDEX: none */
};

struct sd_clusters {
	uint32_t count;
	struct sd_cluster *at; /* in order of their first nodes: every pass visits them so */
	uint32_t *node, *pred;
};

/* Texts of stream labels: number n is text[n - 1]. */
struct sd_labels {
	uint32_t count;
	struct sd_text *text;
	uint32_t *sorted; /* indices of text, in byte order */
};

/* Number of a label; 0 if no node carries it. */
uint32_t sd_label_find(const struct sd_labels *labels, struct sd_text text);

/* Streams that one slot starts. */
struct sd_started {
	uint32_t node;         /* the starter, or an inserted node */
	uint32_t first, count; /* into started_stream: physical, ascending; of a StreamSwitchN one for each label */
};

/* Ids given to nodes that asked for them, in the order of their requests. */
struct sd_resources {
	uint32_t *first; /* per node + 1: into id; NULL: nobody asked */
	uint32_t *id;
};

/* Streams of engines and labels in a model of unknown shape, SD_NO_STREAM: none yet. */
struct sd_given {
	int32_t *of_engine, *of_label;
};

struct sd_paths;
struct sd_journal;

struct sd_job {
	struct sd_arena *mem;
	const struct sd_request *request;
	const struct sd_graph *graph;
	const struct sd_options *options;
	const struct sd_hooks *hooks;
	struct sd_diag *diag;

	struct sd_limit_set limits;

	/* ENGINES */
	struct sd_engines engines;
	uint32_t *engine;             /* per node; SD_NO_ENGINE: states one that does not exist */
	enum sd_op *op_of_type;       /* per string of the graph */

	/* TASKS */
	bool *launched;               /* per node */
	int64_t *tasks;               /* per node: device tasks on its main stream */
	int64_t *attached_tasks;      /* per node: device tasks on each attached stream */
	bool *collective;             /* per node: talks to other ranks */

	/* TOPO */
	struct sd_adjacency adjacency;
	struct sd_order order;

	/* SCOPES */
	struct sd_scopes scopes;

	/* MODE */
	struct sd_mode_choice mode;

	/* LABELS: interned texts, 0 = none */
	uint32_t *label, *user_label; /* per node, user labels folded in */
	struct sd_labels labels;
	uint32_t *max_parallel;       /* per engine: streams that its clusters may use */

	/* CV */
	bool *vector_beside_cube;     /* per node: may run beside the cube cores */

	/* CLUSTERS, CLUSTER_STREAM: of the graph being visited */
	uint32_t visited;             /* that graph */
	struct sd_clusters clusters;
	uint32_t *cluster_of;         /* per node; SD_NO_INDEX: an input, in no cluster */
	int32_t default_stream;       /* stream of the parent node; SD_NO_STREAM in the root */
	int32_t next_stream;          /* first free logical number; below 0 where bodies of compat ge gave back too many */
	struct sd_given given;        /* over all graphs */

	/* PATHS: of the graph being visited */
	struct sd_paths *paths;       /* dag.h; NULL: the mode does not spread paths */

	/* NODE_STREAM, DENSE */
	int32_t *stream;              /* per node: logical stream */
	uint32_t main_stream_count;
	uint32_t first_by_pass;       /* main streams from here on were allocated by custom stream passes; UINT32_MAX: no pass ran */

	/* ATTACHED: extra streams of nodes */
	uint32_t logical_stream_count; /* main ones first */
	uint32_t *attached_first;      /* per node + 1: into attached */
	uint32_t *attached;            /* logical streams, as the node's requests list them */

	/* STARTS */
	struct sd_starts starts;
	struct sd_start_index starting; /* by lane (fact SLOTS), by stream (fact STARTED) */

	/* SLOTS */
	struct sd_slots slots;

	/* EXTRA_ORDERS: orders that no edge asks for */
	SD_VEC(struct sd_order_pair) extra_orders;

	/* ORDERS, SYNCS: first all that are asked for, then those that nothing else implies */
	struct sd_order_list orders;
	struct sd_order_list syncs;   /* by `from`, then `to`, once NUMBERED */
	uint32_t *sync_id;            /* per sync (fact NUMBERED); events and notifies each from 0 */
	uint32_t event_count, notify_count;
	bool events_shared;           /* some events have one number: numbers of one slot need not ascend */

	/* SEQUENCE: an order of all slots in which each stands behind what it waits for */
	uint32_t *sequence;           /* slots */
	uint32_t *rank;               /* per slot: its place in `sequence` */

	/* PIECES */
	uint32_t stream_count;
	uint32_t *logical_of;         /* per physical stream */
	bool *huge;                   /* per physical stream */
	uint32_t inserted_count;      /* nodes behind those of the graph */
	uint32_t *inserted;           /* per inserted node: its StreamSwitch */
	uint32_t *inserted_by;        /* per inserted node: its starter */
	bool *is_started;             /* per physical stream: a node starts it */
	bool *is_jumped;              /* per physical stream: begins with a label that is only jumped to */
	SD_VEC(struct sd_started) started;    /* in the order of their starters */
	SD_VEC(uint32_t) started_stream;
	uint32_t *started_of_node;    /* per node, inserted ones too: index into started; SD_NO_INDEX: starts nothing */
	struct sd_order_list split_orders;

	/* RESOURCES: ids of sync resources that nodes asked for; they follow the numbers of the syncs */
	struct sd_resources events, notifies;
	uint32_t *notify_type;         /* per notify */

	/* HOSTS */
	bool *host_wait;               /* per node: runs on the host and reads what the device makes */

	/* with option explain: why */
	struct sd_journal *journal;   /* journal.h; NULL without it */

	/* told to the caller */
	SD_VEC(struct sd_diag) warnings;
	struct sd_plan *plan;         /* FROZEN */
};

static inline enum sd_op sd_job_op(const struct sd_job *job, uint32_t node)
{
	return job->op_of_type[job->graph->op_type[node]];
}

/* Which kind of sync keeps an order of this cause: notifies only where edges ask for them, and never in
 * a model of unknown shape. */
static inline enum sd_sync_kind sd_job_sync_kind(const struct sd_job *job, enum sd_cause cause)
{
	bool notify = job->options->event == SD_NOTIFY && !job->graph->graph[SD_ROOT].dynamic;

	return notify && cause <= SD_CAUSE_SUBGRAPH ? SD_SYNC_NOTIFY : SD_SYNC_EVENT;
}

/* Device tasks of a wait: an event is waited for and then reset, a notify resets itself. */
static inline int64_t sd_job_wait_tasks(enum sd_sync_kind kind)
{
	return kind == SD_SYNC_EVENT ? 2 : 1;
}

static inline int64_t sd_job_slot_tasks(const struct sd_job *job, uint32_t slot)
{
	uint32_t node = job->slots.node[slot];

	switch (job->slots.kind[slot]) {
	case SD_SLOT_RELAY:
		return 1;
	case SD_SLOT_ATTACHED:
		return job->attached_tasks[node];
	case SD_SLOT_MAIN:
		return job->tasks[node];
	default:
		return 0;
	}
}

/* Memory for a pass, or out of the pass with RESOURCE_EXHAUSTED. */
#define SD_NEED(job, pointer)                                                                              \
	do {                                                                                               \
		if (!(pointer))                                                                            \
			return SD_FAIL1((job)->diag, SD_CODE_LIMIT_MEMORY, SD_NO_NODE,                     \
			                sd_arg_int((int64_t)(job)->mem->budget_bytes));                    \
	} while (0)

/* Whether the caller wants the job to end; asked between passes and inside long loops. */
bool sd_job_stopped(const struct sd_job *job);

#define SD_STOP_STRIDE 4096u /* nodes between two questions */

/* Whether a stream may hold any number of tasks: on such a device, and in a model of unknown shape,
 * where nobody knows how many there will be. */
static inline bool sd_job_unlimited_depth(const struct sd_job *job)
{
	return job->limits.unlimited_depth || job->graph->graph[SD_ROOT].dynamic;
}

/* One above the highest stream of any node of the graph being visited. */
uint32_t sd_job_stream_bound(const struct sd_job *job);

/* The first free logical stream. With compat ge bodies may have given back more than there was: none is handed out below 0. */
static inline int32_t sd_job_next(struct sd_job *job)
{
	job->next_stream = job->next_stream < 0 ? 0 : job->next_stream;
	return job->next_stream;
}

/* A fresh logical stream. */
static inline int32_t sd_job_fresh(struct sd_job *job)
{
	int32_t stream = sd_job_next(job);

	job->next_stream++;
	return stream;
}

/* Asks for an order between slots of different lanes; one within a lane is left out. */
enum sd_status sd_job_order(struct sd_job *job, uint32_t from, uint32_t to, enum sd_cause cause);

/* Puts orders in the order of the slots that they end at; those of one slot stay as they were. */
enum sd_status sd_job_sort_orders(struct sd_job *job, struct sd_order_list *list);

/* Adds a warning to the plan. */
enum sd_status sd_job_warn(struct sd_job *job, enum sd_code code, uint32_t node, struct sd_arg a, struct sd_arg b);

/* Dense numbers for texts, equal texts equal numbers, in order of first appearance from
 * `first`. Writes number[i] for text[i]; answers how many there are in `distinct`. */
enum sd_status sd_job_intern(struct sd_job *job, const struct sd_text *text, uint32_t count,
                             uint32_t first, uint32_t *number, uint32_t *distinct);

#endif
