#!/bin/sh
# clang-tidy on every source, with the checks of .clang-tidy.
set -u
command -v clang-tidy >/dev/null || { echo "not ok 1 - clang-tidy is missing"; exit 1; }
[ -f build-clang/compile_commands.json ] || CC=clang meson setup build-clang -Dwerror=true -Doptimization=2 || exit 1
ninja -C build-clang || exit 1
count=0
for file in allocator/*.c allocator/base/*.c allocator/pass/*.c proto/*.c clients/*/*.c daemon/*.c runtime/*.c; do
	count=$((count + 1))
	if said=$(clang-tidy --quiet -p build-clang "$file" 2>/dev/null); then
		echo "ok $count - $file"
	else
		echo "not ok $count - $file"
		printf '%s\n' "$said" | grep -E 'warning:|error:' | sed 's/^/#   /'
	fi
done
echo "1..$count"
