#!/bin/sh
# Data races, with ThreadSanitizer: the planner on four threads; the runtime's threads, queues, pools and loaders; the daemon
# under load, under many loaders, and where calls meet (flights, jobs, watches), on the framed socket and by gRPC. Any race that
# a program tells of ends the run; the last line is "N passed, N failed".
set -u
build=build-tsan
log=${LOGS:-.}/tsan
unit_tests='device_host* device_vendor* sim_* task_queue* last_error pool_* reuse_* memory_pool* jobs flight streamd_client streamd_pool'
suites='pool pool_waiting pool_stories loaders overload flights jobs watch status_page session load'
grpc_suites='grpc_calls grpc_restarts grpc_garbage batch report'

[ -f "$build/build.ninja" ] || meson setup "$build" -Dbuildtype=debugoptimized -Db_sanitize=thread -Db_lundef=false || exit 1
units=
for name in $unit_tests; do
	for source in tests/unit/${name}_test.c; do
		units="$units $build/${source%.c}"
	done
done
targets='tests/standin/libascendcl.so tests/standin/libcuda.so daemon/streamd clients/streamctl tests/site/gated_streamd tests/e2e/loaders tests/e2e/session_steps tests/property/threads tests/property/runtime_threads tests/property/run_plans'
# shellcheck disable=SC2046
ninja -C "$build" $targets $(for unit in $units; do echo "${unit#"$build"/}"; done) || exit 1
mkdir -p "$log"
log=$(cd "$log" && pwd)
rm -f "$log"/race.*
TSAN_OPTIONS=halt_on_error=1:exitcode=66:log_path=$log/race
BUILD=$build
STREAMD=$PWD/$build/daemon/streamd
STREAMCTL=$PWD/$build/clients/streamctl
ROUNDS=${ROUNDS:-200}
LOGS=$log
export TSAN_OPTIONS BUILD STREAMD STREAMCTL ROUNDS LOGS

passed=0
failed=0
# The name, then the command.
try() {
	name=$1
	shift
	began=$(date +%s)
	if "$@" >"$log/$name.log" 2>&1 && ! ls "$log"/race.* >/dev/null 2>&1; then
		passed=$((passed + 1))
		echo "ok - $name, $(($(date +%s) - began)) s"
	else
		failed=$((failed + 1))
		echo "not ok - $name, $(($(date +%s) - began)) s: $log/$name.log"
		for race in "$log"/race.*; do
			[ -f "$race" ] && head -30 "$race" && mv "$race" "$log/$name.$(basename "$race")"
		done
	fi
}

try threads "$build/tests/property/threads" tests/data/onnx/*.onnx
for program in $units "$build/tests/property/runtime_threads"; do
	try "$(basename "$program")" "$program"
done
try run_plans "$build/tests/property/run_plans" --runs 20 tests/data/run/*.json
for suite in $suites; do
	try "$suite" python3 "tests/e2e/$suite.py"
done
for suite in $grpc_suites; do
	try "$suite" /usr/bin/python3 "tests/e2e/$suite.py"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
