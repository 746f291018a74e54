/* optype.h - operator types that a rule of the planner knows by name. */
#ifndef SD_OPTYPE_H
#define SD_OPTYPE_H

#include "base/text.h"

#define SD_OP_LIST(X)                                                                          \
	X(DATA, "Data") X(REF_DATA, "RefData") X(AIPP_DATA, "AippData") X(ANN_DATA, "AnnData") \
	X(INPUT, "Input") X(SEND, "Send") X(RECV, "Recv") X(RECV_MEM, "RecvMem")               \
	X(CONST, "Const") X(CONSTANT, "Constant") X(FILE_CONSTANT, "FileConstant")             \
	X(CONST_PLACE_HOLDER, "ConstPlaceHolder") X(VARIABLE, "Variable") X(VARIABLE_V2, "VariableV2") \
	X(NET_OUTPUT, "NetOutput")                                                             \
	X(IF, "If") X(_IF, "_If") X(STATELESS_IF, "StatelessIf") X(CASE, "Case") X(STATELESS_CASE, "StatelessCase") \
	X(WHILE, "While") X(_WHILE, "_While") X(STATELESS_WHILE, "StatelessWhile") X(FOR, "For") \
	X(PARTITIONED_CALL, "PartitionedCall") X(STATEFUL_PARTITIONED_CALL, "StatefulPartitionedCall") \
	X(STREAM_ACTIVE, "StreamActive") X(STREAM_SWITCH, "StreamSwitch") X(STREAM_SWITCH_N, "StreamSwitchN") \
	X(STREAM_MERGE, "StreamMerge") X(LABEL_SET, "LabelSet") X(LABEL_GOTO_EX, "LabelGotoEx") \
	X(LABEL_SWITCH_BY_INDEX, "LabelSwitchByIndex") X(ENTER, "Enter") X(REF_ENTER, "RefEnter") \
	X(NEXT_ITERATION, "NextIteration") X(REF_NEXT_ITERATION, "RefNextIteration")           \
	X(HCOM_ALL_REDUCE, "HcomAllReduce") X(HOROVOD_ALLREDUCE, "HorovodAllreduce") \
	X(GET_NEXT, "GetNext") X(DYNAMIC_GET_NEXT, "DynamicGetNext") X(DYNAMIC_GET_NEXT_V2, "DynamicGetNextV2") \
	X(DROP_OUT_GEN_MASK, "DropOutGenMask") X(DROP_OUT_DO_MASK_V3, "DropOutDoMaskV3")

enum sd_op {
	SD_OP_OTHER, /* any type that no rule names */
#define SD_X(name, text) SD_OP_##name,
	SD_OP_LIST(SD_X)
#undef SD_X
	SD_OP_COUNT
};

enum sd_op sd_op_find(struct sd_text type);

/* If, Case and their kin; While and For and theirs; PartitionedCall and its kin: they launch
 * nothing themselves, their bodies do. Any type whose name holds "PartitionedCall" counts. */
bool sd_op_is_functional(struct sd_text type);

/* StreamSwitch and StreamSwitchN: they leave their stream for one that they start. */
static inline bool sd_op_leaves_stream(enum sd_op op)
{
	return op == SD_OP_STREAM_SWITCH || op == SD_OP_STREAM_SWITCH_N;
}

/* MemcpyAsync and its kin: any type whose name holds "Memcpy". */
bool sd_op_copies(struct sd_text type);

#endif
