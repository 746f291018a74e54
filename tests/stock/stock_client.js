// A stock grpc-js client of the daemon.
// usage: node stock_client.js PROTO_FOLDER check|load|ping TARGET NODES_MAX [CA [CERTIFICATE KEY]]
// check: plans, meets a deadline, cancels, is refused, asks for health and for the schema; prints TAP.
// load: sixteen callers that wait until they are connected, until standard input ends; prints 'N done, N failed'.
// ping: one call; prints the number of its status.
'use strict';
const fs = require('fs');
const path = require('path');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');

const [protos, mode, target, nodesMax, ca, certificate, key] = process.argv.slice(2);
const options = { keepCase: true, longs: Number, enums: String, defaults: true, includeDirs: [protos, '/usr/share/grpc-proto'] };
const load = (file) => grpc.loadPackageDefinition(loader.loadSync(file, options));
const streamd = load('streamd.proto').streamd.v1;
const { health } = load('grpc/health/v1/health.proto').grpc;
const { reflection } = load('grpc/reflection/v1/reflection.proto').grpc;

const credentials = ca ? grpc.credentials.createSsl(fs.readFileSync(ca), key ? fs.readFileSync(key) : null, certificate ? fs.readFileSync(certificate) : null)
  : grpc.credentials.createInsecure();
const settings = { 'grpc.max_receive_message_length': -1, 'grpc.initial_reconnect_backoff_ms': 50, 'grpc.max_reconnect_backoff_ms': 200 };
const make = (Client) => new Client(target, credentials, settings);
const planner = make(streamd.Planner);

let tests = 0;
let failures = 0;
function check(fine, what, error) {
  tests += 1;
  console.log(`${fine ? '' : 'not '}ok ${tests} - ${what}`);
  if (!fine) {
    failures += 1;
    console.log(`# ${error}`);
  }
}

// Answers {error, answer}.
function call(client, method, request, more = {}, whenCalled = () => {}) {
  return new Promise((resolve) => {
    const made = client[method](request, new grpc.Metadata({ waitForReady: Boolean(more.waitForReady) }), more, (error, answer) => resolve({ error, answer }));
    whenCalled(made);
  });
}

const inMs = (ms) => new Date(Date.now() + ms);

function ladder(count, type) {
  const nodes = [];
  for (let i = 0; i < count; i += 1) {
    nodes.push({ name: `n${i}`, op_type: i ? 'Add' : type, inputs: [i - 2, i - 3].filter((j) => j >= 0).map((j) => `n${j}`) });
  }
  return { graph: { name: 'g', nodes } };
}

async function checkCalls() {
  let got = await call(planner, 'Plan', ladder(100, 'First'));
  check(got.answer && got.answer.plan.nodes.length === 100, 'a graph is planned', got.error);
  got = await call(planner, 'Plan', ladder(60000, 'Late'), { deadline: inMs(50) });
  check(got.error && got.error.code === grpc.status.DEADLINE_EXCEEDED, 'a deadline is met', got.error);
  got = await call(planner, 'Plan', ladder(60000, 'Cancelled'), {}, (made) => setTimeout(() => made.cancel(), 50));
  check(got.error && got.error.code === grpc.status.CANCELLED, 'a call is cancelled', got.error);
  got = await call(planner, 'Plan', ladder(Number(nodesMax) + 1, 'Large'));
  check(got.error && got.error.code === grpc.status.RESOURCE_EXHAUSTED && got.error.details.includes(nodesMax)
    && got.error.metadata.get('grpc-status-details-bin').length === 1, 'an oversized graph is refused, with the limit and details', got.error);
  const packed = new grpc.Client(target, credentials, { ...settings, 'grpc.default_compression_algorithm': 2 });
  const ping = streamd.Planner.service.Ping;
  got = await new Promise((resolve) => packed.makeUnaryRequest(ping.path, ping.requestSerialize, ping.responseDeserialize,
    { payload: Buffer.alloc(30000) }, (error, answer) => resolve({ error, answer })));
  check(got.answer && got.answer.payload.length === 30000, 'a message packed with gzip is taken', got.error);
  const all = await Promise.all(Array.from({ length: 500 }, (_, i) => call(planner, 'Ping', { payload: Buffer.alloc(i * 100) })));
  check(all.every((one, i) => one.answer && one.answer.payload.length === i * 100), 'five hundred calls at once are answered');
}

function firstOf(stream, request) {
  return new Promise((resolve) => {
    stream.on('data', (answer) => {
      resolve(answer);
      stream.cancel();
    });
    stream.on('error', () => resolve(null));
    if (request) {
      stream.write(request);
    }
  });
}

async function checkServices() {
  check(await firstOf(make(streamd.Pool).Watch({})), 'a device is watched');
  const got = await call(make(health.v1.Health), 'Check', { service: 'streamd.v1.Planner' });
  check(got.answer && got.answer.status === 'SERVING', 'health is told', got.error);
  const listed = await firstOf(make(reflection.v1.ServerReflection).ServerReflectionInfo(), { list_services: '' });
  const names = listed ? listed.list_services_response.service.map((service) => service.name) : [];
  check(names.includes('streamd.v1.Planner') && names.includes('streamd.v1.Pool'), 'services are listed', names);
}

async function runLoad() {
  let stop = false;
  let done = 0;
  const failed = [];
  process.stdin.resume();
  process.stdin.on('end', () => {
    stop = true;
  });
  async function caller(which) {
    for (let turn = 0; !stop; turn += 1) {
      // Each fourth caller plans, each graph but once.
      const [method, request] = which % 4 === 0 ? ['Plan', ladder(300, `T${which}.${turn}`)] : ['Ping', { payload: Buffer.alloc(64) }];
      const got = await call(planner, method, request, { waitForReady: true, deadline: inMs(60000) });
      if (got.answer && (got.answer.plan ? got.answer.plan.nodes.length === 300 : got.answer.payload.length === 64)) {
        done += 1;
      } else {
        failed.push(got.error);
      }
    }
  }
  await Promise.all(Array.from({ length: 16 }, (_, which) => caller(which)));
  console.log(`${done} done, ${failed.length} failed ${failed.slice(0, 3)}`);
  process.exit(failed.length ? 1 : 0);
}

async function main() {
  if (mode === 'load') {
    await runLoad();
    return;
  }
  if (mode === 'ping') {
    const got = await call(planner, 'Ping', { payload: Buffer.alloc(64) }, { deadline: inMs(20000) });
    console.log(got.answer ? 0 : got.error.code);
    process.exit(0);
  }
  await checkCalls();
  await checkServices();
  console.log(`1..${tests}`);
  process.exit(failures ? 1 : 0);
}

process.chdir(path.dirname(__filename));
main();
