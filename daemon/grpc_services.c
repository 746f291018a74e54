#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grpc_conn.h"
#include "schema.h"
#include "server.h"
#include "streamd.pb-c.h"

static const struct {
	const char *path;
	void (*serve)(struct sd_grpc_stream *stream, struct sd_text message);
	bool takes_many;
	uint32_t row;
} extra[] = {
	{ "/grpc.health.v1.Health/Check", sd_grpc_health_check, false, SD_METRIC_HEALTH },
	{ "/grpc.health.v1.Health/Watch", sd_grpc_health_watch, false, SD_METRIC_HEALTH },
	{ "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", sd_grpc_reflect, true, SD_METRIC_REFLECTION },
	{ "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", sd_grpc_reflect, true, SD_METRIC_REFLECTION },
};
#define EXTRAS ((uint32_t)(sizeof(extra) / sizeof(extra[0])))

/* The service of the schema that has a method of that name; NULL: none has. */
static const ProtobufCServiceDescriptor *service_of(const char *method)
{
	static const ProtobufCServiceDescriptor *const services[] = { &streamd__v1__planner__descriptor, &streamd__v1__pool__descriptor };

	for (size_t i = 0; i < sizeof(services) / sizeof(services[0]); i++) {
		if (protobuf_c_service_descriptor_get_method_by_name(services[i], method))
			return services[i];
	}
	return NULL;
}

static uint32_t add_table(struct sd_grpc_method *methods)
{
	uint32_t count = 0;

	for (uint32_t row = 0; row < sd_rpc_count(); row++) {
		const struct sd_rpc *rpc = sd_rpc_row(row);
		const ProtobufCServiceDescriptor *service = service_of(rpc->name);
		struct sd_grpc_method *method = &methods[count];

		if (!service)
			continue;
		*method = (struct sd_grpc_method){ .rpc = rpc, .metric = row };
		method->path_len = (size_t)snprintf(method->path, sizeof(method->path), "/%s/%s", service->name, rpc->name);
		count++;
	}
	return count;
}

struct sd_grpc_method *sd_grpc_methods_make(uint32_t *count)
{
	struct sd_grpc_method *methods = calloc(sd_rpc_count() + EXTRAS, sizeof(*methods));

	if (!methods)
		return NULL;
	*count = add_table(methods);
	for (uint32_t i = 0; i < EXTRAS; i++) {
		struct sd_grpc_method *method = &methods[(*count)++];

		*method = (struct sd_grpc_method){ .serve = extra[i].serve, .takes_many = extra[i].takes_many,
		                                   .metric = sd_rpc_count() + extra[i].row };
		method->path_len = (size_t)snprintf(method->path, sizeof(method->path), "%s", extra[i].path);
	}
	return methods;
}

const struct sd_grpc_method *sd_grpc_find_method(const struct sd_server *server, struct sd_text path)
{
	for (uint32_t i = 0; i < server->grpc.method_count; i++) {
		const struct sd_grpc_method *method = &server->grpc.methods[i];

		if (method->path_len == path.len && memcmp(method->path, path.at, path.len) == 0)
			return method;
	}
	return NULL;
}

bool sd_grpc_has_service(const char *name)
{
	char service[SD_GRPC_PATH_MAX];

	for (uint32_t at = 0; sd_schema_service(at, service, sizeof(service)); at++) {
		if (strcmp(service, name) == 0)
			return true;
	}
	return false;
}
