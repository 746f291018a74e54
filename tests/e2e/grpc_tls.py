#!/usr/bin/python3
"""gRPC on TCP: in the clear on loopback, TLS, certificates of clients and what they may, certificates read again."""
import pathlib
import shutil
import ssl
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from certificates import Authority
from grpc_client import *
from h2_wire import H2Client, PING_PATH
from streamd_wire import *

PING = pb.PingRequest(payload=b"on")


class Case(unittest.TestCase):
    """One folder of certificates for all, since they take time to make."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="streamd-tls-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.ca, cls.other_ca = Authority(cls.folder.name), Authority(cls.folder.name, "other")
        cls.server = cls.ca.issue("server", "localhost", ["DNS:localhost", "IP:127.0.0.1"])
        cls.loader = cls.ca.issue("loader", "one.loaders.example")
        cls.admin = cls.ca.issue("admin", "anybody", ["DNS:some.where", "URI:spiffe://example/admin"])
        cls.stranger = cls.other_ca.issue("stranger", "one.loaders.example")

    def start(self, mutual=True, **more):
        port = free_port()
        settings = {"grpc__tcp_port": port, "tls__certificate": self.server[0], "tls__key": self.server[1]}
        if mutual:
            settings["tls__client_ca"] = self.ca.certificate
        daemon = Daemon(**settings, **more)
        self.addCleanup(daemon.__exit__, None)
        self.port = port
        return daemon

    def channel(self, who=None, authority=None, target="localhost"):
        read = lambda path: pathlib.Path(path).read_bytes()
        credentials = grpc.ssl_channel_credentials(read((authority or self.ca).certificate), *(read(p) for p in reversed(who or ())))
        made = grpc.secure_channel(f"{target}:{self.port}", credentials, options=LARGE + RETRY_SOON + [("grpc.use_local_subchannel_pool", 1)])
        self.addCleanup(made.close)
        return made

    def planner(self, who=None, **more):
        return stubs.PlannerStub(self.channel(who, **more))

    def assert_nothing(self, planner):
        self.assertEqual(failure(planner.Ping, PING, timeout=LONG).code(), grpc.StatusCode.UNAVAILABLE)


class Clear(unittest.TestCase):
    def test_loopback_in_the_clear(self):
        port = free_port()
        with Daemon(grpc__tcp_port=port) as daemon:
            with grpc.insecure_channel(f"127.0.0.1:{port}") as clear:
                planner, pool = stubs.PlannerStub(clear), stubs.PoolStub(clear)
                self.assertEqual(planner.Ping(PING).payload, b"on")
                self.assertEqual(len(planner.Plan(plan_request(chain(9))).plan.nodes), 9)
                self.assertEqual(failure(planner.CacheFlush, pb.Empty()).code(), grpc.StatusCode.PERMISSION_DENIED)
                model = pool.RegisterModel(pb.RegisterModelRequest(name="m")).model
                self.assertEqual(len(pool.Acquire(pb.AcquireRequest(model=model, wants=[pb.StreamWant(count=2)])).leases), 2)
                self.assertGreaterEqual(pool.List(pb.ListRequest()).models[0].uid, 1 << 31)
            self.assertTrue(wait_for(lambda: daemon.metric("pool_leases") == 0))

    def test_no_lease_for_strangers_where_a_group_is_named(self):
        port = free_port()
        with Daemon(grpc__tcp_port=port, pool__group="daemon") as daemon, grpc.insecure_channel(f"127.0.0.1:{port}") as clear:
            error = failure(stubs.PoolStub(clear).RegisterModel, pb.RegisterModelRequest(name="m"))
            self.assertEqual(error.code(), grpc.StatusCode.PERMISSION_DENIED)

    def test_another_address_in_the_clear_is_refused_at_the_start(self):
        for more in ((), ("tls.certificate=/c", "tls.key=/k")):
            run = subprocess.run([STREAMD, "--check-config", "--set", "grpc.tcp_port=9191", "--set", "grpc.tcp_address=0.0.0.0"] +
                                 [a for m in more for a in ("--set", m)], capture_output=True, text=True)
            self.assertEqual(run.returncode, 1)
            self.assertIn("tls.client_ca", run.stderr)

    def test_port_that_is_taken_and_address_that_is_none(self):
        with socket.socket() as taken, tempfile.TemporaryDirectory() as folder:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            for more, word in ((f"grpc.tcp_port={taken.getsockname()[1]}", "cannot be listened on"), ("grpc.tcp_address=127.0.0.1x", "no address")):
                run = subprocess.run([STREAMD, "--set", f"socket.path={folder}/s", "--set", "http.port=0", "--set", "grpc.tcp_port=1", "--set", more],
                                     capture_output=True, text=True, timeout=LONG)
                self.assertEqual(run.returncode, 1)
                self.assertIn(word, run.stderr)
                self.assertEqual([p for p in pathlib.Path(folder).iterdir() if p.is_socket()], [])


class Certificates(Case):
    def test_server_alone(self):
        self.start(mutual=False)
        self.assertEqual(self.planner().Ping(PING).payload, b"on")
        self.assertEqual(self.planner(target="127.0.0.1").Ping(PING).payload, b"on")
        self.assert_nothing(self.planner(authority=self.other_ca))

    def test_who_shows_none_or_another_s_gets_nothing(self):
        daemon = self.start()
        self.assertEqual(self.planner(self.loader).Ping(PING).payload, b"on")
        self.assert_nothing(self.planner())
        self.assert_nothing(self.planner(self.stranger))
        with grpc.insecure_channel(f"localhost:{self.port}") as clear:
            self.assert_nothing(stubs.PlannerStub(clear))
        self.assertGreaterEqual(daemon.metric("tls_refused_total"), 2)
        self.assertEqual(daemon.metric('grpc_requests_total{method="Ping",status="OK"}'), 1)

    def test_expired_certificate_gets_nothing(self):
        self.start()
        self.assert_nothing(self.planner(self.ca.issue("old", "one.loaders.example", days=-1)))

    def test_names_give_roles(self):
        self.start(tls__lease_names="*.loaders.example", tls__admin_names="spiffe://example/admin,boss")
        loader, admin = self.channel(self.loader), self.channel(self.admin)
        self.assertEqual(failure(stubs.PlannerStub(loader).CacheFlush, pb.Empty()).code(), grpc.StatusCode.PERMISSION_DENIED)
        stubs.PlannerStub(admin).CacheFlush(pb.Empty())
        self.assertTrue(stubs.PoolStub(loader).RegisterModel(pb.RegisterModelRequest(name="m")).model)
        plain = self.channel(self.ca.issue("plain", "plain"))
        self.assertEqual(stubs.PlannerStub(plain).Ping(PING).payload, b"on")
        self.assertEqual(failure(stubs.PoolStub(plain).RegisterModel, pb.RegisterModelRequest()).code(), grpc.StatusCode.PERMISSION_DENIED)

    def test_only_listed_names_are_let_in(self):
        daemon = self.start(tls__names="*.loaders.example")
        self.assertEqual(self.planner(self.loader).Ping(PING).payload, b"on")
        self.assert_nothing(self.planner(self.admin))
        self.assertIn('"name":"anybody"', daemon.log())

    def test_one_user_for_one_name(self):
        self.start(pool__uid_streams_max=3)
        pools = [stubs.PoolStub(self.channel(self.loader)) for _ in range(2)]
        models = [pool.RegisterModel(pb.RegisterModelRequest(name="m")).model for pool in pools]
        acquire = lambda i, n: pools[i].Acquire(pb.AcquireRequest(model=models[i], wants=[pb.StreamWant(count=n)]))
        acquire(0, 2)
        self.assertEqual(failure(acquire, 1, 2).code(), grpc.StatusCode.RESOURCE_EXHAUSTED)
        acquire(1, 1)
        users = {m.uid for m in pools[0].List(pb.ListRequest()).models}
        self.assertEqual(len(users), 1)

    def test_large_plan_over_tls(self):
        self.start()
        planner = self.planner(self.loader)
        self.assertEqual(len(planner.Plan(plan_request(chain(30000))).plan.nodes), 30000)


class Protocol(Case):
    def connect(self, alpn=("h2",), version=None, who=None):
        context = ssl.create_default_context(cafile=self.ca.certificate)
        if alpn:
            context.set_alpn_protocols(list(alpn))
        if version:
            context.maximum_version = version
        if who:
            context.load_cert_chain(*who)
        raw = socket.create_connection(("localhost", self.port), timeout=LONG)
        self.addCleanup(raw.close)
        return context.wrap_socket(raw, server_hostname="localhost")

    def test_protocol_is_http_2_or_nothing(self):
        self.start(mutual=False)
        for alpn in (("h2",), ("http/1.1", "h2"), ("grpc-exp", "h2")):
            with self.connect(alpn) as s:
                self.assertEqual((s.selected_alpn_protocol(), s.version()), ("h2", "TLSv1.3"))
                self.assertEqual(H2Client(s).call(PING_PATH, field(1, b"x")).status, 0)
        for alpn in (("http/1.1",), ("h3", "h2c")):
            with self.assertRaises(OSError):
                self.connect(alpn)

    def test_none_named_is_refused(self):
        self.start(mutual=False)
        with self.connect(alpn=()) as s:
            s.sendall(b"GET / HTTP/1.1\r\n\r\n")
            self.assertEqual(self.all_of(s), b"")

    def all_of(self, s):
        data = b""
        try:
            while more := s.recv(1 << 16):
                data += more
        except OSError:
            pass
        return data

    def test_older_versions_are_refused(self):
        self.start(mutual=False)
        with self.assertRaises(OSError):
            self.connect(version=ssl.TLSVersion.TLSv1_2)

    def test_end_is_said_within_tls(self):
        daemon = self.start(mutual=False)
        with self.connect() as s:
            client = H2Client(s)
            self.assertEqual(client.call(PING_PATH, field(1, b"x")).status, 0)
            daemon.signal()
            self.assertTrue(client.read_to_end())                              # a bare end would be an error here
        self.assertEqual(daemon.process.wait(LONG), 0)

    def test_silence_and_garbage_within_tls(self):
        daemon = self.start(mutual=False, socket__hello_timeout="3 s")
        silent = socket.create_connection(("localhost", self.port))
        self.addCleanup(silent.close)
        for data in (b"\x16\x03\x01", bytes(100), b"\x16\x03\x01\x02\x00" + bytes(512), os.urandom(4000)):
            with socket.create_connection(("localhost", self.port)) as s:
                s.sendall(data)
                s.settimeout(LONG)
                self.all_of(s)
        self.assertTrue(wait_for(lambda: daemon.metric("connections") == 0))
        self.assertEqual(silent.recv(1), b"")
        with self.connect() as s:
            self.assertEqual(H2Client(s).call(PING_PATH, field(1, b"x")).status, 0)


class Reload(Case):
    def setUp(self):
        self.where = tempfile.TemporaryDirectory(prefix="streamd-reload-")
        self.addCleanup(self.where.cleanup)
        for kind, path in zip(("pem", "key"), self.server):
            shutil.copy(path, f"{self.where.name}/s.{kind}")

    def start(self):
        self.port = free_port()
        self.daemon = Daemon(grpc__tcp_port=self.port, tls__certificate=f"{self.where.name}/s.pem", tls__key=f"{self.where.name}/s.key")
        self.addCleanup(self.daemon.__exit__, None)

    def reload(self):
        before = self.daemon.log().count('"event":"reload"')
        self.daemon.signal(signal.SIGHUP)
        self.assertTrue(wait_for(lambda: self.daemon.log().count('"event":"reload"') > before))

    def test_new_certificate_is_shown_to_new_peers_and_old_ones_stay(self):
        self.start()
        old = self.planner()
        self.assertEqual(old.Ping(PING).payload, b"on")
        for kind, path in zip(("pem", "key"), self.other_ca.issue("new", "localhost")):
            shutil.copy(path, f"{self.where.name}/s.{kind}")
        self.reload()
        self.assertEqual(old.Ping(PING).payload, b"on")
        self.assertEqual(self.planner(authority=self.other_ca).Ping(PING).payload, b"on")
        self.assert_nothing(self.planner())

    def test_reload_does_not_open_the_door(self):
        """A port that is taken away needs a restart; until then the door that is there asks for certificates as before."""
        conf, port, sock = pathlib.Path(self.where.name, "conf"), free_port(), f"{self.where.name}/s.sock"
        lines = [f"socket.path = {sock}", f"tls.certificate = {self.where.name}/s.pem", f"tls.key = {self.where.name}/s.key", "http.port = 0"]
        conf.write_text("\n".join(lines + [f"grpc.tcp_port = {port}", "grpc.tcp_address = 0.0.0.0", f"tls.client_ca = {self.ca.certificate}"]) + "\n")
        log = pathlib.Path(self.where.name, "log")
        self.port = port
        with log.open("w") as out:
            daemon = subprocess.Popen([STREAMD, "--config", conf], stderr=out)
            self.addCleanup(daemon.wait)
            self.addCleanup(daemon.kill)
            self.assertTrue(wait_for(lambda: "listening" in log.read_text()))
            self.assertEqual(self.planner(self.loader).Ping(PING).payload, b"on")
            conf.write_text("\n".join(lines + ["grpc.tcp_port = 0", "grpc.tcp_address = 0.0.0.0"]) + "\n")
            daemon.send_signal(signal.SIGHUP)
            self.assertTrue(wait_for(lambda: '"event":"reload"' in log.read_text()))
            self.assertIn("tls.client_ca", log.read_text())
            self.assert_nothing(self.planner())
            self.assertEqual(self.planner(self.loader).Ping(PING).payload, b"on")
            daemon.terminate()
            self.assertEqual(daemon.wait(LONG), 0)

    def test_certificate_that_cannot_be_read_leaves_the_old_one(self):
        self.start()
        pathlib.Path(f"{self.where.name}/s.pem").write_text("nothing")
        self.reload()
        self.assertIn("tls.certificate", self.daemon.log())
        self.assertEqual(self.planner().Ping(PING).payload, b"on")


if __name__ == "__main__":
    e2e.main()
