#include "plan_shape.h"

#define COUNT(member) SD__COUNTER(struct sd__plan_counts, member)

_Static_assert(offsetof(struct sd__plan_counts, text_bytes) == 0, "the walk sums texts in the first counter");

static const struct sd__shape command_shape = { .row = {
	[1] = { SD__NUMBER, 0, NULL },
	[2] = { SD__NUMBER, 0, NULL },
	[3] = { SD__NUMBER, 0, NULL },
	[4] = { SD__NUMBER, 0, NULL },
	[5] = { SD__NUMBER, 0, NULL },
	[6] = { SD__NUMBER, 0, NULL },
	[7] = { SD__NUMBER, 0, NULL },
	[8] = { SD__NUMBER, 0, NULL },
} };

static const struct sd__shape stream_shape = { .row = {
	[1] = { SD__NUMBER, 0, NULL },
	[2] = { SD__NUMBER, 0, NULL },
	[3] = { SD__NUMBER, 0, NULL },
	[4] = { SD__NUMBER, 0, NULL },
	[5] = { SD__NUMBER, 0, NULL },
	[6] = { SD__NUMBER, 0, NULL },
	[7] = { SD__NUMBER, 0, NULL },
	[8] = { SD__NUMBER, 0, NULL },
	[9] = { SD__MESSAGE, COUNT(commands), &command_shape },
} };

static const struct sd__shape placement_shape = { .row = {
	[1] = { SD__NUMBER, 0, NULL },
	[2] = { SD__NUMBER, 0, NULL },
	[3] = { SD__NUMBERS, COUNT(attached_logical), NULL },
	[4] = { SD__NUMBERS, COUNT(attached_streams), NULL },
	[5] = { SD__NUMBERS, COUNT(attached_events), NULL },
	[6] = { SD__NUMBERS, COUNT(attached_notifies), NULL },
	[7] = { SD__NUMBER, 0, NULL },
	[8] = { SD__NUMBER, 0, NULL },
	[9] = { SD__NUMBER, 0, NULL },
} };

static const struct sd__shape sync_shape = { .row = {
	[1] = { SD__NUMBER, 0, NULL },
	[2] = { SD__NUMBER, 0, NULL },
	[3] = { SD__NUMBER, 0, NULL },
	[4] = { SD__NUMBER, 0, NULL },
	[5] = { SD__NUMBER, 0, NULL },
	[6] = { SD__NUMBER, 0, NULL },
	[7] = { SD__NUMBER, 0, NULL },
} };

static const struct sd__shape activation_shape = { .row = {
	[1] = { SD__NUMBER, 0, NULL },
	[2] = { SD__NUMBERS, COUNT(activated), NULL },
} };

static const struct sd__shape summary_shape = { .row = {
	[1] = { SD__NUMBER, 0, NULL },
	[2] = { SD__NUMBER, 0, NULL },
	[3] = { SD__NUMBER, 0, NULL },
	[4] = { SD__NUMBERS, COUNT(summary_attached), NULL },
	[5] = { SD__NUMBER, 0, NULL },
	[6] = { SD__NUMBER, 0, NULL },
	[7] = { SD__NUMBER, 0, NULL },
} };

static const struct sd__shape argument_shape = { .row = {
	[1] = { SD__NUMBER, 0, NULL },
	[2] = { SD__NUMBER, 0, NULL },
} };

static const struct sd__shape diagnostic_shape = { .row = {
	[1] = { SD__TEXT, 0, NULL },
	[2] = { SD__NUMBER, 0, NULL },
	[3] = { SD__MESSAGE, COUNT(arguments), &argument_shape },
} };

static const struct sd__shape explanation_shape = { .row = {
	[1] = { SD__NUMBER, 0, NULL },
	[2] = { SD__NUMBER, 0, NULL },
	[3] = { SD__NUMBER, 0, NULL },
	[4] = { SD__NUMBER, 0, NULL },
	[5] = { SD__NUMBER, 0, NULL },
	[6] = { SD__NUMBER, 0, NULL },
	[7] = { SD__NUMBER, 0, NULL },
	[8] = { SD__NUMBER, 0, NULL },
} };

static const struct sd__shape simulated_stream_shape = { .row = {
	[1] = { SD__NUMBER, 0, NULL },
	[2] = { SD__NUMBER, 0, NULL },
} };

static const struct sd__shape simulated_launch_shape = { .row = {
	[1] = { SD__NUMBER, 0, NULL },
	[2] = { SD__NUMBER, 0, NULL },
	[3] = { SD__NUMBER, 0, NULL },
	[4] = { SD__NUMBER, 0, NULL },
	[5] = { SD__NUMBER, 0, NULL },
} };

static const struct sd__shape link_shape = { .row = {
	[1] = { SD__NUMBER, 0, NULL },
	[2] = { SD__NUMBER, 0, NULL },
} };

static const struct sd__shape simulation_shape = { .row = {
	[1] = { SD__NUMBER, 0, NULL },
	[2] = { SD__NUMBER, 0, NULL },
	[3] = { SD__NUMBER, 0, NULL },
	[4] = { SD__MESSAGE, COUNT(simulated_streams), &simulated_stream_shape },
	[5] = { SD__MESSAGE, COUNT(simulated_launches), &simulated_launch_shape },
	[6] = { SD__MESSAGE, COUNT(links), &link_shape },
} };

const struct sd__shape sd__plan_shape = { .row = {
	[1] = { SD__NUMBER, 0, NULL },
	[2] = { SD__TEXT, 0, NULL },
	[3] = { SD__TEXT, 0, NULL },
	[4] = { SD__TEXT, 0, NULL },
	[5] = { SD__NUMBER, 0, NULL },
	[6] = { SD__NUMBER, 0, NULL },
	[7] = { SD__NUMBER, 0, NULL },
	[8] = { SD__NUMBER, 0, NULL },
	[9] = { SD__NUMBER, 0, NULL },
	[10] = { SD__NUMBER, 0, NULL },
	[11] = { SD__NUMBER, 0, NULL },
	[12] = { SD__NUMBERS, COUNT(notify_types), NULL },
	[13] = { SD__MESSAGE, COUNT(streams), &stream_shape },
	[14] = { SD__MESSAGE, COUNT(nodes), &placement_shape },
	[15] = { SD__MESSAGE, COUNT(syncs), &sync_shape },
	[16] = { SD__MESSAGE, COUNT(activations), &activation_shape },
	[17] = { SD__MESSAGE, COUNT(summaries), &summary_shape },
	[18] = { SD__MESSAGE, COUNT(diagnostics), &diagnostic_shape },
	[19] = { SD__NUMBERS, COUNT(inserted), NULL },
	[20] = { SD__MESSAGE, COUNT(explanations), &explanation_shape },
	[21] = { SD__TEXT, COUNT(passes), NULL },
	[22] = { SD__MESSAGE_ONCE, COUNT(simulations), &simulation_shape },
} };
