#include "device_host_impl.h"

#include <stdlib.h>
#include <sys/mman.h>

#define ALIGNMENT 64u
#define HUGE_PAGE ((uint64_t)2 << 20)
#define HUGE_FROM ((uint64_t)1 << 20) /* HUGE_FIRST: larger requests get huge pages */

/* Its node lies apart, since a task may write beyond what it was given. */
struct block {
	struct sd_tree_node node;
	void *memory;
	uint64_t bytes;
};

static int compare_memory(const struct sd_tree_node *a, const struct sd_tree_node *b)
{
	uintptr_t x = (uintptr_t)SD_TREE_OF(a, const struct block, node)->memory, y = (uintptr_t)SD_TREE_OF(b, const struct block, node)->memory;

	return (x > y) - (x < y);
}

void host_memory_init(struct host *host)
{
	host->blocks = (struct sd_tree){ .compare = compare_memory };
}

static bool is_policy(enum sd_page_policy policy)
{
	return policy == SD_PAGES_HUGE_FIRST || policy == SD_PAGES_HUGE_ONLY || policy == SD_PAGES_NORMAL_ONLY || policy == SD_PAGES_NORMAL_FIRST;
}

/* This machine gives huge pages as far as it has them. */
static void *get(uint64_t bytes, enum sd_page_policy policy)
{
	bool wants_huge = policy == SD_PAGES_HUGE_ONLY || (policy == SD_PAGES_HUGE_FIRST && bytes > HUGE_FROM);
	uint64_t alignment = wants_huge ? HUGE_PAGE : ALIGNMENT;
	void *memory = aligned_alloc(alignment, (bytes + alignment - 1) & ~(alignment - 1));

	if (memory && wants_huge)
		madvise(memory, bytes, MADV_HUGEPAGE);
	return memory;
}

static enum sd_status take(struct host *host, uint64_t bytes, enum sd_page_policy policy, void **memory, struct sd_diag *diag)
{
	struct block *block;

	if (host_is_fault(&host->calls.memory_alloc, host->options.fault.memory_alloc) || bytes > host->facts.memory_free_bytes)
		return SD_FAIL3(diag, SD_CODE_DEVICE_MEMORY, SD_NO_NODE, sd_arg_int(bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes), sd_arg_int((int64_t)host->facts.memory_free_bytes),
		                sd_arg_int((int64_t)host->facts.memory_bytes));
	block = calloc(1, sizeof(*block));
	if (block)
		block->memory = get(bytes, policy);
	if (!block || !block->memory) {
		free(block);
		return host_short_of("memory", diag);
	}
	block->bytes = bytes;
	host->facts.memory_free_bytes -= bytes;
	sd_tree_insert(&host->blocks, &block->node);
	*memory = block->memory;
	return SD_OK;
}

enum sd_status host_memory_alloc(struct sd_device *device, uint64_t bytes, enum sd_page_policy policy, void **memory, struct sd_diag *diag)
{
	struct host *host = host_of(device);
	enum sd_status status;

	*memory = NULL;
	if (bytes == 0 || bytes > INT64_MAX / 2)
		return host_bad_argument("the number of bytes", (int64_t)bytes, "above 0 and below 2^62", diag);
	if (!is_policy(policy))
		return host_bad_argument("the page policy", policy, "one of enum sd_page_policy", diag);
	host_lock(host);
	status = take(host, bytes, policy, memory, diag);
	host_unlock(host);
	return status;
}

static void give_back(struct host *host, struct block *block)
{
	sd_tree_remove(&host->blocks, &block->node);
	host->facts.memory_free_bytes += block->bytes;
	free(block->memory);
	free(block);
}

enum sd_status host_memory_free(struct sd_device *device, void *memory, struct sd_diag *diag)
{
	struct host *host = host_of(device);
	struct block key = { .memory = memory };
	struct sd_tree_node *found;
	enum sd_status status = SD_OK;

	host_lock(host);
	found = sd_tree_find(&host->blocks, &key.node);
	if (found)
		give_back(host, SD_TREE_OF(found, struct block, node));
	else
		status = SD_FAIL2(diag, SD_CODE_NO_SUCH_HANDLE, SD_NO_NODE, sd_arg_words("memory at"), sd_arg_int((int64_t)(uintptr_t)memory));
	host_unlock(host);
	return status;
}

void host_memory_finish(struct host *host)
{
	struct sd_tree_node *first;

	while ((first = sd_tree_first(&host->blocks)))
		give_back(host, SD_TREE_OF(first, struct block, node));
}
