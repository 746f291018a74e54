#include "flight.h"

#include <string.h>

static bool is_same(const struct sd_job *job, enum sd_flight_by by, const unsigned char *digest)
{
	bool known = by == SD_FLIGHT_BY_RAW ? job->has_raw : job->has_key;

	return known && memcmp(by == SD_FLIGHT_BY_RAW ? job->raw : job->key, digest, SD_CACHE_KEY_BYTES) == 0;
}

/* A job that was told to stop ends with nothing; joining it would be in vain. */
static struct sd_job *find_flight(struct sd_jobs *jobs, const struct sd_job *self, enum sd_flight_by by,
                                  const unsigned char *digest)
{
	for (struct sd_job *job = jobs->running.first; job; job = job->next) {
		if (job != self && !job->is_alone && !atomic_load(&job->stop) && is_same(job, by, digest))
			return job;
	}
	return NULL;
}

static void move_calls(struct sd_job *from, struct sd_job *to)
{
	struct sd_call **end = &to->calls;

	while (*end)
		end = &(*end)->job_next;
	*end = from->calls;
	for (struct sd_call *call = from->calls; call; call = call->job_next)
		call->job = to;
	to->call_count += from->call_count;
	to->wanted += from->wanted;
	from->calls = from->origin = NULL;
	from->call_count = from->wanted = 0;
	from->has_raw = from->has_key = false;
}

static void announce(struct sd_job *job, enum sd_flight_by by, const unsigned char *digest)
{
	memcpy(by == SD_FLIGHT_BY_RAW ? job->raw : job->key, digest, SD_CACHE_KEY_BYTES);
	*(by == SD_FLIGHT_BY_RAW ? &job->has_raw : &job->has_key) = true;
}

static enum sd_flight enter(struct sd_job *job, enum sd_flight_by by, const unsigned char *digest, struct sd_blob **plan)
{
	struct sd_job *flight = job->is_alone ? NULL : find_flight(job->jobs, job, by, digest);

	if (flight) {
		job->jobs->joins += job->call_count;
		move_calls(job, flight);
		return SD_FLIGHT_JOINED;
	}
	*plan = by == SD_FLIGHT_BY_RAW ? sd_cache_find_raw(job->jobs->cache, digest) : sd_cache_find(job->jobs->cache, digest);
	if (*plan)
		return SD_FLIGHT_HIT;
	announce(job, by, digest);
	return SD_FLIGHT_LEAD;
}

enum sd_flight sd_flight_enter(struct sd_job *job, enum sd_flight_by by,
                               const unsigned char digest[SD_CACHE_KEY_BYTES], struct sd_blob **plan)
{
	enum sd_flight flight;

	uv_mutex_lock(&job->jobs->lock);
	flight = enter(job, by, digest, plan);
	uv_mutex_unlock(&job->jobs->lock);
	return flight;
}
