#include "columns.h"
#include "mutants.h"

#define TRIED 8u /* columns that are free and looked at for one lane */

struct sharer {
	struct sd_job *job;
	struct sd_columns *columns;
	uint32_t *least, *most;    /* per lane: its first and its last slot; least is SD_NO_INDEX: it has none */
	uint32_t *last_use;        /* per lane: rank of the last slot at which it is asked about */
	uint32_t *ended, *next;    /* per rank, per lane: lanes that end there */
	uint32_t *top;             /* per column: last slot of its lane */
	uint32_t *free, free_count;
};

static void use(struct sharer *s, uint32_t lane, uint32_t rank)
{
	s->last_use[lane] = s->last_use[lane] < rank ? rank : s->last_use[lane];
}

static void measure_lanes(struct sharer *s, const struct sd_order_list *asked)
{
	const struct sd_job *job = s->job;
	const struct sd_slots *slots = &job->slots;

	for (uint32_t i = 0; i < slots->count; i++) {
		uint32_t lane = slots->lane[i];

		s->least[lane] = s->least[lane] == SD_NO_INDEX ? i : s->least[lane];
		s->most[lane] = i;
		use(s, lane, job->rank[i]);
	}
	for (uint32_t i = 0; i < asked->count; i++)
		use(s, slots->lane[asked->at[i].from], SD_MUTANT(columns_end_at_last_slot) ? job->rank[asked->at[i].from] : job->rank[asked->at[i].to]);
}

/* Behind bodies all their lanes are asked about. */
static void measure_exits(struct sharer *s)
{
	const struct sd_job *job = s->job;
	const struct sd_slots *slots = &job->slots;

	for (uint32_t f = 0; f < job->scopes.functional_count; f++) {
		struct sd_exit_range own = slots->exits[f];
		uint32_t end = job->scopes.functional[f].end_node, last = 0;

		if (end != SD_NO_NODE)
			last = job->rank[slots->of_node[end]];
		for (uint32_t i = own.first; i < own.first + own.count; i++) {
			uint32_t rank = job->rank[slots->exit.at[i].slot];

			last = rank > last ? rank : last;
		}
		for (uint32_t i = own.first; i < own.first + own.count; i++)
			use(s, slots->lane[slots->exit.at[i].slot], last);
	}
}

/* A column of lanes that are over, all in front of this one; else a new one. */
static uint32_t take_column(struct sharer *s, uint32_t lane)
{
	for (uint32_t i = s->free_count; i > 0 && i + TRIED > s->free_count; i--) {
		uint32_t column = s->free[i - 1];

		if (s->top[column] < s->least[lane] || SD_MUTANT(columns_of_open_lanes)) {
			s->free[i - 1] = s->free[--s->free_count];
			return column;
		}
	}
	return s->columns->count++;
}

static void share(struct sharer *s)
{
	const struct sd_job *job = s->job;
	uint32_t *of_lane = s->columns->of_lane;

	for (uint32_t rank = 0; rank < job->slots.count; rank++) {
		uint32_t lane = job->slots.lane[job->sequence[rank]];

		if (of_lane[lane] == SD_NO_INDEX) {
			of_lane[lane] = take_column(s, lane);
			s->top[of_lane[lane]] = s->most[lane];
		}
		for (lane = s->ended[rank]; lane != SD_NO_INDEX; lane = s->next[lane])
			s->free[s->free_count++] = of_lane[lane];
	}
}

enum sd_status sd_columns_share(struct sd_job *job, const struct sd_order_list *asked, struct sd_columns *columns)
{
	uint32_t lanes = job->slots.lane_count, slots = job->slots.count;
	struct sharer s = {
		.job = job, .columns = columns, .least = SD_NEW(job->mem, uint32_t, lanes), .most = SD_NEW0(job->mem, uint32_t, lanes),
		.last_use = SD_NEW0(job->mem, uint32_t, lanes), .ended = SD_NEW(job->mem, uint32_t, slots),
		.next = SD_NEW(job->mem, uint32_t, lanes), .top = SD_NEW(job->mem, uint32_t, lanes), .free = SD_NEW(job->mem, uint32_t, lanes),
	};

	*columns = (struct sd_columns){ 0, SD_NEW(job->mem, uint32_t, lanes) };
	SD_NEED(job, s.least && s.most && s.last_use && s.ended && s.next && s.top && s.free && columns->of_lane);
	memset(s.least, 0xff, lanes * sizeof(*s.least));
	memset(s.ended, 0xff, slots * sizeof(*s.ended));
	memset(columns->of_lane, 0xff, lanes * sizeof(*columns->of_lane));
	measure_lanes(&s, asked);
	measure_exits(&s);
	for (uint32_t lane = 0; lane < lanes; lane++) {
		if (s.least[lane] == SD_NO_INDEX)
			continue;
		s.next[lane] = s.ended[s.last_use[lane]];
		s.ended[s.last_use[lane]] = lane;
	}
	share(&s);
	for (uint32_t lane = 0; lane < lanes; lane++)
		columns->of_lane[lane] = columns->of_lane[lane] == SD_NO_INDEX ? 0 : columns->of_lane[lane];
	return SD_OK;
}
