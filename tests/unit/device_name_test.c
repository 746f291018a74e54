/* device_name_test - devices by their names. */
#include "vendor_world.h"

#include "streamd/device_name.h"

START_TEST(names)
{
	static const struct {
		const char *text;
		enum sd_device_kind kind;
		int32_t number;
		const char *library;
	} rows[] = {
		{ "sim", SD_DEVICE_SIM, 0, "" },
		{ "host", SD_DEVICE_HOST, 0, "" },
		{ "acl", SD_DEVICE_ACL, 0, "" },
		{ "cuda", SD_DEVICE_CUDA, 0, "" },
		{ "cuda@3", SD_DEVICE_CUDA, 3, "" },
		{ "acl:/a/b.so", SD_DEVICE_ACL, 0, "/a/b.so" },
		{ "cuda:/a:b@c/d.so@7", SD_DEVICE_CUDA, 7, "/a:b@c/d.so" },
		{ "cuda:@1", SD_DEVICE_CUDA, 1, "" },
	};
	struct sd_device_name name;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		OK(sd_device_name_read(rows[i].text, &name, &diag));
		ck_assert_int_eq(name.kind, rows[i].kind);
		ck_assert_int_eq(name.number, rows[i].number);
		ck_assert_str_eq(name.library, rows[i].library);
	}
}
END_TEST

START_TEST(no_names)
{
	static const char *const wrong[] = { "", "simm", "si", "sim:x", "host@1", "cuda@", "cuda@x", "acl@-1", "cuda@99999999999", ":x", "@1" };
	char text[400] = "cuda:";
	struct sd_device_name name;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		FAILS(sd_device_name_read(wrong[i], &name, &diag), BAD_DEVICE_VALUE);
	memset(text + 5, 'x', 300);
	text[305] = '\0';
	FAILS(sd_device_name_read(text, &name, &diag), BAD_DEVICE_VALUE);
}
END_TEST

START_TEST(opened)
{
	static const char *const text[] = { "sim", "host", "acl:" ACL_STANDIN, "cuda:" CUDA_STANDIN "@1" };

	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
		struct sd_device_name name;
		struct sd_device_facts facts;

		OK(sd_device_name_read(text[i], &name, &diag));
		OK(sd_device_open_named(&name, &device, &diag));
		device->ops->facts(device, &facts);
		ck_assert_int_eq(strncmp(text[i], facts.name, strlen(facts.name)), 0);
		device->ops->close(device);
	}
}
END_TEST

RUN_TESTS("device_name", names, no_names, opened)
