/* shed.h - what is refused first when there is too much to do.
 *
 * Two things fill up: the queue of jobs, and the memory for requests. In stages, each with what the
 * earlier ones have:
 *
 *   80 %  Explain, Simulate and Verify are refused; and, where it is memory that is short, new models and leases
 *   90 %  of plans only those are answered that are in the cache or being planned already
 *   95 %  no connection is taken, where it is memory that is short
 *  100 %  no job is taken
 *
 * Whatever keeps or gives back what a peer has (Heartbeat, Release, Unload, ping, cancel) is always
 * taken, and so is what operators look and act with. All refusals are UNAVAILABLE (SD2017) and say
 * when to try again. For the loop thread. */
#ifndef SD_SHED_H
#define SD_SHED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

struct sd_server;

/* To what a method belongs. */
enum sd_shed_class {
	SD_SHED_NEVER,  /* and it is answered at once */
	SD_SHED_EXTRA,  /* what can be done without: the first to go */
	SD_SHED_LEASE,  /* what takes more of a device, or stays here for long */
	SD_SHED_JOB,    /* work; plans are told apart when their turn comes */
};

#define SD_SHED_EXTRAS_AT 80u /* percent */
#define SD_SHED_MISSES_AT 90u
#define SD_SHED_PEERS_AT 95u

static inline uint32_t sd_shed_percent(uint64_t used, uint64_t most)
{
	return most ? (uint32_t)(used * 100 / most) : 0;
}

/* UNAVAILABLE: a method of that class and name is not for now. */
enum sd_status sd_shed_check(struct sd_server *server, enum sd_shed_class class, const char *method, struct sd_diag *diag);

/* The same for a new connection. */
enum sd_status sd_shed_check_peer(struct sd_server *server, struct sd_diag *diag);

/* What is refused now: 0 nothing, 1 extras, 2 misses too, 3 connections too. */
uint32_t sd_shed_stage(struct sd_server *server);

#endif
