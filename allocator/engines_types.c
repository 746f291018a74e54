#include "engines_types.h"

/* Each table is in byte order, for the search by halves. */

/* Types that launch nothing, and types that are gone before a graph runs. Identity and
 * ReadVariableOp could run here too; the run-time engine has the better cost and takes them. */
static const char *const local_types[] = {
	"AippData", "Bitcast", "Case", "ConditionCalc", "Const", "ConstPlaceHolder", "Constant",
	"ControlTrigger", "Data", "DestroyTemporaryVariable", "Empty", "End", "ExpandDims",
	"FileConstant", "Flatten", "FlattenV2", "For", "GatherShapes", "GuaranteeConst", "IdentityN",
	"If", "IsVariableInitialized", "Merge", "NoOp", "OpTiling", "PartitionedCall", "PhonyConcat",
	"PhonySplit", "Placeholder", "PlaceholderV2", "PlaceholderWithDefault", "PreventGradient",
	"QueueData", "Rank", "ReFormat", "RefData", "RefIdentity", "RefMerge", "RefSwitch", "Reshape",
	"Shape", "ShapeN", "Size", "Snapshot", "Squeeze", "SqueezeV2", "SqueezeV3", "Stack",
	"StackClose", "StackPop", "StackPush", "StatefulPartitionedCall", "StatelessCase",
	"StatelessIf", "StatelessWhile", "StopGradient", "Switch", "TemporaryVariable", "TransShape",
	"UnfedData", "Unsqueeze", "UnsqueezeV2", "UnsqueezeV3", "VarHandleOp", "VarIsInitializedOp",
	"Variable", "VariableV2", "While", "_If", "_Retval", "_While",
};

static const char *const run_time_types[] = {
	"Cmo", "Enter", "Exit", "Identity", "LabelGoto", "LabelGotoEx", "LabelSet", "LabelSwitch",
	"LabelSwitchByIndex", "LoopCond", "MemcpyAddrAsync", "MemcpyAsync", "ModelExit",
	"NPUClearFloatDebugStatus", "NPUClearFloatStatus", "NPUClearFloatStatusV2",
	"NPUGetFloatDebugStatus", "NPUGetFloatStatus", "NPUGetFloatStatusV2", "NetOutput",
	"NextIteration", "ReadVariableOp", "Recv", "RecvMem", "RecvNotify", "RefEnter", "RefExit",
	"RefNextIteration", "Send", "SendMem", "SendNotify", "StreamActive", "StreamMerge",
	"StreamSwitch", "StreamSwitchN",
};

static bool is_listed(const char *const *type, size_t count, struct sd_text wanted)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		struct sd_text text = { type[middle], (uint32_t)strlen(type[middle]) };
		int order = sd_text_compare(text, wanted);

		if (order == 0)
			return true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

static bool begins_with(struct sd_text text, struct sd_text prefix)
{
	return text.len >= prefix.len && memcmp(text.at, prefix.at, prefix.len) == 0;
}

#define IS_LISTED(table, type) is_listed((table), sizeof(table) / sizeof((table)[0]), (type))

struct sd_text sd__engine_of_type(struct sd_text type)
{
	if (IS_LISTED(local_types, type))
		return SD_TEXT("DNN_VM_GE_LOCAL");
	if (IS_LISTED(run_time_types, type))
		return SD_TEXT("DNN_VM_RTS");
	/* Collectives and random numbers are families that grow; their prefix says which engine runs them. */
	if (begins_with(type, SD_TEXT("Hcom")) || begins_with(type, SD_TEXT("Horovod")))
		return SD_TEXT("DNN_HCCL");
	if (begins_with(type, SD_TEXT("DSA")))
		return SD_TEXT("DSAEngine");
	return SD_TEXT("");
}
