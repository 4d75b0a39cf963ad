/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "providers/cgroup.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/mount.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

bool cgroup_is(const char *at)
{
	return !strcmp(at, CGROUP_SENT) || !strcmp(at, CGROUP_RECEIVED);
}

/* A mount of our own, which no path leads to. */
static int private_root(void)
{
	int fs = (int)syscall(SYS_fsopen, "cgroup2", FSOPEN_CLOEXEC), fd = -1;

	if (fs < 0)
		return -1;
	if (!syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		fd = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
	close(fs);
	return fd;
}

/* Without the privilege to mount: where distributions mount it. */
static int mounted_root(void)
{
	static const char *const paths[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	struct statfs st;

	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		if (!statfs(paths[i], &st) && st.f_type == CGROUP2_SUPER_MAGIC)
			return open(paths[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	errno = ENODEV;
	return -1;
}

int cgroup_open(const char *at, int prog_fd, char *reason, size_t n)
{
	int root = private_root(), fd, err;

	if (root < 0)
		root = mounted_root();
	if (root < 0) {
		err = errno;
		snprintf(reason, n, "packets of sockets: cannot open the root of cgroup2 (CONFIG_CGROUPS): %s",
			 strerror(err));
		return -err;
	}
	fd = bpf_link_create(prog_fd, root, !strcmp(at, CGROUP_SENT) ? BPF_CGROUP_INET_EGRESS : BPF_CGROUP_INET_INGRESS,
			     NULL);
	err = errno;
	close(root);
	if (fd >= 0)
		return fd;
	snprintf(reason, n, "packets of sockets (CONFIG_CGROUP_BPF): %s%s", strerror(err),
		 err == EPERM ? "; it needs CAP_NET_ADMIN, and no other program may have the root control group "
		 "for itself" : "");
	return -err;
}
