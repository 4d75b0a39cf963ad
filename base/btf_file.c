/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "base/btf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	FIRST_READ = 1 << 20,
	MOST = 1 << 30,
	PAGE = 4096,	/* what sysfs returns at a time */
};

/* Reads a file whose size is unknown (a pipe). */
static int open_whole(struct btf_file *f, int fd)
{
	ssize_t n = 1;

	for (size_t room = FIRST_READ; n > 0; room *= 2) {
		uint8_t *p = room > MOST ? NULL : realloc(f->bytes, room);

		if (!p)
			return room > MOST ? -EFBIG : -ENOMEM;
		f->bytes = p;
		while (f->size < room && (n = read(fd, p + f->size, room - f->size)) > 0)
			f->size += (size_t)n;
	}
	return n < 0 ? -errno : 0;
}

/* Only files of sysfs are mapped: they never become shorter. Others, and those of older kernels, are read. */
static int open_sized(struct btf_file *f, int fd, const char *path, size_t size)
{
	static const char sysfs[] = "/sys/kernel/btf/";
	void *p = MAP_FAILED;

	if (size > MOST)
		return -EFBIG;
	if (!strncmp(path, sysfs, sizeof sysfs - 1))
		p = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	f->how = p != MAP_FAILED ? BTF_FILE_MAPPED : BTF_FILE_PAGED;
	if (p == MAP_FAILED) {
		p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		f->have = calloc(size / PAGE / 64 + 1, sizeof *f->have);
	}
	f->bytes = p != MAP_FAILED ? p : NULL;
	f->size = size;
	return !f->bytes || (f->how == BTF_FILE_PAGED && !f->have) ? -ENOMEM : 0;
}

int btf_file_open(struct btf_file *f, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;
	struct stat st;

	*f = (struct btf_file){ .fd = -1 };
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		err = -errno;
	else if (S_ISREG(st.st_mode) && st.st_size > 0)
		err = open_sized(f, fd, path, (size_t)st.st_size);
	else
		err = open_whole(f, fd);
	if (!err && f->how == BTF_FILE_PAGED)
		f->fd = fd;
	else
		close(fd);
	if (err)
		btf_file_close(f);
	return err;
}

void btf_file_static(struct btf_file *f, const uint8_t *bytes, size_t n)
{
	*f = (struct btf_file){ .bytes = (uint8_t *)(uintptr_t)bytes, .size = n, .how = BTF_FILE_STATIC, .fd = -1 };
}

void btf_file_close(struct btf_file *f)
{
	if (f->how == BTF_FILE_READ)
		free(f->bytes);
	else if (f->bytes && f->how != BTF_FILE_STATIC)
		munmap(f->bytes, f->size);
	if (f->how == BTF_FILE_PAGED && f->fd >= 0)
		close(f->fd);
	free(f->have);
	*f = (struct btf_file){ .fd = -1 };
}

void btf_file_read(struct btf_file *f, size_t at, size_t n)
{
	for (size_t page = at / PAGE; page * PAGE < at + n; page++) {
		size_t from = page * PAGE, end = from + PAGE < f->size ? from + PAGE : f->size;
		ssize_t got = 1;

		if (f->have[page / 64] >> page % 64 & 1)
			continue;
		for (; got > 0 && from < end; from += got > 0 ? (size_t)got : 0)
			got = pread(f->fd, f->bytes + from, end - from, (off_t)from);
		f->have[page / 64] |= 1ull << page % 64;
	}
}

const char *btf_file_string(struct btf_file *f, size_t at, size_t end)
{
	if (f->how != BTF_FILE_PAGED)
		return (const char *)f->bytes + at;	/* the section ends with a NUL */
	for (size_t from = at, to; from < end; from = to) {
		to = (from / PAGE + 1) * PAGE;
		to = to < end ? to : end;
		if (memchr(btf_file_at(f, from, to - from), 0, to - from))
			return (const char *)f->bytes + at;
	}
	return "";
}
