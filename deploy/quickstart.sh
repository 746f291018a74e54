#!/bin/sh
# streamd on a bare Debian 12: installs packages, builds, starts the daemon, plans a published network through its
# socket, asks again and gets the cached plan, runs it on threads and shows what overlapped, leases four
# streams, shows a metric, stops the daemon.
# usage: sh deploy/quickstart.sh [MODEL]   MODEL: an ONNX model or a request (default: SqueezeNet of the ONNX test set)
set -u
model=${1:-}
case $model in
'' | /*) ;;
*) model=$PWD/$model ;;
esac
cd "$(dirname "$0")/.." || exit 1
[ -n "$model" ] || model=$PWD/tests/data/onnx/light_squeezenet.onnx
streamctl=build/clients/streamctl
tmp=$(mktemp -d) || exit 1
daemon=

step() {
	printf '\n== %s\n' "$1"
}

stop_daemon() {
	[ -n "$daemon" ] || return 0
	kill "$daemon" 2>/dev/null
	wait "$daemon"
	status=$?
	daemon=
	return $status
}

clean_up() {
	stop_daemon
	rm -rf "$tmp"
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP

fail() {
	echo "quickstart: $1" >&2
	[ ! -s "$tmp/log" ] || tail -n 20 "$tmp/log" >&2
	exit 1
}

# The port that /metrics is served on: the default one, or any free one where that is taken.
http_port() {
	python3 - <<-'END'
		import socket
		for port in (9190, 0):
		    s = socket.socket()
		    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
		    try:
		        s.bind(("127.0.0.1", port))
		    except OSError:
		        continue
		    print(s.getsockname()[1])
		    break
	END
}

# metric NAME...: the lines of /metrics that begin with one of these names.
metric() {
	python3 - "$port" "$@" <<-'END'
		import sys, urllib.request
		text = urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/metrics", timeout=10).read().decode()
		lines = [l for l in text.splitlines() if l.startswith(tuple(sys.argv[2:]))]
		print("\n".join(lines))
		sys.exit(0 if lines else 1)
	END
}

# Where another daemon, or a missing right, is in the way of the defaults, this run keeps to itself.
start_daemon() {
	port=$(http_port)
	[ -n "$port" ] || fail "no port of 127.0.0.1 is free"
	set --
	[ "$port" = 9190 ] || set -- --set "http.port=$port"
	if $streamctl status >"$tmp/other" 2>&1 || { [ -z "${STREAMD_SOCKET:-}${XDG_RUNTIME_DIR:-}" ] && [ ! -w /run ]; }; then
		STREAMD_SOCKET=$tmp/streamd.sock
		export STREAMD_SOCKET
	fi
	echo "build/daemon/streamd $*"
	build/daemon/streamd "$@" >"$tmp/log" 2>&1 &
	daemon=$!
	tries=0
	until $streamctl status >"$tmp/status" 2>&1; do
		kill -0 "$daemon" 2>/dev/null || fail "the daemon ended"
		tries=$((tries + 1))
		[ "$tries" -le 100 ] || fail "the daemon does not answer: $(cat "$tmp/status")"
		sleep 0.1
	done
	cat "$tmp/status"
}

# plan FILE: the model's plan on up to four streams of the AI core, as text; what it took is kept beside it.
plan() {
	$streamctl plan "$model" --option cluster=none --option 'max_parallel_num={"AIcoreEngine": 4}' --format text --timing -o "$1" 2>"$1.timing" ||
		fail "no plan: $(cat "$1.timing")"
	cat "$1.timing"
}

step "packages"
sh deploy/packages.sh build || fail "packages are missing"

step "build"
[ -f build/build.ninja ] || meson setup build >"$tmp/log" 2>&1 || fail "meson could not configure the build"
ninja -C build clients/streamctl daemon/streamd >"$tmp/log" 2>&1 || fail "the build failed"
build/daemon/streamd --version || fail "the daemon does not run"

step "daemon"
start_daemon

step "plan of ${model##*/}"
plan "$tmp/first"
head -n 30 "$tmp/first"
echo "... $(wc -l <"$tmp/first") lines in all"

step "the same once more"
plan "$tmp/second"
grep -q '"from_cache": true' "$tmp/second.timing" || fail "the second plan does not come from the cache"
cmp -s "$tmp/first" "$tmp/second" || fail "the second plan differs from the first"
echo "the same plan, from the cache"

step "run on the cores of this machine"
$streamctl run "$model" --option cluster=none --option 'max_parallel_num={"AIcoreEngine": 4}' >"$tmp/run" 2>&1 || fail "the plan does not run: $(cat "$tmp/run")"
cat "$tmp/run"

step "a lease of four streams"
$streamctl pool acquire model=quickstart count=4 flags=PERSISTENT </dev/null || fail "no lease"

step "metrics on 127.0.0.1:$port"
metric streamd_plans_total streamd_cache_hits_total 'streamd_stage_seconds_sum{stage="plan"}' 'streamd_request_seconds_count{method="Plan"}' || fail "no metric"

step "stop"
stop_daemon || fail "the daemon ended with an error"
echo "the daemon has ended"
