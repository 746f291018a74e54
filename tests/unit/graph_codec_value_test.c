/* graph_codec_value_test - values of every kind, lists, maps. */
#include "lib/decoding.h"
#include "lib/wire_text.h"
#include "run_tests.h"

/* The value of the only attribute of the only node. */
static const struct sd_value *value_of(struct decoding **d, const char *attr)
{
	char text[512];

	snprintf(text, sizeof(text), "2{1\"n\" 2\"Op\" 6{1\"a\" %s}}", attr);
	*d = decode_graph(text);
	ck_assert_msg((*d)->status == SD_OK, "%s: %s", attr, (*d)->message);
	return &(*d)->request.graph.attr[0].value;
}

START_TEST(single_values)
{
	struct decoding *d;
	const struct sd_value *v = value_of(&d, "2{1\"text\"}");

	ck_assert(v->kind == SD_VALUE_STRING && sd_text_is(v->string, "text"));
	decoding_end(d);
	v = value_of(&d, "2{1\"\"}");
	ck_assert(v->kind == SD_VALUE_STRING && v->string.len == 0);
	decoding_end(d);
	v = value_of(&d, "2{2=-9223372036854775807}");
	ck_assert(v->kind == SD_VALUE_INT && v->integer == -INT64_MAX);
	decoding_end(d);
	v = value_of(&d, "2{3~-0.25}");
	ck_assert(v->kind == SD_VALUE_FLOAT && v->real == -0.25);
	decoding_end(d);
	v = value_of(&d, "2{4=1}");
	ck_assert(v->kind == SD_VALUE_BOOL && v->boolean);
	decoding_end(d);
	v = value_of(&d, "2{4=0}");
	ck_assert(v->kind == SD_VALUE_BOOL && !v->boolean);
	decoding_end(d);
}
END_TEST

START_TEST(of_several_members_the_last_one_holds)
{
	struct decoding *d;
	const struct sd_value *v = value_of(&d, "2{1\"text\" 5{2=1} 2=5}");

	ck_assert(v->kind == SD_VALUE_INT && v->integer == 5);
	decoding_end(d);
	v = value_of(&d, "2{2=5 5{2=1}}");
	ck_assert(v->kind == SD_VALUE_LIST && v->list.count == 1);
	decoding_end(d);
}
END_TEST

START_TEST(lists_of_one_kind)
{
	struct decoding *d;
	const struct sd_value *v = value_of(&d, "2{5{1\"x\" 1\"\" 1\"yz\"}}");

	ck_assert(v->kind == SD_VALUE_LIST && v->list.item == SD_VALUE_STRING && v->list.count == 3);
	ck_assert(sd_text_is(v->list.string[2], "yz") && v->list.string[1].len == 0);
	decoding_end(d);
	v = value_of(&d, "2{5{2[1 -2] 2=3 2[]}}");
	ck_assert(v->list.item == SD_VALUE_INT && v->list.count == 3);
	ck_assert(v->list.integer[0] == 1 && v->list.integer[1] == -2 && v->list.integer[2] == 3);
	decoding_end(d);
	v = value_of(&d, "2{5{3~0.5 3[~1 2]}}");
	ck_assert(v->list.item == SD_VALUE_FLOAT && v->list.count == 3 && v->list.real[0] == 0.5 && v->list.real[2] == 2);
	decoding_end(d);
	v = value_of(&d, "2{5{4[1 0 7] 4=0}}");
	ck_assert(v->list.item == SD_VALUE_BOOL && v->list.count == 4);
	ck_assert(v->list.boolean[0] == 1 && v->list.boolean[1] == 0 && v->list.boolean[2] == 1 && v->list.boolean[3] == 0);
	decoding_end(d);
}
END_TEST

START_TEST(the_empty_list_is_one_of_strings)
{
	static const char *const rows[] = { "2{5{}}", "2{5{2[]}}", "2{5{3[] 4[]}}" };

	for (size_t i = 0; i < 3; i++) {
		struct decoding *d;
		const struct sd_value *v = value_of(&d, rows[i]);

		ck_assert(v->kind == SD_VALUE_LIST && v->list.count == 0);
		ck_assert_msg(i > 0 || v->list.item == SD_VALUE_STRING, "%s", rows[i]);
		decoding_end(d);
	}
}
END_TEST

START_TEST(lists_of_lists)
{
	struct decoding *d;
	const struct sd_value *v = value_of(&d, "2{6{1{1[1 2]} 1{} 1{1=3}}}");

	ck_assert(v->kind == SD_VALUE_LISTS && v->count == 3);
	ck_assert(v->lists[0].count == 2 && v->lists[1].count == 0 && v->lists[2].integer[0] == 3);
	decoding_end(d);
	v = value_of(&d, "2{6{}}");
	ck_assert(v->kind == SD_VALUE_LISTS && v->count == 0);
	decoding_end(d);
}
END_TEST

START_TEST(maps_are_sorted_by_name)
{
	struct decoding *d;
	const struct sd_value *v = value_of(&d, "3{1{1\"y\" 2{2=1}} 1{1\"x\" 2{5{1\"s\"}}}}");

	ck_assert(v->kind == SD_VALUE_MAP && v->count == 1 && v->maps[0].count == 2);
	ck_assert(sd_text_is(v->maps[0].entry[0].name, "x") && v->maps[0].entry[0].value.kind == SD_VALUE_LIST);
	ck_assert(v->maps[0].entry[1].value.integer == 1);
	decoding_end(d);
	v = value_of(&d, "4{1{1{1\"k\" 2{2=1}}} 1{} 1{1{1\"k\" 2{2=3}} 1{1\"j\" 2{2=2}}}}");
	ck_assert(v->kind == SD_VALUE_MAPS && v->count == 3);
	ck_assert(v->maps[0].count == 1 && v->maps[1].count == 0 && v->maps[2].count == 2);
	ck_assert(v->maps[0].entry[0].value.integer == 1 && v->maps[2].entry[0].value.integer == 2);
	decoding_end(d);
	v = value_of(&d, "3{}");
	ck_assert(v->kind == SD_VALUE_MAP && v->maps[0].count == 0);
	decoding_end(d);
}
END_TEST

START_TEST(bad_values_are_refused)
{
	static const struct refusal rows[] = {
		{ "2{}", SD_CODE_BAD_ATTR, "'n': attribute 'a' must be given a value" },
		{ "2{9=1}", SD_CODE_BAD_ATTR, "given a value" },
		{ "2{1\"\\xff\"}", SD_CODE_BAD_ATTR, "UTF-8 text without NUL" },
		{ "2{1\"a\\x00\"}", SD_CODE_BAD_ATTR, "UTF-8 text without NUL" },
		{ "2{5{1\"ok\" 1\"\\xc3\"}}", SD_CODE_BAD_ATTR, "UTF-8 text without NUL" },
		{ "2{5{2[1] 3~1}}", SD_CODE_BAD_WIRE, "a list holds items of several kinds" },
		{ "2{5{1\"x\" 4=1}}", SD_CODE_BAD_WIRE, "several kinds" },
		{ "3{1{1\"k\" 2{5{1\"x\" 2=1}}}}", SD_CODE_BAD_WIRE, "several kinds" },
		{ "3{1{1\"k\"}}", SD_CODE_BAD_ATTR, "given a value" },
		{ "3{1{2{2=1}}}", SD_CODE_BAD_NAME, "attribute name" },
		{ "4{1{} 1{1{1\"k\" 2{1\"\\xff\"}}}}", SD_CODE_BAD_ATTR, "UTF-8" },
	};

	EXPECT_REFUSALS(rows, "1{2{1\"n\" 2\"Op\" 6{1\"a\" ", "}}}");
}
END_TEST

START_TEST(a_string_has_at_most_64_kib)
{
	for (int over = 0; over < 2; over++) {
		char *text = malloc(70000);
		struct decoding *d;
		int at = sprintf(text, "2{1\"n\" 2\"Op\" 6{1\"a\" 2{1\"");

		memset(text + at, 'x', SD_TEXT_VALUE_BYTES_MAX + (size_t)over);
		strcpy(text + at + SD_TEXT_VALUE_BYTES_MAX + over, "\"}}}");
		d = decode_graph(text);
		ck_assert_int_eq(d->diag.code, over ? SD_CODE_BAD_ATTR : SD_CODE_NONE);
		decoding_end(d);
		free(text);
	}
}
END_TEST

RUN_TESTS("graph_codec_value", single_values, of_several_members_the_last_one_holds, lists_of_one_kind,
          the_empty_list_is_one_of_strings, lists_of_lists, maps_are_sorted_by_name, bad_values_are_refused,
          a_string_has_at_most_64_kib)
