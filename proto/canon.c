#include "canon.h"

#include <openssl/evp.h>

#include "base/check.h"
#include "canon_parts.h"
#include "streamd/planner.h"

_Static_assert(SD_PLANNER_TEXT_MAX == SD_PLANNER_VERSION_MAX, "identity.planner holds what sd_planner_version() writes");

static bool hash_graph(struct sd__canon *canon, struct sd_identity *identity)
{
	sd__sponge_begin(&canon->sponge, "streamd graph 1");
	sd__canon_graph(canon);
	return sd__sponge_end(&canon->sponge, identity->graph_hash);
}

static bool hash_plan_key(struct sd__canon *canon, struct sd_identity *identity)
{
	struct sd__sponge *s = &canon->sponge;
	const struct sd_request *request = canon->request;
	bool by_name = sd_plan_compares_names(&request->options), whole = sd_stream_passes_read_names(request->passes);

	sd__sponge_begin(s, "streamd plan 1");
	sd__sponge_text(s, (struct sd_text){ identity->planner, (uint32_t)strlen(identity->planner) });
	sd__sponge_text(s, (struct sd_text){ (const char *)identity->graph_hash, SD_DIGEST_BYTES });
	sd__canon_options(canon, &request->options);
	sd__canon_device(canon, &request->device);
	sd__sponge_number(s, by_name);
	if (by_name)
		sd__canon_name_ranks(canon);
	if (whole)
		sd__canon_names(canon);
	return sd__sponge_end(s, identity->plan_key);
}

enum sd_status sd_identify(struct sd_arena *mem, const struct sd_request *request, struct sd_identity *identity)
{
	struct sd_arena_mark mark = sd_arena_mark(mem);
	struct sd__canon canon = { .mem = mem, .request = request };
	bool done;

	*identity = (struct sd_identity){ .planner = "" };
	sd_planner_version(request->passes, identity->planner);
	done = hash_graph(&canon, identity) && hash_plan_key(&canon, identity) && !canon.over_budget;
	sd_arena_rewind(mem, mark);
	return done ? SD_OK : SD_RESOURCE_EXHAUSTED;
}

void sd_digest(struct sd_text bytes, unsigned char out[SD_DIGEST_BYTES])
{
	SD_REQUIRE(EVP_Digest(bytes.at, bytes.len, out, NULL, EVP_sha256(), NULL) == 1);
}
