/* plan_encode_test - plans as bytes: what protobuf-c reads, that nothing is lost, that it is always the same. */
#include "lib/random_plan.h"
#include "proto/plan_codec.h"
#include "run_tests.h"
#include "streamd.pb-c.h"

static const struct sd_identity identity = { .graph_hash = "graph hash of thirty-two bytes!", .plan_key = "plan key", .planner = "0.1.0+0123456789abcdef" };

/* The member of the oneof that a command of this kind sets. */
static uint32_t argument_of(const Streamd__V1__Command *command, uint8_t kind)
{
	switch (kind) {
	case SD_LAUNCH: return command->launch;
	case SD_RECORD: return command->record;
	case SD_WAIT: return command->wait;
	case SD_NOTIFY_RECORD: return command->notify_record;
	case SD_NOTIFY_WAIT: return command->notify_wait;
	default: return command->activate;
	}
}

static void same_streams(const struct sd_plan *ours, const Streamd__V1__Plan *theirs)
{
	ck_assert_uint_eq(theirs->n_streams, ours->stream_count);
	for (uint32_t i = 0; i < ours->stream_count; i++) {
		const struct sd_stream *a = &ours->stream[i];
		const Streamd__V1__Stream *b = theirs->streams[i];

		ck_assert(a->logical_id == b->logical_id && a->label_node + 1 == b->label_node_plus1 && a->priority == b->priority);
		ck_assert(a->flags == b->flags && a->attached == b->attached && a->huge == b->huge);
		ck_assert(a->initially_active == b->initially_active && a->task_count == b->task_count);
		ck_assert_uint_eq(a->command_count, b->n_commands);
		for (uint32_t k = 0; k < a->command_count; k++) {
			const struct sd_command *c = &ours->command[a->first_command + k];

			ck_assert_int_eq(b->commands[k]->what_case, c->kind + 1);
			ck_assert_uint_eq(argument_of(b->commands[k], c->kind), c->arg);
			ck_assert(b->commands[k]->attached == c->attached && b->commands[k]->in == c->in);
		}
	}
}

static void same_nodes(const struct sd_plan *ours, const Streamd__V1__Plan *theirs)
{
	ck_assert_uint_eq(theirs->n_nodes, ours->node_count);
	for (uint32_t n = 0; n < ours->node_count; n++) {
		const struct sd_placement *a = &ours->node[n];
		const Streamd__V1__Placement *b = theirs->nodes[n];

		ck_assert(a->logical_stream == b->logical_stream && a->stream == b->stream);
		ck_assert(a->cube_cores == b->cube_cores && a->vector_cores == b->vector_cores && a->host_wait == b->host_wait);
		ck_assert_uint_eq(a->attached_count, b->n_attached_logical_streams);
		/* A node that is not launched is on none of its attached streams: they are left out. */
		ck_assert_uint_eq(a->stream == SD_NO_STREAM ? 0 : a->attached_count, b->n_attached_streams);
		for (uint32_t i = 0; i < a->attached_count; i++) {
			if (b->n_attached_streams > 0)
				ck_assert_int_eq(ours->attached_stream[a->attached_first + i], b->attached_streams[i]);
			ck_assert_int_eq(ours->attached_logical[a->attached_first + i], b->attached_logical_streams[i]);
		}
		ck_assert_uint_eq(a->event_count, b->n_attached_events);
		ck_assert_uint_eq(a->notify_count, b->n_attached_notifies);
	}
}

static void same_rest(const struct sd_plan *ours, const Streamd__V1__Plan *theirs)
{
	ck_assert_uint_eq(theirs->n_syncs, ours->sync_count);
	for (uint32_t i = 0; i < ours->sync_count; i++) {
		const struct sd_sync *a = &ours->sync[i];
		const Streamd__V1__Sync *b = theirs->syncs[i];

		ck_assert(a->id == b->id && (int)a->kind == (int)b->kind && (int)a->cause == (int)b->cause);
		ck_assert(a->record_node == b->record_node && a->record_stream == b->record_stream);
		ck_assert(a->wait_node == b->wait_node && a->wait_stream == b->wait_stream);
	}
	ck_assert_uint_eq(theirs->n_inserted, ours->inserted_count);
	for (uint32_t i = 0; i < ours->inserted_count; i++)
		ck_assert_uint_eq(theirs->inserted[i], ours->inserted[i]);
	ck_assert_uint_eq(theirs->n_activations, ours->activation_count);
	ck_assert_uint_eq(theirs->n_summary, ours->summary_count);
	ck_assert_uint_eq(theirs->n_diagnostics, ours->diagnostic_count);
	for (uint32_t i = 0; i < ours->diagnostic_count; i++)
		ck_assert_str_eq(theirs->diagnostics[i]->code, sd_code_text(ours->diagnostic[i].code));
}

static void same_explanations(const struct sd_plan *ours, const Streamd__V1__Plan *theirs)
{
	ck_assert_uint_eq(theirs->n_explained_passes, ours->pass_count);
	for (uint32_t i = 0; i < ours->pass_count; i++)
		ck_assert_mem_eq(theirs->explained_passes[i], ours->pass_name[i].at, ours->pass_name[i].len);
	ck_assert_uint_eq(theirs->n_explanations, ours->explanation_count);
	for (uint32_t i = 0; i < ours->explanation_count; i++) {
		const struct sd_explanation *a = &ours->explanation[i];
		const Streamd__V1__Explanation *b = theirs->explanations[i];

		ck_assert(a->node == b->node && a->pass == b->pass && (int)a->reason == (int)b->reason && a->number == b->number);
		ck_assert((uint32_t)(a->from + 1) == b->from_stream_plus1 && (uint32_t)(a->to + 1) == b->to_stream_plus1);
		ck_assert(a->other + 1 == b->other_plus1 && a->through + 1 == b->through_plus1);
	}
}

/* The schema names each reason as the planner does, and gives it the same number. */
START_TEST(reasons_have_their_numbers)
{
	const ProtobufCEnumDescriptor *reasons = &streamd__v1__explanation__reason__descriptor;
	static const char *const name[] = {
#define SD_X(name, word, message) #name,
		SD_REASON_LIST(SD_X)
#undef SD_X
	};

	ck_assert_uint_eq(reasons->n_values, SD_REASONS);
	for (int i = 0; i < SD_REASONS; i++) {
		ck_assert_str_eq(reasons->values[i].name, name[i]);
		ck_assert_int_eq(reasons->values[i].value, i);
	}
}
END_TEST

START_TEST(protobuf_c_reads_what_we_write)
{
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct sd_arena mem = { 0 };
		const struct sd_plan *plan = random_plan(&mem, seed);
		struct sd_text bytes;
		Streamd__V1__Plan *read;

		ck_assert_int_eq(sd_plan_encode(&mem, plan, &identity, &bytes), SD_OK);
		read = streamd__v1__plan__unpack(NULL, bytes.len, (const unsigned char *)bytes.at);
		ck_assert_msg(read != NULL, "seed %d", (int)seed);
		ck_assert(read->format == SD_PLAN_FORMAT && read->graph_hash.len == SD_DIGEST_BYTES);
		ck_assert_mem_eq(read->plan_key.data, identity.plan_key, SD_DIGEST_BYTES);
		ck_assert_str_eq(read->planner, identity.planner);
		ck_assert(read->event_count == plan->event_count && read->n_notify_types == plan->notify_count);
		same_streams(plan, read);
		same_nodes(plan, read);
		same_rest(plan, read);
		same_explanations(plan, read);
		streamd__v1__plan__free_unpacked(read, NULL);
		sd_arena_finish(&mem);
	}
}
END_TEST

START_TEST(nothing_is_lost_on_the_way)
{
	for (uint64_t seed = 1; seed <= 500; seed++) {
		struct sd_arena mem = { 0 };
		const struct sd_plan *plan = random_plan(&mem, seed);
		struct sd_plan read;
		struct sd_identity read_identity;
		struct sd_diag diag = { .code = SD_CODE_NONE };
		struct sd_text bytes, again;
		const char *difference;

		ck_assert_int_eq(sd_plan_encode(&mem, plan, &identity, &bytes), SD_OK);
		ck_assert_msg(sd_plan_decode(&mem, bytes, plan->node_count - plan->inserted_count, RANDOM_PLAN_GRAPHS, &read, &read_identity, &diag) == SD_OK,
		              "seed %d: %.*s", (int)seed, (int)diag.arg[0].text.len, diag.arg[0].text.at);
		difference = plan_difference(plan, &read);
		ck_assert_msg(!difference, "seed %d: %s", (int)seed, difference);
		ck_assert_mem_eq(&read_identity, &identity, sizeof(identity));
		ck_assert_int_eq(sd_plan_encode(&mem, &read, &read_identity, &again), SD_OK);
		ck_assert(sd_text_equal(bytes, again));
		sd_arena_finish(&mem);
	}
}
END_TEST

START_TEST(every_allocation_may_fail)
{
	struct sd_arena mem = { 0 }, job;
	const struct sd_plan *plan = random_plan(&mem, 7);
	struct sd_text bytes;
	uint64_t calls;

	sd_arena_init(&job, 0);
	ck_assert_int_eq(sd_plan_encode(&job, plan, &identity, &bytes), SD_OK);
	calls = job.calls;
	for (uint64_t k = 1; k <= calls; k++) {
		sd_arena_finish(&job);
		job.fail_at = k;
		ck_assert_int_eq(sd_plan_encode(&job, plan, &identity, &bytes), SD_RESOURCE_EXHAUSTED);
	}
	sd_arena_finish(&job);
	ck_assert_int_eq(sd_plan_encode(&job, plan, &identity, &bytes), SD_OK);
	sd_arena_finish(&job);
	sd_arena_finish(&mem);
}
END_TEST

RUN_TESTS("plan_encode", reasons_have_their_numbers, protobuf_c_reads_what_we_write, nothing_is_lost_on_the_way, every_allocation_may_fail)
