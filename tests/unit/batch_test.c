/* batch_test - the requests of a batch: what the walk finds is what protobuf-c finds, and the first fault is told with its place. */
#include "proto/batch.h"
#include "run_tests.h"
#include "streamd.pb-c.h"

#define MOST 64

static struct sd_text item[MOST];
static struct sd_diag diag;

static enum sd_status find(const void *bytes, size_t len, uint64_t *count)
{
	struct sd_text text = { bytes, (uint32_t)len };
	enum sd_status status;

	diag = (struct sd_diag){ 0 };
	status = sd_batch_count(text, count, &diag);
	if (status == SD_OK && *count <= MOST)
		sd_batch_split(text, item);
	return status;
}

#define FIND(bytes) find((bytes), sizeof(bytes) - 1, &count)

START_TEST(nothing_is_no_request)
{
	uint64_t count;

	ck_assert_int_eq(find(NULL, 0, &count), SD_OK);
	ck_assert_uint_eq(count, 0);
}
END_TEST

START_TEST(they_are_found_in_order_between_unknown_fields)
{
	uint64_t count;

	ck_assert_int_eq(FIND("\x3a\x01x\x0a\x02" "ab\x48\x07\x0a\x00\x0a\x01" "c\x45" "1234"), SD_OK);
	ck_assert_uint_eq(count, 3);
	ck_assert(sd_text_is(item[0], "ab") && sd_text_is(item[1], "") && sd_text_is(item[2], "c"));
}
END_TEST

START_TEST(what_is_in_them_is_not_looked_at)
{
	uint64_t count;

	ck_assert_int_eq(FIND("\x0a\x03\x0a\xff\xff\x0a\x01\x0b"), SD_OK);
	ck_assert_uint_eq(count, 2);
}
END_TEST

START_TEST(a_fault_is_told_with_its_place)
{
	uint64_t count;

	ck_assert_int_eq(FIND("\x0a\x02" "ab\x0a\x05xy"), SD_INVALID_ARGUMENT);
	ck_assert_int_eq(diag.code, SD_CODE_BAD_WIRE);
	ck_assert_int_eq(diag.arg[0].number, 4);
	ck_assert_int_eq(FIND("\x0a\x00\x08\x07"), SD_INVALID_ARGUMENT); /* a number, which is no request */
	ck_assert_int_eq(diag.arg[0].number, 2);
	ck_assert_int_eq(FIND("\x0b"), SD_INVALID_ARGUMENT);
	ck_assert_int_eq(diag.arg[0].number, 0);
}
END_TEST

START_TEST(protobuf_finds_the_same)
{
	Streamd__V1__PlanRequest request, *list[3] = { &request, &request, &request };
	Streamd__V1__PlanBatchRequest batch;
	Streamd__V1__Device device;
	uint8_t bytes[256], one[64];
	uint64_t count;
	size_t len;

	streamd__v1__plan_request__init(&request);
	streamd__v1__plan_batch_request__init(&batch);
	streamd__v1__device__init(&device);
	device.profile = (char *)(uintptr_t)"ascend910b";
	request.device = &device;
	batch.n_requests = 3;
	batch.requests = list;
	ck_assert_int_eq(find(bytes, streamd__v1__plan_batch_request__pack(&batch, bytes), &count), SD_OK);
	ck_assert_uint_eq(count, 3);
	len = streamd__v1__plan_request__pack(&request, one);
	for (int i = 0; i < 3; i++)
		ck_assert(item[i].len == len && memcmp(item[i].at, one, len) == 0);
}
END_TEST

RUN_TESTS("batch", nothing_is_no_request, they_are_found_in_order_between_unknown_fields, what_is_in_them_is_not_looked_at,
          a_fault_is_told_with_its_place, protobuf_finds_the_same)
