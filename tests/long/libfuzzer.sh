#!/bin/sh
# libFuzzer drives every fuzz target, with ASan and UBSan, RUNS inputs each, beginning with the corpus.
set -u
: "${RUNS:=1000000}"
build=build-fuzz
[ -f "$build/build.ninja" ] ||
	CC=clang meson setup "$build" -Dfuzz=true -Dbuildtype=debugoptimized -Doptimization=1 -Db_sanitize=address,undefined -Db_lundef=false || exit 1
ninja -C "$build" || exit 1
count=0
for program in "$build"/tests/fuzz/*_libfuzzer; do
	count=$((count + 1))
	name=${program##*/}
	found=$LOGS/corpus-$name
	mkdir -p "$found"
	if "$program" -runs="$RUNS" -seed=1 -max_len=65536 -artifact_prefix="$LOGS/$name-" "$found" "tests/fuzz/corpus/${name%_libfuzzer}" >"$LOGS/$name.out" 2>&1; then
		echo "ok $count - $name: $(tail -n 1 "$LOGS/$name.out")"
	else
		echo "not ok $count - $name"
		tail -n 40 "$LOGS/$name.out" | sed 's/^/#   /'
		echo "#   the input is kept beside the log as $name-crash-*; $program FILE replays it"
	fi
done
echo "1..$count"
