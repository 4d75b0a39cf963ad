/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Saved aggregations of a fleet that does not exist, with known sums.
 * fleet make FOLDER HOSTS KEYS: writes the file of each host, FOLDER/0 and so on: KEYS rows of
 *	@n[string, int] = count().
 * fleet check FILE HOSTS KEYS sum|hosts: checks each row of their sum, or of `dtr merge --by-host`. Prints what
 *	differs; exit status 1.
 * fleet run COMMAND ...: runs it and prints its seconds, its seconds on a CPU, and its largest memory in MB.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "aggregation/set.h"

enum { NAME = 32 };

static void oom(void *arg)
{
	(void)arg;
	fprintf(stderr, "fleet: out of memory\n");
	exit(1);
}

/* How often host h has counted key k. */
static int64_t count_of(uint64_t h, uint64_t k)
{
	return (int64_t)((h * 7919 + k * 104729 + h * k) % 1000 + 1);
}

static struct agg_desc desc_of(void)
{
	return (struct agg_desc){
		.name = "n", .func = agg_func_find("count"), .nkeys = 2,
		.key = {
			{ .kind = VAL_STR, .size = NAME },
			{ .kind = VAL_INT, .size = 4, .is_signed = true },
		},
	};
}

static void host_name(char *out, size_t n, uint64_t h)
{
	snprintf(out, n, "host-%llu.example", (unsigned long long)h);
}

/* The program's name decides that the files belong together. */
static void set_make(struct agg_set *s, struct arena *a, uint64_t h, uint64_t keys, char *host)
{
	uint8_t key[NAME + 8];

	agg_set_open(s, a, 1);
	s->descs[0] = desc_of();
	agg_set_tables(s);
	s->program = "fleet";
	s->program_len = strlen(s->program);
	s->host = host;
	for (uint64_t k = 0; k < keys; k++) {
		int64_t n = count_of(h, k);
		int32_t number = (int32_t)k - 100;

		memset(key, 0, sizeof key);
		snprintf((char *)key, NAME, "key %llu", (unsigned long long)k);
		memcpy(key + NAME, &number, sizeof number);
		if (agg_table_put(&s->tables[0], key, &n))
			oom(NULL);
	}
}

static int make(const char *folder, uint64_t hosts, uint64_t keys)
{
	for (uint64_t h = 0; h < hosts; h++) {
		struct buf b = { 0 };
		struct agg_set s;
		struct arena a;
		char path[4096], host[AGG_HOST];
		FILE *f;

		arena_init(&a, oom, NULL);
		host_name(host, sizeof host, h);
		set_make(&s, &a, h, keys, host);
		snprintf(path, sizeof path, "%s/%llu", folder, (unsigned long long)h);
		f = fopen(path, "w");
		if (!f || agg_save(&b, &s) || fwrite(b.data, 1, b.len, f) != b.len || fclose(f)) {
			perror(path);
			return 1;
		}
		buf_free(&b);
		agg_set_close(&s);
		arena_free(&a);
	}
	return 0;
}

/* Which host a row is of; `hosts` if none. */
static uint64_t host_of(const uint8_t *key, uint64_t hosts)
{
	char text[AGG_HOST];
	uint64_t h = strncmp((const char *)key, "host-", 5) ? hosts : strtoull((const char *)key + 5, NULL, 10);

	host_name(text, sizeof text, h);
	return h < hosts && !strcmp(text, (const char *)key) ? h : hosts;
}

static int64_t wanted(const uint8_t *key, uint64_t hosts, uint64_t keys, bool by_host)
{
	const uint8_t *own = key + (by_host ? AGG_HOST : 0);
	uint64_t h = by_host ? host_of(key, hosts) : 0, k;
	int64_t sum = 0;
	int32_t number;

	memcpy(&number, own + NAME, sizeof number);
	k = (uint64_t)(number + 100);
	if (h == hosts || k >= keys || strncmp((const char *)own, "key ", 4) ||
	    strtoull((const char *)own + 4, NULL, 10) != k)
		return -1;
	if (by_host)
		return count_of(h, k);
	for (h = 0; h < hosts; h++)
		sum += count_of(h, k);
	return sum;
}

/* The whole file, which may be large. */
static bool file_read(struct buf *b, const char *path)
{
	static char room[1 << 20];
	FILE *f = fopen(path, "r");
	size_t n;

	while (f && (n = fread(room, 1, sizeof room, f)) > 0)
		buf_put(b, room, n);
	return f && !ferror(f) && !fclose(f) && !b->failed;
}

/* Returns the number of wrong rows, or -1 if their number is wrong. Keys are unique, so as many rows as there are keys
 * are all of them. */
static int64_t wrong_rows(const struct agg_set *s, uint64_t hosts, uint64_t keys, bool by_host)
{
	uint64_t rows = by_host ? hosts * keys : keys;
	int64_t bad = 0;

	if (s->n != 1 || s->tables[0].n != rows || s->descs[0].nkeys != (by_host ? 3u : 2u))
		return -1;
	for (size_t i = 0; i < rows; i++) {
		const struct agg_row *row = &s->tables[0].rows[i];

		bad += row->value[0] != wanted(agg_row_key(&s->tables[0], row), hosts, keys, by_host);
	}
	return bad;
}

static int check(const char *path, uint64_t hosts, uint64_t keys, bool by_host)
{
	struct buf b = { 0 }, reason = { 0 };
	struct arena a;
	struct agg_set s = { 0 };
	int64_t bad = -1;

	arena_init(&a, oom, NULL);
	if (!file_read(&b, path) || agg_load(&s, &a, buf_str(&b), b.len, &reason))
		printf("%s: %s\n", path, reason.len ? buf_str(&reason) : "cannot be read");
	else
		bad = wrong_rows(&s, hosts, keys, by_host);
	if (bad && s.n)
		printf("%lld of %zu rows are wrong\n", (long long)bad, s.tables[0].n);
	agg_set_close(&s);
	buf_free(&reason);
	buf_free(&b);
	arena_free(&a);
	return bad != 0;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static int run(char **command)
{
	struct timespec from, to;
	struct rusage u;
	int status;
	pid_t pid;

	clock_gettime(CLOCK_MONOTONIC, &from);
	pid = fork();
	if (!pid) {
		execvp(command[0], command);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &u) != pid)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("%.2f s %.2f s %ld MB\n", (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9,
	       seconds(u.ru_utime) + seconds(u.ru_stime), u.ru_maxrss / 1024);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
	const char *verb = argc > 2 ? argv[1] : "";

	if (!strcmp(verb, "run"))
		return run(argv + 2);
	if (!strcmp(verb, "make") && argc == 5)
		return make(argv[2], strtoull(argv[3], NULL, 10), strtoull(argv[4], NULL, 10));
	if (!strcmp(verb, "check") && argc == 6)
		return check(argv[2], strtoull(argv[3], NULL, 10), strtoull(argv[4], NULL, 10),
			     !strcmp(argv[5], "hosts"));
	fprintf(stderr, "usage: fleet make|check|run ...\n");
	return 2;
}
