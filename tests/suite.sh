#!/bin/sh
# Runs one suite, keeps its output in $LOGS/NAME.log and its counts in $LOGS/NAME.result.
# usage: suite.sh 'NAME BUILD_DIR COMMAND'   (environment: LOGS, TIER, SUITE_SECONDS)
set -u
row=$1
name=${row%% *}
row=${row#* }
BUILD=${row%% *}
command=${row#* }
log=$LOGS/$name.log
tap=$LOGS/$name.tap
STREAMCTL=$BUILD/clients/streamctl
STREAMD=$BUILD/daemon/streamd
CK_TAP_LOG_FILE_NAME=$tap
export BUILD STREAMCTL STREAMD CK_TAP_LOG_FILE_NAME
rm -f "$tap"

began=$(date +%s)
timeout -k 10 "${SUITE_SECONDS:-600}" sh -c "$command" >"$log" 2>&1 </dev/null
status=$?
seconds=$(($(date +%s) - began))

# Counts are those of the closing line 'N passed, N failed', else of the TAP lines.
passed=0
failed=0
last=$(tail -n 1 "$log" | grep -E '^[0-9]+ passed, [0-9]+ failed$')
if [ -n "$last" ]; then
	passed=${last%% *}
	last=${last#*, }
	failed=${last%% *}
else
	[ -s "$tap" ] || tap=$log
	passed=$(grep -c '^ok ' "$tap")
	failed=$(grep -c '^not ok ' "$tap")
fi
why=
if [ "$status" -eq 124 ]; then
	why="did not end in ${SUITE_SECONDS:-600} s"
elif [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then
	why="ended with status $status"
elif [ $((passed + failed)) -eq 0 ]; then
	why="ran no test"
fi
[ -z "$why" ] || failed=$((failed + 1))
echo "$passed $failed $seconds" >"$LOGS/$name.result"

printf '%-34s %5d passed %4d failed %4d s %s\n' "$name" "$passed" "$failed" "$seconds" "$why"
if [ "$failed" -gt 0 ]; then
	grep -h -A 4 '^not ok ' "$tap" 2>/dev/null | head -n 40 | sed 's/^/    /'
	tail -n 25 "$log" | sed 's/^/    /'
	echo "    whole output: $log"
	echo "    again: LOGS=$LOGS TIER=$TIER sh tests/suite.sh '$name $BUILD $command'"
fi
