#include "grpc_conn.h"
#include "health.pb-c.h"
#include "packing.h"
#include "server.h"

/* The empty name is the server as a whole. */
static Grpc__Health__V1__HealthCheckResponse__ServingStatus status_of(const struct sd_server *server, const char *service)
{
	if (*service && !sd_grpc_has_service(service))
		return GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVICE_UNKNOWN;
	return sd_server_is_draining(server) ? GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__NOT_SERVING
	                                     : GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVING;
}

static void tell(struct sd_grpc_stream *stream, Grpc__Health__V1__HealthCheckResponse__ServingStatus status)
{
	Grpc__Health__V1__HealthCheckResponse response;

	grpc__health__v1__health_check_response__init(&response);
	response.status = status;
	sd_grpc_send(stream, &(struct sd_answer){ .body = sd_pack(&response.base) });
}

static void fail(struct sd_grpc_stream *stream, enum sd_code code, struct sd_arg arg)
{
	struct sd_diag diag = { 0 };

	SD_FAIL1(&diag, code, SD_NO_NODE, arg);
	sd_grpc_fail(stream, &diag);
}

/* Answers false when the message made no sense and the stream is over. */
static bool ask(struct sd_grpc_stream *stream, struct sd_text message, bool is_watch)
{
	const struct sd_server *server = stream->grpc->conn.server;
	Grpc__Health__V1__HealthCheckRequest *request =
		grpc__health__v1__health_check_request__unpack(NULL, message.len, (const uint8_t *)message.at);
	Grpc__Health__V1__HealthCheckResponse__ServingStatus status;

	if (!request) {
		fail(stream, SD_CODE_BAD_CALL, sd_arg_words("the HealthCheckRequest cannot be decoded"));
		return false;
	}
	status = status_of(server, request->service);
	if (status == GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVICE_UNKNOWN && !is_watch)
		fail(stream, SD_CODE_NO_SERVICE, sd_arg_text((struct sd_text){ request->service, (uint32_t)strlen(request->service) }));
	else
		tell(stream, status);
	grpc__health__v1__health_check_request__free_unpacked(request, NULL);
	return !stream->is_ended && stream->grpc->state < SD_GRPC_CLOSED;
}

void sd_grpc_health_check(struct sd_grpc_stream *stream, struct sd_text message)
{
	if (ask(stream, message, false))
		sd_grpc_finish(stream, SD_OK, NULL);
}

void sd_grpc_health_watch(struct sd_grpc_stream *stream, struct sd_text message)
{
	if (!ask(stream, message, true))
		return;
	stream->is_health_watch = true;
	if (sd_server_is_draining(stream->grpc->conn.server))
		fail(stream, SD_CODE_DRAINING, (struct sd_arg){ 0 });
}

void sd_grpc_health_drain(struct sd_grpc_conn *grpc)
{
	bool is_draining = sd_server_is_draining(grpc->conn.server);

	for (struct sd_grpc_stream *stream = grpc->streams; stream; stream = stream->next) {
		if (!stream->is_health_watch || stream->is_ended)
			continue;
		if (is_draining)
			tell(stream, GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__NOT_SERVING);
		if (grpc->state == SD_GRPC_CLOSED)
			return;
		if (stream->is_ended)
			continue;
		fail(stream, SD_CODE_DRAINING, (struct sd_arg){ 0 });
	}
}
