/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Writes a small recording to standard output. record_seed dtr|small|block|perf|pipe|packed|far|farperf|groups
 * far, farperf: the last sample was taken a hundred years later. groups: with control groups. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "engine/output/write.h"
#include "tests/lib/perfmake.h"

#define CENTURY 3155760000000000000ull		/* ns */

/* The last sample of perfmake. */
static void perf_far(struct buf *out)
{
	uint64_t last = 15000000, far = CENTURY;

	for (size_t i = out->len; i-- > 8;) {
		if (memcmp(out->data + i - 8, &last, sizeof last))
			continue;
		memcpy(out->data + i - 8, &far, sizeof far);
		return;
	}
}

/* The name of the container would be a line of its own, in red. */
static const struct containers_group groups[] = {
	{ 1, 0, "/", "-", "-", "-" },
	{ 9, 1, "/docker-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.scope", "we\nb\x1b[31m",
	  "shop/web", "nginx" },
};
enum { GROUPS = sizeof groups / sizeof *groups };

static void samples(struct record_writer *w, uint64_t later)
{
	const uint64_t frames[] = { 0x401010, 0x401020, 0x7f0000001000 };
	const struct record_object o = { .path = "/bin/true", .dev = 3, .ino = 4, .id = { 1, 2, 3 }, .idlen = 3 };
	struct record_task t = { .pid = 100, .tid = 101, .uid = 5, .gid = 6, .prio = 120, .comm = "maker", .more = 1,
		.leader = "m", .group = groups[1].id };
	struct record_map m = { .pid = 100, .start = 0x400000, .end = 0x410000, .off = 0, .since = 9 };

	for (unsigned i = 0; i < GROUPS; i++)
		record_put_group(w, &groups[i]);
	m.object = record_put_object(w, &o);
	record_put_map(w, &m);
	for (unsigned i = 0; i < 12; i++) {
		struct record_sample s = { .ts = 1000000000 + i * 1000000ull, .cpu = i & 1, .user = i & 2, .task = &t };

		s.pc = i == 7 ? 0 : i & 2 ? 0x401010 + i : 0xffffffff81000010 + i;
		if (i % 3)
			s.ustack = (struct record_stack){ .n = 3, .pc = frames, .cut = i % 3 == 0 };
		if (i % 4)
			s.stack = (struct record_stack){ .n = 1 + i % 2, .pc = frames };
		t.prio = 120 + (int)i / 5;
		s.ts += i == 11 ? later : 0;
		record_put_sample(w, &s);
	}
	record_put_loss(w, &(struct record_loss){ .ts = 1, .n = 3, .cpu = 1, .kind = "DTRACEDROP_PRINCIPAL" });
}

/* Makes the requested file, or the contents of a block after a 'B'. */
static void make(struct buf *out, const char *what)
{
	struct record_info info = { .interval = 1000000, .begin = 1000000000, .known = 31, .cpus = 2, .target = "all" };
	const bool grouped = !strcmp(what, "groups") || !strcmp(what, "block");
	const struct record_symbol names[] = { { 0, 0xffffffff81000000, 0xffffffff81000fff, 0xffffffff81000000,
		"vmlinux", "start" },
					       { 1, 0x1000, 0x1fff, 0, "", "main" } };
	struct record_writer *w;

	if (!strcmp(what, "perf") || !strcmp(what, "farperf")) {
		perfmake(out);
		if (*what == 'f')
			perf_far(out);
		return;
	}
	if (!strcmp(what, "pipe") || !strcmp(what, "packed")) {
		perfmake_pipe(out, !strcmp(what, "packed"));
		return;
	}
	info.known |= grouped ? RECORD_K_GROUPS : 0;
	w = record_writer_open(out, &info, !strcmp(what, "small"), NULL, NULL);
	samples(w, !strcmp(what, "far") ? CENTURY : 0);
	if (!strcmp(what, "block")) {
		buf_reset(out);
		buf_putc(out, 'B');
		buf_put(out, w->block.data, w->block.len);
	} else {
		record_put_symbols(w, names, 2);
		if (grouped)
			record_put_groups(w, groups, GROUPS);
		record_finish(w, !strcmp(what, "far") ? CENTURY : 2000000000);
	}
	record_writer_close(w);
}

int main(int argc, char **argv)
{
	struct buf b = { 0 };
	bool written;

	make(&b, argc > 1 ? argv[1] : "dtr");
	written = !b.failed && fwrite(b.data, 1, b.len, stdout) == b.len;
	buf_free(&b);
	return !written;
}
