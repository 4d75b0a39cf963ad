/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The typed tree that the checker makes, as S-expressions: conversions, constants, memory, translators. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/lib/dcheck.h"

/* Compiles what must be right. */
static void world_good(struct dcheck *w, const char *text)
{
	dcheck_compile(w, text, PRELUDE);
	if (w->err)
		fail_msg("%s\n%s", text, dcheck_first(w));
}

/* ---- typed trees ---- */
static void put(struct buf *out, const struct node *n);

static void put_list(struct buf *out, const char *name, const struct node *n)
{
	const struct node *const below[] = { n->a, n->b, n->c };

	buf_printf(out, "(%s", name);
	for (int i = 0; i < 3; i++) {
		if (below[i]) {
			buf_putc(out, ' ');
			put(out, below[i]);
		}
	}
	for (unsigned i = 0; i < n->nargs; i++) {
		buf_putc(out, ' ');
		put(out, n->args[i]);
	}
	buf_putc(out, ')');
}

/* How the head of a node is written. */
static void put_name(char *name, size_t size, const struct node *n)
{
	static const char *const ops[] = {
		[OP_NONE] = "=", [OP_ADD] = "+", [OP_SUB] = "-", [OP_MUL] = "*", [OP_DIV] = "/", [OP_MOD] = "%",
		[OP_AND] = "&", [OP_OR] = "|", [OP_XOR] = "^", [OP_SHL] = "<<", [OP_SHR] = ">>", [OP_EQ] = "==",
		[OP_NE] = "!=", [OP_LT] = "<", [OP_LE] = "<=", [OP_GT] = ">", [OP_GE] = ">=", [OP_LAND] = "&&",
		[OP_LOR] = "||", [OP_LXOR] = "^^", [OP_NEG] = "neg", [OP_PLUS] = "plus", [OP_NOT] = "~",
		[OP_LNOT] = "!", [OP_PREINC] = "++x", [OP_PREDEC] = "--x", [OP_POSTINC] = "x++", [OP_POSTDEC] = "x--",
	};
	static const char *const kinds[] = {
		[N_COND] = "?:", [N_COMMA] = ",", [N_CAST] = "cast", [N_DEREF] = "*", [N_ADDR] = "&",
	};

	if (n->kind == N_BINARY || n->kind == N_UNARY || n->kind == N_ASSIGN)
		snprintf(name, size, "%s%s", ops[n->op], n->kind == N_ASSIGN && n->op ? "=" : "");
	else if (n->kind == N_MEMBER)
		snprintf(name, size, "%s%s@%llu", n->arrow ? "->" : ".", n->str, (unsigned long long)n->bitoff);
	else if (n->kind == N_INDEX || n->kind == N_CALL)
		snprintf(name, size, "%s", n->kind == N_INDEX ? n->var->name : n->str);
	else
		snprintf(name, size, "%s", n->kind <= N_ADDR && kinds[n->kind] ? kinds[n->kind] : "?");
}

static void put(struct buf *out, const struct node *n)
{
	char name[64];

	if (n->kind == N_INT) {
		buf_printf(out, "%lld", (long long)n->value);
	} else if (n->kind == N_STR) {
		buf_printf(out, "\"%s\"", n->str);
	} else if (n->kind == N_VAR || n->kind == N_TYPE) {
		buf_puts(out, n->kind == N_VAR ? n->var->name : "in");
	} else {
		put_name(name, sizeof name, n);
		put_list(out, name, n);
	}
	buf_putc(out, ':');
	type_print(out, n->type);
	if (n->type->kind == T_STRING && n->type->size)
		buf_printf(out, "%llu", (unsigned long long)n->type->size);
}

static const struct stmt *last_statement(const struct script *s)
{
	const struct clause *c = s->clauses;
	const struct stmt *st;

	while (c->next)
		c = c->next;
	for (st = c->body; st->next; st = st->next)
		;
	return st;
}

/* DECLS BEGIN { EXPR; }: the tree of the last statement; of trace(x) that of x. */
static void expect_tree(const char *script, const char *want)
{
	struct buf out = { 0 };
	const struct node *n;
	struct dcheck w;

	world_good(&w, script);
	n = last_statement(w.c.script)->expr;
	if (n->kind == N_CALL && n->act == ACT_TRACE)
		n = n->args[0];
	put(&out, n);
	if (strcmp(buf_str(&out), want))
		fail_msg("%s\n got: %s\nwant: %s", script, buf_str(&out), want);
	buf_free(&out);
	dcheck_close(&w);
}

static void test_integers(void **state)
{
	static const char *const cases[][2] = {
		{ "c + s", "(+ (cast c:char):int (cast s:short):int):int" },
		{ "i + u", "(+ (cast i:int):unsigned int u:unsigned int):unsigned int" },
		{ "i + l", "(+ (cast i:int):long l:long):long" },
		{ "u + l", "(+ (cast u:unsigned int):long l:long):long" },
		{ "l * ul", "(* (cast l:long):unsigned long ul:unsigned long):unsigned long" },
		{ "c << l", "(<< (cast c:char):int l:long):int" },
		{ "ul >> c", "(>> ul:unsigned long (cast c:char):int):unsigned long" },
		{ "i < u", "(< (cast i:int):unsigned int u:unsigned int):int" },
		{ "us == i", "(== (cast us:unsigned short):int i:int):int" },
		{ "-us", "(neg (cast us:unsigned short):int):int" },
		{ "~u", "(~ u:unsigned int):unsigned int" },
		{ "!ul", "(! ul:unsigned long):int" },
		{ "ul && c", "(&& ul:unsigned long c:char):int" },
		{ "i ? c : u", "(?: i:int (cast c:char):unsigned int u:unsigned int):unsigned int" },
		{ "(char)l", "(cast l:long):char" },
		{ "i, l", "(, i:int l:long):long" },
		{ "pid + 1", "(+ pid:pid_t 1:int):int" },
		{ "uid - 1", "(- uid:uid_t 1:unsigned int):unsigned int" },
	};
	char text[1024];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		snprintf(text, sizeof text, DECLS "BEGIN { trace((%s)); }", cases[i][0]);
		expect_tree(text, cases[i][1]);
	}
}

static void test_assignments(void **state)
{
	static const char *const cases[][2] = {
		{ "c = l", "(= c:char (cast l:long):char):char" },
		{ "i = 300 + c", "(= i:int (+ 300:int (cast c:char):int):int):int" },
		{ "c += l", "(+= c:char l:long in:long):char" },
		{ "c *= 3", "(*= c:char 3:int in:int):char" },
		{ "s <<= l", "(<<= s:short l:long in:int):short" },
		{ "ul -= i", "(-= ul:unsigned long (cast i:int):unsigned long in:unsigned long):unsigned long" },
		{ "ip += i", "(+= ip:int * (* (cast i:int):long 4:long):long in:int *):int *" },
		{ "ip = 0", "(= ip:int * 0:int *):int *" },
		{ "l = (long)ip", "(= l:long (cast ip:int *):long):long" },
		{ "ip = NULL", "(= ip:int * 0:int *):int *" },
		{ "ip = (void *)l", "(= ip:int * (cast (cast l:long):void *):int *):int *" },
		{ "ip = (int)0", "(= ip:int * 0:int *):int *" },
		{ "str = \"a\"", "(= str:string \"a\":string2):string" },
		{ "str = 0", "(= str:string \"\":string1):string" },
		{ "str = execname", "(= str:string execname:string16):string" },
		{ "new++", "(x++ new:int64_t):int64_t" },
		{ "new |= 3", "(|= new:int64_t 3:long in:long):int64_t" },
		{ "this->n = 1UL", "(= n:unsigned long 1:unsigned long):unsigned long" },
		{ "self->n = tp", "(= n:struct t * tp:struct t *):struct t *" },
		{ "new = execname", "(= new:string execname:string16):string" },
		{ "arr[pid] = 1", "(= (arr pid:pid_t):int 1:int):int" },
		{ "arr[pid, execname] += 1", "(+= (arr pid:pid_t execname:string16):int64_t 1:long in:long):int64_t" },
		{ "x = y = c", "(= x:char (= y:char c:char):char):char" },
	};
	char text[1024];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		snprintf(text, sizeof text, DECLS "BEGIN { %s; }", cases[i][0]);
		expect_tree(text, cases[i][1]);
	}
}

static void test_constants(void **state)
{
	static const char *const cases[][2] = {
		{ "1 + 2 * 3", "7:int" }, { "(char)200", "-56:char" }, { "(unsigned char)-1", "255:unsigned char" },
		{ "-1 < 1U", "0:int" }, { "-1 < 1", "1:int" }, { "0x7fffffff + 1", "-2147483648:int" },
		{ "-7 / 2", "-3:int" }, { "-7 % 2", "-1:int" }, { "-7U / 2", "2147483644:unsigned int" },
		{ "1 << 31", "-2147483648:int" }, { "1UL << 63 >> 63", "1:unsigned long" }, { "-8 >> 1", "-4:int" },
		{ "!5", "0:int" }, { "~0", "-1:int" }, { "1 ? 2 : 3L", "2:long" }, { "1 && 0 || 2", "1:int" },
		{ "0 && i", "0:int" }, { "1 || i", "1:int" }, { "1 && i", "(&& 1:int i:int):int" },
		{ "1 ^^ 1", "0:int" }, { "\"a\" == \"a\"", "1:int" }, { "\"a\" < \"b\"", "1:int" },
		{ "\"ab\" <= \"a\"", "0:int" }, { "sizeof (int)", "4:unsigned long" },
		{ "sizeof (execname)", "16:unsigned long" }, { "sizeof (str)", "256:unsigned long" },
		{ "sizeof (struct t)", "40:unsigned long" }, { "sizeof (tp->name)", "10:unsigned long" },
		{ "(int)(-2147483647 - 1) / -1", "-2147483648:int" }, { "0 ? \"long\" : \"x\"", "\"x\":string2" },
		{ "N", "20:int" }, { "S", "\"ess\":string4" }, { "M", "-21:int" }, { "NARROW", "44:char" },
	};
	char text[1024];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		snprintf(text, sizeof text, DECLS "inline int N = 4 * 5; inline string S = \"ess\"; inline int M = -N "
						  "- 1; "
			 "inline char NARROW = 300; BEGIN { trace((%s)); }", cases[i][0]);
		expect_tree(text, cases[i][1]);
	}
}

static void test_memory(void **state)
{
	static const char *const cases[][2] = {
		{ "tp->a", "(->a@0 tp:struct t *):int" },
		{ "(*tp).a", "(.a@0 (* tp:struct t *):struct t):int" },
		{ "tp->b", "(->b@112 tp:struct t *):int" },
		{ "tp->name", "(cast (& (->name@32 tp:struct t *):char[10]):char *):string10" },
		{ "tp->name == \"x\"", "(== (cast (& (->name@32 tp:struct t *):char[10]):char *):string10 "
				       "\"x\":string2):int" },
		{ "tp->arr", "(->arr@128 tp:struct t *):int[4]" },
		{ "tp->arr[2]", "(* (+ (& (->arr@128 tp:struct t *):int[4]):int * 8:long):int *):int" },
		{ "tp->arr[0]", "(* (& (->arr@128 tp:struct t *):int[4]):int *):int" },
		{ "&tp->arr[1]", "(& (* (+ (& (->arr@128 tp:struct t *):int[4]):int * 4:long):int *):int):int *" },
		{ "tp->next->a", "(->a@0 (->next@256 tp:struct t *):struct t *):int" },
		{ "ip[i]", "(* (+ ip:int * (* (cast i:int):long 4:long):long):int *):int" },
		{ "1 + ip", "(+ ip:int * 4:long):int *" },
		{ "ip - 1", "(- ip:int * 4:long):int *" },
		{ "cp + l", "(+ cp:char * l:long):char *" },
		{ "tp - tp->next", "(/ (- (cast tp:struct t *):long (cast (->next@256 tp:struct t *):struct t "
				   "*):long):long 40:long):long" },
		{ "stringof(cp)", "(cast cp:char *):string" },
		{ "cp == \"x\"", "(== (cast cp:char *):string \"x\":string2):int" },
		{ "cp == 0", "(== cp:char * 0:char *):int" },
		{ "ip == (int *)l", "(== ip:int * (cast l:long):int *):int" },
		{ "NULL != ip", "(!= 0:int * ip:int *):int" },
		{ "ip == (void *)l", "(== ip:int * (cast (cast l:long):void *):int *):int" },
		{ "i ? 0 : ip", "(?: i:int 0:int * ip:int *):int *" },
		{ "i ? (void *)l : ip", "(?: i:int (cast (cast l:long):void *):int * ip:int *):int *" },
		{ "!tp", "(! tp:struct t *):int" },
		{ "i ? tp : 0", "(?: i:int tp:struct t * 0:struct t *):struct t *" },
		{ "i ? execname : \"a longer string than that\"", "(?: i:int execname:string16 \"a longer string than "
								  "that\":string26):string26" },
		{ "(int)*cp", "(cast (* cp:char *):char):int" },
	};
	char text[1024];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		snprintf(text, sizeof text, DECLS "BEGIN { trace((%s)); }", cases[i][0]);
		expect_tree(text, cases[i][1]);
	}
}

#define XLATE "typedef struct in { int v; char n[8]; struct in *up; } in_t; typedef struct sub { int deep; } sub_t; " \
	"typedef struct out { char small; string name; sub_t sub; sub_t *subp; } out_t; in_t *p; " \
	"translator sub_t < in_t *I > { deep = I->up->v; }; " \
	"translator out_t < in_t *I > { small = I->v * 2; name = I->n; sub = xlate < sub_t > (I); };"

static void test_translators(void **state)
{
	(void)state;
	expect_tree(XLATE "BEGIN { trace(xlate<out_t *>(p)->small); }",
		    "(cast (* (->v@0 p:struct in *):int 2:int):int):char");
	expect_tree(XLATE "BEGIN { trace(xlate<out_t>(p).name); }",
		    "(cast (& (->n@32 p:struct in *):char[8]):char *):string8");
	expect_tree(XLATE "BEGIN { trace(xlate<out_t *>(p + 1)->sub.deep); }",
		    "(->v@0 (->up@128 (+ p:struct in * 24:long):struct in *):struct in *):int");
	expect_tree("BEGIN { trace(curcpu->cpu_id); }", "cpu:processorid_t");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_assignments),
		cmocka_unit_test(test_constants),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_translators),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
