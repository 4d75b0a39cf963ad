/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events from a text, for the replay engine: one firing per line.
 *
 *	# a comment
 *	default pid=7 comm=sh            defaults for later lines
 *	self pid=100 comm=dtr            the process that runs BEGIN and END
 *	profile-97 cpu=1 arg0=0xffffffff81000000
 *	kmem 0xffff888000000000 0102ff   kernel memory
 *	kstr 0xffff888000001000 text     kernel memory: this text with a NUL
 *	ksym 0xffffffff81000000 0x100 vmlinux name	a kernel symbol: address, bytes, module, name
 *	usym 7 0x401000 0x100 a.out main		a symbol of process 7
 *	umem 0x00007f0000000000 0102ff   memory of every process
 *	ustr 0x00007f0000001000 text     the same: this text with a NUL
 *	hold                             the records of the following lines reach the consumer together,
 *	pass                             here
 *
 * Fields: ts (ns; default: 1 ms after the previous event) cpu pid tid (= pid) uid gid comm task depth udepth period
 * arg0..arg9, stack and ustack (frames as 1,2,3, the innermost first), uregs (the process's registers in the order of
 * struct pt_regs). The meaning of arguments depends on the probe: profile's arg0 is the kernel PC, arg1 the user PC.
 *
 * Ownership: the arena owns everything.
 * Errors: events_parse returns 0, or -1 with diagnostics.
 */
#ifndef TESTS_LIB_EVENTS_H
#define TESTS_LIB_EVENTS_H

#include "base/diag.h"
#include "engine/sample/source.h"

enum { EVENT_MAXCPU = 64, EVENT_MAXFRAMES = 32 };

struct event {
	const char *probe;	/* NULL: hold or pass */
	bool hold;
	bool has_ts;
	struct sample s;
	struct loc loc;
};

/* A piece of memory. */
struct kmem {
	uint64_t addr;
	uint8_t *bytes;
	bool user;		/* memory of processes, not of the kernel */
	size_t n;
};

/* A symbol of the kernel (pid < 0) or of a process. */
struct event_symbol {
	int64_t pid;
	uint64_t start, size;
	const char *object, *name;
};

struct events {
	VEC(struct event) list;
	VEC(struct kmem) kmem;
	VEC(struct event_symbol) symbols;
	struct sample self;
};

int events_parse(struct events *e, struct arena *a, const struct source *src, struct diags *d);

#endif
