/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/gen/gen.h"

const char *const gen_types[] = {
	"char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int", "long",
	"unsigned long", "long long", "unsigned long long", "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t",
	"uint32_t", "int64_t", "uint64_t", "size_t", "pid_t", "_Bool", "bool",
};
const unsigned gen_ntypes = sizeof gen_types / sizeof *gen_types;

/* Engines differ most likely for extreme values of types. */
void gen_constant(struct script_gen *g)
{
	static const char *const edges[] = {
		"0", "1", "2", "7", "8", "31", "32", "33", "63", "64", "127", "128", "255", "256", "32767", "32768",
		"65535", "65536", "2147483647", "2147483648", "4294967295U", "4294967296", "9223372036854775807",
		"18446744073709551615ULL", "9223372036854775808ULL", "0x80", "0x8000U", "0x80000000", "0xffffffffL",
		"010", "0777", "'a'", "'\\377'", "'\\200\\377'", "'\\n'", "'\\x41'", "'\\101'", "1LL", "3u", "5L",
		"limit", "RED", "BLUE", "FAR", "(-1)", "(-129)", "((char)-1)",
		"$1", "$2", "$target", "$pid", "$uid", "sizeof (int)", "sizeof (uint64_t)", "sizeof (struct pair)",
		"offsetof(struct pair, second)", "$ppid", "$euid", "$gid", "$egid", "$pgid", "$sid",
	};

	if (gen_dice(g, 4))
		buf_printf(g->out, "%s", gen_pick(g, edges));
	else
		buf_printf(g->out, "%u", gen_dice(g, 100000));
}

static void builtin(struct script_gen *g)
{
	static const char *const names[] = {
		"arg0", "arg1", "arg2", "arg3", "arg4", "arg5", "arg6", "arg7", "arg8", "arg9", "cpu", "epid", "errno",
		"gid", "id", "pid", "stackdepth", "caller", "ucaller", "ustackdepth", "uregs[R_RIP]", "uregs[arg0]",
		"tid", "timestamp", "uid", "walltimestamp", "rand()",
	};
	static const char *const kernel[] = {
		"ppid", "vtimestamp", "curcpu->cpu_id", "curcpu->cpu_chip", "curcpu->cpu_lgrp", "curpsinfo->pr_ttydev",
		"curpsinfo->pr_start.tv_sec",
		"curpsinfo->pr_pid", "curpsinfo->pr_ppid",
		"curpsinfo->pr_uid", "curpsinfo->pr_gid", "curpsinfo->pr_nlwp", "curlwpsinfo->pr_lwpid",
		"curlwpsinfo->pr_flag", "curlwpsinfo->pr_pri", "curlwpsinfo->pr_state", "curlwpsinfo->pr_onpro",
		"curlwpsinfo->pr_sname", "curlwpsinfo->pr_nice", "curlwpsinfo->pr_addr", "curpsinfo->pr_addr",
		"curthread->pid", "curthread->prio", "curthread->flags", "((uint64_t)curthread)",
	};

	if (g->kernel && !gen_dice(g, 3))
		buf_puts(g->out, gen_pick(g, kernel));
	else
		buf_puts(g->out, gen_pick(g, names));
}

static void key(struct script_gen *g, unsigned type)
{
	if (type == GEN_STRING) {
		gen_str(g);
	} else {
		buf_printf(g->out, "(%s)", gen_types[type]);
		gen_int(g);
	}
}

/* One of a few values, which are known at compile time. */
static void few_string(struct script_gen *g)
{
	static const char *const texts[] = { "one", "two", "", "a longer text, which some strings have no room for" };

	if (!gen_dice(g, 6)) {
		buf_puts(g->out, gen_dice(g, 2) ? "probename" : "probefunc");
		return;
	}
	buf_puts(g->out, "(");
	gen_int(g);
	buf_printf(g->out, " ? \"%s\" : \"%s\")", gen_pick(g, texts), gen_pick(g, texts));
}

static void few_ints(struct script_gen *g)
{
	static const char *const after[] = {
		" & 3)", " & 0x15)", " % 5)", " == 2)", " < 0)", " ? 3 : 1000000)", " ? -7 : 7)", " ? 1 : 0)",
		" != 0 && g1)", " & 1) + 6",
	};

	if (!gen_dice(g, 8)) {
		buf_puts(g->out, "cpu");
		return;
	}
	buf_puts(g->out, gen_dice(g, 3) ? "(" : "!(");
	gen_nonconst(g);
	buf_puts(g->out, gen_pick(g, after));
}

void gen_keys(struct script_gen *g, const struct gen_key *k)
{
	for (unsigned i = 0; i < k->n; i++) {
		buf_puts(g->out, i ? ", " : "[");
		if (!k->few)
			key(g, k->type[i]);
		else if (k->type[i] == GEN_STRING)
			few_string(g);
		else
			few_ints(g);
	}
	if (k->n)
		buf_putc(g->out, ']');
}

void gen_var(struct script_gen *g)
{
	unsigned i = gen_dice(g, GEN_INTS), a = gen_dice(g, GEN_ARRAYS);

	switch (gen_dice(g, 4)) {
	case 0:
		if (g->self) {
			buf_printf(g->out, "self->n%u", i);
			return;
		}
		/* fall through */
	case 1:
		buf_printf(g->out, "this->t%u", i);
		return;
	case 2:
		if (g->elem[a] != GEN_STRING && g->fuel) {
			g->fuel--;
			buf_printf(g->out, "%s%u", g->self && gen_dice(g, 2) ? "self->b" : "a", a);
			gen_keys(g, &g->array[a]);
			return;
		}
		/* fall through */
	default:
		buf_printf(g->out, "g%u", i);
	}
}

/* Addresses of kernel memory, mostly readable. */
static void address(struct script_gen *g)
{
	if (gen_dice(g, 32))
		buf_printf(g->out, "(0xffff888000000000ULL + %u)", gen_dice(g, 16) * 8);
	else
		gen_int(g);
}

static void memory(struct script_gen *g)
{
	const char *t = gen_types[gen_dice(g, gen_ntypes)];

	switch (gen_dice(g, 4)) {
	case 3:
		buf_puts(g->out, "(");
		gen_int(g);
		buf_puts(g->out, ", ");
		gen_int(g);
		buf_puts(g->out, ")");
		break;
	case 0:
		buf_printf(g->out, "(*(%s *)", t);
		address(g);
		buf_putc(g->out, ')');
		break;
	case 1:
		buf_printf(g->out, "((%s *)", t);
		address(g);
		buf_printf(g->out, ")[%u]", gen_dice(g, 2) * 8);
		break;
	default:
		buf_puts(g->out, "((struct pair *)");
		address(g);
		buf_puts(g->out, gen_dice(g, 2) ? ")->first" : ")->second");
	}
}

static void two(struct script_gen *g, void (*left)(struct script_gen *), const char *op,
		void (*right)(struct script_gen *))
{
	buf_putc(g->out, '(');
	left(g);
	buf_printf(g->out, " %s ", op);
	right(g);
	buf_putc(g->out, ')');
}

void gen_leaf(struct script_gen *g)
{
	unsigned n = gen_dice(g, 8);

	if (n < 3)
		gen_constant(g);
	else if (n < 5)
		builtin(g);
	else
		gen_var(g);
}

void gen_nonconst(struct script_gen *g)
{
	static const char *const ops[] = { "+", "^", "|", "|", "|", "|" };
	const char *op = gen_pick(g, ops);

	buf_putc(g->out, '(');
	gen_var(g);
	buf_printf(g->out, " %s ", op);
	if (*op == '|')
		buf_printf(g->out, "%u", 1 + gen_dice(g, 300));
	else
		gen_leaf(g);
	buf_putc(g->out, ')');
}

static void unary(struct script_gen *g)
{
	static const char *const ops[] = { "!", "~", "-", "+" };
	static const char *const steps[] = { "++", "--" };

	buf_putc(g->out, '(');
	if (gen_dice(g, 3)) {
		buf_puts(g->out, gen_pick(g, ops));
		gen_int(g);
	} else if (gen_dice(g, 2)) {
		buf_puts(g->out, gen_pick(g, steps));
		gen_var(g);
	} else {
		gen_var(g);
		buf_puts(g->out, gen_pick(g, steps));
	}
	buf_putc(g->out, ')');
}

static void choice(struct script_gen *g, void (*what)(struct script_gen *))
{
	buf_putc(g->out, '(');
	gen_int(g);
	buf_puts(g->out, " ? ");
	what(g);
	buf_puts(g->out, " : ");
	what(g);
	buf_putc(g->out, ')');
}

static void binary(struct script_gen *g)
{
	static const char *const ops[] = {
		"+", "-", "*", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "^^",
	};
	static const char *const assign[] = { "=", "+=", "-=", "*=", "&=", "|=", "^=", "<<=", ">>=" };
	static const char *const compare[] = { "==", "!=", "<", "<=", ">", ">=" };

	switch (gen_dice(g, 10)) {
	case 0:
		two(g, gen_int, gen_dice(g, 2) ? "/" : "%", gen_nonconst);
		break;
	case 1:
		two(g, gen_str, gen_pick(g, compare), gen_str);
		break;
	case 2:
		two(g, gen_var, gen_pick(g, assign), gen_int);
		break;
	default:
		two(g, gen_int, gen_pick(g, ops), gen_int);
	}
}

/* ---- functions ---- */
/* s: a string, i: an integer, b: a base, f: a family of addresses, a: an address */
struct gen_call {
	const char *name, *args;
};

static void argument(struct script_gen *g, char kind)
{
	static const char *const families[] = { "2", "10", "1", "32" };

	switch (kind) {
	case 's':
		gen_str(g);
		break;
	case 'b':
		buf_printf(g->out, "%u", 2 + gen_dice(g, 35));
		break;
	case 'f':
		buf_puts(g->out, gen_pick(g, families));
		break;
	case 'a':
		buf_puts(g->out, "(uint32_t *)");
		address(g);
		break;
	case '0':
		buf_puts(g->out, "NULL");
		break;
	default:
		gen_int(g);
	}
}

static void call(struct script_gen *g, const struct gen_call *c)
{
	buf_printf(g->out, "%s(", c->name);
	for (const char *a = c->args; *a; a++) {
		if (a > c->args)
			buf_puts(g->out, ", ");
		argument(g, *a);
	}
	buf_putc(g->out, ')');
}

static void int_call(struct script_gen *g)
{
	static const struct gen_call calls[] = {
		{ "strlen", "s" }, { "index", "ss" }, { "index", "ssi" }, { "rindex", "ss" }, { "rindex", "ssi" },
		{ "strtoll", "s" }, { "strtoll", "sb" }, { "strtoll", "si" }, { "htons", "i" }, { "htonl", "i" },
		{ "htonll", "i" }, { "ntohs", "i" }, { "ntohl", "i" }, { "ntohll", "i" },
	};

	call(g, &calls[gen_dice(g, sizeof calls / sizeof *calls)]);
}

static void str_call(struct script_gen *g)
{
	static const struct gen_call calls[] = {
		{ "strjoin", "ss" }, { "substr", "si" }, { "substr", "sii" }, { "strchr", "si" }, { "strrchr", "si" },
		{ "strstr", "ss" }, { "strtok", "ss" }, { "strtok", "0s" }, { "toupper", "s" }, { "tolower", "s" },
		{ "basename", "s" }, { "dirname", "s" }, { "cleanpath", "s" }, { "lltostr", "i" }, { "lltostr", "ib" },
		{ "lltostr", "ii" }, { "json", "ss" }, { "inet_ntoa", "a" }, { "inet_ntoa6", "a" },
		{ "inet_ntop", "fa" },
		{ "inet_ntop", "ia" }, { "link_ntop", "fa" },
	};

	call(g, &calls[gen_dice(g, sizeof calls / sizeof *calls)]);
}

void gen_int(struct script_gen *g)
{
	unsigned n = gen_dice(g, 17);

	if (!g->fuel || n < 4) {
		gen_leaf(g);
		return;
	}
	g->fuel--;
	if (n == 16) {
		int_call(g);
		return;
	}
	if (n < 11) {
		binary(g);
	} else if (n < 13) {
		unary(g);
	} else if (n == 13) {
		buf_printf(g->out, "((%s)", gen_types[gen_dice(g, gen_ntypes)]);
		gen_int(g);
		buf_putc(g->out, ')');
	} else if (n == 14) {
		choice(g, gen_int);
	} else if (g->mem && gen_dice(g, 2)) {
		gen_mem_int(g);
	} else {
		memory(g);
	}
}

void gen_strvar(struct script_gen *g)
{
	static const char *const names[] = { "s0", "s1", "this->s", "self->s" };
	unsigned a = gen_dice(g, GEN_ARRAYS);

	if (g->elem[a] == GEN_STRING && g->fuel && !gen_dice(g, 3)) {
		g->fuel--;
		buf_printf(g->out, "%s%u", g->self && gen_dice(g, 2) ? "self->b" : "a", a);
		gen_keys(g, &g->array[a]);
		return;
	}
	buf_puts(g->out, names[gen_dice(g, g->self ? 4 : 3)]);
}

void gen_str(struct script_gen *g)
{
	static const char *const texts[] = {
		"\"\"", "\"a\"", "\"ab\"", "\"tab\\tquote\\\"\"", "\"\\x41\\377\"",
		"\"a text that is longer than sixteen bytes\"",
		"\"longer than what is stored word by word, so copied from a constant: 0123456789 0123456789 0123\"",
		"execname", "probename", "probeprov", "probefunc", "probemod", "$$1", "$$0",
	};

	static const char *const kernel[] = {
		"curpsinfo->pr_fname", "curlwpsinfo->pr_clname", "curpsinfo->pr_psargs", "execargs", "cwd", "root",
		"zonename",
		"d_path(&curthread->fs->pwd)",
	};

	if (g->mem && !gen_dice(g, 6)) {
		gen_mem_str(g);
		return;
	}
	if (g->kernel && !gen_dice(g, 8)) {
		buf_puts(g->out, gen_pick(g, kernel));
		return;
	}
	if (g->fuel && !gen_dice(g, 5)) {
		g->fuel--;
		if (gen_dice(g, 2)) {
			str_call(g);
		} else if (gen_dice(g, 2)) {
			choice(g, gen_str);
		} else {
			buf_puts(g->out, "stringof((char *)");
			address(g);
			buf_putc(g->out, ')');
		}
	} else if (gen_dice(g, 2)) {
		buf_puts(g->out, gen_pick(g, texts));
	} else {
		gen_strvar(g);
	}
}
