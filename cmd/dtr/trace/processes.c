/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Scheduling, capabilities, prctl(), ptrace(), keys. */
#include <inttypes.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>

#include "cmd/dtr/trace/names.h"
#include "cmd/dtr/trace/value.h"

/* linux/sched/types.h, whose name for it collides with the C library's. */
struct sched_attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

void show_schedattr(const struct decode_value *s)
{
	struct sched_attributes a;

	memcpy(&a, s->p, sizeof a);
	buf_printf(s->b, "{size=%u, sched_policy=", a.size);
	names_put(s->b, NAMES_policy, a.policy);
	buf_puts(s->b, ", sched_flags=");
	names_put(s->b, NAMES_schedflags, a.flags);
	buf_printf(s->b, ", sched_nice=%d, sched_priority=%u, sched_runtime=%" PRIu64 ", sched_deadline=%" PRIu64
		   ", sched_period=%" PRIu64, a.nice, a.priority, a.runtime, a.deadline, a.period);
	buf_puts(s->b, a.size > sizeof a ? ", ...}" : "}");
}

void show_cpuset(const struct decode_value *s)
{
	const unsigned char *p = s->p;
	const char *gap = "";

	buf_putc(s->b, '[');
	for (size_t cpu = 0; cpu < 8 * s->n; cpu++)
		if (p[cpu / 8] >> cpu % 8 & 1) {
			buf_printf(s->b, "%s%zu", gap, cpu);
			gap = " ";
		}
	buf_putc(s->b, ']');
}

/* A class in the upper bits, a level in the lower 13. */
void show_ioprio(const struct decode_value *s)
{
	enum { LEVEL_BITS = 13 };
	const uint32_t v = (uint32_t)s->v;

	buf_puts(s->b, "IOPRIO_PRIO_VALUE(");
	names_put(s->b, NAMES_ioprioclass, v >> LEVEL_BITS);
	buf_printf(s->b, ", %u)", v & ((1u << LEVEL_BITS) - 1));
}

/* ---- capabilities ---- */

void show_caphead(const struct decode_value *s)
{
	uint32_t v[2];

	memcpy(v, s->p, sizeof v);
	buf_puts(s->b, "{version=");
	names_put(s->b, NAMES_capversion, v[0]);
	buf_printf(s->b, ", pid=%d}", (int)v[1]);
}

static void put_capabilities(struct buf *b, const char *name, uint64_t set)
{
	const char *gap = "1<<";

	buf_printf(b, set ? "%s=" : "%s=0", name);
	for (unsigned i = 0; i < 64; i++)
		if (set >> i & 1) {
			buf_puts(b, gap);
			names_put(b, NAMES_cap, i);
			gap = "|1<<";
		}
}

/* Two structures, of the lower and of the upper 32 bits of each set. */
void show_capdata(const struct decode_value *s)
{
	static const char *const names[] = { "{effective", ", permitted", ", inheritable" };
	uint32_t v[6];

	memcpy(v, s->p, sizeof v);
	for (unsigned i = 0; i < 3; i++)
		put_capabilities(s->b, names[i], (uint64_t)v[3 + i] << 32 | v[i]);
	buf_putc(s->b, '}');
}

/* ---- prctl(), arch_prctl() ---- */

static void put_prctl_text(const struct decode_value *s)
{
	if (s->n)
		value_quoted(s->b, s->p, strnlen(s->p, s->n), false);
	else
		value_address(s->b, s->v);
}

static void put_prctl_signal(const struct decode_value *s)
{
	int sig;

	if (s->n < sizeof sig) {
		value_address(s->b, s->v);
		return;
	}
	memcpy(&sig, s->p, sizeof sig);
	buf_putc(s->b, '[');
	names_put(s->b, NAMES_sig, (uint64_t)sig);
	buf_putc(s->b, ']');
}

/* The second argument of prctl(). */
void show_prctlarg(const struct decode_value *s)
{
	switch ((int)s->d->arg[0]) {
	case PR_SET_NAME: case PR_GET_NAME:
		put_prctl_text(s);
		return;
	case PR_GET_PDEATHSIG:
		put_prctl_signal(s);
		return;
	case PR_SET_PDEATHSIG:
		names_put(s->b, NAMES_sig, (uint32_t)s->v);
		return;
	case PR_CAPBSET_READ: case PR_CAPBSET_DROP:
		names_put(s->b, NAMES_cap, (uint32_t)s->v);
		return;
	case PR_SET_TIMERSLACK: case PR_SET_KEEPCAPS: case PR_SET_DUMPABLE: case PR_SET_CHILD_SUBREAPER:
	case PR_SET_NO_NEW_PRIVS:
		show_lu(s);
		return;
	}
	show_x(s);
}

/* The second argument of arch_prctl(): ARCH_GET_FS and ARCH_GET_GS store an address there. */
void show_archarg(const struct decode_value *s)
{
	enum { GET_FS = 0x1003, GET_GS };
	const int code = (int)s->d->arg[0];

	if (code == GET_FS || code == GET_GS)
		(s->n ? show_pointer : show_p)(s);
	else
		show_x(s);
}

/* ---- ptrace(), keys ---- */

/* The fourth argument of ptrace(): a signal, options or an address. */
void show_ptracedata(const struct decode_value *s)
{
	switch ((int)s->d->arg[0]) {
	case PTRACE_CONT: case PTRACE_SYSCALL: case PTRACE_SINGLESTEP: case PTRACE_DETACH: case PTRACE_LISTEN:
		names_put(s->b, NAMES_sig, (uint32_t)s->v);
		return;
	case PTRACE_SETOPTIONS: case PTRACE_SEIZE:
		names_put(s->b, NAMES_ptraceopt, (uint32_t)s->v);
		return;
	}
	show_p(s);
}

/* A key, or the number of a keyring of the process. */
void show_keyring(const struct decode_value *s)
{
	if ((int)s->v < 0)
		names_put(s->b, NAMES_keyring, (uint32_t)s->v);
	else
		show_d(s);
}
