#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "http.h"

static const char *const target_path[] = {
	[SD_HTTP_METRICS] = "/metrics", [SD_HTTP_HEALTHZ] = "/healthz", [SD_HTTP_READYZ] = "/readyz",
	[SD_HTTP_PAGE] = "/", [SD_HTTP_STATUS] = "/status.json",
};

static enum sd_http_target find_target(const char *path, size_t len)
{
	const char *query = memchr(path, '?', len);

	if (query)
		len = (size_t)(query - path);
	for (int target = 0; target < SD_HTTP_OTHER; target++) {
		if (strlen(target_path[target]) == len && memcmp(target_path[target], path, len) == 0)
			return (enum sd_http_target)target;
	}
	return SD_HTTP_OTHER;
}

static bool is_version(const char *at, size_t len)
{
	return len >= 8 && memcmp(at, "HTTP/1.", 7) == 0 && (at[7] == '0' || at[7] == '1');
}

/* ---- whom the request takes us for ---- */

static bool all_of(const char *at, size_t len, const char *more)
{
	for (size_t i = 0; i < len; i++) {
		if (!isdigit((unsigned char)at[i]) && (at[i] == '\0' || !strchr(more, at[i])))
			return false;
	}
	return len > 0;
}

/* An address, or localhost, with or without a port: no name that somebody else can make lead here. */
static bool is_own_host(const char *at, size_t len)
{
	const char *close = len && *at == '[' ? memchr(at, ']', len) : NULL;
	const char *colon = close ? close + 1 : memchr(at, ':', len);
	size_t name = colon ? (size_t)(colon - at) : len, port = len - name;

	if (port && (*colon != ':' || (port > 1 && !all_of(colon + 1, port - 1, ""))))
		return false;
	if (close)
		return all_of(at + 1, name - 2, "abcdefABCDEF:.");
	return (name == 9 && strncasecmp(at, "localhost", 9) == 0) || all_of(at, name, ".");
}

/* Whether every Host of the head is this machine. Without any it is no browser, and no name was made to lead here. */
static bool asks_for_us(const char *head, size_t len)
{
	const char *end = head + len, *line, *next;

	for (line = head; (next = memmem(line, (size_t)(end - line), "\r\n", 2)); line = next + 2) {
		const char *at = line + 5, *last = next;

		if (next - line < 5 || strncasecmp(line, "host:", 5) != 0)
			continue;
		while (at < last && (*at == ' ' || *at == '\t'))
			at++;
		while (last > at && (last[-1] == ' ' || last[-1] == '\t'))
			last--;
		if (!is_own_host(at, (size_t)(last - at)))
			return false;
	}
	return true;
}

struct sd_http_request sd_http_parse(const char *head, size_t len)
{
	struct sd_http_request request = { .status = 400, .target = SD_HTTP_OTHER };
	const char *end = memchr(head, '\r', len), *path, *version;
	size_t line = end ? (size_t)(end - head) : len;

	path = memchr(head, ' ', line);
	version = path ? memchr(path + 1, ' ', line - (size_t)(path + 1 - head)) : NULL;
	if (!version || path == head || path[1] != '/' || !is_version(version + 1, line - (size_t)(version + 1 - head)))
		return request;
	request.is_head = (size_t)(path - head) == 4 && memcmp(head, "HEAD", 4) == 0;
	if (!request.is_head && ((size_t)(path - head) != 3 || memcmp(head, "GET", 3) != 0)) {
		request.status = 405;
		return request;
	}
	request.target = find_target(path + 1, (size_t)(version - path - 1));
	if ((request.target == SD_HTTP_PAGE || request.target == SD_HTTP_STATUS) && !asks_for_us(head, len))
		request.status = 421;
	else
		request.status = request.target == SD_HTTP_OTHER ? 404 : 200;
	return request;
}
