/* The simulation of a Plan. */
#include "plan_decode.h"

/* A time from the start, or how long something took. */
static int64_t read_time(struct sd__plan_decode *d, uint64_t value)
{
	if (value > INT64_MAX && !d->why)
		d->why = "a time of its simulation is negative";
	return value > INT64_MAX ? 0 : (int64_t)value;
}

static void read_stream(struct sd__plan_decode *d, struct sd_simulation *simulation, struct sd_text bytes)
{
	struct sd__scalars s = sd__read_scalars(bytes);

	d->simulated_stream[simulation->stream_count++] = (struct sd_simulated_stream){ read_time(d, s.at[1]), read_time(d, s.at[2]) };
}

static void read_launch(struct sd__plan_decode *d, struct sd_simulation *simulation, struct sd_text bytes)
{
	struct sd__scalars s = sd__read_scalars(bytes);

	d->simulated_launch[simulation->launch_count++] = (struct sd_simulated_launch){
		.node = sd__below(d, s.at[1], d->plan->node_count, "a simulated launch is of no node"),
		.stream = sd__below(d, s.at[2], d->plan->stream_count, "a simulated launch is on no stream"),
		.attached = s.at[3] != 0, .began_ns = read_time(d, s.at[4]), .ended_ns = read_time(d, s.at[5]),
	};
}

static void read_link(struct sd__plan_decode *d, struct sd_simulation *simulation, struct sd_text bytes)
{
	struct sd__scalars s = sd__read_scalars(bytes);

	d->link[simulation->link_count++] = (struct sd_chain_link){
		.launch = sd__below(d, s.at[1], d->counts->simulated_launches, "the critical chain has a launch that is none"),
		.reason = (enum sd_link_reason)sd__below(d, s.at[2], SD_LINK_ENGINE + 1, "the critical chain has a reason that is not known here"),
	};
}

void sd__read_simulation(struct sd__plan_decode *d, struct sd_text bytes)
{
	struct sd__scalars s = sd__read_scalars(bytes);
	struct sd_simulation *simulation = &d->plan->simulation;
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;

	*simulation = (struct sd_simulation){
		.makespan_ns = read_time(d, s.at[1]), .one_stream_ns = read_time(d, s.at[2]),
		.assumed = sd__below(d, s.at[3], d->counts->simulated_launches + 1, "its simulation assumes more durations than it has launches"),
		.stream = d->simulated_stream, .launch = d->simulated_launch, .link = d->link,
	};
	if (d->counts->simulated_streams != d->counts->streams && !d->why)
		d->why = "its simulation is of another number of streams";
	while (!d->why && sd_wire_next(&wire, &f)) {
		switch (f.number) {
		case 4: read_stream(d, simulation, f.bytes); break;
		case 5: read_launch(d, simulation, f.bytes); break;
		case 6: read_link(d, simulation, f.bytes); break;
		}
	}
	d->plan->simulated = true;
}
