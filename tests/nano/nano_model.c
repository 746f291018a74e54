/* nano_model FILE DEADLINE_MS [stop-sending|stop-reading|fickle]: plans the graph of FILE through the client that allocates nothing, and prints what came.
 *
 * FILE has one thing a line, its parts parted by tabs, in the order of the request:
 *   G NAME DYNAMIC           a graph: the root, then each body
 *   N NAME TYPE ENGINE       a node of it, and of the node: I INPUT, B BODY, T TASKS, D NANOSECONDS, A NAME KIND VALUE
 *   O NAME VALUE             an option
 * KIND is s, i, f or b. The last argument makes the functions of this program give up halfway, or answer otherwise when asked again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "streamd_nano.h"

#define LINES_MAX 400000
#define LIST_MAX 4096
#define GRAPHS_MAX 256

static char file[32u << 20], *lines[LINES_MAX];
static uint32_t line_count, graph_count, node_count, graph_line[GRAPHS_MAX], node_line[LINES_MAX], first_node[GRAPHS_MAX + 1];
static char *inputs[LIST_MAX], *bodies[LIST_MAX];
static streamd_v1_Attr attrs[LIST_MAX];
static streamd_v1_Value values[LIST_MAX];
static const char *fault = "";
static uint32_t asked, told;

/* ---- nothing is allocated ---- */

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
void __wrap_free(void *old);

static void *refuse(void)
{
	fputs("something was allocated\n", stderr);
	abort();
}

void *__wrap_malloc(size_t bytes)
{
	return refuse();
}

void *__wrap_calloc(size_t count, size_t bytes)
{
	return refuse();
}

void *__wrap_realloc(void *old, size_t bytes)
{
	return refuse();
}

void __wrap_free(void *old)
{
	refuse();
}

/* ---- the file ---- */

static void fail(const char *why)
{
	fprintf(stderr, "nano_model: %s\n", why);
	exit(2);
}

/* Part `n` of a line; empty where there is none. Parts end with a NUL since read_file(). */
static char *part(uint32_t line, int n)
{
	char *at = lines[line];

	while (n-- > 0)
		at += strlen(at) + 1;
	return at;
}

static void note_line(char *at)
{
	if (line_count == LINES_MAX || graph_count == GRAPHS_MAX)
		fail("the file is too long");
	lines[line_count] = at;
	if (*at == 'G') {
		first_node[graph_count] = node_count;
		graph_line[graph_count++] = line_count;
	} else if (*at == 'N') {
		node_line[node_count++] = line_count;
	}
	line_count++;
}

static void read_file(const char *path)
{
	FILE *in = fopen(path, "rb");
	size_t bytes;

	bytes = in ? fread(file, 1, sizeof(file) - 1, in) : 0;
	if (bytes == 0 || bytes == sizeof(file) - 1)
		fail("the file cannot be read");
	/* By length: strchr() of a sanitizer looks at all that is left each time. */
	for (char *at = file, *end; (end = memchr(at, '\n', (size_t)(file + bytes - at))); at = end + 1) {
		*end = 0;
		note_line(at);
		for (char *tab = at; (tab = memchr(tab, '\t', (size_t)(end - tab))); tab++)
			*tab = 0;
	}
}

/* ---- the request ---- */

static void set_value(streamd_v1_Value *value, const char *kind, char *text)
{
	*value = (streamd_v1_Value)streamd_v1_Value_init_zero;
	switch (*kind) {
	case 's': value->which_kind = streamd_v1_Value_s_tag; value->kind.s = text; break;
	case 'i': value->which_kind = streamd_v1_Value_i_tag; value->kind.i = strtoll(text, NULL, 10); break;
	case 'f': value->which_kind = streamd_v1_Value_f_tag; value->kind.f = strtod(text, NULL); break;
	case 'b': value->which_kind = streamd_v1_Value_b_tag; value->kind.b = *text == '1'; break;
	default: fail("there is no such kind of value");
	}
}

static void add_attr(pb_size_t *count, uint32_t line)
{
	streamd_v1_Attr *attr = &attrs[*count];

	set_value(&values[*count], part(line, 2), part(line, 3));
	*attr = (streamd_v1_Attr){ .name = part(line, 1), .value = &values[*count] };
	++*count;
}

static void add_to_node(streamd_v1_Node *node, uint32_t line)
{
	if (node->inputs_count == LIST_MAX || node->subgraphs_count == LIST_MAX || node->attrs_count == LIST_MAX)
		fail("a node has too much of something");
	switch (*lines[line]) {
	case 'I': inputs[node->inputs_count++] = part(line, 1); break;
	case 'B': bodies[node->subgraphs_count++] = part(line, 1); break;
	case 'A': add_attr(&node->attrs_count, line); break;
	case 'T':
		node->which_task_count_ = streamd_v1_Node_task_count_tag;
		node->task_count_.task_count = strtoll(part(line, 1), NULL, 10);
		break;
	case 'D':
		node->which_duration_ns_ = streamd_v1_Node_duration_ns_tag;
		node->duration_ns_.duration_ns = strtoll(part(line, 1), NULL, 10);
		break;
	default: fail("there is no such line in a node");
	}
}

static bool describe_node(void *user, uint32_t graph, uint32_t index, streamd_v1_Node *node)
{
	uint32_t line = node_line[first_node[graph] + index];

	asked++;
	if (strcmp(fault, "stop-sending") == 0 && asked > 3 * node_count - 1)
		return false;
	*node = (streamd_v1_Node){ .name = part(line, 1), .op_type = part(line, 2), .engine = part(line, 3), .inputs = inputs, .subgraphs = bodies, .attrs = attrs };
	for (line++; line < line_count && !strchr("GNO", *lines[line]); line++)
		add_to_node(node, line);
	if (strcmp(fault, "fickle") == 0 && asked > 2 * node_count)
		node->engine = node->name;
	return true;
}

static bool describe_graph(void *user, uint32_t subgraph, struct sd_nano_graph *graph)
{
	uint32_t at = subgraph + 1, line = graph_line[at];

	*graph = (struct sd_nano_graph){ .name = part(line, 1), .dynamic = *part(line, 2) == '1', .nodes = first_node[at + 1] - first_node[at] };
	return true;
}

static void set_option(streamd_v1_Options *options, const char *name, char *value)
{
	bool on = *value == '1';

	if (strcmp(name, "compat") == 0)
		options->compat = on ? streamd_v1_Options_Compat_GE : streamd_v1_Options_Compat_NATIVE;
	else if (strcmp(name, "event") == 0)
		options->event = on ? streamd_v1_Options_Event_NOTIFY : streamd_v1_Options_Event_EVENT;
	else if (strcmp(name, "auto_multi_stream") == 0)
		options->auto_multi_stream = value;
	else if (strcmp(name, "hcom_parallel") == 0)
		options->hcom_parallel = on;
	else if (strcmp(name, "single_stream") == 0)
		options->single_stream = on;
	else if (strcmp(name, "dynamic_multi_stream") == 0)
		options->dynamic_multi_stream = on;
	else
		fail("there is no such option here");
}

/* ---- the plan ---- */

static bool go_on(void)
{
	return strcmp(fault, "stop-reading") != 0 || ++told < 3;
}

static bool print_command(void *user, uint32_t stream, const streamd_v1_Command *command)
{
	printf("command %u %u %u %d %u\n", stream, command->which_what, command->what.launch, command->attached, command->in);
	return go_on();
}

static bool print_stream(void *user, uint32_t stream, const streamd_v1_Stream *facts)
{
	printf("stream %u %u %d %d %lld\n", stream, facts->logical_id, facts->attached, facts->initially_active, (long long)facts->task_count);
	return go_on();
}

static bool print_attached(void *user, uint32_t node, uint32_t stream)
{
	printf("attached %u %u\n", node, stream);
	return true;
}

static bool print_placed(void *user, uint32_t node, const streamd_v1_Placement *placement)
{
	printf("placed %u %d %d\n", node, placement->logical_stream, placement->stream);
	return true;
}

static bool print_sync(void *user, uint32_t place, const streamd_v1_Sync *sync)
{
	printf("sync %u %u %d %u %u %u %u %d\n", place, sync->id, sync->kind, sync->record_node, sync->record_stream, sync->wait_node, sync->wait_stream, sync->cause);
	return true;
}

static bool print_started(void *user, uint32_t place, uint32_t stream)
{
	printf("started %u %u\n", place, stream);
	return true;
}

static bool print_activation(void *user, uint32_t place, uint32_t node)
{
	printf("activation %u %u\n", place, node);
	return true;
}

static bool print_inserted(void *user, uint32_t node)
{
	printf("inserted %u\n", node);
	return true;
}

static bool print_diagnostic(void *user, const char *code, uint32_t node_plus1)
{
	printf("diagnostic %s %u\n", code, node_plus1);
	return true;
}

int main(int argc, char **argv)
{
	static const struct sd_nano_sink sink = { .command = print_command, .stream = print_stream, .attached = print_attached, .placed = print_placed,
		.sync = print_sync, .started = print_started, .activation = print_activation, .inserted = print_inserted, .diagnostic = print_diagnostic };
	static char room[1 << 16];
	static struct sd_nano client;
	streamd_v1_Options options = streamd_v1_Options_init_zero;
	struct sd_nano_request request = { .subgraph = describe_graph, .node = describe_node, .options = &options };
	struct sd_nano_error error;
	streamd_v1_Plan plan;

	if (argc < 3)
		fail("usage: nano_model FILE DEADLINE_MS [stop-sending|stop-reading|fickle]");
	setvbuf(stdout, room, _IOFBF, sizeof(room));
	fault = argc > 3 ? argv[3] : "";
	read_file(argv[1]);
	first_node[graph_count] = node_count;
	for (uint32_t line = 0; line < line_count; line++)
		if (*lines[line] == 'O')
			set_option(&options, part(line, 1), part(line, 2));
	request.root = (struct sd_nano_graph){ .name = part(graph_line[0], 1), .dynamic = *part(graph_line[0], 2) == '1', .nodes = first_node[1] };
	request.subgraphs = graph_count - 1;
	if (sd_nano_init(&client, NULL) != SD_OK)
		fail("the socket's path is too long");
	if (sd_nano_plan(&client, &request, (uint32_t)strtoul(argv[2], NULL, 10), &sink, &plan, &error) != SD_OK) {
		printf("error %s %s %d [%s] %s\n", sd_status_name(error.status), error.code, error.retryable, error.node, error.message);
		return 1;
	}
	printf("plan %u %u %u %u\n", plan.stream_count, plan.event_count, plan.notify_count, plan.main_stream_count);
	sd_nano_close(&client);
	return 0;
}
