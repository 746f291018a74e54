/* References by name: `src:2` and `src` are data inputs, `^src` and `src:-1` control inputs,
 * and an empty text is a slot that is not connected. A name may stand before its node; such
 * references stay pending until all nodes are known, and are then resolved by a second look. */
#include "graph_decode.h"

/* Digits at the end of `text`, as far as there are any. */
static uint32_t count_digits(struct sd_text text)
{
	uint32_t digits = 0;

	while (digits < text.len && (unsigned)(text.at[text.len - 1 - digits] - '0') < 10)
		digits++;
	return digits;
}

/* The value of digits; above INT32_MAX it stays there + 1. */
static int64_t read_digits(struct sd_text digits)
{
	int64_t value = 0;

	for (uint32_t i = 0; i < digits.len; i++) {
		value = value * 10 + (digits.at[i] - '0');
		if (value > INT32_MAX)
			return (int64_t)INT32_MAX + 1;
	}
	return value;
}

/* The last colon splits if digits or -1 follow it; all else is a name, and its output 0 is meant. */
static struct sd_text split_input(struct sd_text text, int64_t *port)
{
	uint32_t digits = count_digits(text);
	uint32_t before = text.len - digits;

	*port = 0;
	if (text.at[0] == '^') {
		*port = SD_CONTROL;
		return (struct sd_text){ text.at + 1, text.len - 1 };
	}
	if (digits > 0 && before > 0 && text.at[before - 1] == ':') {
		*port = read_digits((struct sd_text){ text.at + before, digits });
		return (struct sd_text){ text.at, before - 1 };
	}
	if (digits == 1 && before > 1 && memcmp(text.at + before - 2, ":-1", 3) == 0) {
		*port = SD_CONTROL;
		return (struct sd_text){ text.at, before - 2 };
	}
	return text;
}

/* The node of that name in graph `graph`, as far as it is known by now. */
static uint32_t find_in_graph(const struct sd__decode *d, uint32_t graph, struct sd_text name)
{
	uint32_t last = d->nodes - 1;
	uint32_t node;

	/* Most inputs come from the node that stands right before. */
	if (d->nodes > 0 && d->graph_of[last] == graph && sd_text_equal(d->name[last], name))
		return last;
	node = sd__names_find(&d->node_names, name);
	return node != SD__NO_NAME && d->graph_of[node] == graph ? node : SD_NO_NODE;
}

enum sd_status sd__decode_input(struct sd__decode *d, uint32_t node, uint32_t graph, struct sd_text text)
{
	struct sd_edge *edge = &d->in[d->edges];
	struct sd_text name;
	int64_t port;

	SD_REQUIRE(d->edges < d->counts->edges);
	d->edges++;
	*edge = (struct sd_edge){ SD_NO_NODE, 0 };
	if (text.len == 0)
		return SD_OK;
	name = split_input(text, &port);
	if (port > INT32_MAX)
		return SD_FAIL3(d->diag, SD_CODE_BAD_VALUE, node, sd_arg_words("an input"), sd_arg_text(text),
		                sd_arg_words("a name and an output number up to 2147483647"));
	*edge = (struct sd_edge){ find_in_graph(d, graph, name), (int32_t)port };
	if (edge->src == SD_NO_NODE) {
		edge->src = SD__PENDING;
		d->has_pending = true;
	}
	return SD_OK;
}

enum sd_status sd__decode_overwrite(struct sd__decode *d, uint32_t node, struct sd_text name)
{
	uint32_t found = sd__names_find(&d->node_names, name);

	SD_REQUIRE(d->overwrites < d->counts->overwrites);
	d->overwrite[d->overwrites++] = found == SD__NO_NAME ? SD__PENDING : found;
	d->has_pending |= found == SD__NO_NAME;
	return SD_OK;
}

/* ---- the second look ---- */

static enum sd_status link_input(struct sd__decode *d, uint32_t node, struct sd_edge *edge, struct sd_text text)
{
	int64_t port;

	if (edge->src != SD__PENDING)
		return SD_OK;
	edge->src = find_in_graph(d, d->graph_of[node], split_input(text, &port));
	if (edge->src == SD_NO_NODE)
		return SD_FAIL1(d->diag, SD_CODE_UNKNOWN_INPUT, node, sd_arg_text(text));
	return SD_OK;
}

static enum sd_status link_overwrite(struct sd__decode *d, uint32_t node, uint32_t *overwrite, struct sd_text name)
{
	if (*overwrite != SD__PENDING)
		return SD_OK;
	*overwrite = sd__names_find(&d->node_names, name);
	if (*overwrite == SD__NO_NAME)
		return SD_FAIL2(d->diag, SD_CODE_UNKNOWN_REFERENCE, node, sd_arg_text(name), sd_arg_words("overwrites"));
	return SD_OK;
}

static enum sd_status link_node(struct sd__decode *d, uint32_t node, struct sd_text bytes)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;
	struct sd_edge *edge = d->in + d->in_first[node];
	uint32_t *overwrite = d->overwrite;

	if (d->extra_of[node] != SD__NO_EXTRA)
		overwrite += d->extra[d->extra_of[node]].overwrite_first;
	while (sd_wire_next(&wire, &f)) {
		if (f.number == 4)
			SD_TRY(link_input(d, node, edge++, f.bytes));
		else if (f.number == 14)
			SD_TRY(link_overwrite(d, node, overwrite++, f.bytes));
	}
	return SD_OK;
}

enum sd_status sd__link_pending(struct sd__decode *d)
{
	uint32_t node = 0;

	for (uint32_t g = 0; d->has_pending && g < d->counts->graphs; g++) {
		struct sd_wire wire = sd_wire_over(d->graph_bytes[g]);
		struct sd_field f;

		while (sd_wire_next(&wire, &f)) {
			if (f.number == 2)
				SD_TRY(link_node(d, node++, f.bytes));
		}
	}
	return SD_OK;
}
