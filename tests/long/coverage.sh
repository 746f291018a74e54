#!/bin/sh
# Lines of the decoders that the unit tests and the fuzz targets reach: at least 90 of 100.
set -u
build=build-coverage
set -e
[ -f "$build/build.ninja" ] || meson setup "$build" -Dbuildtype=debug -Doptimization=0 -Db_coverage=true
ninja -C "$build"
find "$build" -name '*.gcda' -delete
meson test -C "$build" --suite unit --no-rebuild --print-errorlogs
for target in "$build"/tests/fuzz/*_fuzz; do
	name=${target##*/}
	"$target" --runs 20000 --seed 1 "tests/fuzz/corpus/${name%_fuzz}"
done
gcovr -r . --object-directory "$build" -f 'proto/' -e '.*pb-c.*' --txt - | tee "$LOGS/coverage.txt"
covered=$(awk '/^TOTAL/ { sub("%", "", $4); print $4 }' "$LOGS/coverage.txt")
if [ "${covered:-0}" -ge 90 ]; then
	echo "ok 1 - $covered of 100 lines of proto/ are reached"
else
	echo "not ok 1 - $covered of 100 lines of proto/ are reached, 90 are asked for"
fi
echo "1..1"
