/* The streams that a dump states of its operators. */
#include "base/merge.h"
#include "ge_dump_parts.h"
#include "request_parts.h"

bool sd__dump_streams_init(struct dump_import *im, size_t op_count)
{
	im->node_of = SD_NEW(im->mem, uint32_t, op_count + 1);
	im->op_of = SD_NEW(im->mem, const dump_op *, op_count + 1);
	im->node = SD_NEW(im->mem, Streamd__V1__Node *, op_count + 1);
	return im->node_of && im->op_of && im->node;
}

/* What stands for a body is no operator, and on no stream. */
static bool is_body(const dump_op *op)
{
	return op->type && strcmp(op->type, DUMP_BODY) == 0;
}

void sd__dump_streams_add(struct dump_import *im, const dump_op *op, Streamd__V1__Node *node)
{
	im->node_of[im->op_count++] = node && !is_body(op) ? im->node_count : SD_NO_NODE;
	if (!node)
		return;
	im->op_of[im->node_count] = op;
	im->node[im->node_count++] = node;
}

/* Before the physical split if the dump says so, else behind it; what is not written is 0. */
static int64_t stream_of(const dump_op *op)
{
	int64_t logical;

	if (is_body(op))
		return -1;
	return sd__dump_int(op->attr, op->n_attr, "_logic_stream_id", &logical) ? logical : op->stream_id;
}

static int compare(const void *context, uint32_t a, uint32_t b)
{
	const int64_t *stream = context;

	return (stream[a] > stream[b]) - (stream[a] < stream[b]);
}

/* Numbers without holes, in the order of those that are stated. */
static uint32_t number(const int64_t *stated, const uint32_t *by_stream, uint32_t count, int32_t *stream)
{
	int32_t next = -1;
	bool any = false;
	int64_t last = 0;

	for (uint32_t i = 0; i < count; i++) {
		int64_t id = stated[by_stream[i]];

		next += id >= 0 && (!any || id != last);
		any |= id >= 0;
		last = id;
		stream[by_stream[i]] = id >= 0 ? next : -1;
	}
	return (uint32_t)(next + 1);
}

enum sd_status sd__dump_trust_streams(struct dump_import *im, Streamd__V1__PlanRequest *request)
{
	uint32_t count = im->node_count, streams;
	int64_t *stated = SD_NEW(im->mem, int64_t, count + 1);
	uint32_t *order = SD_NEW(im->mem, uint32_t, count + 1), *spare = SD_NEW(im->mem, uint32_t, count + 1);
	int32_t *stream = SD_NEW(im->mem, int32_t, count + 1);
	char **name = SD_NEW(im->mem, char *, count + 1);

	if (!stated || !order || !spare || !stream || !name)
		return sd__dump_no_memory(im);
	for (uint32_t n = 0; n < count; n++) {
		stated[n] = stream_of(im->op_of[n]);
		order[n] = n;
		name[n] = im->node[n]->name;
	}
	sd_merge_sort(order, spare, count, compare, stated);
	streams = number(stated, order, count, stream);
	if (streams == 0)
		return SD_FAIL1(im->diag, SD_CODE_BAD_MODEL, SD_NO_NODE,
		                sd_arg_words("no operator has a stream in it, as in dumps of stages before streams are assigned; leave its stream ids unread"));
	return sd__request_set_partition(im->mem, request, stream, name, count, streams, im->diag);
}
