/* A session that does what standard input says, line by line: plan MODEL [OPTIONS], lease WAIT_MS, run DEVICE RUNS, close.
 * Each line is answered by one: `ok` with figures, or the code and the message of the error. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "streamd_session.h"

#define LINE_MAX_BYTES 4096

struct steps {
	struct sd_session *session;
	struct sd_client_error error;
	char figures[8192];
};

static enum sd_status do_plan(struct steps *s, char *words)
{
	char *options = strchr(words, ' ');
	struct sd_session_plan plan;
	enum sd_status status;

	if (options)
		*options++ = '\0';
	status = sd_session_plan(s->session, words, options, &plan, &s->error);
	if (status == SD_OK)
		snprintf(s->figures, sizeof(s->figures), "nodes=%u streams=%u events=%u notifies=%u syncs=%u from_cache=%d", plan.nodes, plan.streams,
		         plan.events, plan.notifies, plan.syncs, plan.from_cache);
	return status;
}

static enum sd_status do_lease(struct steps *s, const char *words)
{
	struct sd_session_lease lease;
	enum sd_status status = sd_session_lease(s->session, (uint32_t)strtoul(words, NULL, 10), &lease, &s->error);

	if (status == SD_OK)
		snprintf(s->figures, sizeof(s->figures), "streams=%u new_streams=%u events=%" PRIu64 " notifies=%" PRIu64 " waited_ms=%" PRIu64, lease.streams,
		         lease.new_streams, lease.events, lease.notifies, lease.waited_ms);
	return status;
}

static enum sd_status do_run(struct steps *s, char *words)
{
	char *runs = strchr(words, ' ');
	struct sd_session_run run;
	enum sd_status status;
	int len;

	if (runs)
		*runs++ = '\0';
	status = sd_session_run(s->session, *words ? words : NULL, runs ? (uint32_t)strtoul(runs, NULL, 10) : 0, &run, &s->error);
	if (status != SD_OK)
		return status;
	len = snprintf(s->figures, sizeof(s->figures), "runs=%u made_streams=%u edges=%" PRIu64 " orders=%" PRIu64 " span_ns=%" PRIu64 " busy_ns=%" PRIu64
	               " overlap_ns=%" PRIu64 " overlap=%f", run.runs, run.made_streams, run.edges, run.orders, run.span_ns, run.busy_ns, run.overlap_ns, run.overlap);
	for (uint32_t i = 0; i < run.stream_count && len < (int)sizeof(s->figures) - 100; i++)
		len += snprintf(s->figures + len, sizeof(s->figures) - (size_t)len, " slot=%" PRIu64 ":%" PRIu64, run.stream[i].slot, run.stream[i].tasks);
	return status;
}

static enum sd_status do_step(struct steps *s, char *line)
{
	char *words = strchr(line, ' ');

	if (words)
		*words++ = '\0';
	else
		words = line + strlen(line);
	if (strcmp(line, "plan") == 0)
		return do_plan(s, words);
	if (strcmp(line, "lease") == 0)
		return do_lease(s, words);
	if (strcmp(line, "run") == 0)
		return do_run(s, words);
	if (strcmp(line, "close") == 0) {
		struct sd_session *session = s->session;

		s->session = NULL;
		return sd_session_close(session, &s->error);
	}
	return SD_INTERNAL;
}

static void answer(struct steps *s, enum sd_status status)
{
	if (status == SD_OK)
		printf("ok %s\n", s->figures);
	else
		printf("%s %s: %s\n", s->error.code, sd_status_name(status), s->error.message);
	fflush(stdout);
}

int main(void)
{
	static char line[LINE_MAX_BYTES];
	static struct steps s;
	enum sd_status status = sd_session_open(&s.session, &(struct sd_session_options){ .client.name = "steps", .domain = "steps" }, &s.error);

	answer(&s, status);
	while (status == SD_OK && fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		s.figures[0] = '\0';
		answer(&s, do_step(&s, line));
	}
	sd_session_close(s.session, NULL);
	return 0;
}
