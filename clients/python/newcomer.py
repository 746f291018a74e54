import streamd

graph = streamd.Graph("twin")
x = graph.data("x")
a = graph.op("MatMul", x, duration_ns=2_000_000)
with streamd.scope.stream_switch("side"):       # the same tag is the same stream in the whole model
    b = graph.op("HcomAllReduce", x, duration_ns=2_000_000)
graph.output(graph.op("Add", a, b))

with streamd.Client() as daemon:                # $STREAMD_SOCKET, or where it usually is
    plan = daemon.plan(graph)                   # options by name: plan(graph, event="notify")
    print(plan)                                 # every stream with its commands
    with daemon.lease(plan) as leases:          # all of its streams, or an error; given back at the end
        print(leases)                           # which to make, which to use again
        print(streamd.run(plan))                # on threads of this machine: what overlapped, beside what is expected
