/* Notifies, which CUDA does not have: a word of the host's memory that the device sees. The k-th record
 * of a notify writes k, its k-th wait waits until the word is k or more. A word is opened by the
 * host writing the highest number of which anything knows; it is used again from there on. */
#include <stdatomic.h>
#include <stdlib.h>

#include "device_cuda_impl.h"

#define PAGE_BYTES 4096u
#define PAGE_WORDS (PAGE_BYTES / sizeof(uint32_t))

struct cuda_page {
	struct cuda_page *next;
	void *memory;
	_Atomic uint32_t *word; /* the same */
	sd_cuda_address at; /* as the device sees it */
	uint32_t used;
};

/* Kept until the device is closed. */
struct cuda_notify {
	struct cuda_notify *next, *next_free;
	_Atomic uint32_t *word;
	sd_cuda_address at;
	_Atomic uint32_t records, waits; /* enqueued */
	atomic_bool is_open;
};

static struct sd_answer no_memory(void)
{
	return (struct sd_answer){ "making a notify", SD_CUDA_OUT_OF_MEMORY };
}

static struct sd_answer add_page(struct cuda *cuda)
{
	struct cuda_page *page = calloc(1, sizeof(*page));
	struct sd_answer answer;
	void *memory = NULL;

	if (!page)
		return no_memory();
	answer = CUDA_CALL_IF_THERE(cuda, cuMemHostAlloc, &memory, PAGE_BYTES, SD_CUDA_HOST_PORTABLE | SD_CUDA_HOST_DEVICEMAP);
	if (answer.code == 0)
		answer = CUDA_CALL_IF_THERE(cuda, cuMemHostGetDevicePointer_v2, &page->at, memory, 0);
	if (answer.code != 0) {
		if (memory && cuda->api.cuMemFreeHost)
			cuda->api.cuMemFreeHost(memory);
		free(page);
		return answer;
	}
	page->memory = page->word = memory;
	for (uint32_t i = 0; i < PAGE_WORDS; i++)
		atomic_init(&page->word[i], 0);
	page->next = cuda->pages;
	cuda->pages = page;
	return answer;
}

/* Under the lock. */
static struct sd_answer make(struct cuda *cuda, struct cuda_notify **made)
{
	struct sd_answer answer = { "cuMemHostAlloc", 0 };
	struct cuda_notify *notify;

	if (!cuda->pages || cuda->pages->used == PAGE_WORDS)
		answer = add_page(cuda);
	if (answer.code != 0)
		return answer;
	notify = calloc(1, sizeof(*notify));
	if (!notify)
		return no_memory();
	notify->word = &cuda->pages->word[cuda->pages->used];
	notify->at = cuda->pages->at + cuda->pages->used++ * sizeof(uint32_t);
	notify->next = cuda->notifies;
	cuda->notifies = notify;
	*made = notify;
	return answer;
}

struct sd_answer cuda_notify_create(struct sd_vendor *vendor, uint32_t flags, void **made)
{
	struct cuda *cuda = cuda_of(vendor);
	struct cuda_notify *notify;
	struct sd_answer answer = { "cuMemHostAlloc", 0 };

	pthread_mutex_lock(&cuda->words);
	notify = cuda->free_notifies;
	if (notify) {
		cuda->free_notifies = notify->next_free;
		atomic_store(&notify->is_open, false);
	} else {
		answer = make(cuda, &notify);
	}
	pthread_mutex_unlock(&cuda->words);
	*made = notify;
	return answer;
}

/* Takes no lock, since it may be called under another one. */
void cuda_notify_open(struct sd_vendor *vendor, void *of)
{
	struct cuda_notify *notify = of;
	uint32_t records = atomic_load(&notify->records), waits = atomic_load(&notify->waits);
	uint32_t last = records > waits ? records : waits;

	atomic_store(&notify->records, last);
	atomic_store(&notify->waits, last);
	atomic_store(&notify->is_open, true);
	atomic_store(notify->word, last);
}

void cuda_notifies_open_again(struct cuda *cuda)
{
	pthread_mutex_lock(&cuda->words);
	for (struct cuda_notify *notify = cuda->notifies; notify; notify = notify->next)
		if (atomic_load(&notify->is_open))
			cuda_notify_open(&cuda->vendor, notify);
	pthread_mutex_unlock(&cuda->words);
}

struct sd_answer cuda_notify_destroy(struct sd_vendor *vendor, void *of)
{
	struct cuda *cuda = cuda_of(vendor);
	struct cuda_notify *notify = of;

	pthread_mutex_lock(&cuda->words);
	cuda_notify_open(vendor, notify);
	notify->next_free = cuda->free_notifies;
	cuda->free_notifies = notify;
	pthread_mutex_unlock(&cuda->words);
	return (struct sd_answer){ 0 };
}

/* A number is taken with its call: none is left out if the call fails. */
struct sd_answer cuda_notify_record(struct sd_vendor *vendor, void *stream, void *of)
{
	struct cuda *cuda = cuda_of(vendor);
	struct cuda_notify *notify = of;
	struct sd_answer answer;

	pthread_mutex_lock(&cuda->numbers);
	answer = CUDA_CALL_IF_THERE(cuda, cuStreamWriteValue32_v2, stream, notify->at, atomic_load(&notify->records) + 1, 0);
	atomic_fetch_add(&notify->records, answer.code == 0);
	pthread_mutex_unlock(&cuda->numbers);
	return answer;
}

struct sd_answer cuda_notify_wait(struct sd_vendor *vendor, void *stream, void *of)
{
	struct cuda *cuda = cuda_of(vendor);
	struct cuda_notify *notify = of;
	struct sd_answer answer;

	pthread_mutex_lock(&cuda->numbers);
	answer = CUDA_CALL_IF_THERE(cuda, cuStreamWaitValue32_v2, stream, notify->at, atomic_load(&notify->waits) + 1, SD_CUDA_WAIT_GEQ);
	atomic_fetch_add(&notify->waits, answer.code == 0);
	pthread_mutex_unlock(&cuda->numbers);
	return answer;
}

void cuda_notifies_free(struct cuda *cuda)
{
	while (cuda->notifies) {
		struct cuda_notify *notify = cuda->notifies;

		cuda->notifies = notify->next;
		free(notify);
	}
	while (cuda->pages) {
		struct cuda_page *page = cuda->pages;

		cuda->pages = page->next;
		if (cuda->api.cuMemFreeHost && cuda->api.cuMemFreeHost(page->memory) != 0)
			cuda->api.cuMemFreeHost(page->memory);
		free(page);
	}
}
