/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* refuse bpf|perf_event_open ERRNO COMMAND...: runs a command with a seccomp filter that refuses one system call. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned errno_of(const char *name)
{
	static const struct { const char *name; unsigned value; } errors[] = {
		{ "EPERM", EPERM }, { "ENOSYS", ENOSYS }, { "EBUSY", EBUSY }, { "ENOSPC", ENOSPC },
		{ "EMFILE", EMFILE }, { "ENOENT", ENOENT }, { "EINVAL", EINVAL }, { "EOPNOTSUPP", EOPNOTSUPP },
		{ "EACCES", EACCES },
	};

	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
		if (!strcmp(name, errors[i].name))
			return errors[i].value;
	return 0;
}

int main(int argc, char **argv)
{
	unsigned int nr = argc > 1 && !strcmp(argv[1], "bpf") ? SYS_bpf : SYS_perf_event_open;
	unsigned err = argc > 2 ? errno_of(argv[2]) : 0;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | err),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { .len = sizeof code / sizeof *code, .filter = code };

	if (argc < 4 || !err)
		return 2;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) < 0) {
		perror("refuse");
		return 2;
	}
	execv(argv[3], argv + 3);
	perror(argv[3]);
	return 2;
}
