#!/bin/sh
# Data races: the planner on four threads, the runtime's threads and the daemon under load, with ThreadSanitizer.
set -u
build=build-tsan
[ -f "$build/build.ninja" ] || meson setup "$build" -Dbuildtype=debugoptimized -Db_sanitize=thread -Db_lundef=false || exit 1
ninja -C "$build" || exit 1
TSAN_OPTIONS=halt_on_error=1:exitcode=66
BUILD=$build
STREAMD=$build/daemon/streamd
STREAMCTL=$build/clients/streamctl
export TSAN_OPTIONS BUILD STREAMD STREAMCTL
"$build/tests/property/threads" tests/data/onnx/*.onnx || exit 1
for program in "$build"/tests/unit/device_host*_test "$build"/tests/unit/task_queue*_test "$build"/tests/unit/last_error_test "$build/tests/property/runtime_threads"; do
	"$program" || exit 1
done
exec python3 tests/e2e/load.py
