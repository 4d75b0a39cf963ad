/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "providers/kprobe.h"

#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/errno_text.h"
#include "providers/perf.h"

enum { EACH_MOST = 4096 };	/* more take minutes */
enum { FLAG_RETURN = 1 };	/* BPF_F_KPROBE_MULTI_RETURN */

/* The part of union bpf_attr for such a link, which older headers lack. */
struct kprobe_link {
	uint32_t prog_fd, target_fd, attach_type, flags;
	uint32_t multi_flags, cnt;
	uint64_t syms, addrs, cookies;
};

static int link_create(const struct kprobe_link *a)
{
	int fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, a, sizeof *a);

	return fd < 0 ? -errno : fd;
}

/* A kernel without them says so before it looks at the functions. */
bool kprobe_many(void)
{
	struct kprobe_link a = { .attach_type = KPROBE_MANY };
	int fd = links_try(BPF_PROG_TYPE_KPROBE, KPROBE_MANY, 0), r;

	if (fd < 0)
		return false;
	a.prog_fd = (uint32_t)fd;
	r = link_create(&a);
	close(fd);
	return r == -EINVAL;
}

/* True if something refuses programs that the kernel calls at the entry of functions, before it looks at them: type 1
 * is not a function, so that the kernel itself would say EINVAL. */
static bool entries_refused(void)
{
	int kprobe = links_try(BPF_PROG_TYPE_KPROBE, 0, 0);
	int entry = links_try(BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, 1);
	bool refused = kprobe >= 0 && entry == -EPERM;

	if (kprobe >= 0)
		close(kprobe);
	if (entry >= 0)
		close(entry);
	return refused;
}

const char *kprobe_lacks(void)
{
	static const char lacks[] = "this kernel has no kprobes (it was built without CONFIG_KPROBES)";
	static const char refuses[] = "this kernel has no kprobes (it was built without CONFIG_KPROBES), and a "
				      "security policy refuses fentry programs (EPERM)";

	if (perf_pmu_number("kprobe", "type", "%d") >= 0 || kprobe_many())
		return NULL;
	return entries_refused() ? refuses : lacks;
}

/* ---- one link for many functions ---- */

/* The sites in the form that the kernel wants. */
struct kprobe_sites {
	uint64_t *addr, *cookie;
};

/* The kernel refuses a link as a whole if one function cannot be probed: finds it by halving. */
static int link_part(struct links *k, const struct kprobe_want *w, const struct kprobe_sites *s, size_t from, size_t n)
{
	const struct kprobe_link link = {
		.prog_fd = (uint32_t)w->prog_fd, .attach_type = KPROBE_MANY, .cnt = (uint32_t)n,
		.multi_flags = w->returns ? FLAG_RETURN : 0,
		.addrs = (uintptr_t)(s->addr + from), .cookies = (uintptr_t)(s->cookie + from),
	};
	int r = links_keep(k, link_create(&link));

	if (r != -EINVAL && r != -ENOENT && r != -ESRCH)
		return r;
	if (n == 1) {
		w->refused(w->arg, from, r);
		return 0;
	}
	r = link_part(k, w, s, from, n / 2);
	return r ? r : link_part(k, w, s, from + n / 2, n - n / 2);
}

static int open_many(struct links *k, const struct kprobe_want *w)
{
	struct kprobe_sites s = { calloc(w->n, sizeof *s.addr), calloc(w->n, sizeof *s.cookie) };
	int r = s.addr && s.cookie ? 0 : -ENOMEM;

	for (size_t i = 0; i < w->n && !r; i++) {
		s.addr[i] = w->site[i].addr;
		s.cookie[i] = w->site[i].cookie;
	}
	if (!r)
		r = link_part(k, w, &s, 0, w->n);
	free(s.addr);
	free(s.cookie);
	return r;
}

/* ---- a perf event for each function ---- */
static int open_event(struct links *k, const struct kprobe_want *w, struct perf_event_attr *a, size_t i)
{
	int r, event;

	a->kprobe_addr = w->site[i].addr;
	event = (int)syscall(SYS_perf_event_open, a, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (event < 0)
		return -errno;
	r = links_keep(k, links_event(event, w->prog_fd, w->site[i].cookie));
	close(event);	/* the link holds it */
	return r;
}

static int open_each(struct links *k, const struct kprobe_want *w)
{
	int type = perf_pmu_number("kprobe", "type", "%d"), r = 0;
	int bit = perf_pmu_number("kprobe", "format/retprobe", "config:%d");
	struct perf_event_attr a = { .size = sizeof a, .type = (uint32_t)type };

	if (type < 0 || bit < 0)
		return type < 0 ? type : bit;
	a.config = w->returns ? 1ull << bit : 0;
	for (size_t i = 0; i < w->n && !r; i++) {
		r = open_event(k, w, &a, i);
		if (r == -EINVAL || r == -ENOENT || r == -EADDRNOTAVAIL || r == -EILSEQ || r == -EOPNOTSUPP) {
			w->refused(w->arg, i, r);
			r = 0;
		}
	}
	return r;
}

int kprobes_open(struct links *k, const struct kprobe_want *w, char *reason, size_t n)
{
	bool many = w->n && kprobe_many();
	int r;

	if (!many && w->n > EACH_MOST) {
		snprintf(reason, n, "%zu functions: this kernel (without CONFIG_FPROBE) attaches them one by one, some "
			 "milliseconds each, so at most %d; a narrower pattern is needed, or a kernel with it",
			 w->n, EACH_MOST);
		return -E2BIG;
	}
	r = many ? open_many(k, w) : open_each(k, w);
	if (r)
		snprintf(reason, n, "%s", r == -ENODEV ? kprobe_lacks() : errno_text(-r));
	return r;
}

/* What the kernel reports about a link (struct bpf_link_info), which older headers lack. */
struct kprobe_link_info {
	uint32_t type, id, prog_id, pad;
	union {
		struct { uint64_t addrs; uint32_t count, flags; uint64_t missed, cookies; } many;
		struct {
			uint32_t type, pad;
			uint64_t name;
			uint32_t name_len, offset;
			uint64_t addr, missed, cookie;
		} each;
	};
};

uint64_t kprobes_missed(const struct links *k)
{
	enum { LINK_MANY = 8, LINK_EVENT = 7 };		/* BPF_LINK_TYPE_KPROBE_MULTI, BPF_LINK_TYPE_PERF_EVENT */
	uint64_t sum = 0;

	for (size_t i = 0; i < k->n; i++) {
		struct kprobe_link_info info = { 0 };
		union bpf_attr a;

		memset(&a, 0, sizeof a);
		a.info.bpf_fd = (uint32_t)k->fd[i];
		a.info.info_len = sizeof info;
		a.info.info = (uintptr_t)&info;
		if (!syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &a, sizeof a))
			sum += info.type == LINK_MANY ? info.many.missed : info.type == LINK_EVENT ? info.each.missed :
			       0;
	}
	return sum;
}
