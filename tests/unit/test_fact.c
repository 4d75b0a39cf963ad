/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* providers/: what kernels have according to their type information, and the probes that follow from it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/btf.h>
#include <cmocka.h>
#include <linux/bpf.h>

#include "base/btf_data.h"
#include "providers/fact.h"
#include "providers/provider.h"
#include "providers/uprobe.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* A kernel: its tracepoints, with the number of their parameters, and its functions (parameters -1). */
struct fact_thing {
	const char *name;
	int parameters;
};

static const struct fact_thing old_kernel[] = {
	{ "sched_process_exit", 1 }, { "tcp_send_reset", 2 }, { "sched_switch", 4 }, { "tick_sched_timer", -1 },
	{ "tick_nohz_handler", -1 },
};

static const struct fact_thing new_kernel[] = {
	{ "sched_process_exit", 2 }, { "tcp_send_reset", 3 }, { "sched_exit_tp", 1 }, { "csd_queue_cpu", 4 },
	{ "sock_send_length", 3 }, { "sock_recv_length", 3 }, { "tick_nohz_handler", -1 },
};

/* An old one with one thing of a later one. */
static const struct fact_thing mixed_kernel[] = {
	{ "sched_process_exit", 1 }, { "tcp_send_reset", 3 }, { "tick_sched_timer", -1 },
};

/* ---- files ---- */
static void add_thing(struct btf *b, int word, const struct fact_thing *x)
{
	int proto = btf__add_func_proto(b, 0);
	char name[64];

	/* the first parameter of a tracepoint is not an argument */
	for (int i = 0; i <= x->parameters; i++)
		btf__add_func_param(b, "", word);
	if (x->parameters < 0) {
		btf__add_func(b, x->name, BTF_FUNC_STATIC, proto);
		return;
	}
	snprintf(name, sizeof name, "btf_trace_%s", x->name);
	btf__add_typedef(b, name, btf__add_ptr(b, proto));
}

struct fact_file {
	int fd;
	char path[64];
};

static void file_put(struct fact_file *f, const void *bytes, size_t n)
{
	f->fd = memfd_create("btf", MFD_CLOEXEC);
	assert_true(f->fd >= 0);
	assert_int_equal(write(f->fd, bytes, n), n);
	snprintf(f->path, sizeof f->path, "/proc/self/fd/%d", f->fd);
}

static void file_make(struct fact_file *f, const struct fact_thing *x, size_t n)
{
	struct btf *b = btf__new_empty();
	int word = btf__add_int(b, "long", 8, BTF_INT_SIGNED);
	const void *raw;
	uint32_t size;

	for (size_t i = 0; i < n; i++)
		add_thing(b, word, &x[i]);
	raw = btf__raw_data(b, &size);
	assert_non_null(raw);
	file_put(f, raw, size);
	btf__free(b);
}

/* ---- facts ---- */
static unsigned held_by(const struct fact_thing *x, size_t n)
{
	struct fact_file file;
	struct kernel_facts f = { .path = file.path };
	unsigned held = 0;

	file_make(&file, x, n);
	for (unsigned i = FACT_NONE + 1; i < FACTS; i++)
		held |= (unsigned)fact_holds(&f, i) << i;
	close(file.fd);
	/* remembered: the file is no longer read */
	for (unsigned i = FACT_NONE + 1; i < FACTS; i++)
		assert_int_equal(fact_holds(&f, i), held >> i & 1);
	return held;
}

static void test_facts(void **state)
{
	unsigned all = (1u << FACTS) - 2, timer = 1u << FACT_TICK_SCHED_TIMER;

	(void)state;
	assert_int_equal(held_by(old_kernel, COUNT(old_kernel)), timer);
	assert_int_equal(held_by(new_kernel, COUNT(new_kernel)), all & ~timer);
	assert_int_equal(held_by(mixed_kernel, COUNT(mixed_kernel)), timer | 1u << FACT_RESET_REASON);
	assert_int_equal(held_by(NULL, 0), 0);
}

/* Nothing is claimed of a kernel whose types cannot be read. */
static void test_unreadable(void **state)
{
	struct kernel_facts none = { .path = "/nonexistent/btf" }, broken = { .path = "/proc/self/cmdline" };

	(void)state;
	assert_true(fact_holds(&none, FACT_NONE));
	for (unsigned i = FACT_NONE + 1; i < FACTS; i++) {
		assert_false(fact_holds(&none, i));
		assert_false(fact_holds(&broken, i));
	}
}

/* Types with a tracepoint's name that are something else. */
static void test_odd(void **state)
{
	struct btf *b = btf__new_empty();
	struct fact_file file;
	struct kernel_facts f = { .path = file.path };
	int word = btf__add_int(b, "btf_trace_csd_queue_cpu", 8, BTF_INT_SIGNED);
	const void *raw;
	uint32_t size;

	(void)state;
	btf__add_typedef(b, "btf_trace_tcp_send_reset", word);
	btf__add_typedef(b, "btf_trace_sched_exit_tp", btf__add_ptr(b, word));
	btf__add_typedef(b, "btf_trace_sock_send_length", 1000);
	btf__add_typedef(b, "btf_trace_sock_recv_length", btf__add_ptr(b, 1000));
	btf__add_typedef(b, "tick_sched_timer", word);
	raw = btf__raw_data(b, &size);
	assert_non_null(raw);
	file_put(&file, raw, size);
	btf__free(b);
	for (unsigned i = FACT_NONE + 1; i < FACTS; i++)
		assert_false(fact_holds(&f, i));
	close(file.fd);
}

/* ---- probes ---- */
struct fact_world {
	struct arena arena;
	struct probe_set set;
	struct fact_file file;
	const struct probe *last;
	char why[256];
};

static void world_open(struct fact_world *w, const struct fact_thing *x, size_t n)
{
	*w = (struct fact_world){ 0 };
	arena_init(&w->arena, NULL, NULL);
	probe_set_init(&w->set, &w->arena);
	file_make(&w->file, x, n);
	w->set.facts.path = w->file.path;
}

static void world_close(struct fact_world *w)
{
	arena_free(&w->arena);
	close(w->file.fd);
}

static void found(void *arg, struct probe *p)
{
	struct fact_world *w = arg;

	w->last = p;
}

static unsigned match(struct fact_world *w, const char *prov, const char *name)
{
	struct probe_spec spec = { .prov = prov, .mod = "", .func = "", .name = name, .text = name };

	w->last = NULL;
	return probe_match(&w->set, &spec, &(struct probe_sink){ found, w }, w->why, sizeof w->why);
}

/* The only site of the only probe of this name. */
static const struct probe_site *site_of(struct fact_world *w, const char *prov, const char *name)
{
	unsigned n;

	assert_int_equal(match(w, prov, name), 1);
	return w->last->prov->sites->list(w->last, &n);
}

static void test_old_probes(void **state)
{
	struct fact_world w;

	(void)state;
	world_open(&w, old_kernel, COUNT(old_kernel));
	assert_int_equal(match(&w, "sched", "remain-cpu"), 0);
	assert_string_equal(w.why, "this kernel has no tracepoint for it");
	assert_int_equal(match(&w, "sched", "remain*"), 0);
	assert_int_equal(match(&w, "mib", "udpInDatagrams"), 0);
	assert_int_equal(match(&w, "mib", "udpHC*"), 0);
	assert_int_equal(match(&w, "mib", "tcpCurrEstab"), 0);
	assert_non_null(strstr(w.why, "not a counter of events"));
	assert_non_null(site_of(&w, "proc", "exit")->once);
	assert_string_not_equal(site_of(&w, "tcp", "accept-refused")->at, "tcp_send_reset");
	assert_int_equal(probe_ctx(w.last), IR_C_CGROUP);
	assert_non_null(strstr(site_of(&w, "sched", "tick")->when, "tick_sched_timer"));
	world_close(&w);
}

static void test_new_probes(void **state)
{
	struct fact_world w;

	(void)state;
	world_open(&w, new_kernel, COUNT(new_kernel));
	assert_string_equal(site_of(&w, "sched", "remain-cpu")->at, "sched_exit_tp");
	assert_string_equal(site_of(&w, "mib", "udpInDatagrams")->at, "sock_recv_length");
	assert_int_equal(match(&w, "mib", "udpHC*"), 2);
	assert_null(site_of(&w, "proc", "exit")->once);
	assert_string_equal(site_of(&w, "tcp", "accept-refused")->at, "tcp_send_reset");
	assert_int_equal(probe_ctx(w.last), IR_C_RAWTP);
	assert_non_null(strstr(site_of(&w, "sched", "tick")->when, "tick_nohz_handler"));
	assert_string_equal(site_of(&w, "sysinfo", "xcalls")->at, "csd_queue_cpu");
	world_close(&w);
}

/* An ID of a probe that only other kernels have. */
static void test_ids(void **state)
{
	struct probe_spec spec = { .prov = "", .mod = "", .func = "", .name = "", .text = "" };
	struct fact_world w;

	(void)state;
	world_open(&w, new_kernel, COUNT(new_kernel));
	assert_int_equal(match(&w, "sched", "remain-cpu"), 1);
	spec.id = w.last->id;
	assert_int_equal(probe_match(&w.set, &spec, &(struct probe_sink){ found, &w }, w.why, sizeof w.why), 1);
	world_close(&w);
	world_open(&w, old_kernel, COUNT(old_kernel));
	assert_int_equal(match(&w, "sched", "on-cpu"), 1);
	assert_int_equal(probe_match(&w.set, &spec, &(struct probe_sink){ found, &w }, w.why, sizeof w.why), 0);
	assert_non_null(strstr(w.why, "no probe has the id"));
	world_close(&w);
}

/* The types are read for probes that need them, not when their providers are enumerated. */
static void test_lazy(void **state)
{
	struct fact_world w;

	(void)state;
	world_open(&w, new_kernel, COUNT(new_kernel));
	assert_int_equal(match(&w, "udp", "send"), 1);
	assert_int_equal(match(&w, "sched", "on-cpu"), 1);
	assert_int_equal(match(&w, "mib", "tcpOutSegs"), 1);
	assert_int_equal(w.set.facts.known, 0);
	assert_int_equal(match(&w, "proc", "exit"), 1);
	assert_non_null(site_of(&w, "proc", "exit"));
	assert_int_equal(w.set.facts.known, 1u << FACT_EXIT_LAST);
	world_close(&w);
}

/* ---- this kernel ---- */
static bool enum_has(struct btf_data *d, const char *name, const char *value)
{
	uint32_t id = btf_data_find(d, BTF_ENUM, name);
	const struct btf_type *t = id ? btf_data_type(d, id) : NULL;

	for (unsigned i = 0; t && btf_is_enum(t) && i < btf_vlen(t); i++)
		if (!strcmp(btf_data_name(d, btf_enum(t)[i].name_off), value))
			return true;
	return false;
}

/* What an attempt says agrees with the kernel's types. */
static void test_uprobe_many(void **state)
{
	int fd = links_try(BPF_PROG_TYPE_KPROBE, 0, 0);
	struct btf_data d;

	(void)state;
	if (fd < 0)
		skip();
	close(fd);
	if (btf_data_open(&d, "/sys/kernel/btf/vmlinux", NULL))
		skip();
	assert_int_equal(uprobe_many(), enum_has(&d, "bpf_attach_type", "BPF_TRACE_UPROBE_MULTI"));
	btf_data_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_facts), cmocka_unit_test(test_unreadable), cmocka_unit_test(test_odd),
		cmocka_unit_test(test_old_probes), cmocka_unit_test(test_new_probes), cmocka_unit_test(test_ids),
		cmocka_unit_test(test_lazy), cmocka_unit_test(test_uprobe_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
