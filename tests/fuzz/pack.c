/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Converts between folders of inputs and text files of kept inputs (inputs.h):
 *
 *	pack FOLDER|FILE...		all inputs as lines, each once, sorted
 *	pack -u FOLDER FILE...		the inputs as files in a folder
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "tests/fuzz/inputs.h"

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void pack(struct arena *a, const struct inputs *in)
{
	char **line = arena_calloc(a, in->list.n + 1, sizeof *line);

	for (size_t i = 0; i < in->list.n; i++) {
		struct buf b = { 0 };

		input_print(&b, &in->list.v[i]);
		line[i] = arena_strdup(a, buf_str(&b));
		buf_free(&b);
	}
	qsort(line, in->list.n, sizeof *line, compare);
	for (size_t i = 0; i < in->list.n; i++)
		if (!i || strcmp(line[i], line[i - 1]))
			fputs(line[i], stdout);
}

static int unpack(struct arena *a, const struct inputs *in, const char *folder)
{
	for (size_t i = 0; i < in->list.n; i++) {
		const struct input *one = &in->list.v[i];
		uint64_t hash = hash_bytes(one->data, one->size);
		FILE *f = fopen(arena_printf(a, "%s/%016llx", folder, (unsigned long long)hash), "w");

		if (!f || fwrite(one->data, 1, one->size, f) != one->size || fclose(f))
			return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	bool files = argc > 2 && !strcmp(argv[1], "-u");
	struct inputs in = { 0 };
	struct arena a;
	int r = 0;

	arena_init(&a, NULL, NULL);
	for (int i = files ? 3 : 1; !r && i < argc; i++) {
		r = inputs_read(&in, &a, argv[i]);
		if (r)
			fprintf(stderr, "pack: %s: %s\n", argv[i], strerror(-r));
	}
	if (!r && files && unpack(&a, &in, argv[2])) {
		fprintf(stderr, "pack: %s: %s\n", argv[2], strerror(errno));
		r = -1;
	}
	if (!r && !files)
		pack(&a, &in);
	arena_free(&a);
	return r != 0;
}
