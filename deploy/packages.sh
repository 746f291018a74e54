#!/bin/sh
# Installs the packages of the named sections of packages.txt that are missing.
# usage: packages.sh SECTION...   e.g. packages.sh build test
set -u
list=$(dirname "$0")/packages.txt

missing=
for section in "$@"; do
	for package in $(awk -v s="$section" '$1 == s { print $2 }' "$list"); do
		state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)
		[ "$state" = installed ] || missing="$missing $package"
	done
done
[ -n "$missing" ] || exit 0
echo "missing Debian packages:$missing"
if [ "$(id -u)" -ne 0 ]; then
	echo "packages.sh: not root; please run: apt-get install --no-install-recommends$missing" >&2
	exit 1
fi
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
# A failed update is told only when the installation fails too: the lists at hand may do.
# shellcheck disable=SC2086  # a list of words
if { apt-get update; apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1 </dev/null; then
	exit 0
fi
tail -n 20 "$log" >&2
echo "packages.sh: apt-get could not install:$missing" >&2
exit 1
