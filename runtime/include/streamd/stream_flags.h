/* stream_flags.h - flags of streams: which may be, what they are called, and their two number spaces.
 *
 * The runtime and the public ACL interface give the same flags different numbers (PERSISTENT is
 * 0x1 here and 0x4 there). Inside the project flags are the runtime's; a number of the other space
 * exists only on its way in or out. */
#ifndef SD_STREAM_FLAGS_H
#define SD_STREAM_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"

/* INVALID_ARGUMENT (SD5001): bits that no stream has; HUGE on a device without such streams;
 * CP_PROCESS_USE with anything but ACSQ_LOCK. */
enum sd_status sd_stream_flags_check(uint32_t flags, bool has_huge, struct sd_diag *diag);

/* Of the public ACL interface: HUGE (0x8) and CPU_SCHEDULE (0x10) have no effect there, and any
 * unknown bit makes the call one without flags. */
uint32_t sd_stream_flags_from_acl(uint32_t acl);

/* What aclrtCreateStreamWithConfig can say of `flags`; the rest has no number there. */
uint32_t sd_stream_flags_to_acl(uint32_t flags);

/* "PERSISTENT"; NULL past the last. Row `i` of the flags, lowest bit first. */
const char *sd_stream_flag_name(uint32_t i, uint32_t *flag);

/* Nearest priority that a stream can have. */
int32_t sd_stream_priority_clamp(int64_t priority);

#endif
