/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel engine through its table of operations: what the session relies on. */
#ifndef _GNU_SOURCE
#endif
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/host/cpus.h"
#include "engine/run/backend.h"
#include "engine/run/options.h"
#include "lang/prog.h"
#include "tests/lib/kernel.h"

#define MS 1000000ull
#define LONG (60000 * MS)	/* a wait that ends early on any machine, however busy */

struct backend_rig {
	struct arena arena;
	struct diags diags;
	struct ir_prog ir;
	struct d_prog prog;
	struct options opts;
	struct probe_set probes;
	struct backend *b;
};

static int number, failed;

static void ok(bool good, const char *what)
{
	failed += !good;
	printf("%sok %d - %s\n", good ? "" : "not ", ++number, what);
}

static void rig_init(struct backend_rig *r)
{
	memset(r, 0, sizeof *r);
	arena_init(&r->arena, NULL, NULL);
	diags_init(&r->diags, &r->arena);
	ir_prog_init(&r->ir, &r->arena);
	r->prog = (struct d_prog){ .arena = &r->arena, .ir = &r->ir, .uses_exit = true };
	r->opts = (struct options){ .d = { .cpu = -1, .aggsize = 64 << 10 }, .aggtable = 4096, .bufsize = 4096,
				   .given = { ~0ull, ~0ull, ~0ull, ~0ull },
				   .dynvarsize = 64 << 10 };
}

static int rig_load(struct backend_rig *r)
{
	const struct backend_args args = { .arena = &r->arena, .prog = &r->prog, .opts = &r->opts, .reason = "" };

	return backend_bpf.open(&r->b, &args, &r->diags);
}

static bool rig_open(struct backend_rig *r)
{
	if (!ir_verify(&r->ir, &r->diags) && !rig_load(r))
		return true;
	for (size_t i = 0; i < r->diags.list.n; i++)
		printf("# %s\n", r->diags.list.v[i].text);
	return false;
}

static bool rig_text(struct backend_rig *r, const char *text)
{
	struct source *src;

	rig_init(r);
	src = arena_alloc(&r->arena, sizeof *src);
	src->name = "text";
	src->text = text;
	src->len = strlen(text);
	if (!ir_parse(&r->ir, src, &r->diags))
		return rig_open(r);
	printf("# %s\n", r->diags.list.v[0].text);
	return false;
}

static void rig_close(struct backend_rig *r)
{
	backend_bpf.close(r->b);
	backend_bpf.close(r->b);	/* idempotent */
	arena_free(&r->arena);
}

static int run(struct backend_rig *r)
{
	return backend_bpf.run(r->b, r->ir.funcs.v[0]);
}

static int count_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

struct got {
	int n, cpu;
	uint32_t size;
	uint64_t words[8];
};

static void on_record(void *arg, int cpu, const void *rec, uint32_t size)
{
	struct got *g = arg;

	g->n++;
	g->cpu = cpu;
	g->size = size;
	memcpy(g->words, rec, size < sizeof g->words ? size : sizeof g->words);
}

static uint64_t all_drops(struct backend_rig *r, enum ir_drop kind)
{
	struct drop_counts d;
	uint64_t n = 0;

	for (int cpu = 0; backend_bpf.drops(r->b, cpu, &d); cpu++)
		n += d.n[kind];
	return n;
}

/* ---- exit, state ---- */
static void test_exit(void)
{
	struct backend_rig r;
	struct got g = { 0 };
	uint64_t from;

	if (!rig_text(&r, "obj n global size=8\nfunc f run {\nb0:\n	r1 = xadd [n+0], 1\n	r2 = add r1, "
		      "7\n	exit r2\n	ret\n}\n")) {
		ok(false, "exit: opens");
		return;
	}
	ok(backend_bpf.state(r.b) == IR_S_INACTIVE, "a session begins inactive");
	backend_bpf.set_state(r.b, IR_S_BEGIN);
	backend_bpf.set_state(r.b, IR_S_ACTIVE);
	ok(backend_bpf.exit_status(r.b) == 0, "without exit() the status is 0");
	run(&r);
	run(&r);
	ok(backend_bpf.state(r.b) == IR_S_DRAINING, "exit() ends the active state");
	ok(backend_bpf.exit_status(r.b) == 7, "the first status wins");
	from = clock_now();
	backend_bpf.poll(r.b, LONG, on_record, &g);
	ok(clock_now() - from < LONG / 2 && g.n == 0, "exit() wakes the consumer without a record");
	backend_bpf.set_state(r.b, IR_S_ACTIVE);
	ok(backend_bpf.state(r.b) == IR_S_DRAINING, "the state only advances");
	backend_bpf.set_state(r.b, IR_S_STOPPED);
	run(&r);
	ok(backend_bpf.state(r.b) == IR_S_STOPPED, "exit() at the end changes nothing");
	rig_close(&r);
}

/* ---- records ---- */
static const char record_text[] =
	"obj rec rec size=24\nobj n global size=8\nfunc f run {\nb0:\n	r1 = xadd [n+0], 1\n	zero [rec+0], 24\n"
	"	st64 [rec+0], r1\n	st64 [rec+16], 42\n	commit rec\n	ret\n}\n";

static void test_records(void)
{
	struct got g = { 0 };
	struct backend_rig r;
	uint64_t lost = 0, from;
	cpu_set_t before, one;
	int n, cpu;

	if (!rig_text(&r, record_text)) {
		ok(false, "records: opens");
		return;
	}
	sched_getaffinity(0, sizeof before, &before);
	cpu = sched_getcpu();
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof one, &one);
	run(&r);
	sched_setaffinity(0, sizeof before, &before);
	n = backend_bpf.poll(r.b, 0, on_record, &g);
	ok(n == 1 && g.n == 1 && g.size == 24 && g.words[0] == 0 && g.words[2] == 42,
	   "a record arrives unchanged");
	ok(g.cpu == cpu, "and the CPU is named");
	ok(backend_bpf.poll(r.b, 0, on_record, &g) == 0, "once");
	g.n = 0;
	for (int i = 0; i < 1000; i++)
		run(&r);
	lost = all_drops(&r, IR_DROP_PRINCIPAL);
	backend_bpf.poll(r.b, 0, on_record, &g);
	ok(lost > 0 && g.n > 0 && lost + (uint64_t)g.n == 1000,
	   "updates that do not fit are counted: all are accounted for");
	ok(all_drops(&r, IR_DROP_PRINCIPAL) == 0, "a drop is reported once");
	for (int i = 0; i < 5; i++)	/* until the rate of the previous records no longer matters */
		backend_bpf.poll(r.b, 5 * MS, on_record, &g);
	from = clock_now();
	n = backend_bpf.poll(r.b, 50 * MS, on_record, &g);
	ok(n == 0 && clock_now() - from >= 45 * MS, "without records, poll waits");
	rig_close(&r);
}

static void *wake_later(void *arg)
{
	usleep(50000);
	backend_bpf.wake(arg);
	return NULL;
}

static void on_alarm(int sig)
{
	(void)sig;
}

static void test_waking(void)
{
	struct sigaction sa = { .sa_handler = on_alarm }, old;
	/* repeatedly: a signal may arrive between two waits */
	struct itimerval it = { .it_value.tv_usec = 50000, .it_interval.tv_usec = 50000 }, never = { 0 };
	struct backend_rig r;
	pthread_t th;
	uint64_t from;
	int n;

	if (!rig_text(&r, record_text)) {
		ok(false, "waking: opens");
		return;
	}
	from = clock_now();
	pthread_create(&th, NULL, wake_later, r.b);
	n = backend_bpf.poll(r.b, LONG, on_record, NULL);
	ok(n == 0 && clock_now() - from < LONG / 2, "wake() ends the wait");
	pthread_join(th, NULL);
	sigaction(SIGALRM, &sa, &old);
	setitimer(ITIMER_REAL, &it, NULL);
	from = clock_now();
	do	/* a wait may end early because of the rate of the ring buffers */
		n = backend_bpf.poll(r.b, LONG, on_record, NULL);
	while (n == 0 && clock_now() - from < LONG / 2);
	setitimer(ITIMER_REAL, &never, NULL);
	ok(n == -EINTR && clock_now() - from < LONG / 2, "a signal ends the wait");
	sigaction(SIGALRM, &old, NULL);
	rig_close(&r);
}

/* ---- limits ---- */
/* n runs, each with a different key: every one has a row or is counted as a drop. */
static void test_full(const char *kind, const char *make, enum ir_drop drop, const char *what)
{
	char text[512], name[128];
	struct backend_rig r;
	struct agg_desc desc = { .name = "a", .func = agg_func_find("count"), .keysize = 8, .valsize = 8, .nkeys = 1 };
	struct agg_table t, *tables[] = { &t };
	/* 64 KiB of 16-byte elements for each CPU, and what a row costs besides */
	uint64_t room = drop == IR_DROP_AGG ? (64 << 10) / (16 + AGG_ROW) * cpus_possible() :
		(64 << 10) / (16 + IR_ELEMENT);
	uint64_t lost, runs = room + 2000;

	snprintf(text, sizeof text, "obj a %s\nobj n global size=8\nobj k temp size=8\nfunc f run {\nb0:\n"
		 "	r1 = xadd [n+0], 1\n	st64 [k+0], r1\n	%s\n	beq r2, 0 -> b2, b1\nb1:\n	xadd "
		 "[r2:a+0], 1\n"
		 "	jmp -> b2\nb2:\n	ret\n}\n", kind, make);
	if (!rig_text(&r, text)) {
		ok(false, what);
		return;
	}
	for (uint64_t i = 0; i < runs; i++)
		run(&r);
	lost = all_drops(&r, drop);
	snprintf(name, sizeof name, "%s that is full: %llu drops of %llu", what, (unsigned long long)lost,
		 (unsigned long long)runs);
	ok(lost > 1000 && lost < 3000, name);
	if (drop == IR_DROP_AGG) {
		agg_table_init(&t, &desc);
		ok(backend_bpf.snapshot(r.b, tables, 1) == 0 && t.n + lost == runs, "and the others have a row each");
		ok(backend_bpf.snapshot(r.b, tables, 1) == 0 && t.n + lost == runs,
	   "a second snapshot replaces the rows");
		agg_table_free(&t);
	}
	rig_close(&r);
}

/* ---- generations ---- */
static uint64_t sum(const struct agg_table *t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += (uint64_t)t->rows[i].value[0];
	return n;
}

static void use_probe(void *arg, struct probe *p)
{
	struct backend_rig *r = arg;

	*VEC_ADD(&r->arena, &r->prog.probes) = (struct enabled_probe){ .probe = p };
}

/* count() without key, count() by a key, and a histogram's worth of cell by a key; and the truth beside them. */
static void firing_program(struct backend_rig *r, uint32_t agg[3])
{
	struct enabled_probe *e = &r->prog.probes.v[0];
	uint32_t total = ir_obj_add(&r->ir, &(struct ir_obj){ .name = "total", .kind = IR_O_GLOBAL, .size = 8 });
	uint32_t key = ir_obj_add(&r->ir, &(struct ir_obj){ .name = "key", .kind = IR_O_TEMP, .size = 8 });
	struct ir_builder b = { .prog = &r->ir };
	uint32_t skip;
	ir_reg now;

	agg[0] = ir_obj_add(&r->ir, &(struct ir_obj){ .name = "a", .kind = IR_O_AGG, .size = 8, .generations = true });
	agg[1] = ir_obj_add(&r->ir, &(struct ir_obj){ .name = "b", .kind = IR_O_AGG, .size = 8, .keysize = 8,
						      .generations = true });
	agg[2] = ir_obj_add(&r->ir, &(struct ir_obj){ .name = "c", .kind = IR_O_AGG, .size = 80, .keysize = 8,
						      .generations = true });
	b.func = e->func = ir_func_add(&r->ir, e->probe->name, e->probe->prov->ctx(e->probe));
	skip = ir_newblock(&b, NULL);
	if (e->probe->prov->prologue)
		e->probe->prov->prologue(&b, e->probe, false, skip);
	ir_emit_to(&b, IR_XADD, 0, ir_m(total, 0), ir_i(1));
	now = ir_emit(&b, IR_AND, ir_r(ir_emit(&b, IR_LSHR, ir_r(ir_emit0(&b, IR_CLOCK)), ir_i(14))), ir_i(63));
	ir_emit(&b, IR_ST64, ir_m(key, 0), ir_r(now));
	for (int i = 0; i < 3; i++) {
		ir_reg cell = i ? ir_emit(&b, IR_CELL, ir_o(agg[i]), ir_m(key, 0)) : ir_emit(&b, IR_CELL0,
			ir_o(agg[i]));
		uint32_t have = ir_newblock(&b, NULL), next = ir_newblock(&b, NULL);

		ir_emit(&b, IR_BEQ, ir_r(cell), ir_i(0), ir_b(next), ir_b(have));
		ir_enter(&b, have);
		ir_emit_to(&b, IR_XADD, 0, ir_mc(cell, agg[i], 0), ir_i(1));
		ir_enter(&b, next);
	}
	ir_enter(&b, skip);
	ir_emit0(&b, IR_RET);
	ir_func_order(&r->ir, e->func);
}

/* The program's own count, through a second function that commits it. */
static uint64_t read_total(struct backend_rig *r)
{
	struct got g = { 0 };

	backend_bpf.run(r->b, r->ir.funcs.v[1]);
	backend_bpf.poll(r->b, 0, on_record, &g);
	return g.words[0];
}

static void tell_total(struct backend_rig *r)
{
	uint32_t total = (uint32_t)ir_obj_find(&r->ir, "total");
	uint32_t rec = ir_obj_add(&r->ir, &(struct ir_obj){ .name = "rec", .kind = IR_O_REC, .size = 8 });
	struct ir_builder b = { .prog = &r->ir, .func = ir_func_add(&r->ir, "tell", IR_C_RUN) };

	ir_emit(&b, IR_ST64, ir_m(rec, 0), ir_r(ir_emit(&b, IR_LD64, ir_m(total, 0))));
	ir_emit(&b, IR_COMMIT, ir_o(rec));
	ir_emit0(&b, IR_RET);
}

static void test_generations(void)
{
	static const char *const names[] = { "without key", "by a key", "by a key, a large cell" };
	struct probe_spec spec = { .prov = "profile", .mod = "", .func = "", .name = "profile-4999",
		.text = "profile-4999" };
	struct agg_desc desc[3];
	struct agg_table t[3], *tables[] = { &t[0], &t[1], &t[2] };
	uint32_t agg[3];
	uint64_t total, lost, got[3] = { 0 };
	pid_t spin = spin_start(0);
	struct backend_rig r;
	char why[256];

	rig_init(&r);
	probe_set_init(&r.probes, &r.arena);
	probe_match(&r.probes, &spec, &(struct probe_sink){ use_probe, &r }, why, sizeof why);
	firing_program(&r, agg);
	tell_total(&r);
	for (int i = 0; i < 3; i++) {
		desc[i] = (struct agg_desc){ .name = "a", .obj = agg[i], .func = agg_func_find("count"),
			.cleared = true,
					     .keysize = i ? 8 : 0, .valsize = r.ir.objs.v[agg[i]].size, .nkeys = !!i };
		agg_table_init(&t[i], &desc[i]);
	}
	if (!rig_open(&r) || backend_bpf.arm(r.b, &r.diags) || backend_bpf.start(r.b, &r.diags)) {
		ok(false, "generations: arms");
		spin_stop(spin);
		return;
	}
	for (int k = 0; k < 300; k++) {
		usleep(3000);
		backend_bpf.snapshot(r.b, tables, 3);
		for (int i = 0; i < 3; i++) {	/* clear(): the printed values are discarded */
			got[i] += sum(&t[i]);
			agg_table_reset(&t[i]);
		}
	}
	backend_bpf.set_state(r.b, IR_S_DRAINING);
	backend_bpf.disarm(r.b);
	spin_stop(spin);
	backend_bpf.snapshot(r.b, tables, 3);
	total = read_total(&r);
	/* an insert without memory in the kernel's small reserve is lost, but counted */
	lost = all_drops(&r, IR_DROP_AGG);
	for (int i = 0; i < 3; i++) {
		char name[160];

		got[i] += sum(&t[i]);
		snprintf(name, sizeof name, "300 clears, %s: %llu of %llu events are counted", names[i],
			 (unsigned long long)got[i], (unsigned long long)total);
		ok(total > 2000 && got[i] <= total && got[i] + lost >= total, name);
		agg_table_free(&t[i]);
	}
	ok(got[0] == total, "without a key, none is lost");
	ok(got[0] + got[1] + got[2] + lost == 3 * total && lost * 50 <= total, "every event is counted or is a drop");
	rig_close(&r);
}

/* ---- errors ---- */
static void test_refusal(void)
{
	struct backend_rig r;
	const struct diag *d;

	/* in bounds for the IR, but not for a raw tracepoint: the verifier must refuse it */
	printf("# the next lines are the verifier's\n");
	ok(!rig_text(&r, "func f run {\nb0:\n	r1 = clock\n	r2 = ctx 4088\n	exit r2\n	ret\n}\n"),
	   "a refused program is an error");
	d = &r.diags.list.v[0];
	ok(d->tag == D_BPF && d->loc.line == 4, "it is reported with its source line");
	ok(strstr(d->text, "invalid bpf_context access") != NULL, "and with the verifier's message");
	rig_close(&r);
}

/* In a child without privilege, which sends the first words of the diagnostic through a pipe. */
static void test_no_privilege(void)
{
	char text[512] = "";
	struct backend_rig r;
	int fds[2], n;

	if (geteuid() != 0 || pipe(fds)) {
		printf("# not root: nothing to give up\n");
		return;
	}
	fflush(stdout);
	if (!fork()) {
		struct source src = { .name = "text", .text = record_text, .len = sizeof record_text - 1 };

		if (setgroups(0, NULL) || setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
			_exit(1);
		rig_init(&r);
		ir_parse(&r.ir, &src, &r.diags);
		rig_load(&r);
		if (r.diags.list.n && write(fds[1], r.diags.list.v[0].text, strlen(r.diags.list.v[0].text)) < 0)
			_exit(2);
		_exit(0);
	}
	close(fds[1]);
	n = (int)read(fds[0], text, sizeof text - 1);
	close(fds[0]);
	wait(NULL);
	printf("# %s\n", text);
	ok(n > 0 && strstr(text, "CAP_BPF and CAP_PERFMON") && !strchr(text, '\n'),
	   "no privilege: one line names what is missing");
}

/* In a separate PID name space the child has PID 1, also for its BPF programs. */
static int pid_inside(void)
{
	struct got g = { 0 };
	struct backend_rig r;

	if (!rig_text(&r, "obj rec rec size=16\nfunc f run {\nb0:\n	zero [rec+0], 16\n	r1 = pidtgid\n	st64 "
		      "[rec+8], r1\n"
		      "	commit rec\n	ret\n}\n"))
		return 2;
	run(&r);
	backend_bpf.poll(r.b, 0, on_record, &g);
	rig_close(&r);
	return g.words[1] == ((uint64_t)getpid() << 32 | (uint64_t)gettid()) && getpid() == 1 ? 0 : 1;
}

static void test_pid_namespace(void)
{
	int status = 0;
	pid_t outer;

	fflush(stdout);
	outer = fork();
	if (!outer) {
		pid_t inner;

		if (unshare(CLONE_NEWPID))
			_exit(77);
		inner = fork();
		if (!inner)
			_exit(pid_inside());
		waitpid(inner, &status, 0);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 3);
	}
	waitpid(outer, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		printf("# no PID name space is available\n");
	else
		ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "in a PID name space, pid equals getpid()");
}

/* The offset of group_leader in task_struct. */
static unsigned leader_offset(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int id = btf ? btf__find_by_name_kind(btf, "task_struct", BTF_KIND_STRUCT) : -1;
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, (unsigned)id) : NULL;
	unsigned off = 0;

	for (unsigned i = 0; t && i < btf_vlen(t); i++) {
		if (!strcmp(btf__name_by_offset(btf, btf_members(t)[i].name_off), "group_leader"))
			off = btf_member_bit_offset(t, i) / 8;
	}
	btf__free(btf);
	return off;
}

struct turns {
	struct backend_rig *r;
	struct got *got;
};

/* One run: the number of previous runs of the thread and of its process. */
static void *take_turn(void *arg)
{
	struct turns *t = arg;

	run(t->r);
	backend_bpf.poll(t->r->b, 0, on_record, t->got);
	return NULL;
}

static bool turn_was(const struct got *g, uint64_t thread, uint64_t process)
{
	return g->words[1] == thread && g->words[2] == process;
}

static void test_process_variable(void)
{
	char text[1024];
	struct got g = { 0 };
	struct backend_rig r;
	struct turns t = { &r, &g };
	pthread_t th;
	bool good;

	if (!kernel_typed()) {
		ok(true, "variables of a process # SKIP this kernel offers no type information");
		return;
	}
	snprintf(text, sizeof text, "obj rec rec size=24\nobj t thread size=8\nobj p thread size=8 leader=%u\nfunc "
		 "f run "
		 "{\nb0:\n"
		 "	zero [rec+0], 24\n	r1 = tls t, 1\n	bne r1, 0 -> b1, b3\n"
		 "b1:\n	r2 = xadd [r1:t+0], 1\n	st64 [rec+8], r2\n	r3 = tls p, 1\n	bne r3, 0 -> b2, b3\n"
		 "b2:\n	r4 = xadd [r3:p+0], 1\n	st64 [rec+16], r4\n	jmp -> b3\nb3:\n	commit "
		 "rec\n	ret\n}\n", leader_offset());
	if (!rig_text(&r, text)) {
		ok(false, "a variable of the process is loaded");
		return;
	}
	take_turn(&t);
	take_turn(&t);
	good = turn_was(&g, 1, 1);
	pthread_create(&th, NULL, take_turn, &t);
	pthread_join(th, NULL);
	ok(good && turn_was(&g, 0, 2) && g.n == 3, "all threads of a process share a variable of the process");
	take_turn(&t);
	ok(turn_was(&g, 2, 3), "and stays when a thread ends");
	rig_close(&r);
}

int main(void)
{
	int fds;

	if (kernel_skip())
		return 0;
	fds = count_fds();
	test_exit();
	test_records();
	test_waking();
	test_full("agg key=8 size=8", "r2 = cell a, [k+0]", IR_DROP_AGG, "an aggregation");
	test_full("dyn key=8 size=8", "r2 = dyn a, [k+0], 1", IR_DROP_DYNAMIC, "an associative array");
	test_generations();
	test_refusal();
	test_no_privilege();
	test_pid_namespace();
	test_process_variable();
	ok(count_fds() == fds, "no descriptor is left");
	printf("1..%d\n", number);
	return failed != 0;
}
