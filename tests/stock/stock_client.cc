// A stock libgrpc++ client of the daemon: plans, meets a deadline, cancels, is refused, asks for health and for the schema.
// usage: stock_client TARGET NODES_MAX [CA CERTIFICATE KEY]   (prints TAP)
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

int main(int argc, char **argv)
{
	std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
	grpc::ChannelArguments arguments;

	if (argc != 3 && argc != 6)
		return 2;
	if (argc == 6) {
		grpc::SslCredentialsOptions options;

		options.pem_root_certs = read(argv[3]);
		options.pem_cert_chain = read(argv[4]);
		options.pem_private_key = read(argv[5]);
		credentials = grpc::SslCredentials(options);
	}
	arguments.SetMaxReceiveMessageSize(-1);
	std::shared_ptr<grpc::Channel> channel = grpc::CreateCustomChannel(argv[1], credentials, arguments);
	std::unique_ptr<pb::Planner::Stub> planner = pb::Planner::NewStub(channel);
	plan(*planner);
	meet_deadline(*planner);
	cancel(*planner);
	oversize(*planner, std::atoi(argv[2]));
	many(*planner);
	watch(channel);
	ask_health(channel);
	ask_schema(channel);
	std::printf("1..%d\n", tests);
	return failures ? 1 : 0;
}
