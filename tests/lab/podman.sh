#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# a container of podman with its default rights, on an overlay of this system's files
# Not simulated: other files than this system's. Needs the packages podman, and crun or runc: Debian 12's crun refuses
# hosts that have both versions of cgroups. RIGHTS: options for other rights.
base="podman --cgroup-manager=cgroupfs run --rm -i --network none --ulimit nofile=4096:4096 --ulimit nproc=4096:4096"
for runtime in crun runc; do
	$base --runtime $runtime --rootfs /:O true 2>/dev/null && break
done || { echo 'podman starts no container' >&2; exit 125; }
# shellcheck disable=SC2086
exec $base ${RIGHTS-} --runtime $runtime --env-host --workdir "$PWD" --rootfs /:O "$@"
