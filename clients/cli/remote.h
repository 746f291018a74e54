/* remote.h - private: the daemon's answers, with its refusals told like our own. */
#ifndef SD_CLI_REMOTE_H
#define SD_CLI_REMOTE_H

#include <protobuf-c/protobuf-c.h>

#include "c/streamd_client.h"
#include "cli.h"
#include "formats/plan_answer.h"

/* Connects, calls once and copies the answer's body into the run's arena. */
enum exit_status cli_call(struct cli *cli, enum sd_method method, struct sd_text body, struct sd_text *answer);

/* Tells an error of the client library, the daemon's or its own. */
enum exit_status cli_report_remote(struct cli *cli, const struct sd_client_error *from);

struct remote_plan {
	struct sd_plan_answer answer;
	uint64_t round_trip_ns;
};

/* An error of the client library as one of ours; its texts are copied into the run's arena. */
enum exit_status cli_refuse(struct cli *cli, const struct sd_client_error *from, struct cli_error *error);

/* Asks for a plan. A refusal is not told: it is in `error`. */
enum exit_status cli_remote_plan(struct cli *cli, enum sd_method method, struct sd_text request, struct remote_plan *got, struct cli_error *error);

/* Calls with `body` and prints the answer, a message of that type, as --format says. */
enum exit_status cli_ask(struct cli *cli, enum sd_method method, struct sd_text body, const ProtobufCMessageDescriptor *type);

/* Tells that an answer is no message of its type. */
enum exit_status cli_fail_answer(struct cli *cli);

#endif
