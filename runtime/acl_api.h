/* acl_api.h - what is used of libascendcl: types, numbers and functions of its public headers
 * (acl.h, acl_base_rt.h, acl_rt.h of CANN 8), told again so that none of it is needed to build. */
#ifndef SD_ACL_API_H
#define SD_ACL_API_H

#include <stddef.h>
#include <stdint.h>

typedef int sd_acl_error; /* 0: success */

enum {
	SD_ACL_REPEAT_INITIALIZE = 100002,
	SD_ACL_STATUS_COMPLETE = 0, /* of a stream; 1: not ready */
	SD_ACL_EVENT_RECORDED_COMPLETE = 1, /* the other way round */
	SD_ACL_HBM_MEM = 1,
	SD_ACL_DEV_ATTR_CUBE_CORES = 102, SD_ACL_DEV_ATTR_VECTOR_CORES = 201,
	SD_ACL_NOTIFY_DEFAULT = 0,
};

/* Of events. */
#define SD_ACL_EVENT_SYNC 0x01u
#define SD_ACL_EVENT_CAPTURE_STREAM_PROGRESS 0x02u
#define SD_ACL_EVENT_TIME_LINE 0x08u
#define SD_ACL_EVENT_DEVICE_USE_ONLY 0x10u
#define SD_ACL_EVENT_EXTERNAL 0x20u
#define SD_ACL_EVENT_IPC 0x40u

enum sd_acl_copy { SD_ACL_HOST_TO_HOST, SD_ACL_HOST_TO_DEVICE, SD_ACL_DEVICE_TO_HOST, SD_ACL_DEVICE_TO_DEVICE };

/* name, answer, arguments, may be missing */
#define SD_ACL_LIST(X)                                                                                         \
	X(aclInit, sd_acl_error, (const char *config), 0)                                                      \
	X(aclFinalize, sd_acl_error, (void), 0)                                                                \
	X(aclGetRecentErrMsg, const char *, (void), 0)                                                         \
	X(aclrtSetDevice, sd_acl_error, (int32_t device), 0)                                                   \
	X(aclrtResetDevice, sd_acl_error, (int32_t device), 0)                                                 \
	X(aclrtCreateContext, sd_acl_error, (void **context, int32_t device), 0)                               \
	X(aclrtDestroyContext, sd_acl_error, (void *context), 0)                                               \
	X(aclrtSetCurrentContext, sd_acl_error, (void *context), 0)                                            \
	X(aclrtCreateStreamWithConfig, sd_acl_error, (void **stream, uint32_t priority, uint32_t flags), 0)    \
	X(aclrtStreamGetId, sd_acl_error, (void *stream, int32_t *id), 0)                                      \
	X(aclrtDestroyStream, sd_acl_error, (void *stream), 0)                                                 \
	X(aclrtDestroyStreamForce, sd_acl_error, (void *stream), 1)                                            \
	X(aclrtSynchronizeStreamWithTimeout, sd_acl_error, (void *stream, int32_t ms), 0)                      \
	X(aclrtStreamQuery, sd_acl_error, (void *stream, int *status), 0)                                      \
	X(aclrtStreamAbort, sd_acl_error, (void *stream), 1)                                                   \
	X(aclrtStreamStop, sd_acl_error, (void *stream), 1)                                                    \
	X(aclrtCreateEventExWithFlag, sd_acl_error, (void **event, uint32_t flags), 0)                         \
	X(aclrtDestroyEvent, sd_acl_error, (void *event), 0)                                                   \
	X(aclrtRecordEvent, sd_acl_error, (void *event, void *stream), 0)                                      \
	X(aclrtStreamWaitEvent, sd_acl_error, (void *stream, void *event), 0)                                  \
	X(aclrtQueryEventStatus, sd_acl_error, (void *event, int *status), 0)                                  \
	X(aclrtSynchronizeEventWithTimeout, sd_acl_error, (void *event, int32_t ms), 0)                        \
	X(aclrtEventElapsedTime, sd_acl_error, (float *ms, void *start, void *end), 0)                         \
	X(aclrtCreateNotify, sd_acl_error, (void **notify, uint64_t flags), 1)                                 \
	X(aclrtDestroyNotify, sd_acl_error, (void *notify), 1)                                                 \
	X(aclrtRecordNotify, sd_acl_error, (void *notify, void *stream), 1)                                    \
	X(aclrtWaitAndResetNotify, sd_acl_error, (void *notify, void *stream, uint32_t seconds), 1)            \
	X(aclrtLaunchHostFunc, sd_acl_error, (void *stream, void (*function)(void *arg), void *arg), 1)        \
	X(aclrtMemcpyAsync, sd_acl_error, (void *to, size_t room, const void *from, size_t bytes, int kind, void *stream), 0) \
	X(aclrtMalloc, sd_acl_error, (void **memory, size_t bytes, int policy), 0)                             \
	X(aclrtFree, sd_acl_error, (void *memory), 0)                                                          \
	X(aclrtGetStreamAvailableNum, sd_acl_error, (uint32_t *count), 1)                                      \
	X(aclrtGetEventAvailNum, sd_acl_error, (uint32_t *count), 1)                                           \
	X(aclrtGetMemInfo, sd_acl_error, (int kind, size_t *free, size_t *total), 1)                           \
	X(aclrtGetDeviceInfo, sd_acl_error, (uint32_t device, int attribute, int64_t *value), 1)

struct sd_acl_api {
#define SD_X(name, answer, arguments, is_optional) answer (*name) arguments;
	SD_ACL_LIST(SD_X)
#undef SD_X
};

#endif
