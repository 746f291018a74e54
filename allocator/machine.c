#include "machine_internal.h"

#include "base/check.h"
#include "model.h"

static uint32_t count_of(int64_t stated, uint32_t otherwise)
{
	int64_t count = sd_model_or(stated, otherwise);

	return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

static int64_t bounded(int64_t ns)
{
	return ns < SD_MACHINE_LONGEST_NS ? ns : SD_MACHINE_LONGEST_NS;
}

static int64_t time_of(int64_t stated, int64_t otherwise)
{
	return bounded(sd_model_or(stated, otherwise));
}

void sd_machine_model_of(const struct sd_model *stated, struct sd_machine_model *model)
{
#define SD_X(name) .name = -1,
	static const struct sd_model nothing = { SD_MODEL_LIST(SD_X) };
#undef SD_X
	const struct sd_model *of = stated ? stated : &nothing;

	*model = (struct sd_machine_model){
		.cube_cores = count_of(of->cube_cores, SD_MODEL_CUBE_CORES),
		.vector_cores = count_of(of->vector_cores, SD_MODEL_VECTOR_CORES),
		.aicpu_servers = count_of(of->aicpu_servers, SD_MODEL_AICPU_SERVERS),
		.launch_gap_ns = time_of(of->launch_gap_ns, SD_MODEL_LAUNCH_GAP_NS),
		.host_issue_ns = time_of(of->host_issue_ns, 0),
		.record_ns = time_of(of->record_ns, SD_MODEL_RECORD_NS),
		.wait_ns = time_of(of->wait_ns, SD_MODEL_WAIT_NS),
		.event_latency_ns = time_of(of->event_latency_ns, SD_MODEL_EVENT_LATENCY_NS),
		.activate_ns = time_of(of->activate_ns, SD_MODEL_ACTIVATE_NS),
		.link_alpha_ns = time_of(of->link_alpha_ns, SD_MODEL_LINK_ALPHA_NS),
		.link_bytes_per_s = sd_model_or(of->link_bytes_per_s, 0),
		.hbm_bytes_per_s = sd_model_or(of->hbm_bytes_per_s, 0),
		.contention_permille = count_of(of->contention_permille, 0),
	};
}

#define OTHER_ENGINES (UINT64_C(1) << 33) /* exclusive number of what is no core; above those of communicators */

struct sd_machine_work sd_machine_work_of(const struct sd_machine_model *model, const struct sd_engine_work *stated)
{
	enum sd_engine_class engine = stated->engine;
	uint32_t cube = stated->cube_cores ? stated->cube_cores : model->cube_cores;
	uint32_t vector = stated->vector_cores ? stated->vector_cores : model->vector_cores;
	struct sd_machine_work work = {
		.duration_ns = stated->duration_ns < SD_MACHINE_LONGEST_NS ? (int64_t)stated->duration_ns : SD_MACHINE_LONGEST_NS,
		.gang = stated->gang || engine == SD_ENGINE_COMM, .aicpu = engine == SD_ENGINE_AICPU,
	};

	work.cube = engine == SD_ENGINE_CUBE || engine == SD_ENGINE_MIX ? cube : 0;
	work.vector = engine == SD_ENGINE_VECTOR || engine == SD_ENGINE_MIX ? vector : engine == SD_ENGINE_COMM ? stated->vector_cores : 0;
	work.exclusive = engine == SD_ENGINE_COMM ? (uint64_t)stated->communicator + 1 : engine == SD_ENGINE_OTHER ? OTHER_ENGINES : 0;
	return work;
}

struct sd_machine *sd_machine_new(struct sd_arena *mem, const struct sd_machine_model *model)
{
	struct sd_machine *m = SD_NEW0(mem, struct sd_machine, 1);
	const uint32_t totals[SD__FIXED_POOLS] = { model->cube_cores, model->vector_cores, model->aicpu_servers };

	if (!m)
		return NULL;
	m->mem = mem;
	m->model = *model;
	for (uint32_t i = 0; i < SD__FIXED_POOLS; i++) {
		if (!sd_vec_room(mem, &m->pools))
			return NULL;
		m->pools.at[m->pools.count++] = (struct sd__pool){ .total = totals[i], .free = totals[i] };
	}
	return m;
}

/* The number of a place that is free: one that was given back, or a new one. A macro, as vec.h is. */
#define place_in(m, vec, given_back)                                                             \
	((m)->given_back.count ? (m)->given_back.at[--(m)->given_back.count]                     \
	 : sd_vec_room((m)->mem, &(m)->vec) ? (m)->vec.count++ : SD__NONE)

void sd__give_back(struct sd_machine *m, void *list, uint32_t place)
{
	SD_VEC(uint32_t) *free_list = list;

	if (sd_vec_room(m->mem, free_list))
		free_list->at[free_list->count++] = place;
	else
		m->is_broken = true;
}

enum sd_status sd_machine_add_stream(struct sd_machine *m, int32_t priority, bool is_secondary, uint32_t *stream)
{
	uint32_t at = place_in(m, streams, free_streams);

	if (at == SD__NONE)
		return SD_RESOURCE_EXHAUSTED;
	m->streams.at[at] = (struct sd__stream){ .head = SD__NONE, .tail = SD__NONE, .priority = priority,
	                                         .is_fresh = is_secondary, .is_live = true, .serial = (uint32_t)m->serial++ };
	*stream = at;
	return SD_OK;
}

void sd_machine_remove_stream(struct sd_machine *m, uint32_t stream)
{
	struct sd__stream *s = &m->streams.at[stream];

	SD_REQUIRE(s->is_live && s->count == 0);
	s->is_live = false;
	sd__give_back(m, &m->free_streams, stream);
}

enum sd_status sd_machine_add_signal(struct sd_machine *m, uint32_t *signal)
{
	uint32_t at = place_in(m, signals, free_signals);

	if (at == SD__NONE)
		return SD_RESOURCE_EXHAUSTED;
	m->signals.at[at] = (struct sd__signal){ .refs = 1, .first = SD__NONE, .last = SD__NONE };
	*signal = at;
	return SD_OK;
}

void sd__signal_unref(struct sd_machine *m, uint32_t signal)
{
	if (--m->signals.at[signal].refs == 0)
		sd__give_back(m, &m->free_signals, signal);
}

void sd_machine_drop_signal(struct sd_machine *m, uint32_t signal)
{
	sd__signal_unref(m, signal);
}

bool sd_machine_is_recorded(const struct sd_machine *m, uint32_t signal, int64_t *at_ns)
{
	*at_ns = m->signals.at[signal].recorded_at;
	return m->signals.at[signal].is_recorded;
}

uint32_t sd__item_new(struct sd_machine *m, uint32_t stream, enum sd_machine_kind kind, uint64_t tag)
{
	uint32_t at = place_in(m, items, free_items);

	if (at == SD__NONE)
		return SD__NONE;
	m->host_free = sd__sum(m->host_free > m->now ? m->host_free : m->now, m->model.host_issue_ns);
	m->items.at[at] = (struct sd__item){ .next = SD__NONE, .next_waiter = SD__NONE, .stream = stream, .signal = SD__NONE,
	                                     .pool = SD__NONE, .kind = (uint8_t)kind, .tag = tag, .order = m->order++,
	                                     .issued = m->model.host_issue_ns ? m->host_free : m->now };
	return at;
}

void sd__item_unpin(struct sd_machine *m, uint32_t item)
{
	struct sd__item *it = &m->items.at[item];

	it->pins--;
	if (it->is_over && it->pins == 0)
		sd__give_back(m, &m->free_items, item);
}

void sd__stream_advance(struct sd_machine *m, uint32_t stream)
{
	struct sd__stream *s = &m->streams.at[stream];
	struct sd__item *it;
	int64_t at;

	if (s->head == SD__NONE)
		return;
	it = &m->items.at[s->head];
	at = s->free_at > it->issued ? s->free_at : it->issued;
	at = sd__sum(at, it->kind == SD_MACHINE_WORK ? m->model.launch_gap_ns : 0);
	at = sd__sum(at, s->is_fresh ? m->model.activate_ns : 0);
	s->is_fresh = false;
	sd__agenda_add(m, at, SD__BEGINS, s->head, it->order, NULL);
}

void sd__stream_pop(struct sd_machine *m, uint32_t stream, struct sd_machine_end *end)
{
	struct sd__stream *s = &m->streams.at[stream];
	struct sd__item *it = &m->items.at[s->head];

	*end = (struct sd_machine_end){ .kind = it->kind, .stream = stream, .tag = it->tag,
	                                .began_ns = it->has_begun ? it->began : m->now, .ended_ns = m->now };
	it->is_over = true;
	it->pins++;
	if (it->kind == SD_MACHINE_RECORD || it->kind == SD_MACHINE_WAIT)
		sd__signal_unref(m, it->signal);
	if (it->kind == SD_MACHINE_HOLD)
		s->holds_passed++;
	sd__item_unpin(m, s->head);
	s->head = it->next;
	s->tail = s->head == SD__NONE ? SD__NONE : s->tail;
	s->free_at = m->now;
	s->count--;
	m->left--;
	sd__stream_advance(m, stream);
}

/* Puts a finished item behind the last of its stream. */
static enum sd_status append(struct sd_machine *m, uint32_t stream, uint32_t item)
{
	struct sd__stream *s = &m->streams.at[stream];

	SD_REQUIRE(s->is_live);
	m->left++;
	s->count++;
	if (s->tail != SD__NONE)
		m->items.at[s->tail].next = item;
	else
		s->head = item;
	s->tail = item;
	if (s->head == item)
		sd__stream_advance(m, stream);
	return SD_OK;
}

bool sd_machine_can_run(const struct sd_machine *m, const struct sd_machine_work *work)
{
	const uint32_t need[SD__CORES] = { work->cube, work->vector };

	for (uint32_t i = 0; i < SD__CORES; i++) {
		if (need[i] && (m->pools.at[i].total == 0 || (work->gang && need[i] > m->pools.at[i].total)))
			return false;
	}
	return !work->aicpu || m->pools.at[SD__AICPU].total > 0;
}

static int64_t times(int64_t ns, uint32_t factor)
{
	return ns > SD_MACHINE_LONGEST_NS / factor ? SD_MACHINE_LONGEST_NS : ns * factor;
}

/* Work of one piece that lacks cores takes rounds; of very many blocks several count as one. */
static void fit(const struct sd_machine *m, struct sd__item *it)
{
	uint32_t rounds = 1;

	for (uint32_t i = 0; i < SD__CORES; i++) {
		uint32_t most = it->rigid ? m->pools.at[i].total : SD__BLOCKS_MAX;
		uint32_t mine = it->left[i] ? (it->left[i] - 1) / most + 1 : 1;

		rounds = mine > rounds ? mine : rounds;
		if (it->left[i] > most)
			it->left[i] = it->rigid ? most : (it->left[i] - 1) / mine + 1;
	}
	it->duration = times(it->duration, rounds);
}

enum sd_status sd_machine_add_work(struct sd_machine *m, uint32_t stream, const struct sd_machine_work *work, uint64_t tag)
{
	uint32_t pool = work->exclusive ? sd__pool_of(m, work->exclusive) : work->aicpu ? SD__AICPU : SD__NONE;
	uint32_t item = sd__item_new(m, stream, SD_MACHINE_WORK, tag);
	struct sd__item *it;

	SD_REQUIRE(sd_machine_can_run(m, work));
	if (item == SD__NONE || (work->exclusive && pool == SD__NONE))
		return SD_RESOURCE_EXHAUSTED;
	it = &m->items.at[item];
	it->duration = bounded(work->duration_ns > 0 ? work->duration_ns : 0);
	it->left[SD__CUBE] = work->cube;
	it->left[SD__VECTOR] = work->vector;
	it->rigid = work->gang || (work->cube && work->vector);
	it->at_once = work->at_once ? work->at_once : UINT32_MAX;
	it->pool = pool;
	fit(m, it);
	return append(m, stream, item);
}

/* An item that is about a signal, of which it takes a reference. */
static enum sd_status add_signalling(struct sd_machine *m, uint32_t stream, enum sd_machine_kind kind, uint32_t signal, bool takes, uint64_t tag)
{
	uint32_t item = sd__item_new(m, stream, kind, tag);

	if (item == SD__NONE)
		return SD_RESOURCE_EXHAUSTED;
	m->items.at[item].signal = signal;
	m->items.at[item].takes = takes;
	m->signals.at[signal].refs++;
	return append(m, stream, item);
}

enum sd_status sd_machine_add_record(struct sd_machine *m, uint32_t stream, uint32_t signal, uint64_t tag)
{
	return add_signalling(m, stream, SD_MACHINE_RECORD, signal, false, tag);
}

enum sd_status sd_machine_add_wait(struct sd_machine *m, uint32_t stream, uint32_t signal, bool takes, uint64_t tag)
{
	return add_signalling(m, stream, SD_MACHINE_WAIT, signal, takes, tag);
}

enum sd_status sd_machine_add_hold(struct sd_machine *m, uint32_t stream, uint64_t tag)
{
	uint32_t item = sd__item_new(m, stream, SD_MACHINE_HOLD, tag);

	if (item == SD__NONE)
		return SD_RESOURCE_EXHAUSTED;
	m->streams.at[stream].holds_added++;
	return append(m, stream, item);
}

enum sd_status sd_machine_add_activate(struct sd_machine *m, uint32_t stream, uint32_t started, uint64_t tag)
{
	uint32_t item = sd__item_new(m, stream, SD_MACHINE_ACTIVATE, tag);

	if (item == SD__NONE)
		return SD_RESOURCE_EXHAUSTED;
	m->items.at[item].signal = started;
	m->items.at[item].serial = m->streams.at[started].serial;
	return append(m, stream, item);
}

int64_t sd_machine_now(const struct sd_machine *m)
{
	return m->now;
}

bool sd_machine_is_quiet(const struct sd_machine *m)
{
	return m->agenda.count == 0 && m->stirred.count == 0;
}

uint64_t sd_machine_left(const struct sd_machine *m)
{
	return m->left;
}

uint32_t sd_machine_queued(const struct sd_machine *m, uint32_t stream)
{
	return m->streams.at[stream].count;
}

bool sd_machine_is_broken(const struct sd_machine *m)
{
	return m->is_broken;
}

bool sd_machine_at(const struct sd_machine *m, uint32_t stream, struct sd_machine_head *head)
{
	const struct sd__stream *s = &m->streams.at[stream];
	const struct sd__item *it;

	if (s->head == SD__NONE)
		return false;
	it = &m->items.at[s->head];
	*head = (struct sd_machine_head){ .kind = it->kind, .tag = it->tag, .signal = it->signal, .is_waiting = it->is_waiting };
	return true;
}
