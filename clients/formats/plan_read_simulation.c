/* The simulation of a plan from JSON. */
#include "plan_read.h"

#include "plan_names.h"

static const char *const link_words[] = SD_LINK_NAMES;

#define STREAM(member) offsetof(struct sd_simulated_stream, member)
static const struct sd__row_key stream_keys[] = {
	{ .name = "busy_ns", .kind = SD__ROW_INT64, .offset = STREAM(busy_ns) },
	{ .name = "overlap_ns", .kind = SD__ROW_INT64, .offset = STREAM(overlap_ns) },
	{ 0 },
};

#define LAUNCH(member) offsetof(struct sd_simulated_launch, member)
static const struct sd__row_key launch_keys[] = {
	{ .name = "node", .kind = SD__ROW_OTHER, .offset = LAUNCH(node), .read = sd__plan_read_node },
	{ .name = "stream", .kind = SD__ROW_UINT32, .offset = LAUNCH(stream) },
	{ .name = "attached", .kind = SD__ROW_BOOL, .offset = LAUNCH(attached) },
	{ .name = "began_ns", .kind = SD__ROW_INT64, .offset = LAUNCH(began_ns) },
	{ .name = "ended_ns", .kind = SD__ROW_INT64, .offset = LAUNCH(ended_ns) },
	{ 0 },
};

#define LINK(member) offsetof(struct sd_chain_link, member)
static const struct sd__row_key link_keys[] = {
	{ .name = "launch", .kind = SD__ROW_UINT32, .offset = LINK(launch) },
	{ .name = "reason", .kind = SD__ROW_WORD, .offset = LINK(reason), .words = link_words },
	{ 0 },
};

static enum sd_status read_streams(void *reader, const struct sd_json_path *at, json_t *json, void *member)
{
	struct sd_simulation *simulation = &((struct sd__plan_reader *)reader)->plan->simulation;

	return sd__row_read_list(reader, at, json, stream_keys, sizeof(*simulation->stream), &simulation->stream, &simulation->stream_count);
}

static enum sd_status read_launches(void *reader, const struct sd_json_path *at, json_t *json, void *member)
{
	struct sd_simulation *simulation = &((struct sd__plan_reader *)reader)->plan->simulation;

	return sd__row_read_list(reader, at, json, launch_keys, sizeof(*simulation->launch), &simulation->launch, &simulation->launch_count);
}

static enum sd_status read_chain(void *reader, const struct sd_json_path *at, json_t *json, void *member)
{
	struct sd_simulation *simulation = &((struct sd__plan_reader *)reader)->plan->simulation;

	return sd__row_read_list(reader, at, json, link_keys, sizeof(*simulation->link), &simulation->link, &simulation->link_count);
}

#define WHOLE(member) offsetof(struct sd_simulation, member)
static const struct sd__row_key simulation_keys[] = {
	{ .name = "makespan_ns", .kind = SD__ROW_INT64, .offset = WHOLE(makespan_ns) },
	{ .name = "one_stream_ns", .kind = SD__ROW_INT64, .offset = WHOLE(one_stream_ns) },
	{ .name = "assumed", .kind = SD__ROW_UINT32, .offset = WHOLE(assumed) },
	{ .name = "streams", .kind = SD__ROW_OTHER, .read = read_streams },
	{ .name = "launches", .kind = SD__ROW_OTHER, .read = read_launches },
	{ .name = "chain", .kind = SD__ROW_OTHER, .read = read_chain },
	{ 0 },
};

/* Whether it is that of the plan is the judge's question. */
enum sd_status sd__plan_read_simulation(void *reader, const struct sd_json_path *at, json_t *json, void *member)
{
	struct sd__plan_reader *r = reader;

	r->plan->simulated = true;
	return sd__row_read_object(reader, at, json, simulation_keys, &r->plan->simulation);
}
