/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/host/refusal.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/errno_text.h"
#include "base/sysctl.h"
#include "base/userns.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif
#ifndef CAP_BPF
#define CAP_BPF 39
#endif

static bool status_line(const char *name, unsigned long long *value)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	bool found = false;

	while (f && !found && fgets(line, sizeof line, f)) {
		if (!strncmp(line, name, strlen(name)))
			found = sscanf(line + strlen(name), "%llx", value) == 1;
	}
	if (f)
		fclose(f);
	return found;
}

static bool may_bpf(unsigned long long caps)
{
	bool admin = caps & 1ull << CAP_SYS_ADMIN;

	return admin || (caps & 1ull << CAP_BPF && caps & 1ull << CAP_PERFMON);
}

/* Finds the word in brackets, as in "none [integrity] confidentiality". */
static bool locked_down(char *mode, size_t n)
{
	FILE *f = fopen("/sys/kernel/security/lockdown", "re");
	char line[128] = "", *open, *end;

	if (!f)
		return false;
	if (!fgets(line, sizeof line, f))
		line[0] = 0;
	fclose(f);
	open = strchr(line, '[');
	end = open ? strchr(open, ']') : NULL;
	if (!end || !strncmp(open, "[none]", 6))
		return false;
	snprintf(mode, n, "%.*s", (int)(end - open - 1), open + 1);
	return true;
}

static const char *unprivileged_advice(void)
{
	if (geteuid())
		return "run as root, or with CAP_BPF and CAP_PERFMON";
	return "this root lacks CAP_BPF and CAP_PERFMON (in a container: --privileged; see dtr help rootless)";
}

static void privilege_refused(char *out, size_t n, const char *what)
{
	unsigned long long caps = 0, seccomp = 0;
	char mode[32];

	if (userns_other())
		snprintf(out, n, "%s is forbidden: this is not the initial user name space, where alone capabilities "
			 "count (as in a rootless container)", what);
	else if (status_line("CapEff:", &caps) && !may_bpf(caps))
		snprintf(out, n, "no privilege to use BPF: %s", unprivileged_advice());
	else if (locked_down(mode, sizeof mode))
		snprintf(out, n, "%s is forbidden by kernel lockdown (mode %s)", what, mode);
	else if (status_line("Seccomp:", &seccomp) && seccomp)
		snprintf(out, n, "%s is forbidden despite all capabilities: by a seccomp filter or a security "
			 "module (in a container: --security-opt seccomp=unconfined; see dtr help rootless)", what);
	else
		snprintf(out, n, "%s is forbidden despite all capabilities: by a security module", what);
}

const char *refusal_errno(int err)
{
	return errno_text(err);
}

void refusal_bpf(char *out, size_t n, int err, const char *what)
{
	if (err == -EPERM || err == -EACCES)
		privilege_refused(out, n, what);
	else if (err == -ENOSYS)
		snprintf(out, n, "this kernel has no bpf() system call (CONFIG_BPF_SYSCALL)");
	else if (err == -ENOMEM || err == -E2BIG)
		snprintf(out, n, "%s: %s (smaller bufsize, aggsize or dynvarsize may help)", what, strerror(-err));
	else
		snprintf(out, n, "%s: %s", what, refusal_errno(-err));
}

/* Uses the system call, not /proc, which may be missing. */
static bool caps_held(unsigned long long *caps)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct d[2] = { 0 };

	if (syscall(SYS_capget, &h, d))
		return false;
	*caps = d[0].effective | (unsigned long long)d[1].effective << 32;
	return true;
}

static bool cap_held(unsigned cap)
{
	unsigned long long caps = 0;

	return caps_held(&caps) && caps & 1ull << cap;
}

void refusal_read_kernel(char *out, size_t n)
{
	char mode[32];

	if (locked_down(mode, sizeof mode))
		snprintf(out, n, "kernel lockdown (mode %s) forbids", mode);
	else
		snprintf(out, n, "this kernel does not allow");
}

void refusal_write_user(char *out, size_t n)
{
	char mode[32];

	if (!cap_held(CAP_SYS_ADMIN))
		snprintf(out, n, "CAP_SYS_ADMIN is missing");
	else if (locked_down(mode, sizeof mode))
		snprintf(out, n, "kernel lockdown (mode %s)", mode);
	else
		snprintf(out, n, "kernel lockdown or the kernel configuration");
}

/* Calls bpf() with an invalid command: the kernel returns EINVAL unless a filter or security module refuses first. */
static int bpf_reached(void)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof attr);
	return syscall(SYS_bpf, 0xffff, &attr, sizeof attr) < 0 ? -errno : 0;
}

bool bpf_refused(char *out, size_t n)
{
	unsigned long long caps = 0;
	int err = bpf_reached();

	if (caps_held(&caps) && !may_bpf(caps))
		err = -EPERM;
	if (err != -EPERM && err != -EACCES && err != -ENOSYS) {
		if (!userns_other())
			return false;
		err = -EPERM;
	}
	refusal_bpf(out, n, err, "bpf()");
	return true;
}

bool kernel_names_permitted(void)
{
	return cap_held(CAP_SYSLOG) && sysctl_number("kptr_restrict", 0) < 2;
}

static const char *kallsyms_hidden(void)
{
	if (sysctl_number("kptr_restrict", 0) >= 2)
		return "the kernel hides them from all users (kernel.kptr_restrict)";
	return cap_held(CAP_SYSLOG) ? "the kernel hides them" :
		"the kernel shows them only with CAP_SYSLOG, which is missing";
}

void refusal_kallsyms(char *out, size_t n, int err)
{
	if (err == EPERM)
		snprintf(out, n, "%s", kallsyms_hidden());
	else if (err == ESTALE)
		snprintf(out, n, "the recording contains none, and was made in a different boot");
	else if (err == ENODATA)
		snprintf(out, n, "/proc/kallsyms is empty");
	else
		snprintf(out, n, "/proc/kallsyms: %s", strerror(err));
}

void refusal_file(char *out, size_t n, int err, const char *path)
{
	bool proc = !strncmp(path, "/proc/", 6), denied = err == EACCES || err == EPERM;

	if (denied && !cap_held(proc ? CAP_SYS_PTRACE : CAP_DAC_READ_SEARCH))
		snprintf(out, n, "%s (%s is missing)", strerror(err), proc ? "CAP_SYS_PTRACE" : "CAP_DAC_READ_SEARCH");
	else
		snprintf(out, n, "%s", strerror(err));
}
