#include "request_parts.h"

#include "json_message.h"

enum sd_status sd__request_unpack(struct sd_arena *mem, struct sd_text bytes, Streamd__V1__PlanRequest **message, struct sd_diag *diag)
{
	ProtobufCAllocator allocator = sd_message_allocator(mem);

	*message = (Streamd__V1__PlanRequest *)protobuf_c_message_unpack(&streamd__v1__plan_request__descriptor, &allocator, bytes.len,
	                                                                 (const uint8_t *)bytes.at);
	return *message ? SD_OK : sd_memory_fail(mem, diag);
}

static bool make_lists(struct sd_arena *mem, Streamd__V1__Partition *partition, uint32_t count)
{
	partition->streams = SD_NEW(mem, Streamd__V1__NameList *, count + 1);
	for (uint32_t k = 0; partition->streams && k < count; k++) {
		partition->streams[k] = sd_message_new(mem, &streamd__v1__name_list__descriptor);
		if (!partition->streams[k])
			return false;
		partition->n_streams++;
	}
	return partition->streams != NULL;
}

static bool fill_lists(struct sd_arena *mem, Streamd__V1__Partition *partition, const int32_t *stream, char *const *name, uint32_t node_count)
{
	uint32_t *size = SD_NEW0(mem, uint32_t, partition->n_streams + 1);

	for (uint32_t n = 0; size && n < node_count; n++) {
		if (stream[n] >= 0)
			size[stream[n]]++;
	}
	for (size_t k = 0; size && k < partition->n_streams; k++) {
		partition->streams[k]->names = SD_NEW(mem, char *, size[k] + 1);
		if (!partition->streams[k]->names)
			return false;
	}
	for (uint32_t n = 0; size && n < node_count; n++) {
		Streamd__V1__NameList *list = stream[n] >= 0 ? partition->streams[stream[n]] : NULL;

		if (list)
			list->names[list->n_names++] = name[n];
	}
	return size != NULL;
}

enum sd_status sd__request_set_partition(struct sd_arena *mem, Streamd__V1__PlanRequest *message, const int32_t *stream, char *const *name,
                                         uint32_t node_count, uint32_t count, struct sd_diag *diag)
{
	Streamd__V1__Partition *partition = sd_message_new(mem, &streamd__v1__partition__descriptor);

	if (!message->options)
		message->options = sd_message_new(mem, &streamd__v1__options__descriptor);
	if (!partition || !message->options || !make_lists(mem, partition, count) || !fill_lists(mem, partition, stream, name, node_count))
		return sd_memory_fail(mem, diag);
	message->options->explicit_streams = partition;
	return SD_OK;
}
