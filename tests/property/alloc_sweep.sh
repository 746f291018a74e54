#!/bin/sh
# Every allocation fails once: on small random requests of every feature, with bodies too, and on one published network.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
for seed in $(seq 1 "${COUNT:-30}"); do
	# Some do not fit their streams, label them so that they cannot be started, or ask for a circle.
	for kind in flat hazards bodies; do
		"$BUILD/tests/random/random_graphs" --kind "$kind" --print "$seed" >"$folder/$kind-$seed.json" || exit 1
		"$STREAMCTL" plan "$folder/$kind-$seed.json" --local >"$folder/answer" 2>&1 || rm "$folder/$kind-$seed.json"
	done
done
# And one that is to be explained, as JSON like the others.
"$BUILD/tests/random/random_graphs" --kind flat --print 1 >"$folder/first.json" || exit 1
"$STREAMCTL" convert "$folder/first.json" --option explain=true -o "$folder/explained.json" || exit 1
# And one that is to be simulated, of the first that has bodies and is planned.
for bodies in "$folder"/bodies-*.json; do
	"$STREAMCTL" convert "$bodies" --option simulate=true -o "$folder/simulated.json" && break
done
"$BUILD/tests/property/alloc_sweep" "$folder"/*.json tests/data/onnx/light_squeezenet.onnx
