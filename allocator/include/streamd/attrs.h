/* attrs.h - the attribute names that steer planning, letter for letter as Graph Engine and its front ends write them.
 *
 * Every other attribute is carried, hashed and never looked at (SD_ATTR_OTHER). */
#ifndef SD_ATTRS_H
#define SD_ATTRS_H

#define SD_ATTR_LIST(X)                                                        \
	X(STREAM_LABEL, "_stream_label")                                       \
	X(USER_STREAM_LABEL, "_user_stream_label")                             \
	X(ENABLE_INNER_PARALLEL, "_enable_inner_parallel")                     \
	X(USER_STREAM_PRIORITY, "_user_stream_priority")                       \
	X(FORCE_ATTACH_STREAM, "_force_attach_stream")                         \
	X(RTS_LABEL_NODE, "_rts_label_node")                                   \
	X(PARALLEL_GROUP, "_parallel_group")                                   \
	X(NEW_STREAM_ID, "NewStreamId")                                        \
	X(FUSION, "fusion")                                                    \
	X(GROUP, "group")                                                      \
	X(ENABLE_CV_PARALLEL, "_enable_cv_parallel")                           \
	X(CUBE_VECTOR_CORE_TYPE, "_cube_vector_core_type")                     \
	X(MIX_IS_AIV, "_mix_is_aiv")                                           \
	X(OP_AICORE_NUM, "_op_aicore_num")                                     \
	X(OP_VECTORCORE_NUM, "_op_vectorcore_num")                             \
	X(LXFUSION_ENGINE_NAME, "_lxfusion_engine_name")                       \
	X(LXFUSION_KERNEL_LIB_NAME, "_lxfusion_op_kernel_lib_name")            \
	X(SPECIFIED_ENGINE_NAME, "_specified_engine_name")                     \
	X(SPECIFIED_KERNEL_LIB_NAME, "_specified_kernel_lib_name")             \
	X(NODE_SQE_NUM, "_node_sqe_num")                                       \
	X(HCCL_TASK_NUM, "_hccl_task_num")                                     \
	X(HCCL_ATTACHED_TASK_NUM, "_hccl_attached_task_num")                   \
	X(USED_STREAM_NUM, "used_stream_num")                                  \
	X(ACTIVE_LABEL_LIST, "_active_label_list")                             \
	X(ACTIVE_STREAM_LIST, "active_stream_list")                            \
	X(SWITCH_BRANCH_NODE_LABEL, "_switch_branch_node_label")               \
	X(SUBGRAPH_FIRST_ACTIVE, "subgraph_first_active")                      \
	X(SUBGRAPH_END_NODE, "_subgraph_end_node")                             \
	X(IS_LOOP_ACTIVE, "is_loop_active")                                    \
	X(CONTINUOUS_STREAM_LABEL, "_continuous_stream_label")                 \
	X(EVENT_MULTIPLEXING, "_event_multiplexing")                           \
	X(BATCH_NUM, "_batch_num")                                             \
	X(FFTS_SUB_GRAPH, "_ffts_sub_graph")                                   \
	X(FFTS_PLUS_SUB_GRAPH, "_ffts_plus_sub_graph")                         \
	X(THREAD_SCOPE_ID, "_thread_scope_id")                                 \
	X(LABEL_SWITCH_INDEX, "_label_switch_index")                           \
	X(PARENT_NODE_INDEX, "_parent_node_index")                             \
	X(REFERENCE, "reference")                                              \
	X(ATTACHED_STREAM_INFO, "_attached_stream_info")                       \
	X(ATTACHED_STREAM_INFO_LIST, "_attached_stream_info_list")             \
	X(ATTACHED_NOTIFY_INFO, "_attached_notify_info")                       \
	X(ATTACHED_SYNC_RES_INFO, "_attached_sync_res_info")                   \
	X(ATTACHED_SYNC_RES_INFO_LIST, "_attached_sync_res_info_list")         \
	X(DISABLE_ATTACHED_RESOURCE, "_disable_attached_resource")             \
	X(IS_POTENTIAL_CONST, "_is_potential_const")                           \
	X(TVM_BLOCKDIM, "tvm_blockdim")                                        \
	X(AUTO_MULTI_STREAM_MODE, "ge.autoMultistreamParallelMode")             \
	X(TAG, "tag")                                                          \
	X(CREATED_INSIDE, "created_inside")

enum sd_attr_key {
#define SD_X(name, text) SD_ATTR_##name,
	SD_ATTR_LIST(SD_X)
#undef SD_X
	SD_ATTR_OTHER,
};

/* One bit per key in sd_graph.attr_present; keep the list within 64. */
_Static_assert(SD_ATTR_OTHER <= 64, "attr_present has 64 bits");

#endif
