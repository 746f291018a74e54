#!/bin/sh
# libFuzzer on every target, from its corpus, FUZZ_SECONDS each; what it finds stays in $LOGS.
set -u
build=build-fuzz
seconds=${FUZZ_SECONDS:-60}
set -e
[ -f "$build/build.ninja" ] || CC=clang meson setup "$build" -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false
ninja -C "$build" -j 2 $(ninja -C "$build" -t targets all | sed -n 's/^\(tests\/fuzz\/[a-z_]*_libfuzzer\):.*/\1/p')
set +e
count=0
for target in "$build"/tests/fuzz/*_libfuzzer; do
	name=${target##*/}
	name=${name%_libfuzzer}
	count=$((count + 1))
	mkdir -p "$LOGS/fuzz-$name"
	if "$target" -max_total_time="$seconds" -artifact_prefix="$LOGS/fuzz-$name-" "$LOGS/fuzz-$name" "tests/fuzz/corpus/$name" >"$LOGS/fuzz-$name.log" 2>&1; then
		echo "ok $count - $name: $(sed -n 's/^Done \([0-9]* runs\).*/\1/p' "$LOGS/fuzz-$name.log") without a finding"
	else
		echo "not ok $count - $name: see $LOGS/fuzz-$name.log"
	fi
done
echo "1..$count"
