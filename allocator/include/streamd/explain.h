/* explain.h - why a plan is as it is: reasons, and the words for them.
 *
 * An explanation is about one node. Those of a node tell its story in the order in which
 * the planner decided: its engine, the cluster it is placed with, each pass that gave it a
 * stream or another one, what stands beside it, what it waits for, and what it need not
 * wait for. They are part of the plan with option explain alone, and like all of the plan they
 * speak in indices. sd_explanation_text() makes the sentence, for everybody. */
#ifndef SD_EXPLAIN_H
#define SD_EXPLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/* Numbers of reasons travel and lie in caches: new ones are added at the end. In a sentence {other} and
 * {through} are the nodes that it speaks of, {label} and {engine} those of the node itself. */
/*      name                  word                   sentence; its subject is the node */
#define SD_REASON_LIST(X)                                                                                         \
	X(MOVED,               "moved",               "is moved by this pass")                                    \
	X(ENGINE_STATED,       "engine_stated",       "runs on {engine}, the engine that it states")              \
	X(ENGINE_BY_ATTRIBUTE, "engine_by_attribute", "runs on {engine}, which its attributes name")              \
	X(ENGINE_BY_TYPE,      "engine_by_type",      "runs on {engine}, which claims operators of its type")       \
	X(ENGINE_BY_DEFAULT,   "engine_by_default",   "runs on {engine}, as no engine claims operators of its type") \
	X(NOT_LAUNCHED,        "not_launched",        "launches nothing: what it feeds waits for what feeds it")  \
	X(BESIDE_CUBE,         "beside_cube",         "is placed with VectorEngine, since it may run beside the cube cores") \
	X(CLUSTERED,           "clustered",           "is one of {number} nodes of its engine that are placed together, from {other} on") \
	X(INPUT,               "input",               "is an input, which has no stream")                         \
	X(LABEL,               "label",               "carries the stream label {label}, whose nodes share a stream") \
	X(INDEPENDENT_ENGINE,  "independent_engine",  "runs on an independent engine, whose nodes have a stream of their own") \
	X(FOLLOWS,             "follows",             "goes on where {other} leaves off")                         \
	X(NOTHING_FEEDS,       "nothing_feeds",       "is fed by nothing that could be followed, so takes the next stream of its engine") \
	X(OTHER_SCHEDULER,     "other_scheduler",     "cannot follow {other}, which another scheduler runs, so takes the next stream of its engine") \
	X(PRODUCER_INDEPENDENT, "producer_independent", "cannot follow {other}, whose engine is independent, so takes the next stream of its own") \
	X(PRODUCER_LABELLED,   "producer_labelled",   "cannot follow {other}, which has a stream label, so takes the next stream of its engine") \
	X(PRODUCER_TAKEN,      "producer_taken",      "does not follow {other}, which feeds other nodes of its own engine, so takes the next stream of its engine") \
	X(OTHER_ENGINE,        "other_engine",        "cannot follow {other}, which runs on another engine, so takes the next stream of its own") \
	X(FOLLOWED_EARLY,      "followed_early",      "is followed by {other}, which is placed before it, so takes the next stream of its engine") \
	X(PARENT_STREAM,       "parent_stream",       "is in a body, which begins on the stream of {other}")      \
	X(ONE_STREAM,          "one_stream",          "shares the only stream that option single_stream leaves")  \
	X(ENGINE_STREAM,       "engine_stream",       "runs on an engine that has one stream of its own in a model of unknown shape") \
	X(NEIGHBOUR,           "neighbour",           "has no stream of its own engine and goes where {other} is") \
	X(NO_NEIGHBOUR,        "no_neighbour",        "can follow no neighbour, so takes the stream of its engine")  \
	X(RUNTIME_LABEL,       "runtime_label",       "is a label of the runtime, which is where the parent of its body is") \
	X(LOOP_OUTPUT,         "loop_output",         "is the output of a loop in a graph of unknown shape, which is on stream 0") \
	X(OWN_STREAM,          "own_stream",          "asks for a stream of its own by NewStreamId")              \
	X(GROUP,               "group",               "leaves its stream with the nodes of its _parallel_group")  \
	X(GROUP_PRODUCER,      "group_producer",      "has _parallel_group -1, which keeps it with its producer {other}") \
	X(BEHIND_REDUCTION,    "behind_reduction",    "waits for a reduction, and leaves its stream so that nothing behind it waits too") \
	X(NOTHING_HAS_STREAM,  "nothing_has_stream",  "launches nothing and is fed by nothing that has a stream") \
	X(BETWEEN,             "between",             "launches nothing, and all that is around it shares that stream") \
	X(NOTHING_BESIDE,      "nothing_beside",      "has nothing to run beside: {through} would only wait for it behind {other}") \
	X(EXPLICIT,            "explicit",            "stands in that list of explicit_streams")                  \
	X(MAIN_STREAM,         "main_stream",         "must be on the main stream of a model of unknown shape")   \
	X(RENUMBERED,          "renumbered",          "stays with all others of its stream, which has another number now") \
	X(PATH,                "path",                "is on the path that begins with {other}, which the automatic mode puts there") \
	X(DYNAMIC_ONE,         "dynamic_one",         "is in a model of unknown shape, which has one stream without dynamic_multi_stream") \
	X(STREAM_ZERO,         "stream_zero",         "is launched but has no logical stream, so runs on stream 0") \
	X(ATTACHED,            "attached",            "asks for an attached stream and is the first to have this one") \
	X(ATTACHED_SHARED,     "attached_shared",     "asks for an attached stream that {other} has already")     \
	X(PIECE,               "piece",               "is on the piece that begins with {other}: the whole is longer than a stream may be") \
	X(STARTED,             "started",             "waits until {other} starts its stream")                    \
	X(INSERTED,            "inserted",            "is put behind {other}, which can start one stream only")   \
	X(SYNC_DATA,           "sync_data",           "waits for {other}, whose output it reads")                 \
	X(SYNC_CONTROL,        "sync_control",        "waits for {other} by a control edge")                      \
	X(SYNC_THROUGH,        "sync_through",        "waits for {other}, which feeds it through {through}, a node that launches nothing") \
	X(SYNC_THROUGH_MANY,   "sync_through_many",   "waits for {other}, which feeds it through nodes that launch nothing") \
	X(SYNC_SUBGRAPH,       "sync_subgraph",       "waits for {other} at the border of a body")                \
	X(SYNC_ATTACHED,       "sync_attached",       "waits for {other} on account of an attached stream")       \
	X(SYNC_COVER,          "sync_cover",          "waits for {other}, so that nothing is still running at the end") \
	X(SYNC_LOOP,           "sync_loop",           "waits for {other}, so that a turn of the loop ends before the next begins") \
	X(SYNC_SPLIT,          "sync_split",          "begins a piece of its stream and waits for {other}, which ends the piece before") \
	X(SYNC_ORDER,          "sync_order",          "waits for {other}, as a rule orders the two without an edge") \
	X(SYNC_HOST,           "sync_host",           "waits for {other} on the host")                            \
	X(SAME_STREAM,         "same_stream",         "needs no sync with {other}, which runs before it on the same stream") \
	X(LATER_PRODUCER,      "later_producer",      "needs no sync with {other}: {through} runs behind {other} on the same stream, and must be done too") \
	X(IMPLIED_BY_STREAM,   "implied_by_stream",   "needs no sync with {other}: {through}, before it on its stream, runs behind {other}") \
	X(IMPLIED_BY_SYNC,     "implied_by_sync",     "needs no sync with {other}: it waits for {through}, which runs behind {other}") \
	X(IMPLIED_BY_START,    "implied_by_start",    "needs no sync with {other}: {through}, which starts its stream, runs behind {other}") \
	X(STARTED_BY_SOME,     "started_by_some",     "waits until its stream is started, by {other} or another that can") \
	X(IMPLIED_BY_STARTER,  "implied_by_starter",  "needs no sync with {other}, which starts its stream")

enum sd_reason {
#define SD_X(name, word, message) SD_REASON_##name,
	SD_REASON_LIST(SD_X)
#undef SD_X
	SD_REASONS
};

struct sd_explanation {
	uint32_t node;          /* whom it is about */
	uint32_t pass;          /* who decided: into sd_plan.pass_name */
	enum sd_reason reason;
	int32_t from, to;       /* streams before and after the pass, as they were numbered then; both SD_NO_STREAM
	                         * where the reason is about none */
	uint32_t other, through;/* nodes that the reason speaks of; SD_NO_NODE: none */
	uint32_t number;        /* CLUSTERED: nodes; SYNC_*: place of the sync in the plan; else 0 */
};

static inline bool sd_reason_is_sync(enum sd_reason reason)
{
	return reason >= SD_REASON_SYNC_DATA && reason <= SD_REASON_SYNC_HOST;
}

/* Of an order that needs no sync: `other` must come first, and does. */
static inline bool sd_reason_is_implied(enum sd_reason reason)
{
	return (reason >= SD_REASON_SAME_STREAM && reason <= SD_REASON_IMPLIED_BY_START) || reason == SD_REASON_IMPLIED_BY_STARTER;
}

/* 1 to SD_PASS_NAME_MAX small letters, digits and _. */
#define SD_PASS_NAME_MAX 64
bool sd_is_pass_name(struct sd_text name);

/* "follows"; the same word in JSON and on the command line. */
const char *sd_reason_word(enum sd_reason reason);

/* Writes the sentence without its subject, NUL-terminated, at most `cap` bytes, as sd_diag_message() writes.
 * Answers the length written. */
size_t sd_explanation_text(const struct sd_explanation *explanation, const struct sd_names *names, char *out, size_t cap);

#endif
