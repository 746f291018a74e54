/* lanes.h - which lanes the bodies of a functional node use. */
#ifndef SD_LANES_H
#define SD_LANES_H

#include "job.h"

struct sd_lane_lists {
	uint32_t *first;         /* per functional node + 1: into lane; inline ones have none */
	SD_VEC(uint32_t) lane;   /* ascending within a list */
};

/* The lane of a node's main slot: lane 0 where it has no logical stream. */
static inline uint32_t sd_job_lane(const struct sd_job *job, uint32_t node)
{
	return job->stream[node] == SD_NO_STREAM ? 0 : (uint32_t)job->stream[node];
}

/* Lanes on which something is launched in the bodies of each functional node, at any depth. O(nodes *
 * depth), with a sort of each list. */
enum sd_status sd_lanes_of_bodies(struct sd_job *job, struct sd_lane_lists *lists);

#endif
