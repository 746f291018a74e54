/* streamctl pool: streams of a device, held from a shell or looked at. */
#include <string.h>

#include "formats/json_path.h"
#include "formats/schema.h"
#include "pool_verbs.h"
#include "remote.h"

/* Packs a request into the run's arena. */
static bool pack(struct cli *cli, const ProtobufCMessage *request, struct sd_text *body)
{
	size_t bytes = protobuf_c_message_get_packed_size(request);
	uint8_t *at = sd_arena_alloc(&cli->mem, bytes + 1);

	if (at)
		*body = (struct sd_text){ (const char *)at, (uint32_t)protobuf_c_message_pack(request, at) };
	return at;
}

static enum exit_status no_memory(struct cli *cli)
{
	struct sd_diag diag = { 0 };

	sd_memory_fail(&cli->mem, &diag);
	return cli_fail(cli, &diag, NULL);
}

static enum exit_status release_model(struct cli *cli, const struct pool_words *words)
{
	Streamd__V1__UnloadRequest request;
	struct sd_text body;

	streamd__v1__unload_request__init(&request);
	request.model = words->model_id;
	request.force = words->force;
	if (!pack(cli, &request.base, &body))
		return no_memory(cli);
	return cli_ask(cli, SD_METHOD_UNLOAD, body, &streamd__v1__unload_answer__descriptor);
}

static enum exit_status release(struct cli *cli, struct pool_words *words)
{
	Streamd__V1__ReleaseRequest request;
	struct sd_text body;

	if (words->model)
		return release_model(cli, words);
	streamd__v1__release_request__init(&request);
	request.leases = words->lease;
	request.n_leases = words->lease_count;
	request.force = words->force;
	if (!pack(cli, &request.base, &body))
		return no_memory(cli);
	return cli_ask(cli, SD_METHOD_RELEASE, body, &streamd__v1__release_answer__descriptor);
}

static enum exit_status list(struct cli *cli, struct pool_words *words)
{
	Streamd__V1__ListRequest request;
	struct sd_text body;

	streamd__v1__list_request__init(&request);
	request.device = (uint32_t)words->device;
	if (!pack(cli, &request.base, &body))
		return no_memory(cli);
	if (cli->format == FORMAT_JSON)
		return cli_ask(cli, SD_METHOD_LIST, body, &streamd__v1__list_answer__descriptor);
	return pool_show_list(cli, body);
}

enum exit_status cli_pool(struct cli *cli)
{
	static const struct {
		const char *name;
		enum pool_verb verb;
		enum exit_status (*run)(struct cli *cli, struct pool_words *words);
	} verb[] = {
		{ "acquire", POOL_ACQUIRE, pool_acquire },
		{ "release", POOL_RELEASE, release },
		{ "list", POOL_LIST, list },
	};
	struct pool_words words;
	enum exit_status status;

	for (size_t i = 0; i < sizeof(verb) / sizeof(verb[0]); i++) {
		if (strcmp(cli->argument[0], verb[i].name) != 0)
			continue;
		status = pool_words_read(cli, verb[i].verb, &words);
		return status == EXIT_GOOD ? verb[i].run(cli, &words) : status;
	}
	return cli_usage(cli, "pool takes acquire, release or list, not %s", cli->argument[0]);
}
