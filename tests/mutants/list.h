/* list.h - the mutants: each a fault of one line that a pass of the chain could have, and what it breaks.
 *
 * A row is MUTANT(name, pass, sentence); SD_MUTANT(name) stands in allocator where the fault is. README.md tells how to
 * add one. Included several times, each time with another MUTANT. */

MUTANT(place_pair_half, place_engines, "An attribute with an engine counts without the one with its library.")
MUTANT(place_row_attach, place_engines, "Whether an engine attaches is not taken from the request's row.")
MUTANT(place_stated_ignored, place_engines, "An engine that a node states does not count.")

MUTANT(count_recv_alone, count_tasks, "What a Recv has beside its counted tasks is not added.")
MUTANT(count_output_idle, count_tasks, "A NetOutput that states no tasks launches nothing.")
MUTANT(count_attached_as_main, count_tasks, "The tasks of an attached launch are those of the main one, whatever the node states.")

MUTANT(sort_bfs_as_released, sort_nodes, "bfs takes released nodes as they are listed, not by their names.")
MUTANT(sort_starts_swapped, sort_nodes, "Constants are taken before inputs.")
MUTANT(sort_late_without_input, sort_nodes, "Nodes that read nothing are delayed like those that read long-lived data.")

MUTANT(scope_case_inline, find_scopes, "The bodies of a Case run with their parent.")
MUTANT(scope_of_one_body, find_scopes, "A choice of one body opens a scope.")
MUTANT(scope_depth_stays, find_scopes, "A scope is as deep as the one around it.")
MUTANT(scope_jump_anywhere, find_scopes, "A jump out of a body may lead elsewhere than to the end label.")
MUTANT(scope_loop_bodies_apart, find_scopes, "The condition and the body of a loop count as never both run.")
MUTANT(scope_end_inside, find_scopes, "The end label runs with the body that it is listed in.")
MUTANT(scope_condition_inside, find_scopes, "The label of a condition waits in every turn.")

MUTANT(mode_of_option_wins, choose_mode, "The option's mode wins over the graph's.")
MUTANT(mode_below_most, choose_mode, "64 streams are too many.")

MUTANT(label_inner_wins, fold_labels, "An inner label wins over the user's.")
MUTANT(label_always_joined, fold_labels, "The inner label is joined to the user's unasked.")

MUTANT(cv_last_leaves, mark_cv, "Vector operators behind the last cube operator run beside it too.")
MUTANT(cv_needs_neither, mark_cv, "A vector operator with a path to one of two cube operators stays.")

MUTANT(cluster_second_way, cluster, "A parent is joined although another path leads from it to the child.")
MUTANT(cluster_custom_apart, cluster, "A custom operator is clustered on an engine of its own.")
MUTANT(cluster_run_over_label, cluster, "A run of nodes goes on over another label.")

MUTANT(by_label_each_fresh, by_label, "Each cluster with a label takes a fresh stream.")
MUTANT(by_label_user_alone, by_label, "Inner labels give no stream.")

MUTANT(independent_over_user, independent_engine, "An independent engine wins over the user's label.")
MUTANT(independent_without_label, independent_engine, "An independent engine has one stream for all labels.")

MUTANT(follow_other_scheduler, by_dependency, "A cluster follows a producer of another scheduler.")
MUTANT(follow_taken, by_dependency, "A cluster of another engine follows a producer that its own engine goes on from.")
MUTANT(follow_one_more_turn, by_dependency, "An engine takes one stream more than it may.")
MUTANT(follow_own_body_stream, by_dependency, "The first stream of a body is not its parent's.")
MUTANT(follow_dearest, by_dependency, "Of several producers the one of the dearest engine is followed.")

MUTANT(one_stream_but_bodies, one_stream, "A body has a stream of its own beside the only one.")
MUTANT(one_stream_with_label, one_stream, "A label does not contradict a single stream.")

MUTANT(owns_all_others, owning_engine, "Engines of the runtime own a stream too.")
MUTANT(owns_not_independent, owning_engine, "Collectives own no stream.")

MUTANT(aicpu_busy_producer, aicpu_stream, "A producer with one consumer of its own engine counts as idle.")
MUTANT(aicpu_draws_along, aicpu_stream, "What fetches input goes along with a neighbour.")

MUTANT(neighbour_producers_only, follow_neighbour, "Clusters that are fed are not looked at.")
MUTANT(neighbour_behind_collective, follow_neighbour, "An AICPU cluster follows a collective.")

MUTANT(node_input_on_stream, clusters_to_nodes, "Inputs are on stream 0.")
MUTANT(node_label_with_cluster, clusters_to_nodes, "A label of the runtime is where its cluster is, not on the parent's stream.")

MUTANT(label_below_engine, label_over_engine, "The engine's stream wins over the label's.")
MUTANT(label_inner_ignored, label_over_engine, "Only labels of users have a stream in a model of unknown shape.")

MUTANT(new_stream_over_group, new_stream_attr, "NewStreamId is obeyed in front of _parallel_group.")
MUTANT(new_stream_for_all, new_stream_attr, "All values of NewStreamId on a stream share one fresh stream.")

MUTANT(group_over_user, parallel_group, "A group wins over the user's label.")
MUTANT(group_ignores_minus_one, parallel_group, "Group -1 takes a fresh stream like others.")
MUTANT(group_over_streams, parallel_group, "A group that leaves two streams takes one stream for both.")

MUTANT(allreduce_leaves_too, allreduce_parallel, "Reductions that are met move as well.")
MUTANT(allreduce_any_fusion, allreduce_parallel, "A reduction with fusion 0 starts a walk.")
MUTANT(allreduce_own_label_only, allreduce_parallel, "From a labelled reduction nodes without label are not entered.")

MUTANT(skipped_with_bodies, skipped_engine, "A node with bodies that nothing feeds loses its stream.")
MUTANT(skipped_by_producers, skipped_engine, "A node moves to the producers' stream although a consumer is elsewhere.")

MUTANT(ineffective_into_label, ineffective_multistream, "A node goes back to a stream that a label asked for.")
MUTANT(ineffective_lowest, ineffective_multistream, "Of several streams to go back to the lowest is taken.")
MUTANT(ineffective_far_apart, ineffective_multistream, "A node goes back although others stand between its producer and its consumer.")

MUTANT(explicit_from_the_end, explicit_streams, "The caller's lists are numbered from the last.")
MUTANT(explicit_left_out, explicit_streams, "A launched node that stands in no list is let pass.")

MUTANT(rank_by_name, rank_streams, "Engines are ranked by name alone.")
MUTANT(rank_labels_as_met, rank_streams, "Labels are ranked as they are met.")

MUTANT(cover_labelled, cover_paths, "Labelled nodes are work of the paths.")
MUTANT(cover_not_through, cover_paths, "Paths do not lead through nodes that are left out.")
MUTANT(cover_instant, cover_paths, "Operators of duration 0 are work.")

MUTANT(balance_cut_free, balance_nodes, "Edges cut cost nothing in LoadBalance.")
MUTANT(balance_largest_free, balance_nodes, "The largest stream of the window does not count.")

MUTANT(main_width_ignored, balance_main, "A path whose first node is alone on its level may leave stream 0.")
MUTANT(main_conflict_free, balance_main, "Operators beside the path cost nothing in MainStream.")

MUTANT(time_conflict_free, balance_time, "Time beside the path costs nothing in WeightedLoadBalance.")
MUTANT(time_window_only, balance_time, "A path without work in the window is not looked at as a whole.")
MUTANT(time_unknown_short, balance_time, "Unknown times count as 0.")

MUTANT(paths_move_label_nodes, paths_to_nodes, "A label of the runtime is moved to a path's stream.")
MUTANT(paths_labels_between, paths_to_nodes, "Labels take the streams of the paths.")

MUTANT(site_stream_in_use, stream_passes, "A pass that asks for a stream is given the last one that there is.")
MUTANT(site_failure_ignored, stream_passes, "A pass that fails is let pass.")

MUTANT(dense_with_gaps, dense_streams, "Numbers that nobody uses stay.")
MUTANT(dense_count_of_used, dense_streams, "A stream above those that were given out is not counted.")

MUTANT(holes_stay, close_holes, "Streams that nobody uses stay, whatever compat says.")
MUTANT(holes_closed_with_ge, close_holes, "Streams that nobody uses go with compat ge too.")

MUTANT(dynamic_known_bodies, dynamic_one_stream, "Bodies of known shape have a stream in a model of unknown shape.")
MUTANT(dynamic_not_counted, dynamic_one_stream, "The only stream is not counted.")

MUTANT(attached_groups_share, attached_streams, "Nodes of different groups share an attached stream.")
MUTANT(attached_key_without_main, attached_streams, "Nodes of different main streams share an attached stream.")
MUTANT(attached_though_disabled, attached_streams, "A node that wants no attached stream gets one.")
MUTANT(attached_unasked, attached_streams, "Entries that are not required ask for a stream.")
MUTANT(attached_first_key, attached_streams, "Of an older list a node keeps the stream of its first key.")
MUTANT(attached_groups_in_order, attached_streams, "The group seen first is served first.")
MUTANT(attached_offer_ignored, attached_streams, "An entry that is not required has nothing of what its node has of its key.")

MUTANT(start_labels_of_root, find_starters, "Labels are looked for in the root, not in the starter's graph.")
MUTANT(start_first_label, find_starters, "Only the first label of a list is obeyed.")
MUTANT(start_itself, find_starters, "A node may start the stream that it is on.")
MUTANT(start_body_tells_nobody, find_starters, "Nobody is thought to wait for a StreamSwitch with which a body ends.")
MUTANT(start_no_relay, find_starters, "A StreamSwitch that others wait for tells from a stream with further starters.")
MUTANT(start_loop_with_list, find_starters, "A loop's activator may have a list of labels.")
MUTANT(body_starts_unlaunched, find_starters, "A body starts a stream, too, on which it launches nothing.")
MUTANT(body_starts_around, find_starters, "A body starts streams that the graphs around it use.")
MUTANT(body_starts_no_attached, find_starters, "A body does not start its attached streams.")
MUTANT(body_starts_labelled, find_starters, "A body starts streams that labels start in it.")
MUTANT(body_starts_last_node, find_starters, "The last StreamActive of a body starts its streams.")

MUTANT(slots_end_waits_unreached, make_slots, "An end label behind a jump waits where nobody comes by.")
MUTANT(slots_behind_switch, make_slots, "A node may stand behind a StreamSwitch on its stream.")
MUTANT(slots_bodies_in_line, make_slots, "The second body of a choice goes on where the first one ended.")
MUTANT(slots_reach_in_front, make_slots, "Behind bodies only what stands in front of them counts as done.")
MUTANT(slots_head_may_wait, make_slots, "A label that is only jumped to may wait for others.")

MUTANT(cover_forgotten, order_attached, "The last attached stream is not covered.")
MUTANT(cover_first_use, order_attached, "The first use of an attached stream is covered, not the last.")
MUTANT(cover_root_alone, order_attached, "Attached streams are covered in the root alone.")
MUTANT(declared_for_main, order_attached, "A declared input is waited for by the main launch, not by the attached one.")
MUTANT(declared_of_main, order_attached, "A declared input is taken from the producer's main launch, not from the attached one.")
MUTANT(declared_first_writer, order_attached, "A variable stands for the first node that writes it, not for the last.")

MUTANT(loop_first_slot, order_loop, "The turn waits for what runs first on a stream, not for what runs last.")
MUTANT(loop_switch_streams, order_loop, "The turn waits for streams that hold a StreamSwitch.")
MUTANT(loop_started_streams, order_loop, "The turn waits for streams that other nodes start.")

MUTANT(collectives_one_chain, order_collectives, "Collectives of all communicators are one chain.")
MUTANT(collectives_second_on, order_collectives, "The first two collectives are not ordered.")

MUTANT(tags_first_record, order_tags, "A wait comes behind the first record of its tag, not behind the last.")
MUTANT(tags_swapped, order_tags, "The record waits for the wait.")
MUTANT(tags_of_other_graphs, order_tags, "A wait is ordered behind a record in another graph.")

MUTANT(edges_without_control, order_edges, "Control edges order nothing.")
MUTANT(edges_first_of_lane, order_edges, "Of several producers on one lane the first one met is kept.")
MUTANT(edges_lists_of_one_length, order_edges, "A node that launches nothing hands on one of two lists that are equally long.")
MUTANT(edges_no_next_turn, order_edges, "The next turn of a loop does not wait for the ends of this one.")
MUTANT(edges_bodies_stand_for_all, order_edges, "What stands before bodies is not handed on behind them, though nothing may run in them.")
MUTANT(edges_sure_of_one, order_edges, "A node is thought to run if it does in one body of a choice.")
MUTANT(edges_ends_without_output, order_edges, "A body with a NetOutput ends with whatever is read by nobody.")

MUTANT(sequence_flat_rank, sequence_slots, "A slot's place in the sequence is taken to be its number.")
MUTANT(sequence_eager, sequence_slots, "Slots run as soon as they can, not in the order of their numbers.")

MUTANT(reduce_union_of_starters, reduce_orders, "A stream knows what any of its starters knows, not what all of them do.")
MUTANT(reduce_union_of_ways, reduce_orders, "Behind bodies is known what is known on any way, not what is on all.")
MUTANT(reduce_one_more_done, reduce_orders, "Who waits for a slot knows the next number of its lane to be done.")
MUTANT(reduce_wrong_lane, reduce_orders, "Whether an order is implied is read from the clock of the receiver's lane.")
MUTANT(reduce_oldest_first, reduce_orders, "Of several orders to one slot those from the earliest senders are decided first.")
MUTANT(reduce_implied_ways_pass, reduce_orders, "Bodies count as done on the way through them too.")
MUTANT(reduce_no_doubt, reduce_orders, "What each way implies by another road is kept.")
MUTANT(reduce_starter_not_done, reduce_orders, "A stream does not know that the node that started it is done.")
MUTANT(doubt_last_way, reduce_orders, "The last way through bodies is not tried.")
MUTANT(doubt_any_starter, reduce_orders, "A stream knows in a run what none of its starters does.")
MUTANT(doubt_condition_skipped, reduce_orders, "The condition of a loop is thought to run only where no turn does.")
MUTANT(doubt_not_restored, reduce_orders, "What was left out because of an order that is gone stays out.")
MUTANT(doubt_left_out_counts, reduce_orders, "An order that was left out is a reason to leave out another.")
MUTANT(doubt_first_entry, reduce_orders, "In front of bodies only the first node with which they begin is asked.")
MUTANT(clock_narrow_most, reduce_orders, "Where ways meet, a clock has the larger entry of each lane.")
MUTANT(columns_of_open_lanes, reduce_orders, "A lane takes the column of one whose slots stand behind its own.")
MUTANT(columns_end_at_last_slot, reduce_orders, "A lane's column is free behind its last slot, though it is still asked about.")
MUTANT(ways_end_on_other_piece, reduce_orders, "A way that ends on another piece counts as ending on the one at hand.")

MUTANT(split_behind_fork, split_streams, "A cut falls behind what waits in front of bodies, and leaves a piece on which there is nothing.")
MUTANT(split_below_limit, split_streams, "A stream is cut one task below its limit.")
MUTANT(split_without_reserve, split_streams, "A stream is cut without the reserve.")
MUTANT(split_first_wait_free, split_streams, "A piece has no room for the wait for the one before it.")
MUTANT(split_at_label, split_streams, "A cut may fall in front of a label.")
MUTANT(split_group_torn, split_streams, "A group that would fit is cut where it stands.")
MUTANT(split_group_over_bodies, split_streams, "A group goes on over the border of a body.")
MUTANT(split_record_at_once, split_streams, "Records count nothing.")
MUTANT(split_turn_early, split_streams, "The body of a loop takes the end of its condition along though it could stay.")
MUTANT(split_huge_early, split_streams, "A single stream that just fits becomes a huge one.")
MUTANT(split_starter_small, split_streams, "A StreamActive counts only the full pieces that it starts.")

MUTANT(fork_no_again, fork_pieces, "A loop waits behind its body on one piece of a lane alone.")
MUTANT(fork_stale_senders, fork_pieces, "Who tells for a node keeps its number when slots are renumbered.")
MUTANT(fork_stale_needs, fork_pieces, "What is to be waited for behind bodies keeps its number when slots are renumbered.")
MUTANT(fork_first_tail, fork_pieces, "A body ends on a piece with its first slot there.")
MUTANT(fork_no_join, fork_pieces, "Behind bodies there is a slot on one piece of a lane alone.")

MUTANT(pieces_start_from_bodies, start_pieces, "A starter in a body starts pieces that begin in the root.")
MUTANT(pieces_start_first, start_pieces, "A starter starts the first piece of a stream alone.")
MUTANT(pieces_loop_starts_jumped, start_pieces, "A loop's activator starts pieces that are only jumped to.")
MUTANT(pieces_loop_starts_own, start_pieces, "A loop's activator starts the stream that it is on.")
MUTANT(pieces_active_on_itself, start_pieces, "The first StreamActive of a body starts the piece that it is on.")

MUTANT(pieces_join_of_one_way, order_pieces, "Behind bodies a lane goes on from their ends alone, though a way does not use it.")
MUTANT(pieces_ends_on_last, order_pieces, "Who waits for bodies waits for their end on one piece alone.")
MUTANT(pieces_gate_forgotten, order_pieces, "What waits in front of bodies waits on the first piece alone.")
MUTANT(pieces_loop_torn, order_pieces, "A structured loop may be cut between condition and body.")
MUTANT(pieces_turn_of_one_end, order_pieces, "The body of a loop goes on from one of the pieces on which bodies ended its condition.")
MUTANT(pieces_turn_on_one, order_pieces, "Where the body of a loop begins on several pieces, one alone knows the condition.")
MUTANT(pieces_not_joined, order_pieces, "The waits of a label on a new piece know nothing of the piece before.")
MUTANT(pieces_lowered_not_entered, order_pieces, "What stands in front of lowered bodies is not waited for where they jump.")
MUTANT(pieces_lowered_not_left, order_pieces, "Behind lowered bodies a lane does not go on from their ends.")
MUTANT(pieces_front_of_any_body, order_pieces, "What stands in front on a piece counts as done, though it need not run.")

MUTANT(loop_pieces_of_lanes, order_loop_pieces, "The turn waits for whole lanes, not for their pieces.")
MUTANT(loop_pieces_all_but_last, order_loop_pieces, "The turn waits for all pieces of a lane but the last.")

MUTANT(reduce_forks_know, reduce_splits, "A fork knows what its lane has done on other pieces although that order was left out.")
MUTANT(splits_unreduced, reduce_splits, "All orders of the pieces become syncs.")
MUTANT(splits_bodies_unreduced, reduce_splits, "Where no lane goes on over a cut, the orders of bodies are not reduced.")

MUTANT(jumps_switch_turns, check_jumps, "A StreamSwitch may leave its stream in a loop that does not start it anew.")
MUTANT(jumps_goto_tells, check_jumps, "A LabelGotoEx may tell others that it is done.")
MUTANT(jumps_started_from_outside, check_jumps, "A stream in a lowered body may be started by anybody.")
MUTANT(jumps_one_end_lowered, check_jumps, "A stream may run into a lowered body, or out of one, without a label.")

MUTANT(ranks_of_own_group, hazard_collectives, "Communicators that share ranks are not held against each other.")
MUTANT(ranks_one_in_common, hazard_collectives, "One rank in common is enough for a hazard.")
MUTANT(ranks_of_other_bodies, hazard_collectives, "Collectives in two bodies of one choice are held against each other.")

MUTANT(inplace_not_through, hazard_inplace, "Readers behind nodes that launch nothing are not seen.")
MUTANT(inplace_late_reader, hazard_inplace, "A reader that stands behind the overwriter is not told of.")
MUTANT(inplace_writers_forgotten, hazard_inplace, "Writers of one buffer are not held against each other.")

MUTANT(writes_of_all_buffers, hazard_writes, "Writers of different buffers are held against each other.")
MUTANT(writes_second_on, hazard_writes, "The first two writers are not held against each other.")

MUTANT(cores_exact_fit, hazard_cores, "Claims that just fit are told of.")
MUTANT(cores_gangs_alone_rigid, hazard_cores, "A node that talks to other ranks is not rigid.")
MUTANT(cores_air_of_done, hazard_cores, "Claims of nodes that are done still count.")

MUTANT(overlap_of_neighbours, hazard_labels, "A slot that can run beside the next one counts as ordered with it.")
MUTANT(overlap_backwards_only, hazard_labels, "What stands behind a slot is not looked at.")

MUTANT(user_streams_late, user_streams, "Five streams with labels are not told of, six are.")
MUTANT(user_streams_started, user_streams, "Streams that a node starts are counted too.")

MUTANT(number_gears_least, number_syncs, "The next Case counts from the smallest number of a gear.")
MUTANT(number_any_case, number_syncs, "Bodies of any Case share numbers.")

MUTANT(share_unproved, share_events, "Events share a number without proof that they take turns.")
MUTANT(share_threshold_at, share_events, "Events share numbers in small plans too.")
MUTANT(share_malformed_below, share_events, "Malformed items are let pass in small plans.")

MUTANT(resource_though_disabled, attached_resources, "A node that wants no events and notifies gets some.")
MUTANT(resource_dynamic_events, attached_resources, "A graph of unknown shape gets events.")
MUTANT(resource_shared_without_key, attached_resources, "Wishes without key share a number.")
MUTANT(resource_one_of_many, attached_resources, "A wish for several notifies takes one number.")

MUTANT(host_not_through, host_waits, "Launches behind nodes that launch nothing are not seen.")
MUTANT(host_data_only, host_waits, "Control inputs of a host node do not count.")

MUTANT(emit_wait_on_lane, emit_plan, "A sync names the logical stream on which it is waited for.")
MUTANT(emit_attached_on_lane, emit_plan, "An attached launch is placed on its logical stream.")
MUTANT(emit_caps_swapped, emit_plan, "The cap of vector cores is told as that of cube cores.")

MUTANT(emit_record_before_launch, emit_streams, "A node's records stand in front of its launch.")
MUTANT(emit_first_wait_dropped, emit_streams, "The first wait of a node has no command.")
MUTANT(emit_last_record_dropped, emit_streams, "The last record of a node has no command.")
MUTANT(emit_jumped_with_model, emit_streams, "A piece that is only jumped to starts with the model.")
MUTANT(emit_activation_free, emit_streams, "Starting streams takes no tasks.")

MUTANT(limit_one_less, check_limits, "A plan that needs exactly a limit is refused.")
MUTANT(limit_events_not_asked, check_limits, "Events are not held against their limit.")
MUTANT(limit_huge_as_normal, check_limits, "Huge streams are held against the limit of normal ones.")

MUTANT(summary_last_priority, summarise, "The last priority of a stream counts, not the first.")
MUTANT(summary_follow_last, summarise, "The last collective of a stream says how many follow, not the one with most.")
MUTANT(summary_first_label, summarise, "A stream carries the label of its first labelled node, not of its last.")

MUTANT(simulate_no_waits, simulate, "Waits are not run on the device model.")
MUTANT(simulate_to_last_listed, simulate, "The run on the device model ends with the launch that is listed last.")

MUTANT(explain_no_syncs, explain, "An explanation tells nothing of syncs.")
MUTANT(explain_last_forgotten, explain, "The last note is not told.")
