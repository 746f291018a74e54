/* streamctl device: what a device of this machine has, and whether it does what it is there for. */
#include <inttypes.h>
#include <stdarg.h>

#include "cli.h"
#include "streamd/device_name.h"
#include "streamd/device_try.h"

struct seen {
	struct sd_device_facts facts;
	struct sd_device_trial trial;
};

static void put_number(struct sd_emitter *out, const char *key, uint64_t number)
{
	sd_emit_key(out, key);
	sd_emit_uint(out, number);
}

static void put_json(struct sd_emitter *out, const struct seen *seen)
{
	const struct sd_device_facts *facts = &seen->facts;

	sd_emit_open(out, '{');
	sd_emit_pair(out, "device", facts->name);
	put_number(out, "streams_max", facts->streams_max);
	put_number(out, "streams_used", facts->streams_used);
	put_number(out, "events_max", facts->events_max);
	put_number(out, "events_used", facts->events_used);
	put_number(out, "notifies_max", facts->notifies_max);
	put_number(out, "notifies_used", facts->notifies_used);
	put_number(out, "tasks_per_stream_max", facts->tasks_per_stream_max);
	put_number(out, "memory_bytes", facts->memory_bytes);
	put_number(out, "memory_free_bytes", facts->memory_free_bytes);
	put_number(out, "cube_cores", facts->cube_cores);
	put_number(out, "vector_cores", facts->vector_cores);
	put_number(out, "most_urgent", SD_PRIORITY_MOST_URGENT);
	put_number(out, "least_urgent", SD_PRIORITY_LEAST_URGENT);
	put_number(out, "launch_ns", seen->trial.launch_ns);
	put_number(out, "copy_bytes", SD_TRY_BYTES);
	put_number(out, "copy_ns", seen->trial.copy_ns);
	sd_emit_key(out, "keeps_order");
	sd_emit_bool(out, seen->trial.is_ordered);
	sd_emit_key(out, "copies_right");
	sd_emit_bool(out, seen->trial.is_copied);
	sd_emit_close(out, '}');
	sd_emit_words(out, "\n");
}

__attribute__((format(printf, 2, 3))) static void put_line(struct sd_emitter *out, const char *form, ...)
{
	char line[160];
	va_list words;

	va_start(words, form);
	vsnprintf(line, sizeof(line), form, words);
	va_end(words);
	sd_emit_words(out, line);
	sd_emit_words(out, "\n");
}

static void put_limit(struct sd_emitter *out, const char *what, uint32_t most)
{
	if (most)
		put_line(out, "%-22s %" PRIu32, what, most);
	else
		put_line(out, "%-22s no limit is known", what);
}

static void put_text(struct sd_emitter *out, const struct seen *seen)
{
	const struct sd_device_facts *facts = &seen->facts;

	put_line(out, "device %s", facts->name);
	put_limit(out, "streams", facts->streams_max);
	put_limit(out, "events", facts->events_max);
	put_limit(out, "notifies", facts->notifies_max);
	put_limit(out, "tasks on a stream", facts->tasks_per_stream_max);
	put_line(out, "%-22s %" PRIu64 " of %" PRIu64 " MiB free", "memory", facts->memory_free_bytes >> 20, facts->memory_bytes >> 20);
	put_line(out, "%-22s %" PRIu32 " cube, %" PRIu32 " vector", "cores", facts->cube_cores, facts->vector_cores);
	put_line(out, "%-22s %d most urgent .. %d", "priorities", SD_PRIORITY_MOST_URGENT, SD_PRIORITY_LEAST_URGENT);
	put_line(out, "%-22s %" PRIu64 " us, of a function that does nothing", "launch and wait", seen->trial.launch_ns / 1000);
	put_line(out, "%-22s %" PRIu64 " us, of 1 MiB", "copy there and back", seen->trial.copy_ns / 1000);
	put_line(out, "%-22s %s", "an event orders", seen->trial.is_ordered ? "yes" : "NO: a stream did not wait for what it was to wait for");
	put_line(out, "%-22s %s", "a copy is right", seen->trial.is_copied ? "yes" : "NO: what came back is not what went there");
}

static enum sd_status write_seen(struct cli *cli, struct sd_emitter *out, const void *what, struct sd_diag *diag)
{
	if (cli->format == FORMAT_JSON)
		put_json(out, what);
	else
		put_text(out, what);
	return SD_OK;
}

static enum sd_status see(const struct sd_device_name *name, struct seen *seen, struct sd_diag *diag)
{
	struct sd_device *device;
	enum sd_status status;

	SD_TRY(sd_device_open_named(name, &device, diag));
	device->ops->facts(device, &seen->facts);
	status = sd_device_try(device, &seen->trial, diag);
	device->ops->close(device);
	return status;
}

enum exit_status cli_device(struct cli *cli)
{
	struct sd_device_name name;
	struct sd_diag diag = { 0 };
	enum exit_status status;
	struct seen seen;

	if (sd_device_name_read(cli->argument[0], &name, &diag) != SD_OK)
		return cli_usage(cli, "no device is called %s; name sim, host, acl or cuda, the last two with :LIBRARY and @NUMBER if that is wanted", cli->argument[0]);
	if (see(&name, &seen, &diag) != SD_OK)
		return cli_fail(cli, &diag, NULL);
	status = cli_print(cli, write_seen, &seen, NULL);
	return status == EXIT_GOOD && !(seen.trial.is_ordered && seen.trial.is_copied) ? EXIT_REFUSED : status;
}
