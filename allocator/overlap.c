#include "overlap.h"

#include "core_type.h"
#include "model.h"

#define NONE UINT32_MAX
#define NEVER INT64_MAX
#define LONGEST_NS 100000000000 /* longer times count as this, so that sums hold */

/* Cores that a work node fills: what it says; else all of the kind that it runs on. */
static void find_demand(struct sd_overlap *o, uint32_t w)
{
	const struct sd_job *job = o->job;
	uint32_t node = o->paths->dag.node[w], engine = job->engine[node];
	const struct sd_work_cost *cost = &o->paths->dag.cost[w];
	enum sd_core core = sd_core_of(job->graph, node);

	if (core == SD_CORE_NONE && engine == job->engines.vector)
		core = SD_CORE_VECTOR;
	else if (core == SD_CORE_NONE && (engine == job->engines.aicore || engine == job->engines.custom))
		core = SD_CORE_CUBE;
	o->cube[w] = cost->cube ? cost->cube : core == SD_CORE_CUBE && !cost->vector ? o->cube_cores : 0;
	o->vector[w] = cost->vector ? cost->vector : core == SD_CORE_VECTOR && !cost->cube ? o->vector_cores : 0;
	o->cube[w] = o->cube[w] < o->cube_cores ? o->cube[w] : o->cube_cores;
	o->vector[w] = o->vector[w] < o->vector_cores ? o->vector[w] : o->vector_cores;
}

static int64_t bounded(int64_t ns)
{
	return ns < LONGEST_NS ? ns : LONGEST_NS;
}

static int32_t cores_of(int64_t stated, int32_t otherwise)
{
	int64_t cores = sd_model_or(stated, otherwise);

	return cores < INT32_MAX ? (int32_t)cores : INT32_MAX;
}

/* Work nodes are in topological order: backwards, what follows is known. */
static void find_ways(struct sd_overlap *o)
{
	const struct sd_dag *dag = &o->paths->dag;

	for (uint32_t w = dag->count; w-- > 0;) {
		int64_t longest = 0;

		for (uint32_t i = dag->succ_first[w]; i < dag->succ_first[w + 1]; i++)
			longest = o->way[dag->succ[i]] > longest ? o->way[dag->succ[i]] : longest;
		o->way[w] = o->duration[w] + longest;
	}
}

enum sd_status sd_overlap_open(struct sd_overlap *o, struct sd_job *job)
{
	const struct sd_model *model = &job->request->device.model;
	uint32_t count = job->paths->dag.count, streams = job->mode.streams;

	*o = (struct sd_overlap){
		.job = job, .paths = job->paths,
		.duration = SD_NEW(job->mem, int64_t, count), .way = SD_NEW(job->mem, int64_t, count),
		.cube = SD_NEW(job->mem, int32_t, count), .vector = SD_NEW(job->mem, int32_t, count),
		.ready = SD_NEW(job->mem, int64_t, count), .open = SD_NEW(job->mem, uint32_t, count),
		.next = SD_NEW(job->mem, uint32_t, count), .head = SD_NEW(job->mem, uint32_t, streams),
		.at = SD_NEW(job->mem, uint32_t, streams), .free_at = SD_NEW(job->mem, int64_t, streams),
		.running = SD_NEW(job->mem, uint32_t, streams),
		.cube_cores = cores_of(model->cube_cores, SD_MODEL_CUBE_CORES),
		.vector_cores = cores_of(model->vector_cores, SD_MODEL_VECTOR_CORES),
		.gap = bounded(sd_model_or(model->launch_gap_ns, SD_MODEL_LAUNCH_GAP_NS)),
	};
	SD_NEED(job, o->duration && o->way && o->cube && o->vector && o->ready && o->open && o->next && o->head &&
	             o->at && o->free_at && o->running);
	o->hop = bounded(sd_model_or(model->record_ns, SD_MODEL_RECORD_NS)) +
	         bounded(sd_model_or(model->wait_ns, SD_MODEL_WAIT_NS)) +
	         bounded(sd_model_or(model->event_latency_ns, SD_MODEL_EVENT_LATENCY_NS));
	for (uint32_t w = 0; w < count; w++) {
		double ns = job->paths->dag.cost[w].duration_us * 1000.0;

		o->duration[w] = ns < LONGEST_NS ? (int64_t)ns : LONGEST_NS;
		o->open[w] = NONE; /* not on a stream */
		find_demand(o, w);
	}
	find_ways(o);
	memset(o->head, 0xff, streams * sizeof(*o->head));
	return SD_OK;
}

void sd_overlap_put(struct sd_overlap *o, uint32_t path, uint32_t stream)
{
	const struct sd_dag *dag = &o->paths->dag;
	uint32_t *link = &o->head[stream];

	o->paths->stream[path] = stream;
	for (uint32_t i = o->paths->first[path]; i < o->paths->first[path + 1]; i++) {
		uint32_t w = o->paths->work[i];

		while (*link != NONE && *link < w)
			link = &o->next[*link];
		o->next[w] = *link;
		*link = w;
		link = &o->next[w];
		o->open[w] = 0;
		o->nodes++;
		o->edges += dag->succ_first[w + 1] - dag->succ_first[w];
	}
}

void sd_overlap_take(struct sd_overlap *o, uint32_t path, uint32_t stream)
{
	const struct sd_dag *dag = &o->paths->dag;
	uint32_t *link = &o->head[stream];

	for (uint32_t i = o->paths->first[path]; i < o->paths->first[path + 1]; i++) {
		uint32_t w = o->paths->work[i];

		while (*link != w)
			link = &o->next[*link];
		*link = o->next[w];
		o->open[w] = NONE;
		o->nodes--;
		o->edges -= dag->succ_first[w + 1] - dag->succ_first[w];
	}
}

uint64_t sd_overlap_cost(const struct sd_overlap *o, uint32_t streams)
{
	return (uint64_t)o->nodes * (2u * streams + 2u) + o->edges;
}

static void start_over(struct sd_overlap *o, uint32_t streams)
{
	const struct sd_dag *dag = &o->paths->dag;

	o->cube_free = o->cube_cores;
	o->vector_free = o->vector_cores;
	o->collectives = 0;
	for (uint32_t s = 0; s < streams; s++) {
		o->at[s] = o->head[s];
		o->free_at[s] = 0;
		o->running[s] = NONE;
		for (uint32_t w = o->head[s]; w != NONE; w = o->next[w]) {
			o->open[w] = 0;
			o->ready[w] = 0;
		}
	}
	for (uint32_t s = 0; s < streams; s++) {
		for (uint32_t w = o->head[s]; w != NONE; w = o->next[w]) {
			for (uint32_t i = dag->pred_first[w]; i < dag->pred_first[w + 1]; i++)
				o->open[w] += o->open[dag->pred[i]] != NONE;
		}
	}
}

static bool is_collective(const struct sd_overlap *o, uint32_t w)
{
	return o->job->collective[o->paths->dag.node[w]];
}

static bool has_room(const struct sd_overlap *o, uint32_t w)
{
	return o->cube[w] <= o->cube_free && o->vector[w] <= o->vector_free && !(is_collective(o, w) && o->collectives);
}

/* Gives back what ended by now. */
static void end_tasks(struct sd_overlap *o, uint32_t streams, int64_t now)
{
	for (uint32_t s = 0; s < streams; s++) {
		uint32_t w = o->running[s];

		if (w == NONE || o->free_at[s] > now)
			continue;
		o->cube_free += o->cube[w];
		o->vector_free += o->vector[w];
		o->collectives -= is_collective(o, w);
		o->running[s] = NONE;
	}
}

/* The earliest time at which the next operator of a stream could start; NEVER if it waits. */
static int64_t start_of(const struct sd_overlap *o, uint32_t stream)
{
	uint32_t w = o->at[stream];

	if (w == NONE || o->open[w])
		return NEVER;
	return o->ready[w] > o->free_at[stream] ? o->ready[w] : o->free_at[stream];
}

/* The stream whose next operator is to start now; NONE if there is none. */
static uint32_t choose_start(const struct sd_overlap *o, uint32_t streams, int64_t now)
{
	uint32_t best = NONE;

	for (uint32_t s = 0; s < streams; s++) {
		if (start_of(o, s) > now || !has_room(o, o->at[s]))
			continue;
		if (best == NONE || o->way[o->at[s]] > o->way[o->at[best]] ||
		    (o->way[o->at[s]] == o->way[o->at[best]] && o->at[s] < o->at[best]))
			best = s;
	}
	return best;
}

static void start_task(struct sd_overlap *o, uint32_t stream, int64_t now)
{
	const struct sd_dag *dag = &o->paths->dag;
	uint32_t w = o->at[stream];
	int64_t end = now + o->gap + o->duration[w];

	o->cube_free -= o->cube[w];
	o->vector_free -= o->vector[w];
	o->collectives += is_collective(o, w);
	o->running[stream] = w;
	o->free_at[stream] = end;
	o->at[stream] = o->next[w];
	for (uint32_t i = dag->succ_first[w]; i < dag->succ_first[w + 1]; i++) {
		uint32_t to = dag->succ[i];
		bool same = o->paths->stream[o->paths->of_work[to]] == stream;
		int64_t ready = end + (same ? 0 : o->hop);

		if (o->open[to] == NONE)
			continue;
		o->open[to]--;
		o->ready[to] = ready > o->ready[to] ? ready : o->ready[to];
	}
}

/* The next moment at which something ends or could start. */
static int64_t next_moment(const struct sd_overlap *o, uint32_t streams, int64_t now)
{
	int64_t next = NEVER;

	for (uint32_t s = 0; s < streams; s++) {
		int64_t start = start_of(o, s);

		if (start > now && start < next)
			next = start;
		if (o->running[s] != NONE && o->free_at[s] < next)
			next = o->free_at[s];
	}
	return next;
}

int64_t sd_overlap_span(struct sd_overlap *o, uint32_t streams)
{
	int64_t now = 0, span = 0;

	start_over(o, streams);
	while (now != NEVER) {
		uint32_t s;

		end_tasks(o, streams, now);
		while ((s = choose_start(o, streams, now)) != NONE) {
			start_task(o, s, now);
			span = o->free_at[s] > span ? o->free_at[s] : span;
		}
		now = next_moment(o, streams, now);
	}
	return span;
}
