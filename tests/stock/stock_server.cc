// A stock libgrpc++ server of the schema that answers Ping: what the daemon's figures are held against.
// usage: stock_server sync|callback ADDRESS   (ends when standard input does)
#include <grpcpp/grpcpp.h>

#include <cstdio>
#include <cstring>
#include <memory>

#include "streamd.grpc.pb.h"

using streamd::v1::PingAnswer;
using streamd::v1::PingRequest;
using streamd::v1::Planner;

class Sync final : public Planner::Service {
	grpc::Status Ping(grpc::ServerContext *, const PingRequest *request, PingAnswer *answer) override
	{
		answer->set_payload(request->payload());
		return grpc::Status::OK;
	}
};

class Callback final : public Planner::CallbackService {
	grpc::ServerUnaryReactor *Ping(grpc::CallbackServerContext *context, const PingRequest *request, PingAnswer *answer) override
	{
		grpc::ServerUnaryReactor *reactor = context->DefaultReactor();

		answer->set_payload(request->payload());
		reactor->Finish(grpc::Status::OK);
		return reactor;
	}
};

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	std::unique_ptr<grpc::Service> service;
	if (std::strcmp(argv[1], "sync") == 0)
		service = std::make_unique<Sync>();
	else
		service = std::make_unique<Callback>();
	grpc::ServerBuilder builder;
	builder.AddListeningPort(argv[2], grpc::InsecureServerCredentials());
	builder.RegisterService(service.get());
	std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
	if (!server)
		return 1;
	std::puts("listening");
	std::fflush(stdout);
	while (std::getchar() != EOF)
		;
	server->Shutdown(std::chrono::system_clock::now());
	return 0;
}
