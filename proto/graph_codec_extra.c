/* What few nodes state: times, cores, outputs, collectives, writes. */
#include "graph_decode.h"

static struct sd_extra *extra_of(struct sd__decode *d, uint32_t node)
{
	struct sd_extra *extra;

	if (d->extra_of[node] != SD__NO_EXTRA)
		return &d->extra[d->extra_of[node]];
	SD_REQUIRE(d->extras < d->counts->extras);
	extra = &d->extra[d->extras];
	*extra = (struct sd_extra){
		.node = node, .duration_ns = -1, .cube_cores = -1, .vector_cores = -1,
		.overwrite_first = d->overwrites, .write_first = d->writes, .output_first = d->outputs,
	};
	d->extra_of[node] = d->extras++;
	return extra;
}

static void append_numbers(const struct sd_field *f, int64_t *pool, uint32_t *filled, uint64_t room)
{
	struct sd_wire packed = sd_wire_over(f->bytes);
	uint64_t value;

	for (bool more = sd_wire_first(f, &packed, SD_WIRE_VARINT, &value); more;
	     more = sd_wire_more(&packed, SD_WIRE_VARINT, &value)) {
		SD_REQUIRE(*filled < room);
		pool[(*filled)++] = (int64_t)value;
	}
}

static enum sd_status read_bytes(struct sd__decode *d, uint32_t node, const char *key, uint64_t value, int64_t *bytes)
{
	*bytes = (int64_t)value;
	return sd__check_range(d, node, key, value, 0, INT64_MAX, "0 or more");
}

static enum sd_status read_cores(struct sd__decode *d, uint32_t node, const char *key, uint64_t value, int32_t *cores)
{
	*cores = (int32_t)value;
	return sd__check_range(d, node, key, value, 0, INT32_MAX, "0 to 2147483647");
}

static enum sd_status read_output(struct sd__decode *d, uint32_t node, struct sd_text bytes)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;
	struct sd_output *output = &d->output[d->outputs];

	SD_REQUIRE(d->outputs < d->counts->outputs);
	d->outputs++;
	*output = (struct sd_output){ .bytes = -1, .shape_first = d->shapes, .dtype = { "", 0 } };
	while (sd_wire_next(&wire, &f)) {
		if (f.number == 1)
			SD_TRY(read_bytes(d, node, "outputs.bytes", f.number_value, &output->bytes));
		else if (f.number == 2)
			append_numbers(&f, d->shape, &d->shapes, d->counts->shape);
		else if (f.number == 3)
			output->dtype = f.bytes;
	}
	output->shape_count = d->shapes - output->shape_first;
	return sd__check_text(d, node, "dtype", output->dtype);
}

static enum sd_status read_comm(struct sd__decode *d, uint32_t node, struct sd_text bytes, struct sd_comm *comm)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;

	*comm = (struct sd_comm){ .node = node, .group = { "", 0 }, .rank_first = d->ranks };
	while (sd_wire_next(&wire, &f)) {
		if (f.number == 1)
			comm->group = f.bytes;
		else if (f.number == 2)
			SD_TRY(read_bytes(d, node, "comm.bytes", f.number_value, &comm->bytes));
		else if (f.number == 3)
			append_numbers(&f, d->rank, &d->ranks, d->counts->ranks);
	}
	comm->rank_count = d->ranks - comm->rank_first;
	return sd__check_text(d, node, "comm.group", comm->group);
}

static enum sd_status read_write(struct sd__decode *d, uint32_t node, struct sd_text name)
{
	SD_REQUIRE(d->writes < d->counts->writes);
	d->write[d->writes++] = name;
	return sd__check_name(d, node, "name in writes", name);
}

enum sd_status sd__decode_extra(struct sd__decode *d, uint32_t node, const struct sd_field *f)
{
	struct sd_extra *extra;

	if (f->number < 9 || f->number > 16)
		return SD_OK;
	extra = extra_of(d, node);
	switch (f->number) {
	case 9:
		extra->has_outputs = true;
		extra->output_count++;
		return read_output(d, node, f->bytes);
	case 10: return read_bytes(d, node, "duration_ns", f->number_value, &extra->duration_ns);
	case 11: return read_cores(d, node, "cube_cores", f->number_value, &extra->cube_cores);
	case 12: return read_cores(d, node, "vector_cores", f->number_value, &extra->vector_cores);
	case 13:
		extra->has_comm = true;
		return read_comm(d, node, f->bytes, &extra->comm);
	case 14:
		extra->overwrite_count++;
		return sd__decode_overwrite(d, node, f->bytes);
	case 15:
		extra->write_count++;
		return read_write(d, node, f->bytes);
	default:
		extra->gang = f->number_value != 0;
		return SD_OK;
	}
}
