/* body_world.h - a plan for a graph with bodies, written down in a few words.
 *
 *   graph    as graph_builder.h reads it
 *   syncs    "a>b 0:c>d": from and to which node, each with the number in front of the colon or
 *            else with that of its place in the list. A + behind the second name: caused by a loop
 *   streams  parted by |, words parted by blanks:
 *              ~       does not start with the model      =2    is a piece of logical stream 2
 *              name    launch                              name*  launch on an attached stream
 *              +3 -3   record and wait of the sync at place 3 of the list
 *              @2,4    activation of these streams by the node launched last
 *            Commands are in the graph of their node; "/then" behind a word says another one, "/"
 *            alone the root
 *
 * Everything else follows. Nodes that are launched nowhere have no stream; a word "name:2" among
 * the streams gives such a node its logical stream. */
#ifndef BODY_WORLD_H
#define BODY_WORLD_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "graph_builder.h"
#include "streamd/verify.h"

#define BODY_MAX 96

struct body_world {
	struct sd_arena mem;
	struct sd_request *request;
	struct sd_plan plan;
	struct sd_verdict verdict;
	struct sd_stream stream[BODY_MAX];
	struct sd_command command[4 * BODY_MAX];
	struct sd_placement node[BODY_MAX];
	struct sd_sync sync[BODY_MAX];
	struct sd_activation activation[BODY_MAX];
	uint32_t activated[BODY_MAX];
	int32_t attached_logical[BODY_MAX], attached_stream[BODY_MAX];
	uint32_t last; /* node launched last */
};

static inline uint32_t body_graph(const struct body_world *w, const char *name, size_t len)
{
	const struct sd_graph *g = &w->request->graph;

	for (uint32_t i = 1; i < g->graph_count; i++) {
		if (g->graph[i].name.len == len && memcmp(g->graph[i].name.at, name, len) == 0)
			return i;
	}
	ck_assert_uint_eq(len, 0);
	return SD_ROOT;
}

static inline uint32_t body_node(const struct body_world *w, const char *name, size_t len)
{
	char text[64] = "";

	ck_assert_uint_lt(len, sizeof(text));
	memcpy(text, name, len);
	return node_named(&w->request->graph, text);
}

static inline void body_syncs(struct body_world *w, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, " "), at = strcspn(text, ":"), to;
		struct sd_sync *sync = &w->sync[w->plan.sync_count];

		sync->id = at < len ? (uint32_t)atoi(text) : w->plan.sync_count;
		at = at < len ? at + 1 : 0;
		to = strcspn(text, ">");
		sync->cause = text[len - 1] == '+' ? SD_CAUSE_LOOP : SD_CAUSE_DATA;
		sync->record_node = body_node(w, text + at, to - at);
		sync->wait_node = body_node(w, text + to + 1, len - to - 1 - (sync->cause == SD_CAUSE_LOOP));
		w->plan.event_count = w->plan.event_count > sync->id ? w->plan.event_count : sync->id + 1;
		w->plan.sync_count++;
		text += len;
		text += strspn(text, " ");
	}
}

static inline void body_activation(struct body_world *w, const char *text)
{
	struct sd_activation *activation = &w->activation[w->plan.activation_count++];

	*activation = (struct sd_activation){ .node = w->last, .first = w->plan.activated_count };
	for (; *text == ',' || (*text >= '0' && *text <= '9'); text += strspn(text, "0123456789")) {
		text += *text == ',';
		w->activated[w->plan.activated_count++] = (uint32_t)atoi(text);
		activation->count++;
	}
}

static inline void body_launch(struct body_world *w, struct sd_command *command, const char *word, size_t len)
{
	uint32_t s = w->plan.stream_count - 1, n;

	command->attached = word[len - 1] == '*';
	n = command->arg = w->last = body_node(w, word, len - command->attached);
	if (command->attached) {
		w->node[n].attached_first = w->node[n].attached_count++ ? w->node[n].attached_first : w->plan.attached_count;
		w->attached_logical[w->plan.attached_count] = (int32_t)w->stream[s].logical_id;
		w->attached_stream[w->plan.attached_count++] = (int32_t)s;
		w->stream[s].attached = true;
		return;
	}
	w->node[n].stream = (int32_t)s;
	w->node[n].logical_stream = (int32_t)w->stream[s].logical_id;
}

static inline void body_command(struct body_world *w, const char *word, size_t len)
{
	struct sd_stream *stream = &w->stream[w->plan.stream_count - 1];
	struct sd_command *command = &w->command[w->plan.command_count++];
	size_t in = 0;
	uint32_t of = w->last;

	while (in < len && word[in] != '/')
		in++;
	stream->command_count++;
	stream->task_count++;
	if (*word == '+' || *word == '-') {
		struct sd_sync *sync = &w->sync[atoi(word + 1)];

		command->kind = *word == '+' ? SD_RECORD : SD_WAIT;
		command->arg = sync->id;
		*(*word == '+' ? &sync->record_stream : &sync->wait_stream) = w->plan.stream_count - 1;
		of = *word == '+' ? sync->record_node : sync->wait_node;
		stream->task_count += *word == '-';
	} else if (*word == '@') {
		command->kind = SD_ACTIVATE;
		command->arg = w->plan.activation_count;
		body_activation(w, word + 1);
		stream->task_count += (int64_t)w->activation[command->arg].count - 2;
	} else {
		command->kind = SD_LAUNCH;
		body_launch(w, command, word, in);
		of = w->last;
	}
	command->in = in < len ? body_graph(w, word + in + 1, len - in - 1) : w->request->graph.graph_of[of];
}

static inline void body_stream(struct body_world *w)
{
	w->stream[w->plan.stream_count] = (struct sd_stream){ .logical_id = w->plan.stream_count, .label_node = SD_NO_NODE,
	                                                      .initially_active = true, .first_command = w->plan.command_count };
	w->plan.stream_count++;
}

static inline void body_word(struct body_world *w, const char *word, size_t len)
{
	struct sd_stream *stream = &w->stream[w->plan.stream_count - 1];
	const char *colon = memchr(word, ':', len);

	if (*word == '|')
		body_stream(w);
	else if (*word == '~')
		stream->initially_active = false;
	else if (*word == '=')
		stream->logical_id = (uint32_t)atoi(word + 1);
	else if (colon)
		w->node[body_node(w, word, (size_t)(colon - word))].logical_stream = atoi(colon + 1);
	else
		body_command(w, word, len);
}

static inline void body_free(struct body_world *w)
{
	sd_arena_finish(&w->mem);
	free(w);
}

static inline struct body_world *body_world(const char *graph, const char *syncs, const char *streams)
{
	struct body_world *w = calloc(1, sizeof(*w));
	struct sd_plan *p = &w->plan;

	ck_assert_ptr_nonnull(w);
	sd_arena_init(&w->mem, 0);
	w->request = request_of(&w->mem, graph);
	p->node_count = w->request->graph.node_count;
	for (uint32_t n = 0; n < p->node_count; n++)
		w->node[n].logical_stream = w->node[n].stream = SD_NO_STREAM;
	body_syncs(w, syncs);
	body_stream(w);
	for (const char *at = streams + strspn(streams, " "); *at; at += strspn(at, " ")) {
		size_t len = strcspn(at, " ");

		body_word(w, at, len);
		at += len;
	}
	for (uint32_t s = 0; s < p->stream_count; s++) {
		p->logical_stream_count += w->stream[s].logical_id == s;
		p->attached_stream_count += w->stream[s].logical_id == s && w->stream[s].attached;
	}
	p->main_stream_count = p->logical_stream_count - p->attached_stream_count;
	p->stream = w->stream, p->command = w->command, p->node = w->node, p->sync = w->sync, p->activation = w->activation;
	p->activated = w->activated, p->attached_logical = w->attached_logical, p->attached_stream = w->attached_stream;
	return w;
}

/* The verdict's first violation; -1: none. */
static inline int body_judge(struct body_world *w)
{
	int first;

	ck_assert_int_eq(sd_verify(&w->mem, w->request, &w->plan, NULL, NULL, &w->verdict), SD_OK);
	first = w->verdict.count ? (int)w->verdict.violation[0].kind : -1;
	if (first >= 0) {
		struct sd_names names = sd_graph_names(&w->request->graph);
		char line[SD_MESSAGE_MAX];

		sd_violation_text(&w->verdict.violation[0], &names, line, sizeof(line));
		printf("# %s\n", line);
	}
	body_free(w);
	return first;
}

#define BODY_KEEPS(graph, syncs, streams) ck_assert_int_eq(body_judge(body_world((graph), (syncs), (streams))), -1)
#define BODY_BREAKS(graph, syncs, streams, what) ck_assert_int_eq(body_judge(body_world((graph), (syncs), (streams))), SD_VIOLATION_##what)

#endif
