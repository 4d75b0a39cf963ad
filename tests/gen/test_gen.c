/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Random D scripts through the compiler and both engines: every program that compiles loads, and both agree.
 *
 *	test_gen		500 fixed seeds; the kept scripts, those of the golden tests and of the IR tests
 *	test_gen N [SEED]	N scripts from a seed (a fresh one if there is none)
 *	test_gen -f FILE	one script or IR test
 *	test_gen -p SEED	prints the script of this seed
 */
#include <bpf/libbpf.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/gen/case.h"
#include "tests/gen/cover.h"
#include "tests/gen/gen.h"
#include "tests/gen/replay.h"
#include "tests/lib/kernel.h"

enum { ENOUGH = 500 };	/* scripts in which every feature must appear */

static bool one(uint64_t seed, struct cover *cover)
{
	struct buf text = { 0 };
	struct gen_case c;
	bool ok;

	gen_script(&text, seed);
	ok = case_run(&c, buf_str(&text), seed, false);
	cover_count(cover, &c, buf_str(&text));
	if (!ok)
		case_report(&c, buf_str(&text), seed);
	case_close(&c);
	buf_free(&text);
	return ok;
}

static bool range(unsigned number, uint64_t first, uint64_t count, struct cover *cover)
{
	uint64_t bad = 0;

	for (uint64_t i = 0; i < count; i++)
		bad += !one(first + i, cover);
	printf("%sok %u - %llu scripts from seed %llu: %llu failed\n", bad ? "not " : "", number,
	       (unsigned long long)count, (unsigned long long)first, (unsigned long long)bad);
	fflush(stdout);
	return !bad;
}

static bool covered(unsigned number, const struct cover *cover)
{
	bool ok;

	cover_print(cover);
	if (cover->scripts < ENOUGH) {
		printf("ok %u # SKIP too few scripts for all that the language offers\n", number);
		return true;
	}
	ok = cover_complete(cover);
	printf("%sok %u - everything that the language offers appeared\n", ok ? "" : "not ", number);
	return ok;
}

static bool study(uint64_t count, uint64_t seed)
{
	uint64_t most = count < 5000 ? 100 : 1000;	/* scripts per group */
	unsigned groups = (unsigned)((count + most - 1) / most);
	struct cover cover = { 0 };
	bool ok = true;

	printf("# seed %llu\n1..%u\n", (unsigned long long)seed, groups + 1);
	for (unsigned i = 0; i < groups; i++)
		ok &= range(i + 1, seed + i * most, count - i * most < most ? count - i * most : most, &cover);
	return covered(groups + 1, &cover) && ok;
}

static bool check(void)
{
	struct cover cover = { 0 };
	bool ok = true;

	puts("1..15");
	for (unsigned i = 0; i < 10; i++)
		ok &= range(i + 1, 1 + i * 50, 50, &cover);
	ok &= covered(11, &cover);
	ok &= replay_folder(12, "tests/gen/found", ".d");
	ok &= replay_folder(13, "tests/golden", ".d");
	ok &= replay_folder(14, "tests/ir", ".ir");
	ok &= replay_table(15, "tests/golden/cases.txt");
	return ok;
}

static int print(uint64_t seed)
{
	struct buf b = { 0 };

	gen_script(&b, seed);
	fputs(buf_str(&b), stdout);
	buf_free(&b);
	return 0;
}

/* Per-CPU values are looked up on the CPU that stored them. */
static void stay_here(void)
{
	cpu_set_t here;

	CPU_ZERO(&here);
	CPU_SET(sched_getcpu(), &here);
	sched_setaffinity(0, sizeof here, &here);
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)time(NULL) * 1000000;

	if (argc > 2 && !strcmp(argv[1], "-p"))
		return print(seed);
	if (kernel_skip())
		return 0;
	libbpf_set_print(NULL);
	stay_here();
	if (argc > 2 && !strcmp(argv[1], "-f"))
		return !replay_file(argv[2]);
	return !(argc > 1 ? study(strtoull(argv[1], NULL, 0), seed) : check());
}
