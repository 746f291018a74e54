/* passes.h - every rule of the planner, one file each, named as in the table of chain.c. */
#ifndef SD_PASSES_H
#define SD_PASSES_H

#include "chain.h"

#define SD_PASS_LIST(X) \
	X(place_engines) X(count_tasks) X(sort_nodes) X(choose_mode) X(fold_labels) X(mark_cv)      \
	X(cluster) X(by_label) X(independent_engine) X(by_dependency) X(one_stream)                 \
	X(clusters_to_nodes) X(new_stream_attr) X(parallel_group) X(allreduce_parallel)             \
	X(skipped_engine) X(ineffective_multistream) X(explicit_streams) X(dense_streams)           \
	X(attached_streams) X(find_starters) X(make_slots) X(order_attached) X(order_loop)          \
	X(order_edges) X(sequence_slots) X(reduce_orders) X(split_streams) X(reduce_splits)         \
	X(start_pieces) X(number_syncs) X(attached_resources) X(emit_plan) X(emit_streams)          \
	X(check_limits) X(summarise) X(owning_engine) X(aicpu_stream) X(follow_neighbour)           \
	X(label_over_engine) X(rank_streams) X(cover_paths) X(balance_nodes) X(balance_main)        \
	X(balance_time) X(paths_to_nodes) X(close_holes) X(dynamic_one_stream) X(order_collectives) \
	X(find_scopes) X(fork_pieces) X(order_pieces) X(check_jumps) X(order_loop_pieces)           \
	X(stream_passes) X(share_events)                                                           \
	X(order_tags) X(hazard_collectives) X(hazard_inplace) X(hazard_writes) X(hazard_cores)      \
	X(hazard_labels) X(user_streams) X(host_waits) X(simulate) X(explain)

#define SD_X(name) enum sd_status sd__pass_##name(struct sd_job *job);
SD_PASS_LIST(SD_X)
#undef SD_X

#endif
