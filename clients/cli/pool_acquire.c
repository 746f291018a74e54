/* streamctl pool acquire: leases that last as long as the command does. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "c/streamd_pool.h"
#include "pool_verbs.h"
#include "remote.h"
#include "streamd/stream_flags.h"

struct holding {
	struct sd_client *client;
	struct sd_client_model model;
	struct sd_client_grants grants;
	uint64_t device;
};

/* ---- what is held ---- */

static void write_lease(struct sd_emitter *out, const struct sd_pool_grant *grant)
{
	const char *name;
	uint32_t flag;

	sd_emit_open(out, '{');
	sd_emit_key(out, "lease");
	sd_emit_uint(out, grant->lease);
	sd_emit_key(out, "slot");
	sd_emit_uint(out, grant->slot);
	sd_emit_key(out, "create");
	sd_emit_bool(out, grant->is_new);
	sd_emit_key(out, "priority");
	sd_emit_int(out, grant->key.priority);
	sd_emit_key(out, "flags");
	sd_emit_uint(out, grant->key.flags);
	sd_emit_key(out, "flag_names");
	sd_emit_open(out, '[');
	for (uint32_t i = 0; (name = sd_stream_flag_name(i, &flag)); i++) {
		if (grant->key.flags & flag)
			sd_emit_string(out, name);
	}
	sd_emit_close(out, ']');
	sd_emit_key(out, "task_count");
	sd_emit_int(out, grant->task_count);
	sd_emit_key(out, "shared_with");
	sd_emit_uint(out, grant->shared_with);
	sd_emit_close(out, '}');
}

static enum sd_status write_json(struct cli *cli, struct sd_emitter *out, const void *what, struct sd_diag *diag)
{
	const struct holding *holding = what;
	const struct sd_client_grants *grants = &holding->grants;

	sd_emit_open(out, '{');
	sd_emit_key(out, "model");
	sd_emit_uint(out, holding->model.id);
	sd_emit_key(out, "ttl_ms");
	sd_emit_uint(out, holding->model.ttl_ms);
	sd_emit_key(out, "leases");
	sd_emit_open(out, '[');
	for (uint32_t i = 0; i < grants->count; i++)
		write_lease(out, &grants->grant[i]);
	sd_emit_close(out, ']');
	sd_emit_key(out, "events");
	sd_emit_uint(out, grants->events);
	sd_emit_key(out, "notifies");
	sd_emit_uint(out, grants->notifies);
	sd_emit_key(out, "new_streams");
	sd_emit_uint(out, grants->new_streams);
	sd_emit_key(out, "waited_ms");
	sd_emit_uint(out, grants->waited_ms);
	sd_emit_close(out, '}');
	sd_emit_raw(out, "\n", 1);
	return SD_OK;
}

static void print_text(const struct holding *holding)
{
	const struct sd_client_grants *grants = &holding->grants;
	char names[POOL_FLAGS_TEXT_MAX];

	printf("model %" PRIu64 " on device %" PRIu64 ": %" PRIu32 " streams (%" PRIu32 " to create), %" PRIu64 " events, %" PRIu64
	       " notifies, waited %" PRIu64 " ms\n", holding->model.id, holding->device, grants->count, grants->new_streams, grants->events,
	       grants->notifies, grants->waited_ms);
	for (uint32_t i = 0; i < grants->count; i++) {
		const struct sd_pool_grant *grant = &grants->grant[i];

		printf("lease %" PRIu64 ": %s slot %" PRIu64 ", priority %" PRId32 ", flags %s, %" PRId64 " tasks, shared with %" PRIu32 "\n",
		       grant->lease, grant->is_new ? "create" : "reuse", grant->slot, grant->key.priority,
		       pool_flags_text(grant->key.flags, names, sizeof(names)), grant->task_count, grant->shared_with);
	}
}

static enum exit_status show(struct cli *cli, const struct holding *holding)
{
	if (cli->format == FORMAT_JSON)
		return cli_print(cli, write_json, holding, NULL);
	print_text(holding);
	return cli_close_output(cli, stdout);
}

/* ---- holding ---- */

/* Something was taken away, or the model is no more: what is left to say. */
static enum exit_status tell_loss(const struct cli *cli, const struct sd_client_heard *heard)
{
	for (size_t i = 0; i < heard->taken.count; i++)
		fprintf(stderr, "streamctl: lease %" PRIu64 " was taken away by an operator; its stream must not be used any more\n", heard->taken.id[i]);
	if (heard->renewed)
		return EXIT_GOOD;
	fprintf(stderr, "streamctl: the model is no more: it was taken away, or not heard of for its ttl_ms; acquire again\n");
	return EXIT_REFUSED;
}

static enum exit_status beat(struct cli *cli, struct holding *holding)
{
	struct sd_client_error error;
	struct sd_client_heard heard;
	enum exit_status status;

	if (sd_client_heartbeat(holding->client, &heard, &error) == SD_OK)
		status = tell_loss(cli, &heard);
	else
		status = cli_report_remote(cli, &error);
	sd_client_ids_finish(&heard.gone);
	sd_client_ids_finish(&heard.taken);
	return status;
}

/* True when standard input has ended. */
static bool input_ended(void)
{
	char unwanted[512];
	ssize_t got = read(STDIN_FILENO, unwanted, sizeof(unwanted));

	return got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN);
}

static enum exit_status hold(struct cli *cli, struct holding *holding, int signals)
{
	struct pollfd wake[] = { { STDIN_FILENO, POLLIN, 0 }, { signals, POLLIN, 0 } };
	uint32_t third = holding->model.ttl_ms / 3;
	enum exit_status status = EXIT_GOOD;

	while (status == EXIT_GOOD) {
		int ready = poll(wake, 2, third ? (int)third : 1);

		if (ready > 0 && (wake[1].revents || (wake[0].revents && input_ended())))
			break;
		status = beat(cli, holding);
	}
	return status;
}

static enum exit_status give_back(struct cli *cli, struct holding *holding, bool is_quiet)
{
	struct sd_client_returned returned;
	struct sd_client_error error;

	if (sd_client_unload(holding->client, &holding->model, &returned, &error) != SD_OK)
		return cli_report_remote(cli, &error);
	sd_client_ids_finish(&returned.gone);
	if (is_quiet)
		return EXIT_GOOD;
	printf("%" PRIu32 " leases given back\n", returned.released);
	return cli_close_output(cli, stdout);
}

/* Signals that end the holding come through the descriptor that is answered; -1: there is none left. */
static int catch_signals(void)
{
	sigset_t ends;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	return signalfd(-1, &ends, SFD_CLOEXEC);
}

static enum exit_status show_and_hold(struct cli *cli, struct holding *holding)
{
	bool is_json = cli->format == FORMAT_JSON;
	int signals = catch_signals();
	enum exit_status status = show(cli, holding);

	/* The one object is printed; what happens from here on is told on standard error alone. */
	cli->format = FORMAT_TEXT;
	if (status == EXIT_GOOD)
		status = hold(cli, holding, signals);
	if (status == EXIT_GOOD)
		status = give_back(cli, holding, is_json);
	if (signals >= 0)
		close(signals);
	return status;
}

static enum exit_status take_and_hold(struct cli *cli, struct holding *holding, const struct pool_words *words)
{
	const struct sd_client_model_ask model = { .name = words->model, .domain = words->domain, .device = (uint32_t)words->device,
	                                           .priority = words->priority > 0 ? (uint32_t)words->priority : 0,
	                                           .ttl_ms = (uint32_t)words->ttl_ms };
	const struct sd_pool_want want = { .priority = (int32_t)words->priority, .flags = (uint32_t)words->flags,
	                                   .task_count = (int64_t)words->task_count, .count = (uint32_t)words->count };
	const struct sd_client_acquire_ask ask = { .want = &want, .want_count = words->count > 0, .events = words->events,
	                                           .notifies = words->notifies, .wait_ms = (uint32_t)words->wait_ms };
	struct sd_client_error error;
	enum exit_status status;

	if (sd_client_register(holding->client, &model, &holding->model, &error) != SD_OK)
		return cli_report_remote(cli, &error);
	if (sd_client_acquire(holding->client, &holding->model, &ask, &holding->grants, &error) == SD_OK)
		status = show_and_hold(cli, holding);
	else
		status = cli_report_remote(cli, &error);
	sd_client_grants_finish(&holding->grants);
	return status;
}

enum exit_status pool_acquire(struct cli *cli, struct pool_words *words)
{
	const struct sd_client_options options = { .socket = cli->socket, .name = "streamctl", .deadline_ms = cli->deadline_ms };
	struct holding holding = { .device = words->device };
	struct sd_client_error error;
	enum exit_status status;

	if (sd_client_open(&holding.client, &options, &error) != SD_OK)
		return cli_report_remote(cli, &error);
	status = take_and_hold(cli, &holding, words);
	sd_client_close(holding.client);
	return status;
}
