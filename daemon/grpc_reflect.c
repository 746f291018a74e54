#include <string.h>

#include "grpc_conn.h"
#include "packing.h"
#include "reflection.pb-c.h"
#include "schema.h"

#define SERVICES_MAX 16u

/* Its messages are the same in v1 and v1alpha; those of v1 serve for both. */
typedef Grpc__Reflection__V1__ServerReflectionRequest Request;
typedef Grpc__Reflection__V1__ServerReflectionResponse Response;

static void send_response(struct sd_grpc_stream *stream, const Response *response)
{
	sd_grpc_send(stream, &(struct sd_answer){ .body = sd_pack(&response->base) });
}

static void send_error(struct sd_grpc_stream *stream, Response *response, enum sd_status status, const char *words)
{
	Grpc__Reflection__V1__ErrorResponse error;

	grpc__reflection__v1__error_response__init(&error);
	error.error_code = (int32_t)status;
	error.error_message = sd_unconst(words);
	response->error_response = &error;
	response->message_response_case = GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_ERROR_RESPONSE;
	send_response(stream, response);
}

static void send_file(struct sd_grpc_stream *stream, Response *response, struct sd_text file)
{
	Grpc__Reflection__V1__FileDescriptorResponse files;
	ProtobufCBinaryData bytes = { file.len, (uint8_t *)(uintptr_t)file.at };

	if (file.len == 0) {
		send_error(stream, response, SD_NOT_FOUND, "there is no such file or symbol; list_services tells what there is");
		return;
	}
	grpc__reflection__v1__file_descriptor_response__init(&files);
	files.n_file_descriptor_proto = 1;
	files.file_descriptor_proto = &bytes;
	response->file_descriptor_response = &files;
	response->message_response_case = GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_FILE_DESCRIPTOR_RESPONSE;
	send_response(stream, response);
}

static void send_services(struct sd_grpc_stream *stream, Response *response)
{
	Grpc__Reflection__V1__ListServiceResponse list;
	Grpc__Reflection__V1__ServiceResponse service[SERVICES_MAX], *pointer[SERVICES_MAX];
	char name[SERVICES_MAX][SD_GRPC_PATH_MAX];

	grpc__reflection__v1__list_service_response__init(&list);
	for (uint32_t at = 0; at < SERVICES_MAX && sd_schema_service(at, name[at], SD_GRPC_PATH_MAX); at++) {
		grpc__reflection__v1__service_response__init(&service[at]);
		service[at].name = name[at];
		pointer[at] = &service[at];
		list.n_service++;
	}
	list.service = pointer;
	response->list_services_response = &list;
	response->message_response_case = GRPC__REFLECTION__V1__SERVER_REFLECTION_RESPONSE__MESSAGE_RESPONSE_LIST_SERVICES_RESPONSE;
	send_response(stream, response);
}

static struct sd_text text(const char *at)
{
	return (struct sd_text){ at, (uint32_t)strlen(at) };
}

static void answer(struct sd_grpc_stream *stream, Request *request)
{
	Response response;

	grpc__reflection__v1__server_reflection_response__init(&response);
	response.valid_host = request->host;
	response.original_request = request;
	switch (request->message_request_case) {
	case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_BY_FILENAME:
		send_file(stream, &response, sd_schema_file(text(request->file_by_filename)));
		break;
	case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_SYMBOL:
		send_file(stream, &response, sd_schema_file_of(text(request->file_containing_symbol)));
		break;
	case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_LIST_SERVICES:
		send_services(stream, &response);
		break;
	case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_FILE_CONTAINING_EXTENSION:
	case GRPC__REFLECTION__V1__SERVER_REFLECTION_REQUEST__MESSAGE_REQUEST_ALL_EXTENSION_NUMBERS_OF_TYPE:
		send_error(stream, &response, SD_NOT_FOUND, "no message here has extensions");
		break;
	default:
		send_error(stream, &response, SD_INVALID_ARGUMENT, "the request asks for nothing that is known here");
		break;
	}
}

void sd_grpc_reflect(struct sd_grpc_stream *stream, struct sd_text message)
{
	Request *request = grpc__reflection__v1__server_reflection_request__unpack(NULL, message.len, (const uint8_t *)message.at);
	struct sd_diag diag = { 0 };

	if (request) {
		answer(stream, request);
		grpc__reflection__v1__server_reflection_request__free_unpacked(request, NULL);
		return;
	}
	SD_FAIL1(&diag, SD_CODE_BAD_CALL, SD_NO_NODE, sd_arg_words("the ServerReflectionRequest cannot be decoded"));
	sd_grpc_fail(stream, &diag);
}
