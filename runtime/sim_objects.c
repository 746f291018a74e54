#include "sim_internal.h"

#include <stdlib.h>

void *sim_object_find(const struct sim *sim, enum sim_kind kind, sd_handle handle)
{
	struct sim_object *object = sd_handles_find(&sim->handles, handle);

	return object && object->kind == kind ? object : NULL;
}

bool sim_object_add(struct sim *sim, enum sim_kind kind, struct sim_object *object)
{
	object->kind = kind;
	object->handle = sd_handles_add(&sim->handles, object);
	return object->handle != SD_NO_HANDLE;
}

void sim_object_retire(struct sim *sim, const struct sim_object *object)
{
	sd_handles_retire(&sim->handles, object->handle);
}

void sim_object_free(struct sim *sim, struct sim_object *object)
{
	sd_handles_let_go(&sim->handles, sd_handle_index(object->handle));
	free(object);
}

void sim_objects_finish(struct sim *sim)
{
	for (uint32_t i = 0; i < sim->handles.count; i++) {
		struct sim_object *object = sd_handles_at(&sim->handles, i);

		if (object && object->kind == SIM_STREAM)
			sim_drop_all(sim, (struct sim_stream *)object);
	}
	for (uint32_t i = 0; i < sim->handles.count; i++)
		free(sd_handles_at(&sim->handles, i));
	sd_handles_finish(&sim->handles);
}
