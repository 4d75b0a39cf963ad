/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A program is recognised by its file, and an address in it becomes one of the file: the kernel knows where the code of
 * a process's program begins (mm->start_code), which is the lowest executable segment. So a session needs nobody who
 * follows mappings, and it also counts processes that start later.
 */
#include "cmd/dtr/kgmon/script.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "cmd/dtr/say.h"
#include "config.h"
#include "engine/dtr.h"

/* The program that is measured. */
struct subject {
	long pid;			/* 0: every process of the program */
	unsigned long long ticks;	/* when the process started: USER_HZ since the boot */
	uint64_t ino, size;
	uint64_t code;			/* link address of the lowest executable segment */
	bool library;
	char path[DTR_KEPT_PATH];
};

static int say_wrong(const char *prog, const char *what, const char *name, const char *why)
{
	say("%s kgmon: %s %s: %s\n", prog, what, name, why);
	return -1;
}

static int identify_file(struct subject *s, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st)) {
		close(fd);
		return -errno;
	}
	s->ino = st.st_ino;
	s->size = (uint64_t)st.st_size;
	return dtr_program_code(fd, &s->code, &s->library);
}

/* Field 22 of /proc/PID/stat, after a name that may contain anything. */
static int read_start_time(struct subject *s)
{
	struct buf b = { 0 };
	char path[64];
	const char *p;
	int r;

	snprintf(path, sizeof path, "/proc/%ld/stat", s->pid);
	r = buf_read_file(&b, path);
	p = r ? NULL : strrchr(buf_str(&b), ')');
	for (int i = 2; p && i < 22; i++) {
		p = strchr(p, ' ');
		p += p != NULL;
	}
	if (!r && (!p || sscanf(p, "%llu", &s->ticks) != 1))
		r = -EINVAL;
	s->ticks -= (unsigned long long)(clock_ahead(CLOCK_BOOTTIME) / 10000000);
	buf_free(&b);
	return r;
}

static int find_process(struct subject *s, const char *prog, const char *text)
{
	char exe[64], *end;
	ssize_t n;
	int r;

	errno = 0;
	s->pid = strtol(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || errno || s->pid <= 0 || s->pid > INT_MAX)
		return say_wrong(prog, "invalid process ID", text, "a number is expected");
	snprintf(exe, sizeof exe, "/proc/%ld/exe", s->pid);
	n = readlink(exe, s->path, sizeof s->path - 1);
	s->path[n < 0 ? 0 : n] = '\0';
	r = n < 0 ? -errno : read_start_time(s);
	if (!r)
		r = identify_file(s, exe);
	return r ? say_wrong(prog, "process", text, r == -ENOENT ? "there is no such process, or it has no program" :
			 dtr_error_text(-r)) : 0;
}

static int find_object(struct subject *s, const char *prog, const char *text)
{
	char *path = realpath(text, NULL);
	int r = path ? identify_file(s, path) : -errno;

	if (!r && strlen(path) >= sizeof s->path)
		r = -ENAMETOOLONG;
	if (!r)
		snprintf(s->path, sizeof s->path, "%s", path);
	free(path);
	if (!r && s->library)
		return say_wrong(prog, "object", text, "it is a library, not a program");
	return !r ? 0 : say_wrong(prog, "object", text, r == -ENOEXEC ? "it is not a program" : dtr_error_text(-r));
}

/* ---- text ---- */

static void put_kernel(struct buf *b, const struct kgmon_want *w)
{
	buf_printf(b, "profile-%s\n/arg0/\n{\n\t%s = count();\n}\n\n", w->rate,
		   w->arcs ? "@stacks[stack()]" : "@samples[(void *)arg0]");
	buf_printf(b, "profile-%s\n/!arg0/\n{\n\t@elsewhere = count();\n}\n", w->rate);
	if (w->calls)
		buf_printf(b, "\nfbt:%s%s:entry\n{\n\t@calls[stack(2)] = count();\n}\n",
			   strchr(w->calls, ':') ? "" : ":", w->calls);
}

static void put_condition(struct buf *b, const struct subject *s)
{
	if (s->pid)
		buf_printf(b, "pid == %ld && curthread->group_leader->start_boottime / 10000000 == %llu && ", s->pid,
			   s->ticks);
	buf_printf(b, "curthread->mm->exe_file->f_inode->i_ino == %" PRIu64 " &&\n"
		   "  curthread->mm->exe_file->f_inode->i_size == %" PRIu64, s->ino, s->size);
}

#define INSIDE "arg1 >= curthread->mm->start_code && arg1 < curthread->mm->end_code"
#define IN_FILE(pc) "(void *)(" pc " - curthread->mm->start_code"

static void put_program(struct buf *b, const struct kgmon_want *w, const struct subject *s)
{
	buf_printf(b, "profile-%s\n/arg1 && ", w->rate);
	put_condition(b, s);
	buf_puts(b, " &&\n  " INSIDE "/\n{\n");
	buf_printf(b, "\t@samples[" IN_FILE("arg1") " + 0x%" PRIx64 ")] = count();\n", s->code);
	if (w->arcs)
		buf_printf(b, "\t@arcs[" IN_FILE("ucaller") " + 0x%" PRIx64 "), " IN_FILE("arg1") " + 0x%" PRIx64
			   ")] = count();\n", s->code, s->code);
	buf_printf(b, "}\n\nprofile-%s\n/arg1 && ", w->rate);
	put_condition(b, s);
	buf_puts(b, " &&\n  !(" INSIDE ")/\n{\n\t@elsewhere = count();\n}\n");
}

static void describe_session(struct dtr_kept_about *out, const struct kgmon_want *w, const struct subject *s)
{
	const char *arcs = w->arcs ? ", with arcs" : w->calls ? ", with calls" : "";

	if (s->pid)
		snprintf(out->what, sizeof out->what, "process %ld (%s)%s", s->pid, s->path, arcs);
	else if (*s->path)
		snprintf(out->what, sizeof out->what, "%s%s", s->path, arcs);
	else
		snprintf(out->what, sizeof out->what, "the kernel%s", arcs);
	snprintf(out->object, sizeof out->object, "%s", s->path);
	out->ino = s->ino;
	out->size = s->size;
}

int kgmon_script(struct dtr_kept_about *out, const char *prog, const struct kgmon_want *w)
{
	struct subject s = { 0 };
	struct buf b = { 0 };
	char reason[256];
	int r = 0;

	*out = (struct dtr_kept_about){ .version = PACKAGE_VERSION };
	if (w->calls && (!*w->calls || w->calls[strcspn(w->calls, " \t\n,;{}/\"'")]))
		return say_wrong(prog, "invalid functions", w->calls, "FUNCTION or MODULE:FUNCTION is expected");
	if (dtr_interval(w->rate, &out->interval, reason, sizeof reason) < 0)
		return say_wrong(prog, "invalid rate", w->rate, reason);
	if (w->pid || w->object)
		r = w->pid ? find_process(&s, prog, w->pid) : find_object(&s, prog, w->object);
	if (r)
		return r;
	describe_session(out, w, &s);
	buf_puts(&b, "#pragma D option quiet\n#pragma D option ledger=off\n#pragma D option unwind=fp\n"
		 "#pragma D option stackframes=127\n");
	if (w->aggsize)
		buf_printf(&b, "#pragma D option aggsize=%s\n", w->aggsize);
	buf_putc(&b, '\n');
	if (*s.path)
		put_program(&b, w, &s);
	else
		put_kernel(&b, w);
	if (b.failed || b.len >= sizeof out->text)
		r = say_wrong(prog, "the script", s.path, "it is too long");
	else
		snprintf(out->text, sizeof out->text, "%s", buf_str(&b));
	buf_free(&b);
	return r;
}
