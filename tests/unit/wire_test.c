/* wire_test - the wire format: what is read, what is refused, what is written. */
#include "lib/wire_text.h"
#include "proto/wire.h"
#include "run_tests.h"

static struct sd_arena mem;

static void reset(void)
{
	sd_arena_finish(&mem);
}

/* Fields that can be read before the end or the first malformed one. */
static int count_fields(struct sd_text bytes, bool *bad)
{
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field field;
	int count = 0;

	while (sd_wire_next(&wire, &field))
		count++;
	*bad = wire.bad;
	ck_assert(!sd_wire_next(&wire, &field));
	return count;
}

START_TEST(every_kind_of_field_is_read)
{
	struct sd_wire wire = sd_wire_over(wire_text(&mem, "1\"ab\" 2=300 3~1.5 4%7 5=-1 536870911\"x\""));
	struct sd_field f;
	double real;

	ck_assert(sd_wire_next(&wire, &f) && f.number == 1 && f.type == SD_WIRE_BYTES && sd_text_is(f.bytes, "ab"));
	ck_assert(sd_wire_next(&wire, &f) && f.number == 2 && f.type == SD_WIRE_VARINT && f.number_value == 300);
	ck_assert(sd_wire_next(&wire, &f) && f.number == 3 && f.type == SD_WIRE_FIXED64);
	memcpy(&real, &f.number_value, sizeof(real));
	ck_assert(real == 1.5);
	ck_assert(sd_wire_next(&wire, &f) && f.number == 4 && f.type == SD_WIRE_FIXED32 && f.number_value == 7);
	ck_assert(sd_wire_next(&wire, &f) && f.number == 5 && f.number_value == UINT64_MAX && f.bytes.len == 0);
	ck_assert(sd_wire_next(&wire, &f) && f.number == SD_FIELD_MAX && sd_text_is(f.bytes, "x"));
	ck_assert(!sd_wire_next(&wire, &f) && !wire.bad);
	reset();
}
END_TEST

START_TEST(malformed_fields_are_refused)
{
	static const struct {
		const char *text;
		int good; /* fields before it */
	} rows[] = {
		{ "#00", 0 },                          /* field number 0 */
		{ "#02" "00", 0 },
		{ "1=1 #0a05" "6162", 1 },             /* length past the end */
		{ "#0a", 0 },                          /* no length */
		{ "#0aff", 0 },                        /* length cut off */
		{ "#0affffffffffffffffff01", 0 },      /* length of 2^64 - 1 */
		{ "#0a80808080808080808002", 0 },      /* length that is no 64-bit number */
		{ "#08", 0 },                          /* varint missing */
		{ "#08ff", 0 },                        /* varint cut off */
		{ "#08ffffffffffffffffff02", 0 },      /* more than 64 bits */
		{ "#08ffffffffffffffffffff01", 0 },    /* more than 10 bytes */
		{ "#09" "01020304050607", 0 },         /* fixed64 cut off */
		{ "#0d" "010203", 0 },                 /* fixed32 cut off */
		{ "#0b", 0 }, { "#0c", 0 },            /* groups */
		{ "#0e00", 0 }, { "#0f00", 0 },        /* types that do not exist */
		{ "#8080808010" "00", 0 },             /* field number 2^29 */
		{ "#ffffffffffffffffff01" "00", 0 },
		{ "(3 1\"a\") #0a02" "61", 3 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool bad;
		int good = count_fields(wire_text(&mem, rows[i].text), &bad);

		ck_assert_msg(bad && good == rows[i].good, "row %zu: %d fields, %s", i, good, bad ? "malformed" : "well");
	}
	reset();
}
END_TEST

START_TEST(every_cut_of_a_message_is_safe)
{
	struct sd_text whole = wire_text(&mem, "1\"abc\" 2=300 3~1.5 4%7 1{2{3\"deep\"}} (40 6\"0123456789\")");

	for (uint32_t len = 0; len < whole.len; len++) {
		/* A copy of its own, so that a look past the end is seen. */
		char *copy = malloc(len ? len : 1);
		bool bad;

		memcpy(copy, whole.at, len);
		count_fields((struct sd_text){ copy, len }, &bad);
		free(copy);
	}
	reset();
}
END_TEST

START_TEST(a_bad_message_points_at_the_field)
{
	struct sd_text bytes = wire_text(&mem, "1\"ab\" #0a7f");
	struct sd_wire wire = sd_wire_over(bytes);
	struct sd_field f;

	while (sd_wire_next(&wire, &f))
		;
	ck_assert(wire.bad);
	ck_assert_int_eq((const char *)wire.at - bytes.at, 4);
	reset();
}
END_TEST

START_TEST(repeated_numbers_come_packed_or_one_by_one)
{
	struct sd_wire wire = sd_wire_over(wire_text(&mem, "1[1 300 -1] 1=7 1[] 2[~1.5 2]"));
	struct sd_field f;
	uint64_t value, sum = 0;
	int count = 0, reals = 0;

	while (sd_wire_next(&wire, &f)) {
		struct sd_wire packed = sd_wire_over(f.bytes);
		enum sd_wire_type kind = f.number == 1 ? SD_WIRE_VARINT : SD_WIRE_FIXED64;

		for (bool more = sd_wire_first(&f, &packed, kind, &value); more; more = sd_wire_more(&packed, kind, &value)) {
			count += f.number == 1;
			reals += f.number == 2;
			sum += f.number == 1 ? value : 0;
		}
		ck_assert(!packed.bad);
	}
	ck_assert_int_eq(count, 4);
	ck_assert_int_eq(reals, 2);
	ck_assert_uint_eq(sum, 1 + 300 - 1 + 7);
	reset();
}
END_TEST

START_TEST(packed_numbers_that_are_cut_off_are_refused)
{
	const struct { const char *text; enum sd_wire_type kind; } rows[] = {
		{ "#0a0301" "0280", SD_WIRE_VARINT },
		{ "#0a09" "010203040506070809", SD_WIRE_FIXED64 },
	};

	for (size_t i = 0; i < 2; i++) {
		struct sd_wire wire = sd_wire_over(wire_text(&mem, rows[i].text)), packed;
		struct sd_field f;
		uint64_t value;

		ck_assert(sd_wire_next(&wire, &f));
		packed = sd_wire_over(f.bytes);
		for (bool more = sd_wire_first(&f, &packed, rows[i].kind, &value); more;
		     more = sd_wire_more(&packed, rows[i].kind, &value))
			;
		ck_assert(packed.bad);
	}
	reset();
}
END_TEST

START_TEST(zigzag_is_undone)
{
	static const int64_t values[] = { 0, -1, 1, -2, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN };

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct sd_buffer b;
		struct sd_wire wire;
		struct sd_field f = { 0 };

		sd_buffer_init(&b, &mem, 1);
		sd_put_sint(&b, 1, values[i]);
		wire = sd_wire_over((struct sd_text){ (const char *)b.data, (uint32_t)b.len });
		ck_assert_int_eq(sd_wire_next(&wire, &f), values[i] != 0);
		ck_assert_int_eq(sd_zigzag(f.number_value), values[i]);
	}
	reset();
}
END_TEST

START_TEST(lengths_of_any_size_are_written_short)
{
	static const uint32_t sizes[] = { 0, 1, 127, 128, 16383, 16384, 2097151, 2097152 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct sd_buffer b;
		struct sd_wire wire;
		struct sd_field f;
		size_t begun;
		char *content = calloc(1, sizes[i] + 1);

		memset(content, 'x', sizes[i]);
		sd_buffer_init(&b, &mem, 0);
		begun = sd_put_begin(&b, 3);
		sd_buffer_append(&b, content, sizes[i]);
		sd_put_end(&b, begun);
		sd_put_uint(&b, 4, 5);
		wire = sd_wire_over((struct sd_text){ (const char *)b.data, (uint32_t)b.len });
		ck_assert(sd_wire_next(&wire, &f) && f.number == 3);
		ck_assert_uint_eq(f.bytes.len, sizes[i]);
		ck_assert_mem_eq(f.bytes.at, content, sizes[i]);
		ck_assert_uint_eq(b.len, 1 + (sizes[i] < 128 ? 1u : sizes[i] < 16384 ? 2u : sizes[i] < 2097152 ? 3u : 4u) + sizes[i] + 2);
		ck_assert(sd_wire_next(&wire, &f) && f.number == 4 && f.number_value == 5);
		free(content);
	}
	reset();
}
END_TEST

START_TEST(what_is_empty_is_left_out)
{
	struct sd_buffer b;

	sd_buffer_init(&b, &mem, 16);
	sd_put_uint(&b, 1, 0);
	sd_put_sint(&b, 2, 0);
	sd_put_bytes(&b, 3, "", 0);
	ck_assert_uint_eq(b.len, 0);
	sd_put_uint_always(&b, 1, 0);
	ck_assert_uint_eq(b.len, 2);
	reset();
}
END_TEST

START_TEST(a_buffer_over_budget_says_so)
{
	struct sd_arena small;
	struct sd_buffer b;
	size_t begun;

	sd_arena_init(&small, 256);
	sd_buffer_init(&b, &small, 32);
	begun = sd_put_begin(&b, 1);
	for (int i = 0; i < 1000; i++)
		sd_put_bytes(&b, 2, "0123456789", 10);
	sd_put_end(&b, begun);
	ck_assert(b.failed);
	sd_arena_finish(&small);
}
END_TEST

RUN_TESTS("wire", every_kind_of_field_is_read, malformed_fields_are_refused, every_cut_of_a_message_is_safe,
          a_bad_message_points_at_the_field, repeated_numbers_come_packed_or_one_by_one,
          packed_numbers_that_are_cut_off_are_refused, zigzag_is_undone, lengths_of_any_size_are_written_short,
          what_is_empty_is_left_out, a_buffer_over_budget_says_so)
