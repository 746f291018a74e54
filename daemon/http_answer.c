#include <stdio.h>
#include <string.h>

#include "http.h"
#include "server.h"
#include "status_page.h"

#define PLAIN "text/plain; charset=utf-8"

static const char *const type_of[] = {
	[SD_HTTP_METRICS] = "text/plain; version=0.0.4; charset=utf-8", [SD_HTTP_HEALTHZ] = PLAIN, [SD_HTTP_READYZ] = PLAIN,
	[SD_HTTP_PAGE] = "text/html; charset=utf-8", [SD_HTTP_STATUS] = "application/json", [SD_HTTP_OTHER] = PLAIN,
};

/* Nothing from anywhere else, and in nobody's frame; the page's own script and style by their digests. */
static const char no_policy[] = "default-src 'none'; frame-ancestors 'none'";

static const char *reason_of(int status)
{
	switch (status) {
	case 200: return "OK";
	case 404: return "Not Found";
	case 405: return "Method Not Allowed";
	case 421: return "Misdirected Request";
	case 431: return "Request Header Fields Too Large";
	case 503: return "Service Unavailable";
	default: return "Bad Request";
	}
}

static struct sd_blob *metrics_text(struct sd_server *server)
{
	struct sd_blob *text = sd_blob_create(SD_METRICS_TEXT_MAX);
	uint64_t gauge[SD_GAUGES];

	if (text) {
		sd_server_gauges(server, gauge);
		text->len = sd_metrics_write(&server->metrics, gauge, (char *)text->data, SD_METRICS_TEXT_MAX);
	}
	return text;
}

static void set_words(struct sd_http_answer *answer, const char *words)
{
	answer->body = words;
	answer->body_len = strlen(words);
}

_Static_assert(SD_HTTP_CONNECTIONS_MAX == 64, "the words of 503 name it");

/* What has no body of its own is told why. */
static const char *words_of(int status)
{
	switch (status) {
	case 404: return "Not Found: there are /, /status.json, /metrics, /healthz and /readyz; the first two where http.page is 1\n";
	case 405: return "Method Not Allowed: GET and HEAD are\n";
	case 421: return "Misdirected Request: ask for this by the address of this machine, or as localhost\n";
	case 431: return "Request Header Fields Too Large\n";
	case 503: return "Service Unavailable: all 64 connections for watchers are taken; come again in a second\n";
	default: return "Bad Request\n";
	}
}

static bool make_body(struct sd_server *server, struct sd_http_request *request, struct sd_http_answer *answer)
{
	switch (request->target) {
	case SD_HTTP_METRICS:
		answer->blob = metrics_text(server);
		break;
	case SD_HTTP_STATUS:
		answer->blob = sd_status_text(server);
		break;
	case SD_HTTP_PAGE:
		answer->body = sd_status_page;
		answer->body_len = sd_status_page_len;
		return true;
	case SD_HTTP_READYZ:
		request->status = sd_server_is_draining(server) ? 503 : 200;
		set_words(answer, request->status == 200 ? "ready\n" : "draining\n");
		return true;
	default:
		set_words(answer, "ok\n");
		return true;
	}
	if (answer->blob) {
		answer->body = answer->blob->data;
		answer->body_len = answer->blob->len;
	}
	return answer->blob != NULL;
}

bool sd_http_answer_make(struct sd_server *server, struct sd_http_request request, struct sd_http_answer *answer)
{
	bool is_full = request.status == 503; /* a drain is not in the request */
	int len;

	answer->blob = NULL;
	if (request.status == 200 && !server->config.http_page && (request.target == SD_HTTP_PAGE || request.target == SD_HTTP_STATUS))
		request.status = 404;
	if (request.status != 200)
		set_words(answer, words_of(request.status));
	else if (!make_body(server, &request, answer))
		return false;
	len = snprintf(answer->head, sizeof(answer->head),
	               "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nCache-Control: no-store\r\n"
	               "Content-Security-Policy: %s\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n"
	               "Cross-Origin-Resource-Policy: same-origin\r\n%sConnection: close\r\n\r\n",
	               request.status, reason_of(request.status), request.status == 200 ? type_of[request.target] : PLAIN, answer->body_len,
	               request.status == 200 && request.target == SD_HTTP_PAGE ? sd_status_page_policy : no_policy,
	               request.status == 405 ? "Allow: GET, HEAD\r\n" : is_full ? "Retry-After: 1\r\n" : "");
	answer->head_len = (size_t)len;
	if (request.is_head)
		answer->body_len = 0;
	return len > 0 && (size_t)len < sizeof(answer->head);
}
