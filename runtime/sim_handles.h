/* sim_handles.h - numbers for objects: one that was given back is never given again.
 *
 * A handle is a place in the table and how often that place was given (never 0). All kinds of object of one
 * device share a table, so that a stream is not taken for an event. Not for several threads at once. */
#ifndef SD_SIM_HANDLES_H
#define SD_SIM_HANDLES_H

#include <stdbool.h>
#include <stdint.h>

#include "streamd/device.h"

struct sd__sim_handles {
	struct sd__sim_handle_place {
		uint32_t times, kind, next_free;
		void *object; /* NULL: nobody has the place */
	} *place;
	uint32_t count, cap, first_free;
};

void sd__sim_handles_init(struct sd__sim_handles *handles);
void sd__sim_handles_finish(struct sd__sim_handles *handles);

/* False: no memory. */
bool sd__sim_handles_add(struct sd__sim_handles *handles, uint32_t kind, void *object, sd_handle *handle);

/* The object; NULL if it is none of that kind, or was given back. */
void *sd__sim_handles_find(const struct sd__sim_handles *handles, uint32_t kind, sd_handle handle);
void sd__sim_handles_remove(struct sd__sim_handles *handles, sd_handle handle);

/* Objects of a kind in order of place; `at` starts with 0. NULL: that was all. */
void *sd__sim_handles_next(const struct sd__sim_handles *handles, uint32_t kind, uint32_t *at);

#endif
