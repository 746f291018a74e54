/* gen_wrong.h - what the rows of the table of faults share (gen_wrong.c). */
#ifndef GEN_WRONG_H
#define GEN_WRONG_H

#include "gen.h"

/* A node behind all others without inputs, with a stream label unless that is NULL. */
json_t *add_plain(struct gen *g, const char *label);
void set_option(struct gen *g, const char *key, json_t *value); /* takes the reference */

/* Faults of gen_wrong_streams.c; false: the graph has no place for it. */
bool wrong_switch_without_list(struct gen *g);
bool wrong_label_of_nobody(struct gen *g);
bool wrong_activates_itself(struct gen *g);
bool wrong_bad_dependency(struct gen *g);
bool wrong_order_cycle(struct gen *g);
bool wrong_behind_switch(struct gen *g);
bool wrong_bodies_of_loop(struct gen *g);
bool wrong_label_missing(struct gen *g);
bool wrong_misplaced_label(struct gen *g);
bool wrong_jump_nowhere(struct gen *g);
bool wrong_passed_over(struct gen *g);
bool wrong_behind_jump(struct gen *g);
bool wrong_behind_choice(struct gen *g);
bool wrong_choice_starts_body(struct gen *g);
bool wrong_switch_in_loop(struct gen *g);
bool wrong_not_started(struct gen *g);
bool wrong_stream_of_bodies(struct gen *g);
bool wrong_limit_streams(struct gen *g);
bool wrong_limit_events(struct gen *g);
bool wrong_limit_notifies(struct gen *g);
bool wrong_limit_tasks(struct gen *g);
bool wrong_limit_huge(struct gen *g);
bool wrong_limit_starter(struct gen *g);
bool wrong_limit_loop(struct gen *g);
bool wrong_group_too_large(struct gen *g);
bool wrong_host_behind_copy(struct gen *g);
bool wrong_label_without_overlap(struct gen *g);

#endif
