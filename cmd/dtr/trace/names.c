/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/trace/names.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <linux/close_range.h>
#include <linux/falloc.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/magic.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

struct names_row {
	const char *name;
	uint64_t mask, value;
	enum names_table table;
};

static const struct names_row rows[] = {
#define TABLE(table)
#define NAMED(table, mask, value, name) { name, mask, value, NAMES_##table },
#define PART(table, mask, constant) NAMED(table, (uint64_t)(mask), (uint64_t)(constant), #constant)
#define ENUM(table, constant) NAMED(table, ~0ull, (uint64_t)(constant), #constant)
#define BIT(table, constant) NAMED(table, (uint32_t)(constant), (uint32_t)(constant), #constant)
#include "cmd/dtr/trace/names.def"
#undef TABLE
#undef ENUM
#undef BIT
#undef PART
#undef NAMED
};

enum { NROWS = sizeof rows / sizeof *rows };

int names_find(const char *table)
{
	static const char *const tables[] = {
#define TABLE(table) #table,
#define ENUM(table, constant)
#define BIT(table, constant)
#define PART(table, mask, constant)
#define NAMED(table, mask, value, name)
#include "cmd/dtr/trace/names.def"
#undef TABLE
#undef ENUM
#undef BIT
#undef PART
#undef NAMED
	};

	for (int i = 0; i < NAMES_TABLES; i++)
		if (*tables[i] == *table && !strcmp(tables[i], table))
			return i;
	return -1;
}

/* The rows of a table are consecutive, and tables are in order. */
static size_t names_first(enum names_table t)
{
	size_t low = 0, high = NROWS;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (rows[middle].table < t)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool names_has(enum names_table t, uint64_t value)
{
	for (size_t i = names_first(t); i < NROWS && rows[i].table == t; i++)
		if (rows[i].value == value)
			return true;
	return false;
}

void names_put(struct buf *b, enum names_table t, uint64_t value)
{
	bool any = false;
	uint64_t rest = value;

	for (size_t i = names_first(t); i < NROWS && rows[i].table == t; i++) {
		const struct names_row *r = &rows[i];

		/* a value of 0 names the absence of bits: O_RDONLY */
		if ((value & r->mask) != r->value || (r->value && (rest & r->mask) != r->value))
			continue;
		buf_printf(b, any ? "|%s" : "%s", r->name);
		any = true;
		rest &= ~r->mask;
	}
	if (rest || !any)
		buf_printf(b, any ? "|0x%" PRIx64 : rest ? "0x%" PRIx64 : "0", rest);
}
