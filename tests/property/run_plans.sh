#!/bin/sh
# Plans are run on threads of this machine and on the simulated device, RUNS times each, with random task lengths: every
# run keeps every edge. Each sync taken out in turn is noticed by the check for races or by the judge.
set -eu
: "${RUNS:=50}"
folder=$(mktemp -d) # the same row of another build may run at the same time
trap 'rm -rf "$folder"' EXIT
python3 tests/tools/biggraph.py rand:500 >"$folder/rand500.json"
"$BUILD"/tests/property/run_plans --runs "$RUNS" --spoil tests/data/run/*.json "$folder/rand500.json"
"$BUILD"/tests/property/run_plans --runs 20 --device sim tests/data/run/*.json "$folder/rand500.json"
