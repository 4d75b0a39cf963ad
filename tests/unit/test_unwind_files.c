/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The numbers of pieces of code: each piece has its own; those that are not in use are used again, with their tables
 * and memory. Maps are files in memory here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <bpf/bpf.h>
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/bpf/code/bpf.h"
#include "engine/bpf/load/loaded.h"
#include "engine/bpf/load/maps.h"
#include "engine/bpf/unwind/files.h"

int chunk_create(void)
{
	int fd = memfd_create("chunk", MFD_CLOEXEC);

	return fd >= 0 && !ftruncate(fd, UNWIND_CHUNK) ? fd : -12;
}

int bpf_map_update_elem(int fd, const void *key, const void *value, __u64 flags)
{
	(void)fd, (void)key, (void)value, (void)flags;
	return 0;
}

int bpf_map_update_batch(int fd, const void *keys, const void *values, __u32 *count,
			 const struct bpf_map_batch_opts *opts)
{
	(void)fd, (void)keys, (void)values, (void)count, (void)opts;
	return -1;
}

struct made_files {
	struct bpf_image im;
	struct bpf_loaded l;
	int fd[2];
	struct unwind_shared *shared;
	struct unwind_memory memory;
	struct unwind_files files;
	unsigned barriers;
};

static void barrier(void *arg)
{
	++*(unsigned *)arg;
}

static void made_open(struct made_files *x)
{
	memset(x, 0, sizeof *x);
	x->fd[0] = chunk_create();
	x->fd[1] = 1000;
	assert_true(x->fd[0] >= 0);
	x->im.map_of[BPF_MAP_UNWIND_FIRST] = 0;
	x->im.map_of[BPF_MAP_UNWIND_CHUNKS] = 1;
	x->l = (struct bpf_loaded){ .im = &x->im, .mapfd = x->fd };
	x->shared = calloc(1, sizeof *x->shared);
	assert_non_null(x->shared);
	x->shared->epoch = 1;
	assert_int_equal(memory_open(&x->memory, &x->l, 16 * UNWIND_CHUNK), 0);
	assert_int_equal(files_open(&x->files, x->shared, &x->memory), 0);
	x->files.barrier = barrier;
	x->files.arg = &x->barriers;
}

static void made_close(struct made_files *x)
{
	files_close(&x->files);
	memory_close(&x->memory);
	free(x->shared);
	close(x->fd[0]);
}

static uint64_t room(const struct made_files *x)
{
	uint64_t sum = x->memory.waiting;

	for (uint32_t i = 0; i < x->memory.room.n; i++)
		sum += x->memory.room.v[i].size;
	return sum;
}

static struct object *libc(void)
{
	char path[PATH_MAX];
	struct stat st;
	Dl_info info;

	assert_int_not_equal(dladdr((void *)(uintptr_t)gnu_get_libc_version, &info), 0);
	assert_non_null(realpath(info.dli_fname, path));
	assert_int_equal(stat(path, &st), 0);
	return object_new(path, st.st_dev, st.st_ino);
}

/* All numbers are given to two files; then those of one, and every second one of the other, are used again. */
static void test_numbers(void **state)
{
	struct object *o[3] = { object_new("/a", 0, 1), object_new("/b", 0, 2), object_new("/c", 0, 3) };
	uint8_t *used = calloc(UNWIND_PIECES, 1), *seen = calloc(UNWIND_PIECES, 1);
	uint32_t n = 0, kept = 0, again = 0, piece;
	static struct made_files x;	/* its thread goes on if a check fails */

	(void)state;
	made_open(&x);
	while ((piece = files_piece(&x.files, o[n % 2], n / 2))) {
		assert_true(piece < UNWIND_PIECES && !seen[piece]);
		seen[piece] = 1;
		used[piece] = n % 4 == 0;
		kept += used[piece];
		n++;
	}
	assert_int_equal(n, UNWIND_PIECES - 1);
	assert_true(x.files.exhausted);
	assert_int_not_equal(files_piece(&x.files, o[0], 8), 0);	/* known ones are still found */
	files_reclaim(&x.files, used);
	assert_false(x.files.exhausted);
	assert_int_equal(x.barriers, 1);
	for (uint32_t i = 0; i < n; i += 4)
		assert_true(used[files_piece(&x.files, o[0], i / 2)]);
	while ((piece = files_piece(&x.files, o[2], again))) {
		assert_true(piece && !used[piece]);
		used[piece] = 1;
		again++;
	}
	assert_int_equal(kept + again, UNWIND_PIECES - 1);
	made_close(&x);
	for (int i = 0; i < 3; i++)
		object_free(o[i]);
	free(used);
	free(seen);
}

/* A table that loses its number gives its memory back; a file that is decoded meanwhile loads nothing. */
static void test_tables(void **state)
{
	uint8_t *used = calloc(UNWIND_PIECES, 1);
	struct object *o = libc();
	uint32_t piece[4];
	static struct made_files x;	/* its thread goes on if a check fails */
	uint64_t all;

	(void)state;
	if (!machine_of(64))
		skip();		/* no stack is unwound on this machine */
	made_open(&x);
	all = room(&x);
	for (int turn = 0; turn < 3; turn++) {
		for (uint32_t i = 0; i < 4; i++)
			piece[i] = files_piece(&x.files, o, i);
		files_load(&x.files, piece[0]);
		if (turn == 1)
			files_reclaim(&x.files, used);
		files_take(&x.files, true);
		for (uint32_t i = 0; i < 4; i++)
			assert_int_equal(files_absent(&x.files, piece[i]), false);
		assert_int_equal(room(&x) < (uint64_t)x.memory.nchunks * UNWIND_CHUNK, turn != 1);
		files_reclaim(&x.files, used);
		assert_int_equal(room(&x), (uint64_t)x.memory.nchunks * UNWIND_CHUNK);
		assert_int_equal(x.shared->piece[piece[0]].state, UNWIND_PIECE_ABSENT);
	}
	assert_true(all <= room(&x));
	made_close(&x);
	object_free(o);
	free(used);
}

/* All code of a file that no process has mapped. */
static void test_prepare(void **state)
{
	struct object *o = libc();
	static struct made_files x;	/* its thread goes on if a check fails */
	struct pack p;

	(void)state;
	if (!machine_of(64))
		skip();
	made_open(&x);
	files_prepare(&x.files, o);
	files_prepare(&x.files, o);
	files_take(&x.files, true);
	assert_true(pack_file(&p, o, &x.files.rules));
	for (size_t i = 0; i < p.n; i++)
		if (p.v[i].rule != RULES_NONE)
			assert_false(files_absent(&x.files, files_piece(&x.files, o, p.v[i].at >> PACK_PIECE_BITS)));
	assert_int_equal(x.shared->piece[1].state, UNWIND_PIECE_LOADED);
	pack_close(&p);
	made_close(&x);
	object_free(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_prepare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
