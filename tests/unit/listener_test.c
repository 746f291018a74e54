/* listener_test - where the socket is. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "listener.h"
#include "run_tests.h"

START_TEST(configured_path_wins_and_creates_nothing)
{
	struct sd_socket_place place;

	ck_assert(sd_socket_find("/some/where.sock", "/tmp", &place));
	ck_assert_str_eq(place.path, "/some/where.sock");
	ck_assert_str_eq(place.directory, "");
	ck_assert(!place.is_service);
}
END_TEST

START_TEST(user_s_folder_where_there_is_one)
{
	struct sd_socket_place place;

	ck_assert(sd_socket_find("", "/tmp", &place));
	ck_assert_str_eq(place.path, "/tmp/streamd/streamd.sock");
	ck_assert_str_eq(place.directory, "/tmp/streamd");
	ck_assert(!place.is_service);
}
END_TEST

START_TEST(else_the_service_s)
{
	static const char *const none[] = { NULL, "", "/no/such/folder" };

	for (size_t i = 0; i < 3; i++) {
		struct sd_socket_place place;

		ck_assert(sd_socket_find("", none[i], &place));
		ck_assert_str_eq(place.path, "/run/streamd/streamd.sock");
		ck_assert_str_eq(place.directory, "/run/streamd");
		ck_assert(place.is_service);
	}
}
END_TEST

START_TEST(path_must_fit_the_address)
{
	struct sd_socket_place place;
	char folder[] = "/tmp/listener_test.XXXXXX", deep[128];

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(deep, sizeof(deep), "%s/%070d", folder, 1);
	ck_assert_int_eq(mkdir(deep, 0700), 0);
	ck_assert(!sd_socket_find("", deep, &place));
	rmdir(deep);
	rmdir(folder);
}
END_TEST

RUN_TESTS("listener", configured_path_wins_and_creates_nothing, user_s_folder_where_there_is_one, else_the_service_s,
          path_must_fit_the_address)
