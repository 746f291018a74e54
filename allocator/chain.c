/* chain.c - THE TABLE: everything that the planner does, in order. */
#include "chain.h"

#include "base/check.h"
#include "dynamic.h"
#include "journal.h"
#include "pass/passes.h"

#define F(name) SD_FACT_##name

/* name and function come from one word, so that table, file and function agree */
#define ROW(name, when, scope, needs, gives, drops, rev) { #name, when, scope, needs, gives, drops, rev, sd__pass_##name }

const struct sd_pass sd_chain[] = {
	/*   name                     when         scope          needs                             gives              drops      rev */
	ROW(place_engines,            SD_ALWAYS,   SD_WHOLE,      0,                                F(ENGINES),        0,          1),
	ROW(count_tasks,              SD_ALWAYS,   SD_WHOLE,      F(ENGINES),                       F(TASKS),          0,          1),
	ROW(sort_nodes,               SD_ALWAYS,   SD_WHOLE,      F(ENGINES),                       F(TOPO),           0,          1),
	ROW(find_scopes,              SD_ALWAYS,   SD_WHOLE,      F(TASKS) | F(TOPO),               F(SCOPES),         0,          1),
	ROW(choose_mode,              SD_ALWAYS,   SD_WHOLE,      F(TOPO),                          F(MODE),           0,          1),
	ROW(fold_labels,              SD_ALWAYS,   SD_WHOLE,      F(ENGINES),                       F(LABELS),         0,          1),
	ROW(mark_cv,                  SD_BY_RULE,  SD_WHOLE,      F(TOPO) | F(MODE),                F(CV),             0,          1),
	ROW(cluster,                  SD_BY_RULE,  SD_EACH_GRAPH, F(TOPO) | F(LABELS) | F(CV),      F(CLUSTERS),       0,          1),
	ROW(by_label,                 SD_MULTI,    SD_EACH_GRAPH, F(CLUSTERS),                      0,                 0,          1),
	ROW(independent_engine,       SD_MULTI,    SD_EACH_GRAPH, F(CLUSTERS),                      0,                 0,          1),
	ROW(by_dependency,            SD_MULTI,    SD_EACH_GRAPH, F(CLUSTERS),                      F(CLUSTER_STREAM), 0,          3),
	ROW(one_stream,               SD_SINGLE,   SD_EACH_GRAPH, F(CLUSTERS) | F(MODE),            F(CLUSTER_STREAM), 0,          1),
	ROW(owning_engine,            SD_DYNAMIC,  SD_EACH_GRAPH, F(CLUSTERS),                      0,                 0,          1),
	ROW(aicpu_stream,             SD_DYNAMIC,  SD_EACH_GRAPH, F(CLUSTERS),                      0,                 0,          1),
	ROW(follow_neighbour,         SD_DYNAMIC,  SD_EACH_GRAPH, F(CLUSTERS),                      F(CLUSTER_STREAM), 0,          1),
	ROW(clusters_to_nodes,        SD_STATIC,   SD_EACH_GRAPH, F(CLUSTER_STREAM),                F(NODE_STREAM),    0,          1),
	ROW(label_over_engine,        SD_DYNAMIC,  SD_EACH_GRAPH, F(CLUSTER_STREAM),                F(NODE_STREAM),    F(CLUSTERS) | F(CLUSTER_STREAM), 1),
	ROW(new_stream_attr,          SD_MULTI,    SD_EACH_GRAPH, F(NODE_STREAM),                   0,                 0,          1),
	ROW(parallel_group,           SD_MULTI,    SD_EACH_GRAPH, F(NODE_STREAM),                   0,                 0,          1),
	ROW(allreduce_parallel,       SD_MULTI,    SD_EACH_GRAPH, F(NODE_STREAM),                   0,                 0,          1),
	ROW(skipped_engine,           SD_STATIC,   SD_EACH_GRAPH, F(NODE_STREAM) | F(CLUSTERS),     0,                 0,          1),
	ROW(ineffective_multistream,  SD_MULTI,    SD_EACH_GRAPH, F(NODE_STREAM),                   0,                 F(CLUSTERS) | F(CLUSTER_STREAM), 1),
	ROW(explicit_streams,         SD_EXPLICIT, SD_WHOLE,      F(TASKS),                         F(NODE_STREAM),    0,          1),
	ROW(rank_streams,             SD_DYNAMIC,  SD_WHOLE,      F(NODE_STREAM) | F(LABELS),       0,                 0,          1),
	ROW(cover_paths,              SD_SPREAD,   SD_EACH_GRAPH, F(NODE_STREAM) | F(LABELS) | F(MODE), F(PATHS),          0,          1),
	ROW(balance_nodes,            SD_SPREAD,   SD_EACH_GRAPH, F(PATHS),                         0,                 0,          1),
	ROW(balance_main,             SD_SPREAD,   SD_EACH_GRAPH, F(PATHS),                         0,                 0,          1),
	ROW(balance_time,             SD_SPREAD,   SD_EACH_GRAPH, F(PATHS),                         0,                 0,          1),
	ROW(paths_to_nodes,           SD_SPREAD,   SD_EACH_GRAPH, F(PATHS),                         0,                 F(PATHS),   2),
	ROW(stream_passes,            SD_SPREAD,   SD_WHOLE,      F(NODE_STREAM),                   0,                 0,          2),
	ROW(dense_streams,            SD_GAPLESS,  SD_WHOLE,      F(NODE_STREAM),                   F(DENSE),          0,          3),
	ROW(close_holes,              SD_DYNAMIC,  SD_WHOLE,      F(NODE_STREAM) | F(MODE),         F(DENSE),          0,          1),
	ROW(dynamic_one_stream,       SD_DYN_ONE,  SD_WHOLE,      F(MODE),                          F(NODE_STREAM) | F(DENSE), 0,          1),
	ROW(attached_streams,         SD_ALWAYS,   SD_WHOLE,      F(DENSE) | F(TOPO),               F(ATTACHED),       0,          1),
	ROW(find_starters,            SD_ALWAYS,   SD_WHOLE,      F(TASKS) | F(ATTACHED) | F(LABELS), F(STARTS),       0,          5),
	ROW(make_slots,               SD_ALWAYS,   SD_WHOLE,      F(STARTS) | F(SCOPES),            F(SLOTS),          0,          6),
	ROW(order_attached,           SD_ALWAYS,   SD_WHOLE,      F(SLOTS),                         0,                 0,          4),
	ROW(order_loop,               SD_ALWAYS,   SD_WHOLE,      F(SLOTS),                         0,                 0,          2),
	ROW(order_collectives,        SD_SPREAD,   SD_WHOLE,      F(SLOTS) | F(MODE),               0,                 0,          1),
	ROW(order_tags,               SD_ALWAYS,   SD_WHOLE,      F(SLOTS),                         0,                 0,          1),
	ROW(order_edges,              SD_ALWAYS,   SD_WHOLE,      F(SLOTS),                         F(ORDERS),         0,          4),
	ROW(sequence_slots,           SD_ALWAYS,   SD_WHOLE,      F(ORDERS),                        F(SEQUENCE),       0,          2),
	ROW(reduce_orders,            SD_ALWAYS,   SD_WHOLE,      F(ORDERS) | F(SEQUENCE),          F(SYNCS),          0,          8),
	ROW(split_streams,            SD_ALWAYS,   SD_WHOLE,      F(SYNCS),                         F(PIECES),         0,          9),
	ROW(fork_pieces,              SD_ALWAYS,   SD_WHOLE,      F(PIECES) | F(SYNCS),             0,                 F(SEQUENCE), 1),
	ROW(start_pieces,             SD_ALWAYS,   SD_WHOLE,      F(PIECES),                        F(STARTED),        0,          4),
	ROW(order_pieces,             SD_ALWAYS,   SD_WHOLE,      F(STARTED) | F(ORDERS),           0,                 0,          7),
	ROW(order_loop_pieces,        SD_ALWAYS,   SD_WHOLE,      F(STARTED),                       0,                 0,          1),
	ROW(reduce_splits,            SD_ALWAYS,   SD_WHOLE,      F(STARTED) | F(SYNCS),            F(SEQUENCE),       F(ORDERS),  8),
	ROW(check_jumps,              SD_ALWAYS,   SD_WHOLE,      F(STARTED) | F(SYNCS),            0,                 0,          5),
	ROW(hazard_collectives,       SD_ALWAYS,   SD_WHOLE,      F(STARTED) | F(SYNCS) | F(SEQUENCE), 0,            0,          3),
	ROW(hazard_inplace,           SD_ALWAYS,   SD_WHOLE,      F(STARTED) | F(SYNCS) | F(SEQUENCE), 0,            0,          4),
	ROW(hazard_writes,            SD_ALWAYS,   SD_WHOLE,      F(STARTED) | F(SYNCS) | F(SEQUENCE), 0,            0,          3),
	ROW(hazard_cores,             SD_ALWAYS,   SD_WHOLE,      F(STARTED) | F(SYNCS) | F(SEQUENCE), 0,            0,          3),
	ROW(hazard_labels,            SD_ALWAYS,   SD_WHOLE,      F(STARTED) | F(SYNCS) | F(SEQUENCE) | F(LABELS), 0, 0,         1),
	ROW(user_streams,             SD_SPREAD,   SD_WHOLE,      F(STARTED) | F(LABELS),           0,                 0,          1),
	ROW(number_syncs,             SD_ALWAYS,   SD_WHOLE,      F(PIECES) | F(SYNCS),             F(NUMBERED),       0,          3),
	ROW(share_events,             SD_ALWAYS,   SD_WHOLE,      F(NUMBERED) | F(SEQUENCE),        0,                 0,          1),
	ROW(attached_resources,       SD_ALWAYS,   SD_WHOLE,      F(NUMBERED),                      F(RESOURCES),      0,          1),
	ROW(host_waits,               SD_ALWAYS,   SD_WHOLE,      F(TASKS) | F(TOPO),               F(HOSTS),          0,          3),
	ROW(emit_plan,                SD_ALWAYS,   SD_WHOLE,      F(RESOURCES) | F(STARTED) | F(HOSTS), F(PLACED),     0,          3),
	ROW(emit_streams,             SD_ALWAYS,   SD_WHOLE,      F(PLACED),                        F(FROZEN),         0,          2),
	ROW(check_limits,             SD_ALWAYS,   SD_WHOLE,      F(FROZEN),                        0,                 0,          3),
	ROW(summarise,                SD_ALWAYS,   SD_WHOLE,      F(FROZEN),                        0,                 0,          2),
	ROW(simulate,                 SD_ALWAYS,   SD_WHOLE,      F(FROZEN),                        0,                 0,          1),
	ROW(explain,                  SD_ALWAYS,   SD_WHOLE,      F(NUMBERED) | F(FROZEN),          0,                 0,          2),
};
const uint32_t sd_chain_length = sizeof(sd_chain) / sizeof(sd_chain[0]);

static enum sd_status run_row(struct sd_job *job, const struct sd_pass *pass, uint32_t *have)
{
	SD_REQUIRE((pass->needs & ~*have) == 0);
	if (sd_job_stopped(job))
		return SD_FAIL0(job->diag, SD_CODE_CANCELLED, SD_NO_NODE);
	job->diag->pass = pass->name;
	if (job->journal)
		sd_journal_enter(job, pass);
	SD_TRY(pass->run(job));
	if (job->journal)
		SD_TRY(sd_journal_leave(job, pass, *have));
	*have = (*have & ~pass->drops) | pass->gives;
	if (job->hooks && job->hooks->passed)
		job->hooks->passed(job->hooks->arg, pass->name);
	return SD_OK;
}

/* Rows of scope EACH_GRAPH that stand together run as one group for one graph after the
 * other, so that a body finds its parent placed. Answers the row behind the group. */
static enum sd_status run_group(struct sd_job *job, enum sd_when when, uint32_t *row, uint32_t *have)
{
	uint32_t first = *row, end = first, before = *have;

	while (end < sd_chain_length && sd_chain[end].scope == SD_EACH_GRAPH)
		end++;
	for (uint32_t k = 0; k < job->graph->graph_count; k++) {
		job->visited = job->order.graph[k];
		if (!sd_dynamic_plans(job->graph, job->visited))
			continue;
		*have = before;
		for (uint32_t i = first; i < end; i++) {
			if (sd_chain[i].when & when)
				SD_TRY(run_row(job, &sd_chain[i], have));
		}
	}
	*row = end;
	return SD_OK;
}

enum sd_status sd_chain_run(struct sd_job *job, enum sd_when when)
{
	uint32_t have = 0, row = 0;

	while (row < sd_chain_length) {
		if (sd_chain[row].scope == SD_EACH_GRAPH) {
			SD_TRY(run_group(job, when, &row, &have));
			continue;
		}
		if (sd_chain[row].when & when)
			SD_TRY(run_row(job, &sd_chain[row], &have));
		row++;
	}
	SD_REQUIRE(have & SD_FACT_FROZEN);
	job->diag->pass = NULL;
	return SD_OK;
}
