/* plan_simulation.h - what a plan is expected to do on the device: as JSON, and as text for people. */
#ifndef SD_PLAN_SIMULATION_H
#define SD_PLAN_SIMULATION_H

#include "emit.h"
#include "streamd/plan.h"

/* The simulation as an object; `name` by node of the plan. */
void sd_simulation_write_json(struct sd_emitter *out, const struct sd_simulation *simulation, const struct sd_text *name);

/* One line: how long it takes, on one stream, and how many streams are at work. Without newline. */
void sd_simulation_put_line(struct sd_emitter *out, const struct sd_simulation *simulation);

/* That line, a table of streams, and the critical chain. */
void sd_simulation_write_text(struct sd_emitter *out, const struct sd_simulation *simulation, const struct sd_text *name);

#endif
