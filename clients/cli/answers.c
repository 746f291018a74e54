/* The daemon's small answers, printed by their own descriptors. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/json_message.h"
#include "remote.h"

#define CELL_MAX 96 /* bytes of one figure or name in a table */

static void format_cell(char out[CELL_MAX], const ProtobufCFieldDescriptor *field, const void *member)
{
	switch (field->type) {
	case PROTOBUF_C_TYPE_UINT64:
		snprintf(out, CELL_MAX, "%" PRIu64, *(const uint64_t *)member);
		break;
	case PROTOBUF_C_TYPE_UINT32:
		snprintf(out, CELL_MAX, "%" PRIu32, *(const uint32_t *)member);
		break;
	case PROTOBUF_C_TYPE_BOOL:
		snprintf(out, CELL_MAX, "%s", *(const protobuf_c_boolean *)member ? "yes" : "no");
		break;
	case PROTOBUF_C_TYPE_STRING:
		snprintf(out, CELL_MAX, "%s", *(const char *const *)member);
		break;
	default:
		snprintf(out, CELL_MAX, "-");
	}
}

static int column_width(const ProtobufCFieldDescriptor *column, ProtobufCMessage *const *rows, size_t count)
{
	size_t width = strlen(column->name);
	char cell[CELL_MAX];

	for (size_t i = 0; i < count; i++) {
		format_cell(cell, column, (const char *)rows[i] + column->offset);
		if (strlen(cell) > width)
			width = strlen(cell);
	}
	return (int)width;
}

static void print_row(const ProtobufCMessageDescriptor *type, ProtobufCMessage *const *rows, size_t count, const ProtobufCMessage *row)
{
	for (unsigned k = 0; k < type->n_fields; k++) {
		const ProtobufCFieldDescriptor *column = &type->fields[k];
		int width = k + 1 < type->n_fields ? column_width(column, rows, count) : 0;
		char cell[CELL_MAX];

		if (row)
			format_cell(cell, column, (const char *)row + column->offset);
		else
			snprintf(cell, sizeof(cell), "%s", column->name);
		printf("%s%-*s", k ? "  " : "", width, cell);
	}
	printf("\n");
}

static void print_table(const ProtobufCFieldDescriptor *field, const void *member, size_t count)
{
	ProtobufCMessage *const *rows = *(ProtobufCMessage *const *const *)member;

	if (count == 0) {
		printf("no %s\n", field->name);
		return;
	}
	print_row(field->descriptor, rows, count, NULL);
	for (size_t i = 0; i < count; i++)
		print_row(field->descriptor, rows, count, rows[i]);
}

/* Numbers on one line. */
static void print_list(const ProtobufCFieldDescriptor *field, const void *member, size_t count)
{
	const uint64_t *number = *(const uint64_t *const *)member;

	printf("%-18s", field->name);
	for (size_t i = 0; i < count; i++)
		printf(" %" PRIu64, number[i]);
	printf("%s\n", count ? "" : " none");
}

static void print_text(const ProtobufCMessage *message)
{
	const ProtobufCMessageDescriptor *type = message->descriptor;
	const char *base = (const char *)message;
	char cell[CELL_MAX];

	for (unsigned i = 0; i < type->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &type->fields[i];

		if (field->label == PROTOBUF_C_LABEL_REPEATED && field->type == PROTOBUF_C_TYPE_MESSAGE) {
			print_table(field, base + field->offset, *(const size_t *)(const void *)(base + field->quantifier_offset));
		} else if (field->label == PROTOBUF_C_LABEL_REPEATED && field->type == PROTOBUF_C_TYPE_UINT64) {
			print_list(field, base + field->offset, *(const size_t *)(const void *)(base + field->quantifier_offset));
		} else {
			format_cell(cell, field, base + field->offset);
			printf("%-18s %s\n", field->name, cell);
		}
	}
}

static enum sd_status write_json(struct cli *cli, struct sd_emitter *out, const void *message, struct sd_diag *diag)
{
	sd_json_message_write(out, message, true);
	sd_emit_raw(out, "\n", 1);
	return SD_OK;
}

enum exit_status cli_fail_answer(struct cli *cli)
{
	struct sd_diag diag = { 0 };

	SD_FAIL1(&diag, SD_CODE_BROKEN, SD_NO_NODE, sd_arg_words("the daemon's answer cannot be read"));
	return cli_fail(cli, &diag, NULL);
}

enum exit_status cli_ask(struct cli *cli, enum sd_method method, struct sd_text body, const ProtobufCMessageDescriptor *type)
{
	ProtobufCAllocator allocator = sd_message_allocator(&cli->mem);
	ProtobufCMessage *message;
	struct sd_text answer;
	enum exit_status status = cli_call(cli, method, body, &answer);

	if (status != EXIT_GOOD)
		return status;
	message = protobuf_c_message_unpack(type, &allocator, answer.len, (const uint8_t *)answer.at);
	if (!message)
		return cli_fail_answer(cli);
	if (cli->format == FORMAT_JSON)
		return cli_print(cli, write_json, message, NULL);
	print_text(message);
	return cli_close_output(cli, stdout);
}
