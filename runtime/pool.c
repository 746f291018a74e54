#include "streamd/pool.h"

#include <stdlib.h>
#include <string.h>

#include "pool_impl.h"

enum sd_status sd_pool_create(struct sd_pool **out, const struct sd_pool_limits *limits)
{
	struct sd_pool *pool = calloc(1, sizeof(*pool));

	*out = NULL;
	if (!pool)
		return SD_INTERNAL;
	pool->limits = *limits;
	if (!sd__pool_init_parts(pool)) {
		free(pool);
		return SD_INTERNAL;
	}
	*out = pool;
	return SD_OK;
}

void sd_pool_destroy(struct sd_pool *pool)
{
	if (!pool)
		return;
	sd__pool_finish_parts(pool);
	free(pool);
}

void sd_pool_set_limits(struct sd_pool *pool, const struct sd_pool_limits *limits)
{
	pool->limits = *limits;
}

const struct sd_pool_limits *sd_pool_get_limits(const struct sd_pool *pool)
{
	return &pool->limits;
}

/* ---- domains ---- */

static struct sd__domain *find_domain(const struct sd_pool *pool, struct sd_text name)
{
	struct sd__domain like = { .name = (char *)(uintptr_t)name.at, .name_len = name.len };
	struct sd_tree_node *node = sd_tree_find(&pool->domain_names, &like.by_name);

	return node ? SD_TREE_OF(node, struct sd__domain, by_name) : NULL;
}

enum sd_status sd_pool_domain(struct sd_pool *pool, struct sd_text name, uint32_t *number)
{
	struct sd__domain *domain = find_domain(pool, name);
	char *copy;

	if (domain) {
		*number = sd__domain_number(domain);
		return SD_OK;
	}
	copy = malloc(name.len + 1);
	if (!copy || !sd_slab_reserve(&pool->domains, 1)) {
		free(copy);
		return SD_INTERNAL;
	}
	if (name.len)
		memcpy(copy, name.at, name.len);
	domain = sd_slab_take(&pool->domains);
	domain->name = copy;
	domain->name_len = name.len;
	sd_tree_insert(&pool->domain_names, &domain->by_name);
	*number = sd__domain_number(domain);
	return SD_OK;
}

struct sd_text sd_pool_domain_name(const struct sd_pool *pool, uint32_t number)
{
	const struct sd__domain *domain = sd__domain_at(pool, number);

	return domain ? (struct sd_text){ domain->name, domain->name_len } : SD_TEXT("");
}

/* ---- models ---- */

enum sd_status sd_pool_add_model(struct sd_pool *pool, uint32_t domain_number, void *owner, sd_pool_id *id)
{
	struct sd__domain *domain = sd__domain_at(pool, domain_number);
	struct sd__model *model;

	if (!domain)
		return SD_NOT_FOUND;
	if (!sd_slab_reserve(&pool->models, 1)) {
		sd__domain_drop_if_unused(pool, domain);
		return SD_INTERNAL;
	}
	model = sd_slab_take(&pool->models);
	model->domain = domain;
	model->owner = owner;
	sd__model_link(pool, model);
	*id = sd_slab_id(&pool->models, model);
	return SD_OK;
}

enum sd_status sd__find_model(const struct sd_pool *pool, sd_pool_id id, struct sd__model **model, struct sd_diag *diag)
{
	bool was_live;

	*model = sd_slab_find(&pool->models, id, &was_live);
	if (*model)
		return SD_OK;
	return SD_FAIL1(diag, was_live ? SD_CODE_POOL_MODEL_GONE : SD_CODE_POOL_NO_MODEL, SD_NO_NODE, sd_arg_int((int64_t)id));
}

enum sd_status sd_pool_release_events(struct sd_pool *pool, sd_pool_id id, uint64_t events, uint64_t notifies, struct sd_diag *diag)
{
	struct sd__model *model;

	SD_TRY(sd__find_model(pool, id, &model, diag));
	if (events > model->events || notifies > model->notifies)
		return SD_FAIL1(diag, SD_CODE_POOL_NOT_HELD, SD_NO_NODE, sd_arg_int((int64_t)id));
	pool->events -= events;
	model->events -= (uint32_t)events;
	pool->notifies -= notifies;
	model->notifies -= (uint32_t)notifies;
	return SD_OK;
}
