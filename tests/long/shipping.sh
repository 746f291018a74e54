#!/bin/sh
# What is shipped: units, packages that install and purge cleanly on a fresh Debian, the image of a container, manifests, alerts, pages.
# usage: shipping.sh   BUILD, STREAMCTL, STREAMD and LOGS are set
set -u
[ "$(id -u)" -eq 0 ] || { echo "not ok 1 - a chroot needs root"; exit 1; }
tmp=$(mktemp -d /tmp/streamd-shipping.XXXXXX) || exit 1
root=$tmp/root
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs
store="--root $tmp/containers --runroot $tmp/containers-run"
container=
clean_up() {
	[ -z "$container" ] || buildah $store rm "$container" >/dev/null 2>&1
	buildah $store rmi --all --force >/dev/null 2>&1
	umount "$root/proc" 2>/dev/null
	rm -rf --one-file-system "$tmp"
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | sort -u | grep -v security | head -n 1)
count=0

# try WHAT COMMAND...: one test case. silent WHAT COMMAND...: it must say nothing, too.
try() {
	what=$1
	shift
	count=$((count + 1))
	log=$LOGS/shipping-$count.log
	if "$@" >"$log" 2>&1 </dev/null; then
		echo "ok $count - $what"
		return 0
	fi
	echo "not ok $count - $what"
	tail -n 25 "$log" | sed 's/^/#   /'
	return 1
}

silent() {
	what=$1
	shift
	try "$what" sh -c '"$@" >"$0" 2>&1; status=$?; cat "$0"; [ ! -s "$0" ] && exit $status; exit 1' "$tmp/said" "$@"
}

# in_root COMMAND...: in the chroot, with nothing of this machine's environment.
in_root() {
	chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"
}

# ---- units ----
mkdir "$tmp/units"
cp deploy/systemd/streamd.service deploy/systemd/streamd.socket "$tmp/units"
sed -i "s|^ExecStart=/usr/bin/streamd|ExecStart=$PWD/$STREAMD|" "$tmp/units/streamd.service"
silent "systemd-analyze verify says nothing of the units" systemd-analyze verify --man=no "$tmp/units/streamd.service" "$tmp/units/streamd.socket"
try "the service is exposed by 1.5 at most" systemd-analyze security --offline=true --threshold=15 "$tmp/units/streamd.service"

# ---- monitoring, manifests, pages ----
try "promtool takes the alerts" promtool check rules deploy/monitoring/streamd.rules.yml
try "the alerts do what their tests say" promtool test rules deploy/monitoring/streamd.rules.test.yml
spoil() {
	cp deploy/monitoring/*.yml "$tmp"
	sed -i 's/streamd_draining == 1/streamd_draining == 2/' "$tmp/streamd.rules.yml"
	! promtool test rules "$tmp/streamd.rules.test.yml"
}
try "and would notice one that does not" spoil
exprs() {
	python3 -c 'import json, sys
panels = json.load(open("deploy/monitoring/streamd-dashboard.json"))["panels"]
exprs = [t["expr"].replace("$__rate_interval", "5m").replace("$instance", ".*") for p in panels for t in p.get("targets", [])]
rules = [{"record": f"x:{i}", "expr": e} for i, e in enumerate(exprs)]
json.dump({"groups": [{"name": "dashboard", "rules": rules}]}, sys.stdout)' >"$tmp/dashboard.yml" && promtool check rules "$tmp/dashboard.yml"
}
try "promtool takes the dashboard's queries" exprs
try "the manifests are tidy YAML" yamllint -s -d '{extends: default, rules: {line-length: {max: 160}, braces: {max-spaces-inside: 0}}}' deploy/kubernetes
for page in streamctl.1 streamd.8 streamd.conf.5; do
	silent "groff takes $page" groff -man -Tutf8 -ww -z "deploy/man/$page"
done
silent "zsh takes its completion" zsh -n deploy/completion/_streamctl

# ---- packages ----
mkdir "$tmp/packages"
try "dpkg-buildpackage makes packages" sh deploy/debian/build.sh "$tmp/packages" || { echo "1..$count"; exit 1; }
try "lintian has nothing to say of them" sh -c 'lintian --fail-on error,warning --tag-display-limit 0 $(ls "$0"/*.deb | grep -v dbgsym)' "$tmp/packages"
if ! try "debootstrap makes a fresh Debian" debootstrap --variant=minbase bookworm "$root" "$mirror"; then
	echo "1..$count"
	exit 1
fi
cp -r "$tmp/packages" "$root/srv/packages"
[ ! -e "$root/proc/self" ] && mount -t proc proc "$root/proc"
cp tests/data/onnx/light_squeezenet.onnx clients/python/newcomer.py "$root/srv"
all='/srv/packages/streamd_*.deb /srv/packages/streamctl_*.deb /srv/packages/libstreamd*_*.deb /srv/packages/python3-streamd_*.deb'

# What a package may leave behind when it is purged: the bookkeeping of apt and dpkg, and its user.
listing() {
	(cd "$root" && find . -xdev \( -path ./proc -o -path ./srv -o -path ./tmp -o -path './var/lib/apt' -o -path './var/cache' -o -path './var/lib/dpkg' \
		-o -path './var/log' -o -path ./dev -o -path ./sys \) -prune -o -print | sort)
}
try "its dependencies are there" in_root sh -c 'apt-get update && apt-get install -y --no-install-recommends systemd-standalone-sysusers systemd-standalone-tmpfiles python3 python3-protobuf libuv1 libprotobuf-c1 libssl3 libjansson4 libnghttp2-14 zlib1g'
listing >"$tmp/before"
try "the packages install" in_root sh -c "apt-get install -y --no-install-recommends $all"
try "their user and folder are there" in_root sh -c 'id streamd && [ "$(stat -c %U:%G:%a /run/streamd)" = streamd:streamd:750 ]'
serve() {
	in_root sh -c 'setpriv --reuid streamd --regid streamd --clear-groups streamd 2>/run/log & pid=$!
		for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do streamctl ping --quiet >/dev/null 2>&1 && break; sleep 0.2; done
		streamctl plan /srv/light_squeezenet.onnx >/srv/plan.json && [ "$(stat -c %a /run/streamd/streamd.sock)" = 660 ]; status=$?
		kill $pid; wait $pid && rm /run/log && exit $status; cat /run/log; exit 1'
}
# The newcomer in Python, as the first user does it; the one in C needs a compiler (e2e/newcomer.py).
newcomer() {
	in_root sh -c 'STREAMD_SOCKET=/srv/new.sock streamd --set socket.path=/srv/new.sock --set http.port=0 2>/run/log & pid=$!
		export STREAMD_SOCKET=/srv/new.sock
		for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do streamctl ping --quiet >/dev/null 2>&1 && break; sleep 0.2; done
		python3 /srv/newcomer.py | grep "runs on host.*overlap"; status=$?
		kill $pid; wait $pid && rm /run/log && exit $status; cat /run/log; exit 1'
}
try "the newcomer's program in Python runs with what is installed" newcomer
try "the library and what C programs are built with are there" in_root sh -c 'ls /usr/lib/*/libstreamd.so.0 /usr/lib/*/libstreamd.so /usr/lib/*/pkgconfig/streamd.pc /usr/include/streamd/streamd_session.h'
try "the installed daemon plans for the installed command line, as its own user" serve
try "man pages, completions and units are where they belong" in_root sh -c 'ls /usr/share/man/man1/streamctl.1.gz /usr/share/man/man8/streamd.8.gz /usr/share/man/man5/streamd.conf.5.gz \
	/usr/share/bash-completion/completions/streamctl /usr/share/bash-completion/completions/streamd /usr/share/zsh/vendor-completions/_streamctl \
	/lib/systemd/system/streamd.service /lib/systemd/system/streamd.socket /etc/streamd/streamd.conf /usr/share/streamd/OPERATIONS.md'
try "they install once more over themselves" in_root sh -c "apt-get install -y --reinstall $all"
try "they purge" in_root sh -c 'apt-get purge -y streamd streamctl libstreamd0 libstreamd-dev python3-streamd'
listing >"$tmp/after"
left_over() {
	diff "$tmp/before" "$tmp/after" | grep -Ev '^[0-9,acd]+$|\./etc/(passwd|group|shadow|gshadow)-?$|\./etc/ld.so.cache$|/__pycache__'
	! diff "$tmp/before" "$tmp/after" | grep -Ev '^[0-9,acd]+$|^> \./etc/(passwd|group|shadow|gshadow)-$' | grep -q .
}
try "nothing is left behind" left_over

# ---- a container ----
# The base is made of the chroot's like: what a registry would give is not to be had everywhere.
image() {
	rm -rf "$root/srv/packages"
	in_root sh -c 'userdel streamd; groupdel streamd; true' # packages leave their user; an image begins without
	base=$(buildah $store from scratch) &&
		{ umount "$root/proc" 2>/dev/null; buildah $store copy -q "$base" "$root" / ; } &&
		buildah $store commit -q "$base" localhost/debian:base && buildah $store rm "$base" &&
		mkdir "$tmp/context" && tar -c --exclude='./build*' --exclude=./.git . | tar -x -C "$tmp/context" &&
		buildah $store bud -q --layers --build-arg BASE=localhost/debian:base -f deploy/Containerfile -t localhost/streamd "$tmp/context"
}
if try "the Containerfile builds" image; then
	container=$(buildah $store from localhost/streamd)
	buildah $store copy -q "$container" tests/data/onnx/light_squeezenet.onnx /light_squeezenet.onnx
	try "the daemon in the container plans, without root" buildah $store run "$container" -- sh -c '[ "$(id -u)" = 64000 ] || exit 1
		streamd & pid=$!
		for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do streamctl ping --quiet >/dev/null 2>&1 && break; sleep 0.2; done
		streamctl plan /light_squeezenet.onnx >/dev/null; status=$?
		kill $pid; wait $pid && exit $status'
	# What the image was built in has compiler and sources.
	quickstart() {
		buildah $store bud -q --layers --target build --build-arg BASE=localhost/debian:base -f deploy/Containerfile -t localhost/streamd-build "$tmp/context" &&
			stage=$(buildah $store from localhost/streamd-build) && buildah $store run "$stage" -- sh deploy/quickstart.sh
	}
	try "the quickstart runs in the stage that the image is built in" quickstart
fi
echo "1..$count"
