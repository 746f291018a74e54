#!/usr/bin/python3
"""The words of TorchAir: scopes, waits and events, and models that are traced.

It runs on the system's Python, for which Debian packages protobuf and grpcio.
"""
import pathlib
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from python_case import WithDaemon, streamd
from streamd import ops, scope, torch, torchair
from streamd.torchair.configs.compiler_config import CompilerConfig


class Scopes(unittest.TestCase):
    def attrs_in(self, *scopes):
        graph = streamd.Graph()
        entered = []
        for s in scopes:
            s.__enter__()
            entered.append(s)
        node = graph.op("Relu", graph.data()).node
        for s in reversed(entered):
            s.__exit__(None, None, None)
        return node.attrs

    def test_attributes_are_texts_as_torchair_writes_them(self):
        self.assertEqual(self.attrs_in(scope.stream_switch(1)), {"_user_stream_label": "1", "_user_stream_priority": "0", "_enable_inner_parallel": True})
        self.assertEqual(self.attrs_in(scope.stream_switch("x", 3, False))["_user_stream_priority"], "3")
        self.assertEqual(self.attrs_in(scope.limit_core_num(8, 16)), {"_op_aicore_num": "8", "_op_vectorcore_num": "16"})
        self.assertEqual(self.attrs_in(scope.op_never_timeout(True)), {"_op_exec_never_timeout": True})
        self.assertEqual(self.attrs_in(scope.data_dump()), {"torchair_enable_data_dump": "True"})

    def test_the_inner_scope_wins_and_others_add_up(self):
        both = self.attrs_in(scope.stream_switch("1", 3), scope.limit_core_num(1, 2), scope.stream_switch("2", 3), scope.limit_core_num(3, 4))
        self.assertEqual((both["_user_stream_label"], both["_op_aicore_num"], both["_op_vectorcore_num"]), ("2", "3", "4"))
        self.assertEqual(self.attrs_in(scope.super_kernel("k", "stream-fusion=1"), scope.super_kernel(None)), {})
        self.assertEqual(self.attrs_in(), {})

    def test_what_no_scope_can_say(self):
        for tag in ("", "x" * 256, "a\0b"):
            with self.assertRaisesRegex(streamd.GraphError, "stream tag"):
                scope.stream_switch(tag)
        for cores in ("8", -1, True):
            with self.assertRaisesRegex(streamd.GraphError, "cores"):
                scope.limit_core_num(cores, 1)
        with self.assertRaises(TypeError):
            scope.op_never_timeout("True")
        outer, inner = scope.stream_switch("o"), scope.stream_switch("i")
        outer.__enter__()
        inner.__enter__()
        with self.assertRaisesRegex(RuntimeError, "is left while another"):
            outer.__exit__(None, None, None)
        inner.__exit__(None, None, None)
        scope._stack()[1:] = []

    def test_threads_have_scopes_of_their_own(self):
        seen = []
        with scope.stream_switch("main"):
            thread = threading.Thread(target=lambda: seen.append(scope.attributes()))
            thread.start()
            thread.join()
        self.assertEqual(seen, [{}])

    def test_a_wait_is_an_identity_behind_its_dependency(self):
        graph = streamd.Graph()
        x, y = graph.data("x"), graph.data("y")
        a = graph.op("Relu", x, name="a")
        with scope.stream_switch("s"):
            held = scope.wait_tensor(y, a)
            b = graph.op("MatMul", held, name="b")
        c = graph.op("MatMul", y, name="c")
        graph.output(b, c)
        rows = {n["name"]: n for n in graph.to_json()["graph"]["nodes"]}
        self.assertEqual((rows["wait"]["inputs"], rows["wait"]["op_type"], rows["wait"]["attrs"]["_user_stream_label"]), (["y:0", "^a"], "Identity", "s"))
        self.assertEqual((rows["b"]["inputs"], rows["c"]["inputs"]), (["wait:0"], ["y:0"]))

    def test_a_wait_whose_result_is_not_taken_holds_inside_its_scope(self):
        graph = streamd.Graph()
        x, y = graph.data("x"), graph.data("y")
        a = graph.op("Relu", x, name="a")
        with scope.stream_switch("s"):
            scope.wait_tensor(y, a)
            b = graph.op("MatMul", y, name="b")
        c = graph.op("MatMul", y, name="c")
        graph.output(b, c)
        rows = {n["name"]: n for n in graph.to_json()["graph"]["nodes"]}
        self.assertEqual((rows["b"]["inputs"], rows["c"]["inputs"]), (["wait:0"], ["y:0"]))

    def test_a_wait_that_holds_up_nothing_is_an_error(self):
        graph = streamd.Graph()
        x = graph.data("x")
        with scope.stream_switch("s"):
            scope.wait_tensor(x, graph.op("Relu", x))
        with self.assertRaisesRegex(streamd.DanglingWait, "nothing reads what the wait wait gives"):
            graph.output(x)

    def test_records_and_waits_order_operators(self):
        graph = streamd.Graph()
        x = graph.data("x")
        ops.wait([ops.record(graph)])
        graph.op("Relu", x, name="a")
        place = ops.record(graph)
        with scope.stream_switch("s"):
            ops.wait([place])
            b = graph.op("Relu", x, name="b")
            event = ops.create_tagged_event(graph, "e")
            with self.assertRaisesRegex(streamd.GraphError, "nobody has recorded"):
                ops.tagged_event_wait(event)
            ops.tagged_event_record(event)
        ops.tagged_event_wait(event)
        ops.record_stream(b, "s")
        c = graph.op("Relu", x, name="c")
        with self.assertRaisesRegex(ValueError, "is taken"):
            ops.create_tagged_event(graph, "e")
        with self.assertRaises(ValueError):
            ops.wait([])
        graph.output(c)
        rows = {n["name"]: n for n in graph.to_json()["graph"]["nodes"]}
        self.assertEqual([rows[n]["inputs"] for n in "abc"], [["x:0"], ["x:0", "^a"], ["x:0", "^b"]])
        self.assertEqual(rows["b"]["attrs"]["_record_stream"], ["s"])

    def test_a_record_that_nobody_can_wait_for_any_more_is_an_error(self):
        graph = streamd.Graph()
        x = graph.op("Relu", graph.data())
        place = ops.record(graph)
        with scope.stream_switch("s"):
            ops.wait([place])
        with self.assertRaisesRegex(streamd.DanglingWait, "no operator behind it on stream s"):
            graph.output(x)

    def test_names_are_told_apart_and_graphs_are_not_mixed(self):
        graph, other = streamd.Graph(), streamd.Graph()
        x = graph.data("x")
        names = [graph.op("Relu", x, name=n).node.name for n in ("r", "r", "r_1", "r")]
        self.assertEqual(len(set(names)), 4)
        with self.assertRaisesRegex(streamd.GraphError, "belongs to graph"):
            other.op("Relu", x)


class Fork(torch.nn.Module):
    """Three branches of one input, two of them behind the first."""

    def forward(self, x, w, v):
        first = torch.add(x, w)
        with torchair.scope.npu_stream_switch("left"):
            torchair.scope.npu_wait_tensor(v, first)
            left = torch.mm(w, v)
        middle = torch.mm(w, v)
        with torchair.scope.npu_stream_switch("right"):
            held = torchair.scope.npu_wait_tensor(v, left)
            right = w + held
        return first, left, middle, right


class Captured(torch.nn.Module):
    """The same with streams and events."""

    def forward(self, x, w, v):
        left_stream, right_stream, begun, done = torch.npu.Stream(), torch.npu.Stream(), torch.npu.Event(), torch.npu.Event()
        first = x + w
        begun.record()
        with torch.npu.stream(left_stream):
            begun.wait()
            left = w @ v
            done.record()
        first.record_stream(left_stream)
        middle = w @ v
        with torch.npu.stream(right_stream):
            done.wait(right_stream)
            right = w + v
        return first, left, middle, right


def inputs(count=3):
    return [torch.randn(8, 8, dtype=torch.float16).npu() for _ in range(count)]


class Traced(WithDaemon):
    def compiled(self, module, **settings):
        config = CompilerConfig()
        for key, value in settings.items():
            setattr(config.ge_config, key, value)
        return torch.compile(module, backend=torchair.get_npu_backend(compiler_config=config), dynamic=False)

    def test_scopes_and_waits(self):
        model = self.compiled(Fork())
        result = model(*inputs())
        self.assertEqual([t.shape for t in result], [(8, 8)] * 4)
        plan = model.plan
        self.assertEqual((plan.stream_count, plan.event_count), (3, 3))
        self.assertEqual([plan.stream_of(n).label for n in ("add", "wait", "mm", "mm_1", "add_1")], ["", "left", "left", "", "right"])

    def test_streams_and_events(self):
        model = torch.compile(Captured(), backend="npugraph_ex")
        model(*inputs())
        plan = model.plan
        self.assertEqual((plan.stream_count, plan.event_count), (3, 3))
        self.assertEqual({(s.record_node, s.wait_node) for s in plan.syncs}, {("add", "matmul"), ("matmul", "add_1"), ("add_1", "netoutput")})
        rows = {n["name"]: n for n in plan.request["graph"]["nodes"]}
        self.assertEqual(rows["add"]["attrs"], {"_record_stream": ["graph_0_stream_0"]})
        self.assertLessEqual({"^matmul", "^add_1"}, set(rows["netoutput"]["inputs"]), "the default stream waits for all others at the end")

    def test_stream_methods(self):
        class Chain(torch.nn.Module):
            def forward(self, x):
                side = torch.npu.Stream()
                a = torch.relu(x)
                side.wait_stream(torch.npu.current_stream())
                with torch.npu.stream(side):
                    b = torch.relu(x)
                    with torch.npu.stream(torch.npu.default_stream()):
                        c = torch.relu(x)
                torch.npu.default_stream().wait_event(side.record_event())
                return a, b, c, torch.sigmoid(x)
        graph, _ = torch.compile(Chain(), backend="npugraph_ex").trace(*inputs(1))
        rows = {n["name"]: n for n in graph.to_json()["graph"]["nodes"]}
        self.assertEqual(rows["relu_1"]["inputs"], ["x:0", "^relu"])
        self.assertNotIn("attrs", rows["relu_2"])
        self.assertEqual(rows["sigmoid"]["inputs"], ["x:0", "^relu_1"])

    def test_an_event_that_nobody_recorded(self):
        class Lost(torch.nn.Module):
            def forward(self, x):
                torch.npu.Event().wait()
                return torch.relu(x)
        with self.assertRaisesRegex(streamd.GraphError, "nobody has recorded"):
            torch.compile(Lost(), backend="npugraph_ex").trace(*inputs(1))

    def test_the_two_ways_are_not_mixed(self):
        with self.assertRaisesRegex(streamd.MixedFrontEnds, "npu_stream_switch belongs to torchair"):
            torch.compile(Fork(), backend="npugraph_ex").trace(*inputs())
        with self.assertRaisesRegex(streamd.MixedFrontEnds, "npugraph_ex"):
            self.compiled(Captured()).trace(*inputs())
        with self.assertRaisesRegex(RuntimeError, "compiled"):
            Fork()(*inputs())
        with self.assertRaises(ValueError):
            torch.compile(Fork(), backend="inductor")

    def test_one_stream_conflicts_with_a_label(self):
        model = self.compiled(Fork(), enable_single_stream=True)
        with self.assertRaises(streamd.StreamdError) as caught:
            model(*inputs())
        self.assertEqual(caught.exception.code, "E10055")

    def test_cores_of_the_whole_model_and_of_a_scope(self):
        class Two(torch.nn.Module):
            def forward(self, x):
                with torchair.scope.limit_core_num(4, 8):
                    a = torch.relu(x)
                return a, torch.sigmoid(x)
        graph, _ = self.compiled(Two(), aicore_num="24|100").trace(*inputs(1))
        rows = {n["name"]: n.get("attrs") for n in graph.to_json()["graph"]["nodes"]}
        self.assertEqual(rows["relu"], {"_op_aicore_num": "4", "_op_vectorcore_num": "8"})
        self.assertEqual(rows["sigmoid"], {"_op_aicore_num": "24", "_op_vectorcore_num": "48"})
        for text, good in (("24", True), ("24|", True), ("a|b", False)):
            if good:
                self.compiled(Two(), aicore_num=text).trace(*inputs(1))
            else:
                with self.assertRaisesRegex(streamd.GraphError, "aicore_num"):
                    self.compiled(Two(), aicore_num=text).trace(*inputs(1))

    def test_settings_that_are_not_there_are_errors(self):
        with self.assertRaisesRegex(AttributeError, "there is no setting"):
            CompilerConfig().ge_config.aicore = "24"

    def test_dumps_can_be_read_again(self):
        with tempfile.TemporaryDirectory() as folder:
            for kind in ("txt", "pbtxt"):
                config = CompilerConfig()
                config.debug.graph_dump.type, config.debug.graph_dump.path = kind, folder
                torch.compile(Fork(), backend=torchair.get_npu_backend(config)).trace(*inputs())
                (path,) = pathlib.Path(folder).glob(f"dynamo_original_graph_0_rank_*.{kind}")
                said = path.read_text()
                self.assertIn('name: "wait"', said)
                self.assertIn('input: "^add"' if kind == "pbtxt" else 'input: "add:-1"', said)
                self.assertIn("_user_stream_label", said)


if __name__ == "__main__":
    e2e.main()
