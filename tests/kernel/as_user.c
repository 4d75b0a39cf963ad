/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Runs a command as another user:
 *
 *	as_user [noperf] [nobpf] [notrace] COMMAND...
 *						as a user without any privilege (if we are root; else as ourselves), who
 *						is refused perf_event_open, bpf, ptrace by a seccomp filter
 *	as_user root nobpf ... COMMAND...	as root, with the filter
 *
 * $AS_USER, a number of the test, selects the user. Limits on memory and processes apply to all processes of a user, so
 * tests that run at the same time must not share one.
 */
#include <errno.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Returns a user ID that is not in the password file. */
static uid_t unused_user(void)
{
	const char *test = getenv("AS_USER");
	uid_t user = 20000 + (test ? (uid_t)strtoul(test, NULL, 10) % 40000 : 0);

	while (getpwuid(user))
		user++;
	return user;
}

static int refuse(unsigned number)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof code / sizeof code[0], code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

int main(int argc, char **argv)
{
	bool root = false, noperf = false, nobpf = false, notrace = false;
	uid_t user;
	int i;

	for (i = 1; i < argc; i++) {
		bool *flag = !strcmp(argv[i], "root") ? &root : !strcmp(argv[i], "noperf") ? &noperf :
			     !strcmp(argv[i], "nobpf") ? &nobpf : !strcmp(argv[i], "notrace") ? &notrace : NULL;

		if (!flag)
			break;
		*flag = true;
	}
	user = unused_user();
	if (!root && !geteuid() && (setgroups(0, NULL) || setresgid(user, user, user) ||
				    setresuid(user, user, user))) {
		perror("setresuid");
		return 125;
	}
	if ((noperf && refuse(SYS_perf_event_open)) || (nobpf && refuse(SYS_bpf)) || (notrace && refuse(SYS_ptrace))) {
		perror("seccomp");
		return 125;
	}
	if (i < argc)
		execvp(argv[i], argv + i);
	perror("exec");
	return 126;
}
