#!/bin/sh
# Installs what the tests need, builds (release, and with ASan and UBSan) and runs the suites.
# usage: sh tests/run.sh [quick|long] [WORD]   WORD: only suites whose name contains it
# The last line is 'N passed, N failed', counted by test case; status 1 on any failure or when nothing ran.
set -u
cd "$(dirname "$0")/.." || exit 1
TIER=${1:-quick}
word=${2:-}
case $TIER in
quick) sections="build test" ;;
long) sections="build test long" ;;
*)
	echo "usage: sh tests/run.sh [quick|long] [WORD]" >&2
	exit 2
	;;
esac
export TIER

# Ends a run that could not begin.
give_up() {
	echo "run.sh: $1"
	echo "0 passed, 1 failed"
	exit 1
}

# build DIR MESON_ARGUMENTS...: configures anew, since a library may have come since, and builds; warnings are errors here.
build() {
	dir=$1
	shift
	[ ! -f "$dir/build.ninja" ] || set -- --reconfigure "$@"
	if ! { meson setup "$dir" -Dwerror=true "$@" && ninja -C "$dir"; } >"$LOGS/$dir.log" 2>&1 </dev/null; then
		tail -n 40 "$LOGS/$dir.log"
		give_up "the build in $dir failed"
	fi
}

# rows SUITE_TIER: lines 'NAME DIR COMMAND', one a suite and build.
rows() {
	grep -v '^#' tests/suites.txt | while read -r tier builds name command; do
		[ "$tier" = "$1" ] || continue
		case $builds in release | both) echo "$name build $command" ;; esac
		case $builds in asan | both) echo "asan-$name build-asan $command" ;; esac
	done
	if [ "$1" = quick ]; then
		for dir in build build-asan; do
			ninja -C "$dir" -t targets all | sed -n "s|^tests/unit/\([a-z0-9_]*_test\): c_LINKER.*|\1|p" | while read -r name; do
				echo "$dir-$name $dir $dir/tests/unit/$name"
			done
		done
	fi
}

# run_rows JOBS: runs the rows of standard input, JOBS at a time.
run_rows() {
	grep -- "$word" | xargs -r -d '\n' -n 1 -P "$1" sh tests/suite.sh
}

LOGS=$PWD/build-logs
export LOGS
rm -rf "$LOGS"
mkdir -p "$LOGS" || give_up "no folder for the logs"
# shellcheck disable=SC2086  # a list of words
sh deploy/packages.sh $sections || give_up "packages are missing"
if [ ! -r /proc/self/maps ]; then # a bare chroot; the sanitizers read it
	mount -t proc proc /proc || give_up "the sanitizers need /proc; please mount it"
	trap 'umount /proc' EXIT
fi
build build
build build-asan -Dbuildtype=debugoptimized -Doptimization=1 -Db_sanitize=address,undefined -Db_lundef=false

ASAN_OPTIONS=detect_leaks=1:abort_on_error=0:strict_string_checks=1:detect_stack_use_after_return=1
UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
CK_DEFAULT_TIMEOUT=60
export ASAN_OPTIONS UBSAN_OPTIONS CK_DEFAULT_TIMEOUT
rows quick | run_rows 2
rows alone | run_rows 1
if [ "$TIER" = long ]; then
	SUITE_SECONDS=3600
	export SUITE_SECONDS
	rows long | run_rows 1
fi

passed=0
failed=0
for result in "$LOGS"/*.result; do
	[ -f "$result" ] || continue
	read -r p f _ <"$result"
	passed=$((passed + p))
	failed=$((failed + f))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
