/* device_cuda_impl.h - the parts of the device `cuda`.
 *
 *   device_cuda.c         the library, the context, streams, events, tasks
 *   device_cuda_notify.c  notifies: words of memory
 *   device_cuda_memory.c  memory */
#ifndef SD_DEVICE_CUDA_IMPL_H
#define SD_DEVICE_CUDA_IMPL_H

#include "cuda_api.h"
#include "device_vendor.h"
#include "streamd/device_cuda.h"

struct cuda_notify;
struct cuda_page;

struct cuda {
	struct sd_vendor vendor; /* first member */
	struct sd_cuda_api api;
	struct sd_cuda_options options;
	int device;
	void *context;           /* NULL: not retained */
	int least, greatest;     /* priorities; the smaller number is the greater priority */
	uint64_t next_id;        /* of streams, where the library tells none; under vendor.lock */
	void *memory_stream;     /* in whose order memory is given; NULL: not in the order of a stream */
	pthread_mutex_t words;   /* of the lists of notifies; no call is made under it but those that make one */
	pthread_mutex_t numbers; /* a record or a wait takes its number with its call */
	struct cuda_notify *notifies, *free_notifies;
	struct cuda_page *pages;
};

static inline struct cuda *cuda_of(struct sd_vendor *vendor)
{
	return (struct cuda *)vendor;
}

#define CUDA_CALL(cuda, name, ...) ((struct sd_answer){ #name, (cuda)->api.name(__VA_ARGS__) })
#define CUDA_CALL_IF_THERE(cuda, name, ...) ((cuda)->api.name ? CUDA_CALL(cuda, name, __VA_ARGS__) : (struct sd_answer){ #name, SD_ANSWER_ABSENT })

/* device_cuda_notify.c: as in the port. */
struct sd_answer cuda_notify_create(struct sd_vendor *vendor, uint32_t flags, void **notify);
struct sd_answer cuda_notify_destroy(struct sd_vendor *vendor, void *notify);
struct sd_answer cuda_notify_record(struct sd_vendor *vendor, void *stream, void *notify);
struct sd_answer cuda_notify_wait(struct sd_vendor *vendor, void *stream, void *notify);
void cuda_notify_open(struct sd_vendor *vendor, void *notify);
void cuda_notifies_open_again(struct cuda *cuda); /* those that are open: a late record may have lowered their words */
void cuda_notifies_free(struct cuda *cuda);       /* at close, when nothing waits any more */

/* device_cuda_memory.c */
struct sd_answer cuda_memory_start(struct cuda *cuda); /* finds out which way memory is given */
void cuda_memory_end(struct cuda *cuda);
struct sd_answer cuda_memory_alloc(struct sd_vendor *vendor, uint64_t bytes, enum sd_page_policy policy, void **memory);
struct sd_answer cuda_memory_free(struct sd_vendor *vendor, void *memory);

#endif
