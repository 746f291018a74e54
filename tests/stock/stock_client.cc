// A stock libgrpc++ client of the daemon.
// usage: stock_client check|load|ping TARGET NODES_MAX [CA [CERTIFICATE KEY]]
// check: plans, meets a deadline, cancels, is refused, asks for health and for the schema; prints TAP.
// load: twelve callers that wait until they are connected, until standard input ends; prints 'N done, N failed'.
// ping: one call; prints the number of its status.
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>

#include "grpc/health/v1/health.grpc.pb.h"
#include "grpc/reflection/v1/reflection.grpc.pb.h"
#include "streamd.grpc.pb.h"

namespace pb = streamd::v1;
using Clock = std::chrono::system_clock;

static int tests, failures;

static void check(bool fine, const std::string &what, const grpc::Status &status = grpc::Status::OK)
{
	std::printf("%sok %d - %s\n", fine ? "" : "not ", ++tests, what.c_str());
	if (!fine) {
		failures++;
		std::printf("# status %d: %s\n", static_cast<int>(status.error_code()), status.error_message().c_str());
	}
	std::fflush(stdout);
}

static std::string read(const char *path)
{
	std::ostringstream text;

	text << std::ifstream(path).rdbuf();
	return text.str();
}

// A ladder of `count` nodes; `type` tells one from another.
static pb::PlanRequest ladder(int count, const std::string &type)
{
	pb::PlanRequest request;

	for (int i = 0; i < count; i++) {
		pb::Node *node = request.mutable_graph()->add_nodes();

		node->set_name("n" + std::to_string(i));
		node->set_op_type(i ? "Add" : type);
		for (int back : {2, 3}) {
			if (i >= back)
				node->add_inputs("n" + std::to_string(i - back));
		}
	}
	return request;
}

static void plan(pb::Planner::Stub &planner)
{
	grpc::ClientContext context;
	pb::PlanAnswer answer;
	grpc::Status status = planner.Plan(&context, ladder(100, "First"), &answer);

	check(status.ok() && answer.plan().nodes_size() == 100 && answer.plan().streams_size() > 0, "a graph is planned", status);
}

static void meet_deadline(pb::Planner::Stub &planner)
{
	grpc::ClientContext context;
	pb::PlanAnswer answer;
	Clock::time_point began = Clock::now();

	context.set_deadline(began + std::chrono::milliseconds(30));
	grpc::Status status = planner.Plan(&context, ladder(60000, "Late"), &answer);

	check(status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED, "a deadline is met", status);
}

static void cancel(pb::Planner::Stub &planner)
{
	grpc::ClientContext context;
	pb::PlanAnswer answer;
	std::thread canceller([&] {
		std::this_thread::sleep_for(std::chrono::milliseconds(30));
		context.TryCancel();
	});
	grpc::Status status = planner.Plan(&context, ladder(60000, "Cancelled"), &answer);

	canceller.join();
	check(status.error_code() == grpc::StatusCode::CANCELLED, "a call is cancelled", status);
}

static void oversize(pb::Planner::Stub &planner, int nodes_max)
{
	grpc::ClientContext context;
	pb::PlanAnswer answer;
	grpc::Status status = planner.Plan(&context, ladder(nodes_max + 1, "Large"), &answer);

	check(status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED && !status.error_details().empty() &&
	              status.error_message().find(std::to_string(nodes_max)) != std::string::npos,
	      "an oversized graph is refused, with the limit and details", status);
}

static void many(pb::Planner::Stub &planner)
{
	std::atomic<int> fine{0};
	std::vector<std::thread> threads;

	for (int t = 0; t < 8; t++)
		threads.emplace_back([&] {
			for (int i = 0; i < 200; i++) {
				grpc::ClientContext context;
				pb::PingRequest request;
				pb::PingAnswer answer;

				request.set_payload(std::string(static_cast<size_t>(i) * 300, 'x'));
				fine += planner.Ping(&context, request, &answer).ok() && answer.payload() == request.payload();
			}
		});
	for (std::thread &thread : threads)
		thread.join();
	check(fine == 1600, "calls of eight threads are answered");
}

static void watch(const std::shared_ptr<grpc::Channel> &channel)
{
	std::unique_ptr<pb::Pool::Stub> pool = pb::Pool::NewStub(channel);
	grpc::ClientContext context;
	pb::WatchAnswer answer;
	std::unique_ptr<grpc::ClientReader<pb::WatchAnswer>> reader = pool->Watch(&context, pb::WatchRequest());
	bool told = reader->Read(&answer);

	context.TryCancel();
	check(told && reader->Finish().error_code() == grpc::StatusCode::CANCELLED, "a device is watched");
}

static void ask_health(const std::shared_ptr<grpc::Channel> &channel)
{
	std::unique_ptr<grpc::health::v1::Health::Stub> health = grpc::health::v1::Health::NewStub(channel);
	grpc::ClientContext context;
	grpc::health::v1::HealthCheckResponse answer;
	grpc::Status status = health->Check(&context, grpc::health::v1::HealthCheckRequest(), &answer);

	check(status.ok() && answer.status() == grpc::health::v1::HealthCheckResponse::SERVING, "health is told", status);
}

static void ask_schema(const std::shared_ptr<grpc::Channel> &channel)
{
	namespace reflection = grpc::reflection::v1;
	std::unique_ptr<reflection::ServerReflection::Stub> stub = reflection::ServerReflection::NewStub(channel);
	grpc::ClientContext context;
	auto stream = stub->ServerReflectionInfo(&context);
	reflection::ServerReflectionRequest request;
	reflection::ServerReflectionResponse answer;
	std::set<std::string> names;

	request.set_list_services("");
	stream->Write(request);
	if (stream->Read(&answer)) {
		for (const auto &service : answer.list_services_response().service())
			names.insert(service.name());
	}
	stream->WritesDone();
	grpc::Status status = stream->Finish();
	check(status.ok() && names.count("streamd.v1.Planner") && names.count("streamd.v1.Pool"), "services are listed", status);
}

static int check_all(const std::shared_ptr<grpc::Channel> &channel, int nodes_max)
{
	std::unique_ptr<pb::Planner::Stub> planner = pb::Planner::NewStub(channel);

	plan(*planner);
	meet_deadline(*planner);
	cancel(*planner);
	oversize(*planner, nodes_max);
	many(*planner);
	watch(channel);
	ask_health(channel);
	ask_schema(channel);
	std::printf("1..%d\n", tests);
	return failures ? 1 : 0;
}

static void wait_for_ready(grpc::ClientContext *context)
{
	context->set_wait_for_ready(true);
	context->set_deadline(Clock::now() + std::chrono::seconds(60));
}

static grpc::Status ping(pb::Planner::Stub &planner, grpc::ClientContext *context)
{
	pb::PingRequest request;
	pb::PingAnswer answer;

	request.set_payload(std::string(64, 'x'));
	grpc::Status status = planner.Ping(context, request, &answer);
	if (status.ok() && answer.payload() != request.payload())
		return grpc::Status(grpc::StatusCode::DATA_LOSS, "another payload");
	return status;
}

// Each third caller plans, each graph but once.
static grpc::Status call_once(pb::Planner::Stub &planner, int which, long turn)
{
	grpc::ClientContext context;
	pb::PlanAnswer answer;

	wait_for_ready(&context);
	if (which % 3 != 0)
		return ping(planner, &context);
	grpc::Status status = planner.Plan(&context, ladder(300, "T" + std::to_string(which) + "." + std::to_string(turn)), &answer);
	if (status.ok() && answer.plan().nodes_size() != 300)
		return grpc::Status(grpc::StatusCode::DATA_LOSS, "another plan");
	return status;
}

static int load(const std::shared_ptr<grpc::Channel> &channel)
{
	std::unique_ptr<pb::Planner::Stub> planner = pb::Planner::NewStub(channel);
	std::atomic<bool> stop{false};
	std::atomic<long> done{0}, failed{0};
	std::vector<std::thread> callers;

	for (int which = 0; which < 12; which++)
		callers.emplace_back([&, which] {
			for (long turn = 0; !stop; turn++) {
				grpc::Status status = call_once(*planner, which, turn);

				(status.ok() ? done : failed)++;
				if (!status.ok())
					std::fprintf(stderr, "status %d: %s\n", static_cast<int>(status.error_code()), status.error_message().c_str());
			}
		});
	while (std::getchar() != EOF)
		;
	stop = true;
	for (std::thread &caller : callers)
		caller.join();
	std::printf("%ld done, %ld failed\n", done.load(), failed.load());
	return failed ? 1 : 0;
}

static int ping_once(const std::shared_ptr<grpc::Channel> &channel)
{
	grpc::ClientContext context;

	context.set_deadline(Clock::now() + std::chrono::seconds(20));
	std::printf("%d\n", static_cast<int>(ping(*pb::Planner::NewStub(channel), &context).error_code()));
	return 0;
}

int main(int argc, char **argv)
{
	std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
	grpc::ChannelArguments arguments;
	std::string mode = argc > 3 ? argv[1] : "";

	if (argc > 4) {
		grpc::SslCredentialsOptions options;

		options.pem_root_certs = read(argv[4]);
		if (argc > 6) {
			options.pem_cert_chain = read(argv[5]);
			options.pem_private_key = read(argv[6]);
		}
		credentials = grpc::SslCredentials(options);
	}
	arguments.SetMaxReceiveMessageSize(-1);
	arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
	arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 200);
	std::shared_ptr<grpc::Channel> channel = grpc::CreateCustomChannel(argc > 3 ? argv[2] : "", credentials, arguments);
	if (mode == "check")
		return check_all(channel, std::atoi(argv[3]));
	if (mode == "load")
		return load(channel);
	return mode == "ping" ? ping_once(channel) : 2;
}
