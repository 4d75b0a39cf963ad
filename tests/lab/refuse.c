/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * refuse RULE... -- COMMAND...	runs a command with a seccomp filter
 *
 * A rule is CALL=ERROR: the system call fails; or abi32: 32-bit calls end the process.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#else
#define NATIVE AUDIT_ARCH_AARCH64
#endif

struct word { const char *name; unsigned value; };

static const struct word calls[] = {
	{ "bpf", SYS_bpf }, { "perf_event_open", SYS_perf_event_open }, { "ptrace", SYS_ptrace },
};
static const struct word errors[] = {
	{ "EPERM", EPERM }, { "ENOSYS", ENOSYS }, { "EBUSY", EBUSY }, { "ENOSPC", ENOSPC }, { "EMFILE", EMFILE },
	{ "ENOENT", ENOENT }, { "EINVAL", EINVAL }, { "EOPNOTSUPP", EOPNOTSUPP }, { "EACCES", EACCES },
};

static const struct word *find(const struct word *w, size_t n, const char *name, size_t length)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(w[i].name) == length && !strncmp(w[i].name, name, length))
			return &w[i];
	fprintf(stderr, "refuse: unknown: %s\n", name);
	exit(2);
}

/* Appends a rule CALL=ERROR. Returns the new length. */
static unsigned short add_rule(struct sock_filter *code, unsigned short n, const char *rule)
{
	size_t length = strcspn(rule, "=");
	const struct word *call = find(calls, sizeof calls / sizeof *calls, rule, length);
	const char *name = rule + length + (rule[length] != 0);
	const struct word *error = find(errors, sizeof errors / sizeof *errors, name, strlen(name));

	code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call->value, 0, 1);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error->value);
	return n;
}

int main(int argc, char **argv)
{
	struct sock_filter code[64] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};
	struct sock_fprog program = { 4, code };
	int i;

	for (i = 1; i < argc && i < 20 && strcmp(argv[i], "--"); i++) {
		if (!strcmp(argv[i], "abi32"))
			code[2].k = SECCOMP_RET_KILL_PROCESS;
		else
			program.len = add_rule(code, program.len, argv[i]);
	}
	code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (i + 1 >= argc) {
		fprintf(stderr, "usage: refuse RULE... -- COMMAND...\n");
		return 2;
	}
	/* with CAP_SYS_ADMIN programs may still gain privileges, as on a real machine */
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) &&
	    (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))) {
		perror("refuse: seccomp");
		return 77;
	}
	execvp(argv[i + 1], argv + i + 1);
	perror(argv[i + 1]);
	return 127;
}
