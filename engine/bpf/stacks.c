/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/bpf/stacks.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 256, MAXNUMBER = 1 << 26 };

void stacks_close(struct stacks *s)
{
	for (uint64_t i = 0; i < s->n; i++)
		free(s->v[i]);
	free(s->v);
	s->v = NULL;
	s->n = 0;
}

static void keep(struct stacks *s, uint64_t number, const uint64_t *pc, uint32_t max)
{
	uint64_t n = 0, *copy;

	if (!number || number > MAXNUMBER || (number < s->n && s->v[number]))
		return;
	if (number >= s->n) {
		uint64_t room = number < 512 ? 1024 : 2 * number;
		uint64_t **v = reallocarray(s->v, room, sizeof *v);

		if (!v) {
			s->err = -ENOMEM;
			return;
		}
		memset(v + s->n, 0, (room - s->n) * sizeof *v);
		s->v = v;
		s->n = room;
	}
	while (n < max && pc[n])
		n++;
	copy = malloc((n + 1) * sizeof *copy);
	if (!copy) {
		s->err = -ENOMEM;
		return;
	}
	copy[0] = n;
	if (n)
		memcpy(copy + 1, pc, n * sizeof *pc);
	s->v[number] = copy;
}

/* Every element of a table, in batches. A bucket that holds more than fits makes the batch larger. */
static void table_read(struct stacks *s, uint32_t obj)
{
	const struct bpf_mapdef *m = &s->loaded->im->maps.v[s->loaded->im->place[obj].map];
	int fd = s->loaded->mapfd[s->loaded->im->place[obj].map], err = 0;
	uint32_t room = BATCH, n, token = 0, next;
	uint64_t *keys = NULL, *numbers = NULL;
	bool first = true;

	while (!err) {
		uint64_t *k = realloc(keys, (size_t)room * m->keysize), *v = realloc(numbers, room * sizeof *numbers);

		keys = k ? k : keys;
		numbers = v ? v : numbers;
		if (!k || !v) {
			err = -ENOMEM;
			break;
		}
		n = room;
		err = bpf_map_lookup_batch(fd, first ? NULL : &token, &next, keys, numbers, &n, NULL) ? -errno : 0;
		if (err == -ENOSPC || err == -EINTR) {
			room *= err == -ENOSPC ? 2 : 1;
			err = 0;
			continue;
		}
		for (uint32_t i = 0; (!err || err == -ENOENT) && i < n; i++)
			keep(s, numbers[i], keys + (size_t)i * (m->keysize / 8), m->keysize / 8);
		token = next;
		first = false;
	}
	if (err != -ENOENT)
		s->err = err;
	free(keys);
	free(numbers);
}

/* Numbers are unique among all tables. */
static void tables_read(struct stacks *s)
{
	const struct bpf_image *im = s->loaded->im;

	for (uint32_t i = 0; i < im->prog->objs.n; i++)
		if (im->prog->objs.v[i].stacks && im->place[i].used)
			table_read(s, i);
}

void stacks_frames(void *arg, uint64_t number, uint64_t *pc, uint32_t n)
{
	struct stacks *s = arg;

	if (number >= s->n || !s->v[number]) {
		tables_read(s);
		keep(s, number, NULL, 0);	/* not there: not looked for again */
	}
	if (number >= s->n || !s->v[number])
		return;
	memcpy(pc, s->v[number] + 1, (s->v[number][0] < n ? s->v[number][0] : n) * sizeof *pc);
}
