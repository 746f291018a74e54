#include "streamd/stream_flags.h"

#include "streamd/device.h"

static const struct {
	uint32_t flag, acl; /* acl 0: has no number there */
	const char *name;
} table[] = {
	{ SD_STREAM_PERSISTENT,        0x04, "PERSISTENT" },
	{ SD_STREAM_FORCE_COPY,        0,    "FORCE_COPY" },
	{ SD_STREAM_HUGE,              0,    "HUGE" },
	{ SD_STREAM_AICPU,             0,    "AICPU" },
	{ SD_STREAM_FORBIDDEN_DEFAULT, 0,    "FORBIDDEN_DEFAULT" },
	{ SD_STREAM_HEAD,              0,    "HEAD" },
	{ SD_STREAM_OVERFLOW,          0,    "OVERFLOW" },
	{ SD_STREAM_FAST_LAUNCH,       0x01, "FAST_LAUNCH" },
	{ SD_STREAM_FAST_SYNC,         0x02, "FAST_SYNC" },
	{ SD_STREAM_CP_PROCESS_USE,    0x20, "CP_PROCESS_USE" },
	{ SD_STREAM_VECTOR_CORE_USE,   0,    "VECTOR_CORE_USE" },
	{ SD_STREAM_ACSQ_LOCK,         0,    "ACSQ_LOCK" },
	{ SD_STREAM_DQS_CTRL,          0,    "DQS_CTRL" },
	{ SD_STREAM_DQS_INTER_CHIP,    0,    "DQS_INTER_CHIP" },
};
#define ROWS ((uint32_t)(sizeof(table) / sizeof(table[0])))

#define ACL_FLAGS 0x3fu /* all that the public interface has */

enum sd_status sd_stream_flags_check(uint32_t flags, bool has_huge, struct sd_diag *diag)
{
	if (flags & ~SD_STREAM_FLAGS)
		return SD_FAIL2(diag, SD_CODE_BAD_STREAM_FLAGS, SD_NO_NODE, sd_arg_int(flags),
		                sd_arg_words("it has bits that no stream has; use those of 0xff3f"));
	if ((flags & SD_STREAM_HUGE) && !has_huge)
		return SD_FAIL2(diag, SD_CODE_BAD_STREAM_FLAGS, SD_NO_NODE, sd_arg_int(flags),
		                sd_arg_words("it asks for a HUGE stream and the device has none; leave 0x4 out"));
	if ((flags & SD_STREAM_CP_PROCESS_USE) && (flags & ~(uint32_t)(SD_STREAM_CP_PROCESS_USE | SD_STREAM_ACSQ_LOCK)))
		return SD_FAIL2(diag, SD_CODE_BAD_STREAM_FLAGS, SD_NO_NODE, sd_arg_int(flags),
		                sd_arg_words("CP_PROCESS_USE (0x800) goes with ACSQ_LOCK (0x2000) alone; leave the rest out"));
	return SD_OK;
}

uint32_t sd_stream_flags_from_acl(uint32_t acl)
{
	uint32_t flags = 0;

	if (acl & ~ACL_FLAGS)
		return 0;
	for (uint32_t i = 0; i < ROWS; i++)
		flags |= acl & table[i].acl ? table[i].flag : 0;
	return flags;
}

uint32_t sd_stream_flags_to_acl(uint32_t flags)
{
	uint32_t acl = 0;

	for (uint32_t i = 0; i < ROWS; i++)
		acl |= flags & table[i].flag ? table[i].acl : 0;
	return acl;
}

const char *sd_stream_flag_name(uint32_t i, uint32_t *flag)
{
	if (i >= ROWS)
		return NULL;
	*flag = table[i].flag;
	return table[i].name;
}

int32_t sd_stream_priority_clamp(int64_t priority)
{
	if (priority < SD_PRIORITY_MOST_URGENT)
		return SD_PRIORITY_MOST_URGENT;
	return priority > SD_PRIORITY_LEAST_URGENT ? SD_PRIORITY_LEAST_URGENT : (int32_t)priority;
}
