# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Containers of podman with known load: names as podman shows them, also of one that has ended, in both engines.
# What podman stores is in a mount name space of this test; the image is made of a static busybox; there is no network.
# Needs the packages podman, busybox-static, and runc or crun.
. "$SRC/tests/lib/tap.sh"
need_kernel
need_room
need_types

reasons=$work/reasons
mkdir -p "$work/root/bin"
missing() { echo "1..0 # SKIP $1"; exit 0; }
command -v podman >/dev/null || missing 'podman is not installed'
busybox=$(command -v busybox) || missing 'busybox is not installed'
cp "$busybox" "$work/root/bin" && chroot "$work/root" /bin/busybox true 2>/dev/null ||
	missing 'busybox is not a static program that can run in another root'
for link in sh dd sleep true; do ln -s busybox "$work/root/bin/$link"; done
if [ -z "${PODMAN_AGAIN-}" ]; then
	rm -rf "$work"
	unshare -m true 2>/dev/null || missing 'no mount name space can be created'
	PODMAN_AGAIN=1 exec unshare -m sh "$0"
fi

made=
[ -d /var/lib/containers ] || { mkdir /var/lib/containers && made=yes; }
for folder in /var/lib/containers /run /dev/shm; do
	mount -t tmpfs none $folder || missing "nothing can be mounted at $folder"
done
# Groups of podman that are there before stay.
find /sys/fs/cgroup -name libpod_parent >"$work/groups" 2>/dev/null
runtime=
podman_cleanup() {
	[ -z "$runtime" ] || unload
	podman_groups=$(find /sys/fs/cgroup -name libpod_parent 2>/dev/null | grep -vxF -f "$work/groups")
	for group in $podman_groups; do
		tap_i=0
		while [ -d "$group" ] && [ $tap_i -lt 100 ]; do # processes may still be ending
			find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || sleep 0.05
			tap_i=$((tap_i + 1))
		done
	done
	umount -l /var/lib/containers
	[ -z "$made" ] || rmdir /var/lib/containers
	tap_cleanup
}
trap podman_cleanup EXIT
pod() { podman --cgroup-manager=cgroupfs --runtime "$runtime" "$@"; }
limits='--ulimit nofile=1024:1024 --ulimit nproc=1024:1024 --network none'
tar -C "$work/root" -c . | podman --cgroup-manager=cgroupfs import -q - dtr-test:1 >/dev/null 2>"$reasons" ||
	missing "podman imports no image: $(tail -n 1 "$reasons")"
for runtime in crun runc; do
	# shellcheck disable=SC2086
	pod run --rm $limits dtr-test:1 true 2>"$reasons" && break
	runtime=
done
[ -n "$runtime" ] || missing "podman starts no container: $(tail -n 1 "$reasons")"

# The container waits until dtr traces, writes COUNT blocks of 77 bytes, and ends or waits again.
begin() { # NAME COUNT [OPTION...]
	tap_p=$1 n=$2
	shift 2
	# shellcheck disable=SC2086
	pod run -d --name "$tap_p" "$@" $limits -v "$work/go:/go" dtr-test:1 sh -c "
		until [ -e /go/now ]; do sleep 0.05; done
		dd if=/dev/zero of=/dev/null bs=77 count=$n 2>/dev/null; $after" >/dev/null
}
loads() {
	mkdir -p "$work/go"
	after=': >/go/web; sleep 1000' begin web 3000
	after=': >/go/db; sleep 1000' begin db 2000
	after=': >/go/job' begin job 1000 --rm
}
unload() {
	pod rm -f -a -t 0 >/dev/null 2>&1
	rm -rf "$work/go"
}
job_gone() { ! podman --cgroup-manager=cgroupfs container exists job; }
all_done() { [ -e "$work/go/web" ] && [ -e "$work/go/db" ] && [ -e "$work/go/job" ] && job_gone; }
# Traces while the containers write. $trace: the process.
traced() { # COMMAND...
	: >"$work/out"
	"$@" >"$work/out" 2>"$work/err" &
	trace=$!
	children="$children $trace"
	wait_for begun "$work/out"
	: >"$work/go/now"
	wait_until all_done
	kill -INT $trace
	wait $trace
	status=$? out=$(cat "$work/out") err=$(cat "$work/err")
}
writes='syscall::write:return /arg0 == 77 && container != "-"/'
begun='BEGIN { printf("begun\n"); }'

if with_bpf 'writes of containers'; then
	loads
	is "$(pod ps --format '{{.Names}}' | sort | tr '\n' ' ')" 'db job web ' 'three containers'
	traced "$DTR" -q -n "$begun $writes { @[container, image] = sum(arg0); } END { printa(\"%s %s %@d\n\", @); }"
	is "$(printf '%s\n' "$out" | sed '1d; /^$/d' | sort)" "db localhost/dtr-test:1 154000
job localhost/dtr-test:1 77000
web localhost/dtr-test:1 231000" 'what each container has written, also the one that has ended'
	id=$(pod inspect -f '{{.Id}}' web)
	unload
	loads
	traced "$DTR" -q -x container=web -n "$begun $writes { @[container] = count(); }
		END { printa(\"%s %@d\n\", @); }"
	is "$(printf '%s\n' "$out" | sed '1d; /^$/d')" 'web 3000' '-x container=NAME'
	unlike "$(pod inspect -f '{{.Id}}' web)" "^$id\$" 'a new container with the same name'
	unload
	loads
	short=$(pod inspect -f '{{.Id}}' db | cut -c 1-12)
	traced "$DTR" -q -x container="$short" -n "$begun $writes { @[container] = count(); }
		END { printa(\"%s %@d\n\", @); }"
	is "$(printf '%s\n' "$out" | sed '1d; /^$/d')" 'db 2000' '-x container=ID'
	unload
	# a container that is started while dtr waits for it
	mkdir "$work/go"
	: >"$work/err"
	"$DTR" -q -x container=late -n "$writes { printf(\"%s\n\", container); exit(0); }" >"$work/out" 2>"$work/err" &
	trace=$!
	children="$children $trace"
	wait_for 'there is no container' "$work/err"
	: >"$work/go/now"
	after='while :; do dd if=/dev/zero of=/dev/null bs=77 count=1 2>/dev/null; done' begin late 1
	wait $trace
	is "$?:$(cat "$work/out")" '0:late' '-x container before it is started'
	unload
fi

# ---- recordings, the rootless engine: who spins ----
for engine in bpf user; do
	[ $engine = user ] || with_bpf 'dtr record' || continue
	# shellcheck disable=SC2086
	pod run -d --name spinner $limits dtr-test:1 sh -c 'while :; do :; done' >/dev/null
	spinner=$(pod inspect -f '{{.State.Pid}}' spinner)
	wait_until has_run "$spinner" 5
	"$DTR" record -q -x engine=$engine -p "$spinner" -o "$work/spin.rec" 2>"$work/err" &
	trace=$!
	children="$children $trace"
	ran=$(awk '{ sub(/.*\) /, ""); print $12 }' "/proc/$spinner/stat")
	wait_until has_run "$spinner" $((ran + 30))
	unload
	wait $trace
	run "$DTR" -x ledger=off -r "$work/spin.rec" -qn 'profile-997 { @[container, image] = count(); } END {
		printa("%s %s\n", @); }'
	is "$out" 'spinner localhost/dtr-test:1' "$engine: a recording of a container that no longer exists"
	rm -f "$work/spin.rec"
done
done_testing
