/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events from a text, for the replay engine: one firing a line.
 *
 *	# a comment
 *	default pid=7 comm=sh            what later lines have where they say nothing
 *	self pid=100 comm=dtr            the process that runs BEGIN and END
 *	profile-97 cpu=1 arg0=0xffffffff81000000
 *	kmem 0xffff888000000000 0102ff   kernel memory
 *	kstr 0xffff888000001000 text     kernel memory: this text and a NUL
 *	hold                             what follows reaches the consumer together,
 *	pass                             up to here
 *
 * Fields: ts (ns; 1 ms behind the last event where it is not said) cpu pid tid (= pid) uid gid comm task depth period
 * arg0..arg9. What an argument is depends on the probe: profile's arg0 is the kernel PC, arg1 the user PC.
 *
 * Who owns what: the arena owns everything.
 * What can fail: parsing, with diagnostics.
 */
#ifndef ENGINE_USER_EVENTS_H
#define ENGINE_USER_EVENTS_H

#include "base/diag.h"

enum { EVENT_MAXCPU = 64, EVENT_MAXARGS = 10 };

struct event {
	const char *probe;	/* NULL: hold or pass */
	bool hold;
	bool has_ts;
	uint64_t ts, cpu, pid, tid, uid, gid, task, depth;
	uint64_t arg[EVENT_MAXARGS];
	char comm[16];
	struct loc loc;
};

/* A piece of kernel memory. */
struct kmem {
	uint64_t addr;
	const uint8_t *bytes;
	size_t n;
};

struct events {
	VEC(struct event) list;
	VEC(struct kmem) kmem;
	struct event self;
};

int events_parse(struct events *e, struct arena *a, const struct source *src, struct diags *d);

#endif
