/* Memory. Blocks are kept by address, so that only what was given is freed, and nothing is left
 * when the device is closed. NORMAL_FIRST, which no vendor has, is two tries. */
#include <search.h>
#include <stdlib.h>

#include "device_vendor.h"

struct block {
	void *address;
};

static int by_address(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)((const struct block *)a)->address, y = (uintptr_t)((const struct block *)b)->address;

	return (x > y) - (x < y);
}

static struct sd_answer alloc(struct sd_vendor *vendor, uint64_t bytes, enum sd_page_policy policy, void **memory)
{
	const struct sd_vendor_port *port = vendor->port;
	struct sd_answer answer;

	if (policy != SD_PAGES_NORMAL_FIRST || port->chooses_pages)
		return port->memory_alloc(vendor, bytes, policy, memory);
	answer = port->memory_alloc(vendor, bytes, SD_PAGES_NORMAL_ONLY, memory);
	if (answer.code != 0 && port->fail(vendor, NULL, answer.call, answer.code) == SD_RESOURCE_EXHAUSTED)
		answer = port->memory_alloc(vendor, bytes, SD_PAGES_HUGE_ONLY, memory);
	return answer;
}

enum sd_status sd_vendor_memory_alloc(struct sd_device *device, uint64_t bytes, enum sd_page_policy policy, void **memory, struct sd_diag *diag)
{
	struct sd_vendor *vendor = sd_vendor_of(device);
	struct block *block;
	enum sd_status status;
	bool is_kept;

	*memory = NULL;
	if (bytes == 0)
		return SD_FAIL3(diag, SD_CODE_BAD_DEVICE_VALUE, SD_NO_NODE, sd_arg_words("bytes"), sd_arg_int(0), sd_arg_words("1 or more"));
	SD_TRY(sd_vendor_enter(vendor, diag));
	block = calloc(1, sizeof(*block));
	if (!block)
		return sd_vendor_no_memory(diag);
	status = sd_vendor_check(vendor, alloc(vendor, bytes, policy, &block->address), diag);
	if (status != SD_OK) {
		free(block);
		return status;
	}
	pthread_mutex_lock(&vendor->lock);
	is_kept = tsearch(block, &vendor->blocks, by_address) != NULL;
	pthread_mutex_unlock(&vendor->lock);
	if (!is_kept) {
		vendor->port->memory_free(vendor, block->address);
		free(block);
		return sd_vendor_no_memory(diag);
	}
	*memory = block->address;
	return SD_OK;
}

enum sd_status sd_vendor_memory_free(struct sd_device *device, void *memory, struct sd_diag *diag)
{
	struct sd_vendor *vendor = sd_vendor_of(device);
	struct block wanted = { memory }, *block = NULL, **found;
	enum sd_status status;

	SD_TRY(sd_vendor_enter(vendor, diag));
	pthread_mutex_lock(&vendor->lock);
	found = tfind(&wanted, &vendor->blocks, by_address);
	if (found) {
		block = *found;
		tdelete(block, &vendor->blocks, by_address);
	}
	pthread_mutex_unlock(&vendor->lock);
	if (!block)
		return SD_FAIL2(diag, SD_CODE_NO_SUCH_HANDLE, SD_NO_NODE, sd_arg_words("block at"), sd_arg_int((int64_t)(uintptr_t)memory));
	status = sd_vendor_check(vendor, vendor->port->memory_free(vendor, memory), diag);
	if (status == SD_OK) {
		free(block);
		return SD_OK;
	}
	pthread_mutex_lock(&vendor->lock);
	if (!tsearch(block, &vendor->blocks, by_address))
		free(block); /* nothing is left to name it with */
	pthread_mutex_unlock(&vendor->lock);
	return status;
}

void sd_vendor_free_blocks(struct sd_vendor *vendor)
{
	while (vendor->blocks) {
		struct block *block = *(struct block **)vendor->blocks;

		tdelete(block, &vendor->blocks, by_address);
		vendor->port->memory_free(vendor, block->address);
		free(block);
	}
}
