/* options.h - what the options of a request ask for, and whether it can be had.
 *
 * The decoder has checked types, ranges and enum values; here are the checks that need
 * to know what an option means. */
#ifndef SD_OPTIONS_H
#define SD_OPTIONS_H

#include "streamd/request.h"

enum sd_auto_kind {
	SD_AUTO_OFF,      /* "", or "default" as attribute of the root graph */
	SD_AUTO_CV,       /* "cv" */
	SD_AUTO_LOAD_BALANCE, SD_AUTO_MAIN_STREAM, SD_AUTO_WEIGHTED_LOAD_BALANCE, /* "LoadBalance:4" */
	SD_AUTO_COST,     /* "auto", "auto:4" */
};

#define SD_AUTO_STREAMS_MAX 64
#define SD_AUTO_COST_STREAMS 4 /* of "auto" without a number */

/* The automatic mode: that of the root graph's attribute of Graph Engine's name, even if
 * empty; else that of the option auto_multi_stream. */
struct sd_mode_choice {
	enum sd_auto_kind kind;
	uint32_t streams; /* stated number, 1 to 64; 0 where the mode takes none */
	bool cv;          /* kind is SD_AUTO_CV */
	bool stated;      /* not empty: single_stream cannot be set beside it */
};

/* Whether the mode spreads paths of operators over a stated number of streams. */
static inline bool sd_mode_balances(const struct sd_mode_choice *mode)
{
	return mode->kind == SD_AUTO_LOAD_BALANCE || mode->kind == SD_AUTO_MAIN_STREAM ||
	       mode->kind == SD_AUTO_WEIGHTED_LOAD_BALANCE;
}

/* INVALID_ARGUMENT (E10001) for a mode that is not well-formed. */
enum sd_status sd_mode_choose(const struct sd_request *request, struct sd_mode_choice *mode, struct sd_diag *diag);

/* max_parallel_num: a value below 1 (E10001), an empty engine (E10004). ac_parallel: anything but
 * "", "0", "1" (E10001). */
enum sd_status sd_options_check(const struct sd_options *options, struct sd_diag *diag);

/* UNIMPLEMENTED (SD0001) naming the first thing that this planner cannot plan: better no plan than
 * a wrong one. A mode beside single_stream passes: the two contradict each other, which is
 * reported as such. */
enum sd_status sd_features_refuse(const struct sd_request *request, const struct sd_mode_choice *mode,
                                  struct sd_diag *diag);

#endif
