/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * dtr with a failing kernel: linked with --wrap, so that perf event programs are changed before they are loaded. BEGIN
 * and END are not changed.
 *	FAULTY=HELPER:ERRNO:N	that many of 256 calls of the BPF helper with this number, at random, are not made but
 *				yield -ERRNO (0: NULL); these and those that the kernel refuses of its own accord are
 * counted by CPU
 *	FAULTY_SLOTS=N		N of each CPU's scratch slots are taken from the start
 *	FAULTY_BARRIER=1	the program that snapshots wait with cannot be loaded
 *	FAULTY_SLOW=BYTES	every look-up of a key takes longer, by so many bytes that are copied
 *	FAULTY_WAIT=FILE	the file is made, then nothing happens for ever where programs would be loaded
 *	FAULTY_TELL=FILE	at the end: "failed CPU N" for each CPU, "refused CPU N": those among them that the
 * kernel refused;
 *				"slots N": scratch slots that were not given back
 *
 * Who owns what: the map that counts lives as long as the process. What can fail: nothing that the test would not
 * notice.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/bpf/code/asm.h"
#include "engine/bpf/code/bpf.h"
#include "engine/bpf/load/load.h"

enum { MAX_CPUS = 512, MAX_INSNS = 1 << 16, SUB_INSNS = 60 };

/* Counts by CPU, one array after the other. */
enum faulty_count { MADE_TO_FAIL, REFUSED, NCOUNTS };

int __real_create_program(enum bpf_prog_type type, const char *name, const struct bpf_insn *code, size_t n,
			  const struct bpf_prog_load_opts *opts);
int __wrap_create_program(enum bpf_prog_type type, const char *name, const struct bpf_insn *code, size_t n,
			  const struct bpf_prog_load_opts *opts);
int __real_bpf_load(struct bpf_loaded *l, const struct bpf_image *im, struct diags *d);
int __wrap_bpf_load(struct bpf_loaded *l, const struct bpf_image *im, struct diags *d);
void __real_bpf_unload(struct bpf_loaded *l);
void __wrap_bpf_unload(struct bpf_loaded *l);

struct faulty_map {
	int helper, err, part;
};

/* Whether and how calls are to fail. */
static bool fault_wanted(struct faulty_map *f)
{
	const char *s = getenv("FAULTY");

	return s && sscanf(s, "%d:%d:%d", &f->helper, &f->err, &f->part) == 3;
}

/* The map of counts by CPU: made once, found again under the same number. */
static int counts_fd(void)
{
	static int fd = -1;
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);

	if (fd < 0)
		fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "test_faulty", 4, NCOUNTS * MAX_CPUS * 8, 1, &opts);
	return fd;
}

static struct bpf_insn *put(struct bpf_insn *p, struct bpf_insn i)
{
	*p = i;
	return p + 1;
}

/* counts[what][cpu]++; clobbers the registers that helpers clobber. */
static struct bpf_insn *count(struct bpf_insn *p, enum faulty_count what)
{
	p = put(p, insn(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_smp_processor_id));
	p = put(p, insn(BPF_ALU64 | BPF_AND | BPF_K, R0, 0, 0, MAX_CPUS - 1));
	p = put(p, insn(BPF_ALU64 | BPF_LSH | BPF_K, R0, 0, 0, 3));
	p = put(p, insn(BPF_LD | BPF_IMM | BPF_DW, R1, BPF_PSEUDO_MAP_VALUE, 0, counts_fd()));
	p = put(p, insn(0, 0, 0, 0, (int32_t)what * MAX_CPUS * 8));
	p = put(p, insn(BPF_ALU64 | BPF_ADD | BPF_X, R1, R0, 0, 0));
	p = put(p, insn(BPF_ALU64 | BPF_MOV | BPF_K, R2, 0, 0, 1));
	return put(p, insn(BPF_STX | BPF_ATOMIC | BPF_DW, R1, R2, 0, BPF_ADD));
}

/* Sets the target of `jump` to `to`. */
static void land(struct bpf_insn *jump, const struct bpf_insn *to)
{
	jump->off = (int16_t)(to - jump - 1);
}

/*
 * Counts failures of the kernel: R0 has the result, R9 the fourth argument. Excludes what is no failure: an element
 * that already exists or does not exist, a thread variable that was only looked up.
 */
static struct bpf_insn *count_refusal(struct bpf_insn *p, int helper)
{
	struct bpf_insn *fine[4];
	int n = 0;

	p = put(p, insn(BPF_ALU64 | BPF_MOV | BPF_X, R6, R0, 0, 0));
	if (helper == BPF_FUNC_task_storage_get) {
		p = put(fine[n++] = p, insn(BPF_JMP | BPF_JNE | BPF_K, R0, 0, 0, 0));
		p = put(fine[n++] = p, insn(BPF_JMP | BPF_JEQ | BPF_K, R9, 0, 0, 0));
	} else {	/* an int, on some kernels */
		p = put(fine[n++] = p, insn(BPF_JMP32 | BPF_JSGE | BPF_K, R0, 0, 0, 0));
		p = put(fine[n++] = p, insn(BPF_JMP32 | BPF_JEQ | BPF_K, R0, 0, 0, -EEXIST));
		p = put(fine[n++] = p, insn(BPF_JMP32 | BPF_JEQ | BPF_K, R0, 0, 0, -ENOENT));
	}
	p = count(p, REFUSED);
	for (int i = 0; i < n; i++)
		land(fine[i], p);
	return put(p, insn(BPF_ALU64 | BPF_MOV | BPF_X, R0, R6, 0, 0));
}

/* A subprogram that replaces the helper and has its arguments, which are kept in R6-R9 during the random decision. */
static unsigned subprogram(struct bpf_insn *out, const struct faulty_map *f)
{
	int nargs = f->helper == BPF_FUNC_map_delete_elem ? 2 : 4;
	struct bpf_insn *p = out, *lucky;

	for (int i = 0; i < nargs; i++)
		p = put(p, insn(BPF_ALU64 | BPF_MOV | BPF_X, R6 + i, R1 + i, 0, 0));
	p = put(p, insn(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_prandom_u32));
	p = put(p, insn(BPF_ALU64 | BPF_AND | BPF_K, R0, 0, 0, 255));
	lucky = p;
	p = put(p, insn(BPF_JMP | BPF_JGE | BPF_K, R0, 0, 0, f->part));
	p = count(p, MADE_TO_FAIL);
	p = put(p, insn(BPF_ALU64 | BPF_MOV | BPF_K, R0, 0, 0, -f->err));
	p = put(p, insn(BPF_JMP | BPF_EXIT, 0, 0, 0, 0));
	land(lucky, p);
	for (int i = 0; i < nargs; i++)
		p = put(p, insn(BPF_ALU64 | BPF_MOV | BPF_X, R1 + i, R6 + i, 0, 0));
	p = put(p, insn(BPF_JMP | BPF_CALL, 0, 0, 0, f->helper));
	p = count_refusal(p, f->helper);
	p = put(p, insn(BPF_JMP | BPF_EXIT, 0, 0, 0, 0));
	return (unsigned)(p - out);
}

static uint32_t slow_bytes(void)
{
	const char *s = getenv("FAULTY_SLOW");

	return s ? (uint32_t)strtoul(s, NULL, 10) : 0;
}

/* Looks up, then copies memory to itself. */
static unsigned slow_lookup(struct bpf_insn *out, uint32_t bytes)
{
	int map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "test_slow", 4, bytes, 1, NULL);
	struct bpf_insn *p = out;

	p = put(p, insn(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem));
	p = put(p, insn(BPF_ALU64 | BPF_MOV | BPF_X, R6, R0, 0, 0));
	p = put(p, insn(BPF_LD | BPF_IMM | BPF_DW, R1, BPF_PSEUDO_MAP_VALUE, 0, map));
	p = put(p, insn(0, 0, 0, 0, 0));
	p = put(p, insn(BPF_ALU64 | BPF_MOV | BPF_K, R2, 0, 0, (int32_t)bytes));
	p = put(p, insn(BPF_ALU64 | BPF_MOV | BPF_X, R3, R1, 0, 0));
	p = put(p, insn(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_probe_read_kernel));
	p = put(p, insn(BPF_ALU64 | BPF_MOV | BPF_X, R0, R6, 0, 0));
	p = put(p, insn(BPF_JMP | BPF_EXIT, 0, 0, 0, 0));
	return (unsigned)(p - out);
}

/* Replaces every call of the helper by one of the subprogram after the program. Returns the number of calls. */
static unsigned redirect(struct bpf_insn *v, size_t n, int helper)
{
	unsigned calls = 0;

	for (size_t i = 0; i < n; i++) {
		if (v[i].code == (BPF_LD | BPF_IMM | BPF_DW)) {
			i++;
		} else if (v[i].code == (BPF_JMP | BPF_CALL) && v[i].src_reg == 0 && v[i].imm == helper) {
			v[i].src_reg = BPF_PSEUDO_CALL;
			v[i].imm = (int32_t)(n - i - 1);
			calls++;
		}
	}
	return calls;
}

int __wrap_create_program(enum bpf_prog_type type, const char *name, const struct bpf_insn *code, size_t n,
			  const struct bpf_prog_load_opts *opts)
{
	struct bpf_insn *v;
	struct faulty_map f;
	int fd;

	if (getenv("FAULTY_BARRIER") && !strcmp(name, "dtr_barrier")) {
		errno = EMFILE;
		return -EMFILE;
	}
	v = type == BPF_PROG_TYPE_PERF_EVENT && n <= MAX_INSNS ? calloc(n + SUB_INSNS, sizeof *v) : NULL;
	if (!v)
		return __real_create_program(type, name, code, n, opts);
	memcpy(v, code, n * sizeof *v);
	if (fault_wanted(&f) && redirect(v, n, f.helper))
		n += subprogram(v + n, &f);
	else if (slow_bytes() && redirect(v, n, BPF_FUNC_map_lookup_elem))
		n += slow_lookup(v + n, slow_bytes());
	fd = __real_create_program(type, name, v, n, opts);
	free(v);
	return fd;
}

/* ---- scratch slots ---- */

static _Atomic uint64_t *slot(const struct bpf_loaded *l, uint64_t i)
{
	return (_Atomic uint64_t *)(l->data + l->im->off_scratch + i * l->im->slot_size);
}

static uint64_t slots(const struct bpf_loaded *l)
{
	return l->data && l->im->slot_size ? (uint64_t)l->im->cpuslots * SCRATCH_ALL : 0;
}

static uint64_t slots_taken(void)
{
	const char *s = getenv("FAULTY_SLOTS");

	return s ? strtoull(s, NULL, 10) : 0;
}

static void wait_for_ever(const char *path)
{
	FILE *f = fopen(path, "w");

	if (f)
		fclose(f);
	for (;;)
		pause();
}

int __wrap_bpf_load(struct bpf_loaded *l, const struct bpf_image *im, struct diags *d)
{
	int err;

	if (getenv("FAULTY_WAIT"))
		wait_for_ever(getenv("FAULTY_WAIT"));
	err = __real_bpf_load(l, im, d);

	for (uint64_t i = 0; !err && i < slots(l); i++) {
		if (i % SCRATCH_ALL < slots_taken())
			atomic_store(slot(l, i), 1);
	}
	return err;
}

static void tell_counts(FILE *out)
{
	uint64_t *n = mmap(NULL, NCOUNTS * MAX_CPUS * 8, PROT_READ, MAP_SHARED, counts_fd(), 0);

	if (n == MAP_FAILED)
		return;
	for (int cpu = 0; cpu < MAX_CPUS; cpu++) {
		const uint64_t made = n[MADE_TO_FAIL * MAX_CPUS + cpu], refused = n[REFUSED * MAX_CPUS + cpu];

		if (made + refused)
			fprintf(out, "failed %d %llu\n", cpu, (unsigned long long)(made + refused));
		if (refused)
			fprintf(out, "refused %d %llu\n", cpu, (unsigned long long)refused);
	}
	munmap(n, NCOUNTS * MAX_CPUS * 8);
}

void __wrap_bpf_unload(struct bpf_loaded *l)
{
	FILE *out = l->im && getenv("FAULTY_TELL") ? fopen(getenv("FAULTY_TELL"), "w") : NULL;
	unsigned kept = 0;
	struct faulty_map f;

	for (uint64_t i = 0; l->im && i < slots(l); i++)
		kept += i % SCRATCH_ALL >= slots_taken() && atomic_load(slot(l, i));
	if (out) {
		fprintf(out, "slots %u\n", kept);
		if (fault_wanted(&f))
			tell_counts(out);
		fclose(out);
	}
	__real_bpf_unload(l);
}

int __real_create_map(enum bpf_map_type type, const char *name, uint32_t key, uint32_t value, uint32_t entries,
		      const struct bpf_map_create_opts *opts);
int __wrap_create_map(enum bpf_map_type type, const char *name, uint32_t key, uint32_t value, uint32_t entries,
		      const struct bpf_map_create_opts *opts);

/* FAULTY_RING=N: the kernel has no memory for rings of more than N bytes. */
int __wrap_create_map(enum bpf_map_type type, const char *name, uint32_t key, uint32_t value, uint32_t entries,
		      const struct bpf_map_create_opts *opts)
{
	const char *most = getenv("FAULTY_RING");

	if (most && type == BPF_MAP_TYPE_RINGBUF && entries > strtoul(most, NULL, 10)) {
		errno = ENOMEM;
		return -ENOMEM;
	}
	return __real_create_map(type, name, key, value, entries, opts);
}
