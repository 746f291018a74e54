/* streamd_pool_test - leases from C, against a daemon that does what a script says. */
#include "client_world.h"

#include "c/streamd_pool.h"

static struct sd_client_model model;
static struct sd_client_grants grants;
static struct sd_client_returned returned;
static struct sd_client_heard heard;
static const struct sd_pool_want two_wants[] = { { .priority = 3, .flags = 5, .task_count = 70, .count = 2 }, { .priority = -1 } };

/* ---- what the daemon answers ---- */

static Streamd__V1__RegisterModelAnswer registered;
static Streamd__V1__AcquireAnswer acquired;
static Streamd__V1__StreamLease lease[2], *leases[] = { &lease[0], &lease[1] };
static Streamd__V1__ReleaseAnswer released;
static Streamd__V1__UnloadAnswer unloaded;
static Streamd__V1__HeartbeatAnswer beat[2];
static uint64_t six[] = { 6 }, seven[] = { 7 }, eight[] = { 8 }, nine[] = { 9 };

static void lay_out(uint32_t ttl_ms)
{
	streamd__v1__register_model_answer__init(&registered);
	registered.model = 11;
	registered.ttl_ms = ttl_ms;
	streamd__v1__acquire_answer__init(&acquired);
	for (int i = 0; i < 2; i++) {
		streamd__v1__stream_lease__init(&lease[i]);
		streamd__v1__heartbeat_answer__init(&beat[i]);
		beat[i].renewed = 1;
		beat[i].ttl_ms = ttl_ms;
		beat[i].destroy = i ? eight : seven;
		beat[i].n_destroy = 1;
	}
	beat[0].taken = six;
	beat[0].n_taken = 1;
	lease[0].lease = 21;
	lease[0].slot = 31;
	lease[0].create = true;
	lease[0].priority = 3;
	lease[0].flags = 5;
	lease[0].task_count = 70;
	lease[1].lease = 22;
	lease[1].slot = 32;
	lease[1].shared_with = 4;
	lease[1].want = 1;
	acquired.leases = leases;
	acquired.n_leases = 2;
	acquired.events = 6;
	acquired.new_streams = 1;
	acquired.waited_ms = 44;
	acquired.destroy = nine;
	acquired.n_destroy = 1;
	streamd__v1__release_answer__init(&released);
	released.released = 1;
	released.already_released = 2;
	released.destroy = seven;
	released.n_destroy = 1;
	streamd__v1__unload_answer__init(&unloaded);
	unloaded.released = 2;
	unloaded.destroy = eight;
	unloaded.n_destroy = 1;
}

/* Behind SCRIPT(): the answers in the order in which the script gives them. The first is that to register. */
#define ANSWERS(...)                                                                       \
	do {                                                                               \
		const ProtobufCMessage *const list[] = { &registered.base, __VA_ARGS__ };  \
                                                                                           \
		memcpy(d.answer, list, sizeof(list));                                      \
		open_good();                                                               \
		register_model();                                                          \
	} while (0)

static void register_model(void)
{
	const struct sd_client_model_ask ask = { .name = "m", .domain = "d", .priority = 2 };

	ck_assert_msg(sd_client_register(client, &ask, &model, &error) == SD_OK, "%s", error.message);
}

static enum sd_status acquire(uint32_t wait_ms)
{
	const struct sd_client_acquire_ask ask = { .want = two_wants, .want_count = 2, .events = 6, .wait_ms = wait_ms, .token = 77 };

	return sd_client_acquire(client, &model, &ask, &grants, &error);
}

static void close_all(void)
{
	sd_client_grants_finish(&grants);
	sd_client_ids_finish(&returned.gone);
	sd_client_ids_finish(&heard.gone);
	sd_client_ids_finish(&heard.taken);
	finish();
}

static void ids_are(const struct sd_client_ids *ids, size_t count, uint64_t first, uint64_t last)
{
	ck_assert_uint_eq(ids->count, count);
	ck_assert_uint_eq(ids->id[0], first);
	ck_assert_uint_eq(ids->id[count - 1], last);
}

/* ---- tests ---- */

START_TEST(a_model_comes_and_goes)
{
	Streamd__V1__RegisterModelRequest *request;

	SCRIPT(ACCEPT, READ, ANSWER_NEXT, READ, ANSWER_NEXT);
	lay_out(9000);
	ANSWERS(&unloaded.base);
	ck_assert_uint_eq(model.id, 11);
	ck_assert_uint_eq(model.ttl_ms, 9000);
	ck_assert_int_eq(d.requests, 1);
	ck_assert_uint_eq(d.request.method, SD_METHOD_REGISTER_MODEL);
	request = streamd__v1__register_model_request__unpack(NULL, d.request.body_bytes, d.body);
	ck_assert_ptr_nonnull(request);
	ck_assert_str_eq(request->name, "m");
	ck_assert_str_eq(request->domain, "d");
	ck_assert_uint_eq(request->priority, 2);
	streamd__v1__register_model_request__free_unpacked(request, NULL);
	ck_assert_int_eq(sd_client_unload(client, &model, &returned, &error), SD_OK);
	ck_assert_uint_eq(returned.released, 2);
	ids_are(&returned.gone, 1, 8, 8);
	close_all();
}
END_TEST

START_TEST(grants_are_those_of_the_pool)
{
	Streamd__V1__AcquireRequest *request;

	SCRIPT(ACCEPT, READ, ANSWER_NEXT, READ, ANSWER_NEXT);
	lay_out(9000);
	ANSWERS(&acquired.base);
	ck_assert_int_eq(acquire(0), SD_OK);
	ck_assert_uint_eq(grants.count, 2);
	ck_assert_uint_eq(grants.new_streams, 1);
	ck_assert_uint_eq(grants.events, 6);
	ck_assert_uint_eq(grants.waited_ms, 44);
	ck_assert(grants.grant[0].is_new && !grants.grant[1].is_new);
	ck_assert_uint_eq(grants.grant[0].lease, 21);
	ck_assert_uint_eq(grants.grant[0].slot, 31);
	ck_assert_int_eq(grants.grant[0].key.priority, 3);
	ck_assert_uint_eq(grants.grant[0].key.flags, 5);
	ck_assert_int_eq(grants.grant[0].task_count, 70);
	ck_assert_uint_eq(grants.grant[1].want, 1);
	ck_assert_uint_eq(grants.grant[1].shared_with, 4);
	ids_are(&grants.gone, 1, 9, 9);
	ck_assert_int_eq(d.requests, 2);
	request = streamd__v1__acquire_request__unpack(NULL, d.request.body_bytes, d.body);
	ck_assert_ptr_nonnull(request);
	ck_assert_uint_eq(request->model, 11);
	ck_assert_uint_eq(request->n_wants, 2);
	ck_assert_int_eq(request->wants[1]->priority, -1);
	ck_assert_uint_eq(request->wants[0]->task_count, 70);
	ck_assert_uint_eq(request->wants[0]->count, 2);
	ck_assert_uint_eq(request->events, 6);
	ck_assert_uint_eq(request->token, 77);
	streamd__v1__acquire_request__free_unpacked(request, NULL);
	close_all();
}
END_TEST

START_TEST(leases_are_given_back)
{
	const uint64_t ids[] = { 21, 22 };
	const struct sd_client_release_ask ask = { .lease = ids, .lease_count = 2, .is_broken = true, .events = 3 };
	Streamd__V1__ReleaseRequest *request;

	SCRIPT(ACCEPT, READ, ANSWER_NEXT, READ, ANSWER_NEXT);
	lay_out(9000);
	ANSWERS(&released.base);
	ck_assert_int_eq(sd_client_release(client, &model, &ask, &returned, &error), SD_OK);
	ck_assert_uint_eq(returned.released, 1);
	ck_assert_uint_eq(returned.already_released, 2);
	ids_are(&returned.gone, 1, 7, 7);
	ck_assert_int_eq(d.requests, 2);
	request = streamd__v1__release_request__unpack(NULL, d.request.body_bytes, d.body);
	ck_assert_ptr_nonnull(request);
	ck_assert(request->broken && request->n_leases == 2 && request->leases[1] == 22 && request->model == 11 && request->events == 3);
	streamd__v1__release_request__free_unpacked(request, NULL);
	close_all();
}
END_TEST

START_TEST(a_refusal_is_handed_on_and_not_tried_again)
{
	SCRIPT(ACCEPT, READ, ANSWER_NEXT, READ, BUSY);
	lay_out(9000);
	ANSWERS(NULL);
	ck_assert_int_eq(acquire(0), SD_RESOURCE_EXHAUSTED);
	ck_assert_str_eq(error.message, "because");
	ck_assert(error.retryable);
	ck_assert_uint_eq(grants.count, 0);
	close_all();
	ck_assert_int_eq(d.requests, 2);
}
END_TEST

START_TEST(nothing_is_done_again_on_another_connection)
{
	Streamd__V1__PoolStatsAnswer figures = STREAMD__V1__POOL_STATS_ANSWER__INIT;
	struct sd_client_pool_stats stats;

	figures.live_leases = 3;
	figures.idle = 1;
	SCRIPT(ACCEPT, READ, ANSWER_NEXT, READ, HANG_UP, ACCEPT, READ, ANSWER_NEXT);
	lay_out(9000);
	ANSWERS(&figures.base);
	ck_assert_int_eq(acquire(0), SD_UNAVAILABLE);
	ck_assert_int_eq(acquire(0), SD_UNAVAILABLE);
	ck_assert_ptr_nonnull(strstr(error.message, "register anew"));
	ck_assert_int_eq(sd_client_heartbeat(client, &heard, &error), SD_UNAVAILABLE);
	ck_assert_int_eq(sd_client_unload(client, &model, NULL, &error), SD_UNAVAILABLE);
	ck_assert_int_eq(d.requests, 2);
	/* Looking is no harm; it connects, and the model is not there. */
	ck_assert_int_eq(sd_client_pool_stats(client, 0, &stats, &error), SD_OK);
	ck_assert_uint_eq(stats.leases, 3);
	ck_assert_uint_eq(stats.slots_idle, 1);
	ck_assert_int_eq(acquire(0), SD_UNAVAILABLE);
	ck_assert_ptr_nonnull(strstr(error.message, "registered on a connection that is lost"));
	close_all();
	ck_assert_int_eq(d.requests, 3);
}
END_TEST

START_TEST(who_waits_keeps_its_models)
{
	SCRIPT(ACCEPT, READ, ANSWER_NEXT, READ, TIME_PASSES, READ_BEAT, ANSWER_BEAT, TIME_PASSES, READ_BEAT, ANSWER_BEAT, ANSWER_NEXT);
	lay_out(90);
	ANSWERS(&beat[0].base, &beat[1].base, &acquired.base);
	ck_assert_int_eq(acquire(20000), SD_OK);
	ids_are(&grants.gone, 3, 7, 9);
	close_all();
}
END_TEST

START_TEST(what_a_late_heartbeat_tells_is_not_lost)
{
	SCRIPT(ACCEPT, READ, ANSWER_NEXT, READ, TIME_PASSES, READ_BEAT, ANSWER_NEXT, ANSWER_BEAT, READ, ANSWER_NEXT);
	lay_out(90);
	ANSWERS(&acquired.base, &beat[0].base, &beat[1].base);
	ck_assert_int_eq(acquire(20000), SD_OK);
	ids_are(&grants.gone, 1, 9, 9);
	ck_assert_int_eq(sd_client_heartbeat(client, &heard, &error), SD_OK);
	ck_assert_uint_eq(heard.renewed, 1);
	ids_are(&heard.gone, 2, 7, 8);
	ids_are(&heard.taken, 1, 6, 6);
	close_all();
}
END_TEST

START_TEST(what_is_granted_at_the_last_moment_is_granted)
{
	SCRIPT(ACCEPT, READ, ANSWER_NEXT, READ, REQUEST_CANCELLED, READ_CANCEL, ANSWER_NEXT);
	lay_out(9000);
	ANSWERS(&acquired.base);
	ck_assert_int_eq(acquire(20000), SD_OK);
	ck_assert_uint_eq(grants.count, 2);
	close_all();
}
END_TEST

START_TEST(what_is_given_up_is_given_up_by_both)
{
	SCRIPT(ACCEPT, READ, ANSWER_NEXT, READ, REQUEST_CANCELLED, READ_CANCEL, SAY_CANCELLED, READ, ANSWER_NEXT);
	lay_out(9000);
	ANSWERS(&beat[0].base);
	ck_assert_int_eq(acquire(20000), SD_CANCELLED);
	ck_assert_int_eq(sd_client_heartbeat(client, &heard, &error), SD_OK);
	close_all();
}
END_TEST

START_TEST(without_a_last_word_the_connection_goes)
{
	SCRIPT(ACCEPT, READ, ANSWER_NEXT, READ, REQUEST_CANCELLED, READ_CANCEL, TIME_PASSES, WAIT);
	lay_out(9000);
	ANSWERS(NULL);
	ck_assert_int_eq(acquire(20000), SD_CANCELLED);
	ck_assert_int_eq(write(d.go[1], "g", 1), 1);
	ck_assert_int_eq(sd_client_heartbeat(client, &heard, &error), SD_UNAVAILABLE);
	close_all();
}
END_TEST

START_TEST(a_goodbye_is_no_reason_to_leave_models)
{
	SCRIPT(ACCEPT, READ, ANSWER_NEXT, READ, GOODBYE, ANSWER_NEXT, READ, ANSWER_NEXT, ACCEPT, READ, ANSWER_NEXT);
	lay_out(9000);
	ANSWERS(&beat[0].base, &unloaded.base, &registered.base);
	ck_assert_int_eq(sd_client_heartbeat(client, &heard, &error), SD_OK);
	ck_assert_int_eq(sd_client_unload(client, &model, &returned, &error), SD_OK);
	register_model();
	close_all();
}
END_TEST

START_TEST(a_slot_is_described)
{
	Streamd__V1__PoolSlot slot;
	Streamd__V1__DescribeAnswer described = STREAMD__V1__DESCRIBE_ANSWER__INIT;
	struct sd_client_slot about;

	streamd__v1__pool_slot__init(&slot);
	slot.slot = 31;
	slot.domain = sd_message_string("d");
	slot.priority = 7;
	slot.flags = 1;
	slot.tenants = 2;
	described.slot = &slot;
	SCRIPT(ACCEPT, READ, ANSWER_NEXT, READ, ANSWER_NEXT);
	lay_out(9000);
	ANSWERS(&described.base);
	ck_assert_int_eq(sd_client_describe(client, 21, &about, &error), SD_OK);
	ck_assert_str_eq(about.domain, "d");
	ck_assert_int_eq(about.priority, 7);
	ck_assert_uint_eq(about.tenants, 2);
	close_all();
}
END_TEST

RUN_TESTS("streamd_pool", a_model_comes_and_goes, grants_are_those_of_the_pool, leases_are_given_back,
          a_refusal_is_handed_on_and_not_tried_again, nothing_is_done_again_on_another_connection, who_waits_keeps_its_models,
          what_a_late_heartbeat_tells_is_not_lost, what_is_granted_at_the_last_moment_is_granted, what_is_given_up_is_given_up_by_both,
          without_a_last_word_the_connection_goes, a_goodbye_is_no_reason_to_leave_models, a_slot_is_described)
