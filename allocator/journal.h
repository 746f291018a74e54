/* journal.h - what a run with option explain notes down about its decisions, while they are made.
 *
 * The runner tells the journal of every pass. It compares the streams of clusters and nodes with those
 * before the pass, and takes the reason from a table by pass; a pass that knows better leaves a hint.
 * Without the option job->journal is NULL, and all of this costs one look at it. The journal decides
 * nothing: the plan but for its explanations is the same with it and without. */
#ifndef SD_JOURNAL_H
#define SD_JOURNAL_H

#include "clock.h"
#include "job.h"
#include "streamd/explain.h"

struct sd_pass;

/* Why a pass moves a node or the cluster that begins with it; good for that pass. */
struct sd_hint {
	uint32_t run; /* of which it is */
	enum sd_reason reason;
	uint32_t other, through;
};

/* A cluster's way to its stream, told for each of its nodes once that is known. */
struct sd_cluster_step {
	uint32_t cluster;
	struct sd_explanation note;
};

struct sd_journal {
	uint32_t pass_count;
	struct sd_text *pass_name;
	enum sd_reason *usual;         /* per pass: why it moves nodes */
	uint32_t *pass_of_row;         /* per row of the chain */
	uint32_t pass;                 /* the one that runs */
	uint32_t orders_pass, pieces_pass; /* who reduced the orders, who cut streams */
	uint32_t run;                  /* passes run so far, each graph's for itself */
	struct sd_hint *hint;          /* per node */
	int32_t *stream;               /* per node: as noted last */
	int32_t *cluster_stream;       /* per cluster of the graph being visited: the same */
	SD_VEC(struct sd_cluster_step) cluster_step; /* of that graph */
	SD_VEC(struct sd_explanation) note; /* as noted */
};

/* Begins a journal for a run of the rows of `when` (chain.h). RESOURCE_EXHAUSTED over budget, as for all below. */
enum sd_status sd_journal_open(struct sd_job *job, uint32_t when);

/* Around each pass; `have` are the facts before it. */
void sd_journal_enter(struct sd_job *job, const struct sd_pass *pass);
enum sd_status sd_journal_leave(struct sd_job *job, const struct sd_pass *pass, uint32_t have);

/* Notes something about a node, by the pass that runs. */
enum sd_status sd_journal_note(struct sd_job *job, const struct sd_explanation *note);

/* Room for so many notes, which cannot fail then. */
enum sd_status sd_journal_reserve(struct sd_job *job, uint32_t count);

/* Whom a node need not wait for by a sync of its own though an edge asks for the order: what is on its
 * stream already, and what has a later producer behind it. */
enum sd_status sd_journal_edges(struct sd_job *job);

/* Orders are reduced once more: what was said of those that others imply does not hold any longer. */
void sd_journal_forget_implied(struct sd_job *job);

/* The syncs of the plan, and what asks for them. */
enum sd_status sd_journal_syncs(struct sd_job *job);

static inline void sd_hint_through(struct sd_job *job, uint32_t node, enum sd_reason reason, uint32_t other, uint32_t through)
{
	if (job->journal)
		job->journal->hint[node] = (struct sd_hint){ job->journal->run, reason, other, through };
}

static inline void sd_hint(struct sd_job *job, uint32_t node, enum sd_reason reason, uint32_t other)
{
	sd_hint_through(job, node, reason, other, SD_NO_NODE);
}

/* ---- orders that others imply ---- */

/* What one slot learns, step by step: from its lane, then from one kept order after the other. */
struct sd_taught {
	uint32_t count;
	uint32_t *row;  /* of clocks; NULL: nobody wants to know */
	uint32_t *from; /* per row: the slot that taught it; [0]: SD_NO_INDEX or who is in front on the lane */
};

/* `most` is the greatest number of orders of any slot. Without a job nobody wants to know, and nothing is taken. */
enum sd_status sd_taught_init(struct sd_taught *taught, struct sd_job *job, uint32_t most);

/* The open row of the clock after its lane, or `from`, taught it. */
void sd_taught_by(struct sd_taught *taught, struct sd_clock *clock, uint32_t from);

/* Notes who taught that `order` holds: its sender's lane has come to `asks`. Room must have been reserved. */
void sd_taught_tell(const struct sd_taught *taught, const struct sd_clock *clock, struct sd_job *job, const struct sd_order_pair *order, uint32_t asks);

/* The slot is done. */
void sd_taught_forget(struct sd_taught *taught, struct sd_clock *clock);

#endif
