#!/bin/sh
# The two commands on a bare Debian 12: a fresh chroot, first without /proc, in which both must end well; the quickstart twice.
set -u
[ "$(id -u)" -eq 0 ] || { echo "not ok 1 - a chroot needs root"; exit 1; }
root=$(mktemp -d /tmp/streamd-bare.XXXXXX) || exit 1
trap 'umount "$root/proc" "$root/dev/pts" 2>/dev/null; rm -rf --one-file-system "$root"' EXIT
trap 'exit 1' INT TERM HUP
# Where packages come from is the machine's own setting.
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | sort -u | grep -v security | head -n 1)
count=0

# try WHAT COMMAND...: one test case, in the chroot.
try() {
	what=$1
	shift
	count=$((count + 1))
	log=$LOGS/bare-$count.log
	if chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@" >"$log" 2>&1 </dev/null; then
		echo "ok $count - $what"
	else
		echo "not ok $count - $what"
		tail -n 40 "$log" | sed 's/^/#   /'
	fi
}

debootstrap --variant=minbase bookworm "$root" "$mirror" >"$LOGS/debootstrap.log" 2>&1 || { tail -n 5 "$LOGS/debootstrap.log"; echo "not ok 1 - no chroot"; exit 1; }
# What a machine has and a chroot lacks: a root that others may enter, its own name, terminals.
chmod 755 "$root"
echo "127.0.0.1 localhost" >"$root/etc/hosts"
mount -t devpts devpts "$root/dev/pts" -o ptmxmode=0666 || { echo "not ok 1 - no terminals in the chroot"; exit 1; }
mkdir "$root/srv/streamd"
tar -c --exclude='./build*' --exclude=./.git . | tar -x -C "$root/srv/streamd"
try "quickstart.sh on a bare Debian" sh /srv/streamd/deploy/quickstart.sh
try "quickstart.sh once more" sh /srv/streamd/deploy/quickstart.sh
try "run.sh on a bare Debian" sh /srv/streamd/tests/run.sh quick
echo "1..$count"
