#!/bin/sh
# Builds the stock gRPC programs in C++ into a folder: their code from the schema, with Debian's libgrpc++.
# usage: build.sh FOLDER
set -eu
cd "$(dirname "$0")"
out=$1
mkdir -p "$out"
protos="streamd.proto grpc/health/v1/health.proto grpc/reflection/v1/reflection.proto"
# shellcheck disable=SC2086  # a list of words
protoc -I ../../proto -I /usr/share/grpc-proto --cpp_out="$out" --grpc_out="$out" --plugin=protoc-gen-grpc=/usr/bin/grpc_cpp_plugin $protos
flags="-O2 -std=c++17 -I$out $(pkg-config --cflags grpc++ protobuf)"
objects=
for proto in $protos; do
	for kind in pb grpc.pb; do
		source=$out/${proto%.proto}.$kind.cc
		# shellcheck disable=SC2086
		g++ $flags -c "$source" -o "${source%.cc}.o"
		objects="$objects ${source%.cc}.o"
	done
done
for program in stock_server stock_client; do
	# shellcheck disable=SC2086,SC2046
	g++ $flags $program.cc $objects $(pkg-config --libs grpc++ protobuf) -o "$out/$program"
done
