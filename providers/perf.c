/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "providers/perf.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/errno_text.h"
#include "base/userns.h"

/* for headers older than this capability */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

struct perf_event_attr perf_attr(uint32_t type, uint64_t config, uint64_t period)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof attr);
	attr.size = sizeof attr;
	attr.type = type;
	attr.config = config;
	attr.sample_period = period;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.disabled = 1;
	return attr;
}

/* True if the capabilities of this process allow perf events. */
static bool perf_capable(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	unsigned long long caps = 0;
	char line[256];

	while (f && fgets(line, sizeof line, f)) {
		if (sscanf(line, "CapEff: %llx", &caps) == 1)
			break;
	}
	if (f)
		fclose(f);
	return caps & (1ull << CAP_PERFMON | 1ull << CAP_SYS_ADMIN);
}

static const char *perf_forbidden(void)
{
	/* invalid flags: the kernel says EINVAL, unless a filter refuses first */
	if (syscall(SYS_perf_event_open, NULL, 0, -1, -1, -1UL) < 0 && errno != EINVAL)
		return "a seccomp filter forbids perf events (in a container: --security-opt seccomp=unconfined; see "
		       "dtr help rootless)";
	if (userns_other())
		return "this is not the initial user name space, where alone capabilities count";
	return perf_capable() ? "a policy forbids perf events despite privilege (lockdown or a security module)" :
				"CAP_PERFMON (or root) is missing";
}

const char *perf_reason(int err)
{
	static const struct { int err; const char *text; } reasons[] = {
		{ -ENOENT, "no performance counters for it on this machine (as in many virtual machines)" },
		{ -EOPNOTSUPP, "no performance counters to sample by on this machine (as in many virtual machines)" },
		{ -ENODEV, "the CPU is not online" },
		{ -EBUSY, "another program or the kernel's NMI watchdog (kernel.nmi_watchdog) has the counters" },
		{ -ENOSPC, "no counter is free" },
		{ -ENOSYS, "this kernel has no perf events" },
	};

	if (err == -EACCES || err == -EPERM)
		return perf_forbidden();
	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
		if (reasons[i].err == err)
			return reasons[i].text;
	}
	return errno_text(-err);
}

int perf_event(const struct perf_event_attr *attr, int cpu, char *reason, size_t n)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		return fd;
	fd = -errno;
	snprintf(reason, n, "opening a perf event on CPU %d: %s", cpu, perf_reason(fd));
	return fd;
}

/* Attaches a program to the event that perf_event() has returned. Returns its descriptor; after an error -errno, and
 * the event is closed. */
static int event_connect(int fd, int prog_fd, char *reason, size_t n)
{
	int err;

	if (fd < 0 || !ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog_fd))
		return fd;
	err = -errno;
	snprintf(reason, n, "attaching the program to a perf event: %s", strerror(-err));
	close(fd);
	return err;
}

int perf_enable(int fd)
{
	return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

static void slot_opened(const struct perf_set *s, int cpu)
{
	if (s->changed)
		s->changed(s->changed_arg, &(struct perf_change){ .stage = PERF_OPENED, .cpu = cpu,
			.fd = s->v[cpu].fd, .period = s->attr.sample_period });
}

/* Disables the event of a CPU and reports that it has ended, with what it has counted. */
static void slot_end(struct perf_set *s, int cpu, struct perf_change change)
{
	uint64_t count[2];	/* count, time running */

	if (!s->changed || !s->v[cpu].since || s->owner != getpid())
		return;
	change.stage = PERF_ENDED;
	change.cpu = cpu;
	change.fd = s->v[cpu].fd;
	change.before = clock_now();
	ioctl(change.fd, PERF_EVENT_IOC_DISABLE, 0);
	change.after = clock_now();
	if (read(change.fd, count, sizeof count) == sizeof count)
		change.count = count[0], change.ran = count[1];
	s->changed(s->changed_arg, &change);
}

static void slot_close(struct perf_set *s, int cpu)
{
	struct perf_slot *slot = &s->v[cpu];

	if (slot->fd < 0)
		return;
	slot_end(s, cpu, (struct perf_change){ .replaced = false });
	close(slot->fd);
	*slot = (struct perf_slot){ .fd = -1 };
}

/* Makes room for all these CPUs. */
static int set_grow(struct perf_set *s, const int *cpus, unsigned ncpus)
{
	struct perf_slot *v;
	unsigned n = s->n;

	for (unsigned i = 0; i < ncpus; i++) {
		if ((unsigned)cpus[i] >= n)
			n = (unsigned)cpus[i] + 1;
	}
	if (n == s->n)
		return 0;
	v = realloc(s->v, n * sizeof *v);
	if (!v)
		return -ENOMEM;
	for (unsigned i = s->n; i < n; i++)
		v[i] = (struct perf_slot){ .fd = -1 };
	s->v = v;
	s->n = n;
	return 0;
}

int perf_set_open(struct perf_set *s, const struct perf_event_attr *attr, const struct perf_run *run, char *reason,
		  size_t n)
{
	unsigned opened = 0;
	int fd = -ENODEV;

	perf_set_close(s);
	s->attr = *attr;
	s->prog_fd = run->prog_fd;
	s->owner = getpid();
	snprintf(reason, n, "no CPU is online");
	if (set_grow(s, run->cpus, run->ncpus)) {
		snprintf(reason, n, "out of memory");
		return -ENOMEM;
	}
	for (unsigned i = 0; i < run->ncpus; i++) {
		fd = event_connect(perf_event(attr, run->cpus[i], reason, n), run->prog_fd, reason, n);
		if (fd < 0 && fd != -ENODEV)
			break;
		s->v[run->cpus[i]].fd = fd < 0 ? -1 : fd;
		opened += fd >= 0;
		if (fd >= 0)
			slot_opened(s, run->cpus[i]);
	}
	if (opened && (fd >= 0 || fd == -ENODEV)) {
		if (n)
			*reason = '\0';
		return 0;
	}
	perf_set_close(s);
	return fd;
}

static int slot_enable(struct perf_set *s, int cpu)
{
	struct perf_change change = { .stage = PERF_ENABLED, .cpu = cpu, .fd = s->v[cpu].fd, .before = clock_now() };
	int err = perf_enable(change.fd);

	if (err)
		return err;
	s->v[cpu].since = change.before;
	change.after = clock_now();
	s->v[cpu].took = change.after - change.before;
	if (s->changed)
		s->changed(s->changed_arg, &change);
	return 0;
}

int perf_set_enable(struct perf_set *s)
{
	int err = 0;

	for (unsigned i = 0; i < s->n && !err; i++) {
		if (s->v[i].fd >= 0)
			err = slot_enable(s, (int)i);
	}
	return err;
}

/* True if it has run since the last check. */
static bool slot_alive(struct perf_slot *slot)
{
	uint64_t now[2];	/* count, time running */
	bool alive;

	if (slot->fd < 0 || read(slot->fd, now, sizeof now) != sizeof now)
		return false;
	alive = now[1] > slot->running;
	slot->running = now[1];
	return alive;
}

static void slot_reopen(struct perf_set *s, int cpu)
{
	char reason[128];
	int fd;

	slot_close(s, cpu);
	fd = event_connect(perf_event(&s->attr, cpu, reason, sizeof reason), s->prog_fd, reason, sizeof reason);
	if (fd < 0)
		return;
	s->v[cpu].fd = fd;
	slot_opened(s, cpu);
	if (slot_enable(s, cpu))
		slot_close(s, cpu);
}

int perf_set_replace(struct perf_set *s, const struct perf_event_attr *attr, int cpu)
{
	char reason[128];
	int fd;

	s->attr = *attr;
	if ((unsigned)cpu >= s->n || s->v[cpu].fd < 0)
		return 0;
	fd = event_connect(perf_event(attr, cpu, reason, sizeof reason), s->prog_fd, reason, sizeof reason);
	if (fd < 0)
		return fd;
	slot_end(s, cpu, (struct perf_change){ .replaced = true });
	close(s->v[cpu].fd);
	s->v[cpu] = (struct perf_slot){ .fd = fd };
	slot_opened(s, cpu);
	if (slot_enable(s, cpu))
		slot_close(s, cpu);
	return 0;
}

void perf_set_refresh(struct perf_set *s, const int *cpus, unsigned ncpus)
{
	if (set_grow(s, cpus, ncpus))
		return;
	for (unsigned i = 0; i < s->n; i++)
		s->v[i].wanted = false;
	for (unsigned i = 0; i < ncpus; i++)
		s->v[cpus[i]].wanted = true;
	for (unsigned i = 0; i < s->n; i++) {
		if (!s->v[i].wanted)
			slot_close(s, (int)i);
		else if (!slot_alive(&s->v[i]))
			slot_reopen(s, (int)i);
	}
}

void perf_set_close(struct perf_set *s)
{
	for (unsigned i = 0; i < s->n; i++)
		slot_close(s, (int)i);
	free(s->v);
	s->v = NULL;
	s->n = 0;
}

int perf_pmu_number(const char *pmu, const char *name, const char *format)
{
	char path[96];
	int number = -1;
	FILE *f;

	snprintf(path, sizeof path, "/sys/bus/event_source/devices/%s/%s", pmu, name);
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT || errno == ENOTDIR ? -ENODEV : -errno;
	if (fscanf(f, format, &number) != 1 || number < 0)
		number = -ENODEV;
	fclose(f);
	return number;
}
