#include "verify_wants.h"

enum sd_status sd__finder_init(struct sd__finder *finder, struct sd__judge *judge)
{
	*finder = (struct sd__finder){ .judge = judge };
	SD__TAKE0(finder->seen, judge->mem, uint32_t, (size_t)sd__question_count(judge) + 1);
	return SD_OK;
}

static void add_slot(struct sd__finder *finder, uint32_t slot)
{
	if (!sd_vec_room(finder->judge->mem, &finder->slot)) {
		finder->failed = true;
		return;
	}
	finder->slot.at[finder->slot.count++] = slot;
}

static void add_question(struct sd__finder *finder, uint32_t question)
{
	if (finder->seen[question] == finder->round)
		return;
	finder->seen[question] = finder->round;
	if (question < finder->judge->graph->node_count && sd__is_plain(finder->judge, question)) {
		add_slot(finder, finder->judge->main_slot[question]);
		return;
	}
	if (!sd_vec_room(finder->judge->mem, &finder->open)) {
		finder->failed = true;
		return;
	}
	finder->open.at[finder->open.count++] = question;
}

static void add_wants(struct sd__finder *finder, uint32_t question)
{
	const struct sd__judge *judge = finder->judge;
	uint32_t questions = sd__question_count(judge);

	for (uint32_t w = sd__wants_first(judge, question); w < sd__wants_end(judge, question); w++) {
		uint32_t want = sd__want(judge, w);

		if (want == SD__NONE)
			continue;
		if (want >= questions)
			add_slot(finder, want - questions);
		else
			add_question(finder, want);
	}
}

void sd__finder_find(struct sd__finder *finder, uint32_t question)
{
	finder->round++;
	finder->slot.count = finder->open.count = 0;
	add_wants(finder, question);
	while (finder->open.count > 0)
		add_wants(finder, finder->open.at[--finder->open.count]);
}
