#!/bin/sh
# Builds with gcc -O0, gcc -O3 and clang (no warning from -O0 and clang; -O3 guesses wrongly about what is not initialised) and compares their plans with the release build's, byte for byte.
set -u
count=${COUNT:-300}

build() {
	dir=$1
	shift
	[ -f "$dir/build.ninja" ] || env "$@" || return 1
	ninja -C "$dir"
}

set -e
build build-gcc-o0 CC=gcc meson setup build-gcc-o0 -Dwerror=true -Doptimization=0
build build-gcc-o3 CC=gcc meson setup build-gcc-o3 -Doptimization=3
build build-clang CC=clang meson setup build-clang -Dwerror=true -Doptimization=2
exec python3 tests/long/same_bytes.py --count "$count" "$STREAMCTL" build-gcc-o0/clients/streamctl build-gcc-o3/clients/streamctl build-clang/clients/streamctl
