/* graph_builder.h - requests for tests, written down in a few words.
 *
 * One node a line: its name, its type (with its engine behind an @ if it states one), then
 * in any order
 *   x  x:2  ^x  -          inputs, as in a request; "-" is an unconnected slot. The name may
 *                          stand further down, in the same graph
 *   key=value              an attribute: true and false are bools, digits an integer, [a,b] a list of
 *                          strings, anything else a string, which may be empty; also '12'
 *   tasks=3  bytes=64      task_count; one output of that size
 *   ns=500  cube=4  vector=8    duration_ns, cube_cores, vector_cores
 *   gang  comm=g  ranks=0,1     gang; comm with that group, which may be empty; its ranks
 *   over=a,b  writes=kv,log     overwrites, writes
 *   {then                  a body
 * A line "[then]" begins the graph of that body. Lines end with a newline or a semicolon.
 *
 *   request_of(&mem, "x Data; a Relu x _stream_label=s; out NetOutput@DNN_VM_RTS a")
 *
 * The text must be right: a mistake in it ends the program. Options and device are all
 * defaults; set what the test wants in the answer. Everything lies in `mem`. */
#ifndef SD_GRAPH_BUILDER_H
#define SD_GRAPH_BUILDER_H

#include "base/arena.h"
#include "streamd/request.h"

struct sd_request *request_of(struct sd_arena *mem, const char *text);

/* Index of the node with this name. */
uint32_t node_named(const struct sd_graph *graph, const char *name);

/* "x a out": the names of `count` nodes of a list, in `mem`. */
const char *names_of(struct sd_arena *mem, const struct sd_graph *graph, const uint32_t *node, uint32_t count);

#endif
