#!/bin/sh
# Lines that are reached, of which at least 90 of 100 are asked for: by each fuzz target on its corpus and mutants
# of it, the lines of its decoder; by the unit tests and all targets together, the lines of proto/.
set -eu
build=build-coverage
[ -f "$build/build.ninja" ] || meson setup "$build" -Dbuildtype=debug -Doptimization=0 -Db_coverage=true
ninja -C "$build"
count=0

clear_counts() {
	find "$build" -name '*.gcda' -delete
}

fuzz() { # TARGET
	"$build/tests/fuzz/${1}_fuzz" --runs 20000 --seed 1 "tests/fuzz/corpus/$1"
}

report() { # NAME WHAT PATTERN...: what was reached since the counts were cleared, in files whose path matches
	name=$1 what=$2
	shift 2
	for pattern in "$@"; do
		set -- "$@" -f "$pattern"
		shift
	done
	count=$((count + 1))
	gcovr -r . --object-directory "$build" "$@" -e '.*pb-c.*' --txt - | tee "$LOGS/coverage-$name.txt"
	covered=$(awk '/^TOTAL/ { sub("%", "", $4); print $4 }' "$LOGS/coverage-$name.txt")
	if [ "${covered:-0}" -ge 90 ]; then
		echo "ok $count - $name: $covered of 100 lines of $what are reached"
	else
		echo "not ok $count - $name: ${covered:-0} of 100 lines of $what are reached, 90 are asked for"
	fi
}

decoder() { # TARGET PATTERN...: the files of the target's decoder
	target=$1
	shift
	clear_counts
	fuzz "$target"
	report "$target" "its decoder" "$@"
}

# A target's decoder is what turns its bytes into a structure; what two decoders share counts in both.
decoder count 'proto/count\.c' 'proto/shape\.c'
decoder frame 'proto/frame\.c'
decoder graph_codec 'proto/graph_codec.*\.c' 'proto/intern\.c' 'proto/shape\.c'
decoder plan_codec 'proto/plan_decode.*\.c' 'proto/shape\.c'
decoder request_json 'clients/formats/json_(attrs|message|path|shapes)\.c'
decoder plan_json 'clients/formats/plan_(read.*|alone)\.c' 'clients/formats/json_row\.c'
decoder onnx 'clients/formats/onnx_.*\.c'

clear_counts
# Without optimisation and with counting everything takes several times as long.
CK_TIMEOUT_MULTIPLIER=6 meson test -C "$build" --suite unit --no-rebuild --print-errorlogs --timeout-multiplier 6
for program in "$build"/tests/fuzz/*_fuzz; do
	name=${program##*/}
	fuzz "${name%_fuzz}"
done
report all "proto/" 'proto/'
echo "1..$count"
