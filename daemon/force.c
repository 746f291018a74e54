#include "force.h"

#include "call.h"
#include "conn.h"
#include "log.h"
#include "rpc.h"
#include "server.h"

enum sd_status sd_force_check(const struct sd_call *call, struct sd_diag *diag)
{
	if (sd_server_allows(call->conn, SD_ROLE_ADMIN))
		return SD_OK;
	return SD_FAIL1(diag, SD_CODE_FORCE_NOT_ALLOWED, SD_NO_NODE, sd_arg_words(call->rpc->name));
}

/* Who took what from whom. */
static void log_taken(const struct sd_call *call, const struct sd_holder *holder, uint64_t lease)
{
	struct sd_line line;

	if (!sd_log_begin(&line, SD_LOG_WARN, "pool_forced"))
		return;
	sd_log_int(&line, "conn", (int64_t)call->conn->id);
	sd_log_int(&line, "uid", call->conn->uid);
	sd_log_int(&line, "pid", call->conn->pid);
	sd_log_text(&line, "method", call->rpc->name);
	sd_log_int(&line, "device", holder->device->number);
	sd_log_int(&line, "lease", (int64_t)lease);
	sd_log_int(&line, "model", (int64_t)sd_holder_id(holder));
	sd_log_text(&line, "name", holder->name);
	sd_log_int(&line, "holder_conn", (int64_t)holder->conn->id);
	sd_log_int(&line, "holder_uid", holder->conn->uid);
	sd_log_int(&line, "holder_pid", holder->conn->pid);
	sd_log_end(&line);
}

void sd_force_release(struct sd_call *call, struct sd_holder *holder, uint64_t lease)
{
	struct sd_holding *holding = &holder->conn->holding;

	log_taken(call, holder, lease);
	call->server->metrics.counter[SD_COUNTER_pool_forced]++;
	sd_gone_add(&holding->taken, lease);
	sd_lease_release(holder, lease, true, &holding->owed, NULL);
	sd_lease_give_way(holder, &holding->owed);
}

struct collecting {
	const struct sd_pool_device *device;
	struct sd_gone leases;
};

static void collect(void *arg, sd_pool_id lease, const struct sd_pool_slot_facts *facts)
{
	struct collecting *collecting = arg;

	sd_gone_add(&collecting->leases, sd_id_on_wire(collecting->device, lease));
}

uint32_t sd_force_unload(struct sd_call *call, struct sd_holder *holder)
{
	struct collecting collecting = { .device = holder->device };
	uint32_t count;

	sd_pool_each_lease(holder->device->pool, holder->model, collect, &collecting);
	for (size_t i = 0; i < collecting.leases.count; i++)
		sd_force_release(call, holder, collecting.leases.slot[i]);
	count = (uint32_t)collecting.leases.count;
	sd_gone_finish(&collecting.leases);
	return count + sd_lease_unload(holder, "forced", &holder->conn->holding.owed);
}
