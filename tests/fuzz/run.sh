#!/bin/sh
# Every fuzz target on its corpus and on RUNS mutants of it, made from SEED.
set -u
: "${RUNS:=20000}" "${SEED:=1}"
count=0
for program in "$BUILD"/tests/fuzz/*_fuzz; do
	count=$((count + 1))
	name=${program##*/}
	corpus=tests/fuzz/corpus/${name%_fuzz}
	if "$program" --runs "$RUNS" --seed "$SEED" "$corpus" >"$LOGS/$name.out" 2>&1; then
		echo "ok $count - $name: $(head -n 1 "$LOGS/$name.out")"
	else
		echo "not ok $count - $name"
		tail -n 30 "$LOGS/$name.out" | sed 's/^/#   /'
		echo "#   again: $program --runs $RUNS --seed $SEED $corpus; the last input alone: $program $LOGS/fuzz-last-$name"
	fi
done
echo "1..$count"
