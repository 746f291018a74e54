/* Explanations of a Plan. */
#include "plan_decode.h"

/* A stream + 1 as it was numbered while the plan was made: any number, as later passes give others. */
static int32_t read_stream(struct sd__plan_decode *d, uint64_t value)
{
	return value == 0 ? SD_NO_STREAM : (int32_t)sd__below(d, value - 1, INT32_MAX, "an explanation's stream is out of range");
}

void sd__read_explanation(struct sd__plan_decode *d, struct sd_text bytes)
{
	static const char *const no_node = "an explanation speaks of no node";
	struct sd__scalars s = sd__read_scalars(bytes);
	uint64_t nodes = d->plan->node_count;
	struct sd_explanation *e = &d->explanation[d->explanations++];

	*e = (struct sd_explanation){
		.node = sd__below(d, s.at[1], nodes, "an explanation is about no node"),
		.pass = sd__below(d, s.at[2], d->counts->passes, "an explanation is by no pass"),
		.reason = (enum sd_reason)sd__below(d, s.at[3], SD_REASONS, "an explanation has a reason that is not known here"),
		.from = read_stream(d, s.at[4]), .to = read_stream(d, s.at[5]),
		.other = sd__read_plus1(d, s.at[6], nodes, no_node), .through = sd__read_plus1(d, s.at[7], nodes, no_node),
		.number = sd__below(d, s.at[8], (uint64_t)UINT32_MAX + 1, "an explanation's number is more than 32 bits"),
	};
	if (sd_reason_is_sync(e->reason))
		sd__below(d, e->number, d->counts->syncs, "an explanation is of no sync");
}

void sd__read_pass_name(struct sd__plan_decode *d, struct sd_text bytes)
{
	/* Names of passes are the planner's own words: nothing of a request can hide in them. */
	if (!sd_is_pass_name(bytes) && !d->why)
		d->why = "a pass has no proper name";
	memcpy(d->words + d->word_bytes, bytes.at, bytes.len);
	d->pass_name[d->passes++] = (struct sd_text){ d->words + d->word_bytes, bytes.len };
	d->word_bytes += bytes.len;
}
