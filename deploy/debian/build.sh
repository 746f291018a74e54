#!/bin/sh
# Builds the Debian packages of this tree. usage: sh deploy/debian/build.sh FOLDER   the packages go there
set -eu
out=$(realpath "$1")
cd "$(dirname "$0")/../.."
tree=$(mktemp -d /tmp/streamd-package.XXXXXX)
trap 'rm -rf "$tree"' EXIT
mkdir "$tree/streamd"
tar -c --exclude='./build*' --exclude=./.git . | tar -x -C "$tree/streamd"
cp -r deploy/debian "$tree/streamd/debian"
rm "$tree/streamd/debian/build.sh"
cd "$tree/streamd"
dpkg-buildpackage -b -us -uc
mv ../*.deb "$out"
