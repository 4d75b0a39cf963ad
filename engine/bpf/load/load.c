/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Loads the programs of an image. If the kernel refuses one, the message names the D source line. */
#include "engine/bpf/load/load.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/btf_data.h"
#include "engine/bpf/code/asm.h"
#include "engine/bpf/code/bpf.h"
#include "engine/bpf/load/maps.h"
#include "engine/bpf/load/subs.h"
#include "engine/host/create.h"
#include "engine/host/refusal.h"
#include "ir/ir.h"
#include "providers/kprobe.h"
#include "providers/uprobe.h"

enum { LOG_SIZE = 16 << 20, LOG_LINES = 8, CTX_WORDS = 12 };

enum bpf_prog_type bpf_code_type(const struct bpf_code *c)
{
	static const enum bpf_prog_type types[] = {
		[IR_C_RUN] = BPF_PROG_TYPE_RAW_TRACEPOINT, [IR_C_PERF] = BPF_PROG_TYPE_PERF_EVENT,
		[IR_C_RAWTP] = BPF_PROG_TYPE_RAW_TRACEPOINT, [IR_C_UPROBE] = BPF_PROG_TYPE_KPROBE,
		[IR_C_KPROBE] = BPF_PROG_TYPE_KPROBE, [IR_C_CGROUP] = BPF_PROG_TYPE_CGROUP_SKB,
	};

	if (c->typed)
		return BPF_PROG_TYPE_TRACING;
	return types[c->func->ctx];
}

/* The kernel wants to know before that a program will have many attach points. */
enum bpf_attach_type bpf_code_attach_type(const struct bpf_code *c)
{
	if (c->typed)
		return BPF_TRACE_RAW_TP;
	if (c->func->ctx == IR_C_UPROBE && uprobe_many())
		return (enum bpf_attach_type)UPROBE_MANY;
	return c->func->ctx == IR_C_KPROBE && kprobe_many() ? (enum bpf_attach_type)KPROBE_MANY : 0;
}

static void prog_name(char out[16], const char *name)
{
	snprintf(out, 16, "dtr_%s", name);
	for (char *c = out; *c; c++) {
		if (!isalnum((unsigned char)*c))
			*c = '_';
	}
}

struct bpf_insn *bpf_code_insns(const struct bpf_loaded *l, const struct bpf_code *c)
{
	struct bpf_insn *v = malloc(c->n * sizeof *v);

	if (!v)
		return NULL;
	memcpy(v, c->insns, c->n * sizeof *v);
	for (size_t i = 0; i < c->nrelocs; i++) {
		if (c->relocs[i].kind <= RELOC_MAPVAL)
			v[c->relocs[i].insn].imm = l->mapfd[c->relocs[i].arg];
	}
	return v;
}

uint32_t bpf_tracepoint_type(const char *tracepoint)
{
	struct btf_data d;
	char name[64];
	uint32_t id;

	if (btf_data_open(&d, "/sys/kernel/btf/vmlinux", NULL))
		return 0;
	snprintf(name, sizeof name, "btf_trace_%s", tracepoint);
	id = btf_data_find(&d, BTF_PLAIN, name);
	btf_data_close(&d);
	return id;
}

/* log: NULL, or LOG_SIZE bytes for what the verifier says. Returns a descriptor or -errno. */
static int program_load(const struct bpf_loaded *l, const struct bpf_code *c, const struct bpf_insn *v, char *log)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_btf_fd = c->nsubs ? (uint32_t)l->btf.fd : 0,
		    .func_info = c->nsubs ? l->btf.info[c - l->im->codes.v] : NULL,
		    .func_info_cnt = (uint32_t)c->nsubs,
		    .func_info_rec_size = c->nsubs ? sizeof(struct bpf_func_info) : 0);
	char name[16];
	int fd;

	opts.expected_attach_type = bpf_code_attach_type(c);
	if (log) {
		opts.log_buf = log;
		opts.log_size = LOG_SIZE;
		opts.log_level = 1;
	}
	if (c->typed && !(opts.attach_btf_id = bpf_tracepoint_type(c->func->tracepoint)))
		return -ESRCH;
	prog_name(name, c->func->name);
	fd = create_program(bpf_code_type(c), name, v, c->n, &opts);
	return fd < 0 ? -errno : fd;
}

/* "123: (85) call ...": the last instruction that the verifier checked. */
static long last_insn(const char *log)
{
	long at = -1;

	for (const char *p = log; p && *p; p = strchr(p, '\n'), p = p ? p + 1 : NULL) {
		char *end;
		long n = strtol(p, &end, 10);

		if (isdigit((unsigned char)*p) && end[0] == ':' && end[1] == ' ' && end[2] == '(')
			at = n;
	}
	return at;
}

static const char *last_lines(const char *log)
{
	size_t n = strlen(log);
	int lines = 0;

	while (n > 0 && log[n - 1] == '\n')
		n--;
	while (n > 0 && (log[n - 1] != '\n' || ++lines < LOG_LINES))
		n--;
	return log + n;
}

/* The D source of the instruction, or of the nearest one before it that has one. */
static struct loc source_of(const struct bpf_code *c, long at)
{
	for (long i = at < (long)c->n ? at : (long)c->n - 1; i >= 0; i--) {
		if (c->src[i] && c->src[i]->loc.line)
			return c->src[i]->loc;
	}
	return (struct loc){ 0 };
}

static bool lacks_helper(const char *log)
{
	return strstr(log, "cannot use helper") || strstr(log, "unknown func");
}

static int program_refused(const struct bpf_loaded *l, const struct bpf_code *c, const struct bpf_insn *v, int err,
		   struct diags *d)
{
	char reason[256], *log;
	long at;

	if (err == -EPERM) {
		refusal_bpf(reason, sizeof reason, err, "loading a BPF program");
		return diag(d, (struct loc){ 0 }, D_BPF, "%s", reason);
	}
	log = err == -EMFILE || err == -ENFILE ? NULL : calloc(1, LOG_SIZE);	/* the verifier has not run */
	if (!log)
		return diag(d, (struct loc){ 0 }, D_BPF, "failed to load the program of probe %s: %s", c->func->name,
			    refusal_errno(-err));
	program_load(l, c, v, log);
	at = last_insn(log);
	if (lacks_helper(log) && strstr(log, "bpf_probe_write_user#")) {
		refusal_write_user(reason, sizeof reason);
		diag(d, source_of(c, at), D_BPF, "copyout( ) and copyoutstr( ): "
		     "this kernel does not allow BPF programs to write to the memory of processes (%s)", reason);
	} else if (lacks_helper(log) && strstr(log, "bpf_probe_read_kernel")) {
		refusal_read_kernel(reason, sizeof reason);
		diag(d, source_of(c, at), D_BPF, "probe %s reads the kernel's memory: %s it", c->func->name, reason);
	} else if (lacks_helper(log) && c->func->ctx == IR_C_CGROUP) {
		diag(d, source_of(c, at), D_BPF, "probe %s: in programs for packets of sockets, the kernel allows no "
		     "stacks, and before Linux 6.16 no thread-local variables (self->)", c->func->name);
	} else if (err == -EINVAL && at < 0 && c->func->ctx == IR_C_CGROUP) {
		diag(d, source_of(c, 0), D_BPF, "probe %s: this kernel has no programs for packets of sockets (it was "
		     "built without CONFIG_CGROUP_BPF)", c->func->name);
	} else if (lacks_helper(log)) {
		diag(d, source_of(c, at), D_BPF, "the program of probe %s needs a BPF helper that this kernel does not "
		     "provide (or only without lockdown, or only with CAP_SYS_ADMIN):\n%s", c->func->name,
		     last_lines(log));
	} else {
		diag(d, source_of(c, at), err == -E2BIG ? D_LIMIT : D_BPF,
		     "the kernel refused the program of probe %s (%u instructions): %s\n%s", c->func->name, c->n,
		     strerror(-err), last_lines(log));
	}
	free(log);
	return -1;
}

/* Adds a part of a chain to the chain's map, from which the previous part calls it. */
static int link_part(struct bpf_loaded *l, size_t i, struct diags *d)
{
	const struct bpf_code *c = &l->im->codes.v[i];

	if (c->chain == UINT32_MAX || !bpf_map_update_elem(l->mapfd[c->chain], &c->part, &l->progfd[i], BPF_ANY))
		return 0;
	return diag(d, (struct loc){ 0 }, D_BPF, "failed to link the parts of the program of probe %s: %s",
		    c->func->name, strerror(errno));
}

static int *no_fds(struct arena *a, size_t n)
{
	int *v = arena_calloc(a, n + 1, sizeof *v);

	memset(v, 0xff, (n + 1) * sizeof *v);
	return v;
}

void bpf_loaded_init(struct bpf_loaded *l, const struct bpf_image *im)
{
	*l = (struct bpf_loaded){ .im = im, .mapfd = no_fds(im->arena, im->maps.n),
				  .progfd = no_fds(im->arena, im->codes.n),
				  .ringfd = no_fds(im->arena, im->par.ncpus), .btf.fd = -1 };
}

int bpf_program(const struct bpf_loaded *l, const struct ir_func *f)
{
	const struct bpf_code *c = bpf_code_find(l->im, f);

	return c ? l->progfd[c - l->im->codes.v] : -1;
}

int bpf_load(struct bpf_loaded *l, const struct bpf_image *im, struct diags *d)
{
	bpf_loaded_init(l, im);
	create_unlimited();
	if (maps_make(l, d) || subs_describe(&l->btf, im, d))
		return -1;
	for (size_t i = 0; i < im->codes.n; i++) {
		const struct bpf_code *c = &im->codes.v[i];
		struct bpf_insn *insns = bpf_code_insns(l, c);
		int err;

		if (!insns)
			return diag(d, (struct loc){ 0 }, D_BPF, "failed to load the program of probe %s: %s",
				    c->func->name, strerror(ENOMEM));
		l->progfd[i] = program_load(l, c, insns, NULL);
		err = l->progfd[i] < 0 ? program_refused(l, c, insns, l->progfd[i], d) : 0;
		free(insns);
		if (err || link_part(l, i, d))
			return -1;
	}
	return 0;
}

static void close_all(int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
		fds[i] = -1;
	}
}

void bpf_unload(struct bpf_loaded *l)
{
	if (!l->im)
		return;
	if (l->data)
		munmap(l->data, l->data_len);
	l->data = NULL;
	subs_close(&l->btf);
	close_all(l->progfd, l->im->codes.n);
	close_all(l->mapfd, l->im->maps.n);
	close_all(l->ringfd, l->im->par.ncpus);
	l->im = NULL;
}

int bpf_run(int progfd, int cpu)
{
	uint64_t words[CTX_WORDS] = { 0 };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = words, .ctx_size_in = sizeof words);

	if (cpu >= 0) {
		opts.flags = BPF_F_TEST_RUN_ON_CPU;
		opts.cpu = (uint32_t)cpu;
	}
	return bpf_prog_test_run_opts(progfd, &opts) ? -errno : 0;
}

int bpf_run_with(int progfd, uint64_t word)
{
	uint64_t words[CTX_WORDS] = { word };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = words, .ctx_size_in = sizeof words);

	return bpf_prog_test_run_opts(progfd, &opts) ? -errno : 0;
}
