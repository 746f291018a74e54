#!/bin/sh
# Data races: the planner on four threads, the runtime's threads, queues and pools, and the daemon under load and
# under many loaders, with ThreadSanitizer.
set -u
build=build-tsan
[ -f "$build/build.ninja" ] || meson setup "$build" -Dbuildtype=debugoptimized -Db_sanitize=thread -Db_lundef=false || exit 1
ninja -C "$build" || exit 1
TSAN_OPTIONS=halt_on_error=1:exitcode=66
BUILD=$build
STREAMD=$PWD/$build/daemon/streamd
STREAMCTL=$PWD/$build/clients/streamctl
ROUNDS=200
export TSAN_OPTIONS BUILD STREAMD STREAMCTL ROUNDS
"$build/tests/property/threads" tests/data/onnx/*.onnx || exit 1
unit="$build/tests/unit"
for program in "$unit"/device_host*_test "$unit"/sim_*_test "$unit"/task_queue*_test "$unit"/last_error_test "$unit"/pool_*_test "$unit"/reuse_*_test \
	"$unit"/memory_pool*_test "$unit"/jobs_test "$unit"/flight_test "$unit"/streamd_client_test "$unit"/streamd_pool_test "$build/tests/property/runtime_threads"; do
	"$program" || exit 1
done
for suite in pool pool_waiting pool_stories loaders overload; do
	python3 "tests/e2e/$suite.py" || exit 1
done
/usr/bin/python3 tests/e2e/batch.py || exit 1
exec python3 tests/e2e/load.py
