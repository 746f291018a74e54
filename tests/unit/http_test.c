/* http_test - what a request's head asks for. */
#include <string.h>

#include "http.h"
#include "run_tests.h"

static const struct {
	const char *head;
	int status;
	enum sd_http_target target;
	bool is_head;
} row[] = {
	{ "GET /metrics HTTP/1.1\r\n\r\n", 200, SD_HTTP_METRICS, false },
	{ "GET /metrics HTTP/1.0\r\nHost: x\r\n\r\n", 200, SD_HTTP_METRICS, false },
	{ "GET /metrics?name[]=a HTTP/1.1\r\n\r\n", 200, SD_HTTP_METRICS, false },
	{ "HEAD /healthz HTTP/1.1\r\n\r\n", 200, SD_HTTP_HEALTHZ, true },
	{ "GET /readyz HTTP/1.1\r\n\r\n", 200, SD_HTTP_READYZ, false },
	{ "GET /metricsx HTTP/1.1\r\n\r\n", 404, SD_HTTP_OTHER, false },
	{ "GET /metric HTTP/1.1\r\n\r\n", 404, SD_HTTP_OTHER, false },
	{ "GET / HTTP/1.1\r\n\r\n", 200, SD_HTTP_PAGE, false },
	{ "HEAD /?x HTTP/1.1\r\nHost: localhost\r\n\r\n", 200, SD_HTTP_PAGE, true },
	{ "GET /status.json HTTP/1.1\r\nAccept: */*\r\nhOsT:\tLocalHost:9190 \r\n\r\n", 200, SD_HTTP_STATUS, false },
	{ "GET /status.json HTTP/1.1\r\nHost: 127.0.0.1:9190\r\n\r\n", 200, SD_HTTP_STATUS, false },
	{ "GET /status.json HTTP/1.1\r\nHost: 10.1.2.3\r\n\r\n", 200, SD_HTTP_STATUS, false },
	{ "GET /status.json HTTP/1.1\r\nHost: [::1]:9190\r\n\r\n", 200, SD_HTTP_STATUS, false },
	{ "GET /status.json HTTP/1.1\r\nHost: [::1]\r\n\r\n", 200, SD_HTTP_STATUS, false },
	{ "GET /status HTTP/1.1\r\n\r\n", 404, SD_HTTP_OTHER, false },
	{ "GET //status.json HTTP/1.1\r\n\r\n", 404, SD_HTTP_OTHER, false },
	{ "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421, SD_HTTP_PAGE, false },
	{ "GET /status.json HTTP/1.1\r\nHost: evil.example:9190\r\n\r\n", 421, SD_HTTP_STATUS, false },
	{ "GET /status.json HTTP/1.1\r\nHost: localhost.evil.example\r\n\r\n", 421, SD_HTTP_STATUS, false },
	{ "GET /status.json HTTP/1.1\r\nHost: 127.0.0.1.evil.example\r\n\r\n", 421, SD_HTTP_STATUS, false },
	{ "GET /status.json HTTP/1.1\r\nHost: localhost:9190x\r\n\r\n", 421, SD_HTTP_STATUS, false },
	{ "GET /status.json HTTP/1.1\r\nHost: 127.0.0.1:evil\r\n\r\n", 421, SD_HTTP_STATUS, false },
	{ "GET /status.json HTTP/1.1\r\nHost: [::1].evil.example\r\n\r\n", 421, SD_HTTP_STATUS, false },
	{ "GET /status.json HTTP/1.1\r\nHost: [::1\r\n\r\n", 421, SD_HTTP_STATUS, false },
	{ "GET /status.json HTTP/1.1\r\nHost:\r\n\r\n", 421, SD_HTTP_STATUS, false },
	{ "GET /status.json HTTP/1.1\r\nHost: []\r\n\r\n", 421, SD_HTTP_STATUS, false },
	{ "GET /status.json HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", 421, SD_HTTP_STATUS, false },
	{ "GET /metrics HTTP/1.1\r\nHost: node7.example\r\n\r\n", 200, SD_HTTP_METRICS, false },
	{ "POST /metrics HTTP/1.1\r\n\r\n", 405, SD_HTTP_OTHER, false },
	{ "GETX /metrics HTTP/1.1\r\n\r\n", 405, SD_HTTP_OTHER, false },
	{ "GET /metrics\r\n\r\n", 400, SD_HTTP_OTHER, false },
	{ "GET metrics HTTP/1.1\r\n\r\n", 400, SD_HTTP_OTHER, false },
	{ "GET /metrics HTTP/2.0\r\n\r\n", 400, SD_HTTP_OTHER, false },
	{ "GET /metrics HTTP\r\n\r\n", 400, SD_HTTP_OTHER, false },
	{ " /metrics HTTP/1.1\r\n\r\n", 400, SD_HTTP_OTHER, false },
	{ "\r\n\r\n", 400, SD_HTTP_OTHER, false },
	{ "\r\nGET /metrics HTTP/1.1\r\n\r\n", 400, SD_HTTP_OTHER, false },
};

START_TEST(heads)
{
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct sd_http_request got = sd_http_parse(row[i].head, strlen(row[i].head));

		ck_assert_msg(got.status == row[i].status, "%s: %d", row[i].head, got.status);
		ck_assert_msg(got.status != 200 || (got.target == row[i].target && got.is_head == row[i].is_head), "%s", row[i].head);
	}
}
END_TEST

START_TEST(every_beginning_of_a_head_is_safe)
{
	const char *head = "HEAD /?x HTTP/1.1\r\nHost: [::1]:9190\r\nhost:localhost:1\r\nHost:1.2.3.4\r\n\r\n";

	for (size_t len = 0; len <= strlen(head); len++) {
		char *copy = malloc(len + 1);

		memcpy(copy, head, len);
		sd_http_parse(copy, len);
		free(copy);
	}
}
END_TEST

RUN_TESTS("http", heads, every_beginning_of_a_head_is_safe)
