#include "shed.h"

#include "server.h"

/* How full both are, in percent. */
struct fill {
	uint32_t queue, memory;
};

static struct fill look(struct sd_server *server)
{
	struct sd_jobs_counts counts;

	sd_jobs_count(&server->jobs, &counts);
	return (struct fill){ sd_shed_percent(counts.queued, server->config.queue_jobs_max),
	                      sd_shed_percent(server->request_bytes, server->config.queue_bytes_max) };
}

static enum sd_status refuse(uint32_t percent, const char *where, const char *what, struct sd_diag *diag)
{
	return SD_FAIL3(diag, SD_CODE_SHED, SD_NO_NODE, sd_arg_int(percent), sd_arg_words(where), sd_arg_words(what));
}

static enum sd_status refuse_for_memory(const struct fill *fill, const char *what, struct sd_diag *diag)
{
	return refuse(fill->memory, "the memory for requests", what, diag);
}

enum sd_status sd_shed_check(struct sd_server *server, enum sd_shed_class class, const char *method, struct sd_diag *diag)
{
	struct fill fill;

	if (class != SD_SHED_EXTRA && class != SD_SHED_LEASE)
		return SD_OK;
	fill = look(server);
	if (fill.memory < SD_SHED_EXTRAS_AT && (class == SD_SHED_LEASE || fill.queue < SD_SHED_EXTRAS_AT))
		return SD_OK;
	server->metrics.counter[class == SD_SHED_LEASE ? SD_COUNTER_shed_leases : SD_COUNTER_shed_extras]++;
	if (fill.memory >= SD_SHED_EXTRAS_AT)
		return refuse_for_memory(&fill, method, diag);
	return refuse(fill.queue, "the queue of jobs", method, diag);
}

enum sd_status sd_shed_check_peer(struct sd_server *server, struct sd_diag *diag)
{
	struct fill fill = look(server);

	if (fill.memory < SD_SHED_PEERS_AT)
		return SD_OK;
	server->metrics.counter[SD_COUNTER_shed_connections]++;
	return refuse_for_memory(&fill, "a new connection", diag);
}

uint32_t sd_shed_stage(struct sd_server *server)
{
	struct fill fill = look(server);
	uint32_t more = fill.queue > fill.memory ? fill.queue : fill.memory;

	if (fill.memory >= SD_SHED_PEERS_AT)
		return 3;
	return more >= SD_SHED_MISSES_AT ? 2 : more >= SD_SHED_EXTRAS_AT;
}
