/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/why/state.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/arch/arch.h"

/* The script's numbers. */
enum { CAUSE_RUNS, CAUSE_RUNNABLE, CAUSE_BLOCKED, CAUSE_IO, CAUSE_STOPPED };
enum { CALL_OF_KERNEL = 0xfffe };	/* a thread of the kernel makes no calls */
enum {
	DETAIL_FILE = 0x10,		/* + the type of the file, as in inode(7) (S_IFMT >> 12) */
	TYPE_SOCKET = S_IFSOCK >> 12,
	DETAIL_SOCKET = 0x20,		/* + its family, address_families(7) */
	DETAIL_FUTEX = 0x80,		/* + the operation of futex(2) */
	DETAIL_MUTEX = 0x40,		/* the C library's mutexes wait for their word not to be 2 */
};

static const struct {
	const char *title, *name;
} classes[WHY_CLASSES] = {
#define CLASS(id, column, text) [WHY_##id] = { column, text },
#include "cmd/dtr/why/classes.def"
#undef CLASS
};

/* By call: [0, table) what it waits for. */
struct wait {
	int call;
	enum why_class class;
	enum why_certainty certainty;
};

static const struct wait waits[] = {
#define WAIT(name, class, certainty) { SYS_##name, WHY_##class, WHY_##certainty },
#define FILE_WAIT(name)
#include "cmd/dtr/why/waits.def"
#undef WAIT
#undef FILE_WAIT
};

static const int file_waits[] = {
#define WAIT(name, class, certainty)
#define FILE_WAIT(name) SYS_##name,
#include "cmd/dtr/why/waits.def"
#undef WAIT
#undef FILE_WAIT
};

static const char *const call_names[] = {
#define SYSCALL(name, number) [number] = #name,
#include ARCH_CALL_TABLE
#undef SYSCALL
};

const char *why_call_name(int call)
{
	return call >= 0 && (size_t)call < sizeof call_names / sizeof *call_names ? call_names[call] : NULL;
}

static struct wait wait_in_futex(unsigned detail)
{
	enum { WAIT = 0, LOCK_PI = 6, WAIT_BITSET = 9, WAIT_REQUEUE_PI = 11, LOCK_PI2 = 13 };

	switch (detail & 15) {
	case LOCK_PI:
	case LOCK_PI2:
		return (struct wait){ .class = WHY_LOCK, .certainty = WHY_EXACT };
	case WAIT_REQUEUE_PI:
		return (struct wait){ .class = WHY_FUTEX, .certainty = WHY_EXACT };
	case WAIT:
		if (detail & DETAIL_MUTEX)
			return (struct wait){ .class = WHY_LOCK, .certainty = WHY_INFERRED };
	}
	return (struct wait){ .class = WHY_FUTEX, .certainty = WHY_INFERRED };
}

/* In a call with this descriptor. */
static struct wait wait_for_file(unsigned type)
{
	static const struct wait by_type[16] = {
		[0] = { .class = WHY_EVENT, .certainty = WHY_EXACT },	/* eventfd, timerfd, inotify ... */
		[1] = { .class = WHY_PIPE, .certainty = WHY_EXACT },
		[2] = { .class = WHY_DEVICE, .certainty = WHY_EXACT },
		[4] = { .class = WHY_DISK, .certainty = WHY_INFERRED },
		[6] = { .class = WHY_DISK, .certainty = WHY_INFERRED },
		[8] = { .class = WHY_DISK, .certainty = WHY_INFERRED },
	};

	return by_type[type].class ? by_type[type] : (struct wait){ .class = WHY_OTHER, .certainty = WHY_UNKNOWN };
}

static struct wait wait_for_socket(unsigned family)
{
	if (family == AF_UNIX)
		return (struct wait){ .class = WHY_SOCKET, .certainty = WHY_EXACT };
	if (family == AF_INET || family == AF_INET6)
		return (struct wait){ .class = WHY_NETWORK, .certainty = WHY_EXACT };
	return (struct wait){ .class = WHY_OTHER, .certainty = WHY_UNKNOWN };
}

static struct wait wait_in_call(int call, unsigned detail)
{
	if (call < 0)
		return (struct wait){ .class = WHY_FAULT, .certainty = WHY_INFERRED };
	if (detail & DETAIL_FUTEX)
		return wait_in_futex(detail);
	if (detail >= DETAIL_SOCKET)
		return wait_for_socket(detail - DETAIL_SOCKET);
	if (detail >= DETAIL_FILE)
		return wait_for_file(detail - DETAIL_FILE);
	for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
		if (waits[i].call == call)
			return waits[i];
	return (struct wait){ .class = WHY_OTHER, .certainty = WHY_UNKNOWN };
}

static struct wait wait_of(unsigned cause, unsigned detail, int call)
{
	static const enum why_class certain[] = {
		[CAUSE_RUNNABLE] = WHY_RUNNABLE, [CAUSE_IO] = WHY_DISK, [CAUSE_STOPPED] = WHY_STOPPED,
	};

	if (cause == CAUSE_BLOCKED && call == CALL_OF_KERNEL)
		return (struct wait){ .class = WHY_KERNEL, .certainty = WHY_UNKNOWN };
	if (cause == CAUSE_RUNS)
		return (struct wait){ .class = call < 0 ? WHY_USER : WHY_SYSTEM, .certainty = WHY_EXACT };
	if (cause == CAUSE_BLOCKED)
		return wait_in_call(call, detail);
	if (cause == CAUSE_IO && call < 0)
		return (struct wait){ .class = WHY_FAULT, .certainty = WHY_EXACT };
	if (cause < sizeof certain / sizeof *certain)
		return (struct wait){ .class = certain[cause], .certainty = WHY_EXACT };
	return (struct wait){ .class = WHY_OTHER, .certainty = WHY_UNKNOWN };
}

struct why_state why_state(uint32_t number)
{
	const int call = (int)(number & 0xffff) - 1;
	const struct wait w = wait_of(number >> 24, number >> 16 & 0xff, call);

	/* the call matters to what has happened in it */
	return (struct why_state){ .class = w.class, .certainty = w.certainty,
				   .call = w.class == WHY_RUNNABLE || w.class == WHY_STOPPED ||
					   call == CALL_OF_KERNEL ? -1 : call };
}

static bool has_descriptor(int call)
{
	for (size_t i = 0; i < sizeof file_waits / sizeof *file_waits; i++)
		if (file_waits[i] == call)
			return true;
	return false;
}

uint32_t why_blocked(int call, const uint64_t args[3], unsigned type)
{
	unsigned detail = 0;

	if (call == SYS_futex)
		detail = DETAIL_FUTEX + (args[1] & 15) + (!(args[1] & 15) && (int)args[2] == 2 ? DETAIL_MUTEX : 0);
	else if (has_descriptor(call) && type != TYPE_SOCKET)
		detail = DETAIL_FILE + type;
	else if (has_descriptor(call))
		detail = DETAIL_SOCKET;
	return CAUSE_BLOCKED << 24 | detail << 16 | (uint32_t)(call + 1);
}

const char *why_class_title(enum why_class c) { return classes[c].title; }
const char *why_class_name(enum why_class c) { return classes[c].name; }

const char *why_certainty_name(enum why_certainty c)
{
	static const char *const names[] = { "exact", "inferred", "unknown" };

	return names[c];
}

void why_state_text(struct buf *out, const struct why_state *s)
{
	const char *call = why_call_name(s->call);

	buf_puts(out, why_class_name(s->class));
	if (call)
		buf_printf(out, ", in %s", call);
	else if (s->call >= 0)
		buf_printf(out, ", in system call %d", s->call);
}

void why_declare(struct buf *out)
{
	buf_puts(out, "inline int HAS_DESCRIPTOR[int call] =");
	for (size_t i = 0; i < sizeof file_waits / sizeof *file_waits; i++)
		buf_printf(out, "%s call == %d", i ? " ||" : "", file_waits[i]);
	buf_printf(out, ";\ninline int CALL_FUTEX = %d;\n", SYS_futex);
	buf_puts(out, "inline uint64_t CALL_ARG0 = " ARCH_D_ARG0 ";\n"
		 "inline uint64_t CALL_ARG1 = " ARCH_D_ARG1 ";\n"
		 "inline uint64_t CALL_ARG2 = " ARCH_D_ARG2 ";\n");
}
