#!/usr/bin/python3
"""A stock grpcio client of the daemon, with Debian's python3-grpcio.

usage: stock_client.py check|load|ping TARGET NODES_MAX [CA [CERTIFICATE KEY]]
check: plans, meets a deadline, cancels, is refused, asks for health and for the schema; prints TAP.
load: twelve callers that wait until they are connected, until standard input ends; prints 'N done, N failed'.
ping: one call; prints the number of its status.
"""
import pathlib
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from grpc_client import *
from tap import Tap

PING = pb.PingRequest(payload=b"x" * 64)


def ladder(count, kind):
    nodes = [pb.Node(name=f"n{i}", op_type="Add" if i else kind, inputs=[f"n{j}" for j in (i - 2, i - 3) if j >= 0]) for i in range(count)]
    return pb.PlanRequest(graph=pb.Graph(name="g", nodes=nodes))


def connect(target, certificates):
    options = LARGE + RETRY_SOON
    if not certificates:
        return grpc.insecure_channel(target, options=options)
    ca, chain, key = [pathlib.Path(path).read_bytes() for path in certificates] + [None] * (3 - len(certificates))
    return grpc.secure_channel(target, grpc.ssl_channel_credentials(ca, key, chain), options=options)


def ended(call, *arguments, **more):
    """The code with which a call ended, and the error or the answer."""
    try:
        return grpc.StatusCode.OK, call(*arguments, **more)
    except grpc.RpcError as error:
        return error.code(), error


def check_calls(tap, planner, nodes_max):
    code, got = ended(planner.Plan, ladder(100, "First"), timeout=60)
    tap.case("a graph is planned", [] if code is grpc.StatusCode.OK and len(got.plan.nodes) == 100 else [f"{got}"])
    large = ladder(60000, "Late")
    code, got = ended(planner.Plan, large, timeout=0.05)
    tap.case("a deadline is met", [] if code is grpc.StatusCode.DEADLINE_EXCEEDED else [f"{code}"])
    large.graph.nodes[0].op_type = "Cancelled"
    under_way = planner.Plan.future(large)
    time.sleep(0.05)
    under_way.cancel()
    tap.case("a call is cancelled", [] if under_way.cancelled() else ["it is not"])
    code, got = ended(planner.Plan, ladder(nodes_max + 1, "Large"), timeout=60)
    fine = code is grpc.StatusCode.RESOURCE_EXHAUSTED and str(nodes_max) in got.details() and details(got)
    tap.case("an oversized graph is refused, with the limit and details", [] if fine else [f"{got}"])


def check_services(tap, channel):
    watch = stubs.PoolStub(channel).Watch(pb.WatchRequest(), timeout=60)
    code, got = ended(next, watch)
    watch.cancel()
    tap.case("a device is watched", [] if code is grpc.StatusCode.OK else [f"{got}"])
    code, got = ended(health_pb2_grpc.HealthStub(channel).Check, health_pb2.HealthCheckRequest(service="streamd.v1.Planner"), timeout=60)
    tap.case("health is told", [] if code is grpc.StatusCode.OK and got.status == health_pb2.HealthCheckResponse.SERVING else [f"{got}"])
    asked = reflection_pb2.ServerReflectionRequest(list_services="")
    code, got = ended(next, reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo(iter([asked]), timeout=60))
    names = {service.name for service in got.list_services_response.service} if code is grpc.StatusCode.OK else {str(got)}
    tap.case("services are listed", [] if names >= {"streamd.v1.Planner", "streamd.v1.Pool"} else sorted(names))


def load(channel):
    planner, stop, done, failed = stubs.PlannerStub(channel), threading.Event(), [0] * 12, []

    def caller(which):
        """Each third one plans, each graph but once."""
        while not stop.is_set():
            call, request = (planner.Plan, ladder(300, f"T{which}.{done[which]}")) if which % 3 == 0 else (planner.Ping, PING)
            code, got = ended(call, request, timeout=60, wait_for_ready=True)
            if code is grpc.StatusCode.OK and (len(got.plan.nodes) == 300 if which % 3 == 0 else got.payload == PING.payload):
                done[which] += 1
            else:
                failed.append(f"{code} {got}")

    threads = [threading.Thread(target=caller, args=(which,)) for which in range(12)]
    for thread in threads:
        thread.start()
    sys.stdin.read()
    stop.set()
    for thread in threads:
        thread.join()
    print(f"{sum(done)} done, {len(failed)} failed {failed[:3]}")
    sys.exit(1 if failed else 0)


def main(mode, target, nodes_max, *certificates):
    with connect(target, certificates) as channel:
        if mode == "load":
            load(channel)
        if mode == "ping":
            print(ended(stubs.PlannerStub(channel).Ping, PING, timeout=20)[0].value[0])
            return
        tap = Tap()
        check_calls(tap, stubs.PlannerStub(channel), int(nodes_max))
        check_services(tap, channel)
        tap.end()


main(*sys.argv[1:])
