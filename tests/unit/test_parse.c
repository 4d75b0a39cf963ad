/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The front of the compiler: texts and the trees they make, errors and where they are found, hostile texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lang/types/type_find.h"
#include "tests/unit/parse_fixture.h"

/* ---- trees, as Lisp writes them ---- */

static const char *const op_names[] = {
	[OP_ADD] = "+", [OP_SUB] = "-", [OP_MUL] = "*", [OP_DIV] = "/", [OP_MOD] = "%", [OP_AND] = "&", [OP_OR] = "|",
	[OP_XOR] = "^", [OP_SHL] = "<<", [OP_SHR] = ">>", [OP_EQ] = "==", [OP_NE] = "!=", [OP_LT] = "<", [OP_LE] = "<=",
	[OP_GT] = ">", [OP_GE] = ">=", [OP_LAND] = "&&", [OP_LOR] = "||", [OP_LXOR] = "^^", [OP_NEG] = "neg",
	[OP_PLUS] = "plus", [OP_NOT] = "~", [OP_LNOT] = "!", [OP_PREINC] = "++_", [OP_PREDEC] = "--_",
	[OP_POSTINC] = "_++", [OP_POSTDEC] = "_--", [OP_NONE] = "",
};

static void put(struct buf *b, const struct node *n);

static void put_list(struct buf *b, const char *head, const struct node *n)
{
	const struct node *const below[] = { n->a, n->b, n->c };

	buf_printf(b, "(%s", head);
	for (int i = 0; i < 3; i++)
		if (below[i])
			buf_putc(b, ' '), put(b, below[i]);
	for (unsigned i = 0; i < n->nargs; i++)
		buf_putc(b, ' '), put(b, n->args[i]);
	buf_putc(b, ')');
}

static void put_head(struct buf *b, const struct node *n)
{
	char head[256];
	struct buf type = { 0 };

	if (n->type)
		type_print(&type, n->type);
	switch (n->kind) {
	case N_UNARY: case N_BINARY: snprintf(head, sizeof head, "%s", op_names[n->op]); break;
	case N_ASSIGN: snprintf(head, sizeof head, "%s=", op_names[n->op]); break;
	case N_COND: snprintf(head, sizeof head, "?"); break;
	case N_COMMA: snprintf(head, sizeof head, ","); break;
	case N_CALL: snprintf(head, sizeof head, "call %s", n->str); break;
	case N_AGG: snprintf(head, sizeof head, "@%s", n->str); break;
	case N_INDEX: snprintf(head, sizeof head, "index"); break;
	case N_MEMBER: snprintf(head, sizeof head, "%s%s", n->arrow ? "->" : ".", n->str); break;
	case N_DEREF: snprintf(head, sizeof head, "deref"); break;
	case N_ADDR: snprintf(head, sizeof head, "addr"); break;
	case N_SIZEOF: snprintf(head, sizeof head, "sizeof"); break;
	case N_CAST: snprintf(head, sizeof head, "cast<%s>", buf_str(&type)); break;
	case N_TYPE: snprintf(head, sizeof head, "type<%s>", buf_str(&type)); break;
	case N_XLATE: snprintf(head, sizeof head, "xlate<%s>", buf_str(&type)); break;
	default: snprintf(head, sizeof head, "?%d?", n->kind); break;
	}
	put_list(b, head, n);
	buf_free(&type);
}

static void put(struct buf *b, const struct node *n)
{
	if (n->kind == N_INT)
		buf_printf(b, "%lld", (long long)n->value);
	else if (n->kind == N_STR)
		buf_printf(b, "\"%s\"", n->str);
	else if (n->kind == N_IDENT)
		buf_printf(b, "%s%s", n->scope == 't' ? "this." : n->scope == 's' ? "self." : n->scope ? "`" : "",
			   n->str);
	else
		put_head(b, n);
}

static void put_stmts(struct buf *b, const struct stmt *s)
{
	for (; s; s = s->next) {
		if (s->kind == S_AGG) {
			buf_puts(b, "(agg "), put(b, s->expr), buf_putc(b, ' '), put(b, s->call), buf_putc(b, ')');
		} else if (s->kind == S_EXPR) {
			put(b, s->expr);
		} else {
			buf_puts(b, "(if "), put(b, s->expr), buf_puts(b, " {"), put_stmts(b, s->yes);
			buf_puts(b, "} {"), put_stmts(b, s->no), buf_puts(b, "})");
		}
		if (s->next)
			buf_putc(b, ' ');
	}
}

struct parse_tree { const char *text, *tree; };

/* Each text is the body of a clause. */
static void check_bodies(const struct parse_tree *rows, size_t n, const char *before)
{
	for (size_t i = 0; i < n; i++) {
		struct fixture f;
		struct buf text = { 0 };

		open_default(&f);
		buf_printf(&text, "%s BEGIN { %s }", before, rows[i].text);
		if (parse(&f, buf_str(&text)))
			fail_msg("%s: %s", rows[i].text, f.diags.list.v[0].text);
		put_stmts(&f.out, f.c.script->clauses->body);
		assert_string_equal(buf_str(&f.out), rows[i].tree);
		buf_free(&text);
		close_all(&f);
	}
}
#define CHECK_BODIES(rows, before) check_bodies(rows, sizeof(rows) / sizeof *(rows), before)

static void test_operators(void **state)
{
	static const struct parse_tree rows[] = {
		{ "a + b * c;", "(+ a (* b c))" }, { "a * b + c", "(+ (* a b) c)" }, { "a - b - c", "(- (- a b) c)" },
		{ "a / b % c", "(% (/ a b) c)" }, { "a << b + c", "(<< a (+ b c))" },
		{ "a < b << c", "(< a (<< b c))" },
		{ "a == b < c", "(== a (< b c))" }, { "a & b == c", "(& a (== b c))" },
		{ "a ^ b & c", "(^ a (& b c))" },
		{ "a | b ^ c", "(| a (^ b c))" }, { "a && b | c", "(&& a (| b c))" },
		{ "a ^^ b && c", "(^^ a (&& b c))" },
		{ "a || b ^^ c", "(|| a (^^ b c))" }, { "a ^^ b || c ^^ d", "(|| (^^ a b) (^^ c d))" },
		{ "a ? b : c ? d : e", "(? a b (? c d e))" }, { "a ? b ? c : d : e", "(? a (? b c d) e)" },
		{ "a ? b, c : d", "(? a (, b c) d)" }, { "a || b ? c : d", "(? (|| a b) c d)" },
		{ "a = b = c", "(= a (= b c))" }, { "a += b -= c", "(+= a (-= b c))" },
		{ "a = b ? c : d", "(= a (? b c d))" },
		{ "a *= 1, a /= 2, a %= 3", "(, (, (*= a 1) (/= a 2)) (%= a 3))" },
		{ "a <<= 1; a >>= 2; a &= 3; a |= 4; a ^= 5;", "(<<= a 1) (>>= a 2) (&= a 3) (|= a 4) (^= a 5)" },
		{ "a >= b; a <= b; a > b; a != b; a >> b", "(>= a b) (<= a b) (> a b) (!= a b) (>> a b)" },
		{ "-a + +b", "(+ (neg a) (plus b))" }, { "!a == ~b", "(== (! a) (~ b))" }, { "- -a", "(neg (neg a))" },
		{ "a+++b", "(+ (_++ a) b)" }, { "a---b", "(- (_-- a) b)" }, { "++a + --b", "(+ (++_ a) (--_ b))" },
		{ "*a++", "(deref (_++ a))" }, { "&a->b", "(addr (->b a))" }, { "*a * *b", "(* (deref a) (deref b))" },
		{ "a & &b", "(& a (addr b))" }, { "(a, b)", "(, a b)" }, { "(a + b) * c", "(* (+ a b) c)" },
		{ "a.b->c.d", "(.d (->c (.b a)))" }, { "a[1].b[2]", "(index (.b (index a 1)) 2)" },
		{ "a[b, c + 1, \"x\"]", "(index a b (+ c 1) \"x\")" }, { "a->this->string->if",
		  "(->if (->string (->this a)))" },
		{ "a / b / c", "(/ (/ a b) c)" },
	};

	(void)state;
	CHECK_BODIES(rows, "");
}

static void test_primaries(void **state)
{
	static const struct parse_tree rows[] = {
		{ "this->x; self->y; self->z[1, 2];", "this.x self.y (index self.z 1 2)" },
		{ "`jiffies; vmlinux`foo; a`b`c", "`jiffies `vmlinux`foo `a`b`c" },
		{ "trace(); exit(0); f(a, (b, c))", "(call trace) (call exit 0) (call f a (, b c))" },
		{ "@ = count()", "(agg (@_) (call count))" }, { "@a = sum(x);", "(agg (@a) (call sum x))" },
		{ "@a[b, c] = quantize(x, 2)", "(agg (@a b c) (call quantize x 2))" },
		{ "printa(@a, @); clear(@b)", "(call printa (@a) (@_)) (call clear (@b))" },
		{ "@a += count(); @a = 1; @a;", "(+= (@a) (call count)) (= (@a) 1) (@a)" },
	};

	(void)state;
	CHECK_BODIES(rows, "");
}

static void test_types_in_expressions(void **state)
{
	static const struct parse_tree rows[] = {
		{ "(int)a", "(cast<int> a)" }, { "(unsigned long long)a + b", "(+ (cast<unsigned long long> a) b)" },
		{ "(pid_t)a; (pid_t)-1; (pid_t)(a)", "(cast<pid_t> a) (cast<pid_t> (neg 1)) (cast<pid_t> a)" },
		{ "(long)(pid_t)-a; (long)(a) - 1; (pid_t)(short)(a)",
		  "(cast<long> (cast<pid_t> (neg a))) (- (cast<long> a) 1) (cast<pid_t> (cast<short> a))" },
		{ "(a)-1; (pid)-1; (a)*b; (a)&b; (a)+b", "(- a 1) (- pid 1) (* a b) (& a b) (+ a b)" },
		{ "(foo)-1; (foo)*p; (foo)&p; (foo *)p;",
		  "(cast<foo> (neg 1)) (cast<foo> (deref p)) (cast<foo> (addr p)) (cast<foo *> p)" },
		{ "(a)++; (a)->b; (a) -= 1; (a) && b", "(_++ a) (->b a) (-= a 1) (&& a b)" },
		{ "(char *)a; (const char **)a; (struct s *)a; (int [4])a",
		  "(cast<char *> a) (cast<char **> a) (cast<struct s *> a) (cast<int[4]> a)" },
		{ "((struct s *)a)->x", "(->x (cast<struct s *> a))" }, { "(string)a", "(cast<string> a)" },
		{ "sizeof (int); sizeof (foo); sizeof (foo *); sizeof (struct s)",
		  "(sizeof (type<int>)) (sizeof (type<foo>)) (sizeof (type<foo *>)) (sizeof (type<struct s>))" },
		{ "sizeof (pid); sizeof a + 1; sizeof (a)[1]", "(sizeof pid) (+ (sizeof a) 1) (sizeof (index a 1))" },
		{ "sizeof (int) * 2; sizeof (v) - 1", "(* (sizeof (type<int>)) 2) (- (sizeof v) 1)" },
		{ "offsetof(struct s, y); offsetof (s_t, in.z)", "8 20" },
		{ "stringof(a); stringof a; stringof (a) + 1", "(cast<string> a) (cast<string> a) (+ (cast<string> "
		  "a) 1)" },
		{ "xlate <struct s>(a); xlate < s_t * > (a)->x", "(xlate<struct s> a) (->x (xlate<struct s *> a))" },
		{ "f((a)); f((foo)a); if ((a)) b;", "(call f a) (call f (cast<foo> a)) (if a {b} {})" },
		{ "(v) /* c */ - 1; (a // c\n ) * 2", "(- v 1) (* a 2)" },
	};

	(void)state;
	CHECK_BODIES(rows, "typedef int foo; typedef struct s { int x; long y; struct { int w, z; } in; } s_t; int v;");
}

static void test_statements(void **state)
{
	static const struct parse_tree rows[] = {
		{ "", "" }, { ";;;", "" }, { "a;; b", "a b" },
		{ "if (a) b; else c;", "(if a {b} {c})" }, { "if (a) { b; c } else { d }", "(if a {b c} {d})" },
		{ "if (a) b; else if (c) d; else e;", "(if a {b} {(if c {d} {e})})" },
		{ "if (a) if (b) c; else d;", "(if a {(if b {c} {d})} {})" }, { "if (a) { } b", "(if a {} {}) b" },
		{ "if (a) ; else ; b", "(if a {} {}) b" }, { "if (a) { if (b) { c } } else d;",
		  "(if a {(if b {c} {})} {d})" },
	};

	(void)state;
	CHECK_BODIES(rows, "");
}

/* ---- macro variables ---- */

static void test_macros(void **state)
{
	static const struct parse_tree rows[] = {
		{ "$1; $$1", "97 \"97\"" }, { "$2; $$2", "foo \"foo\"" }, { "$3; $$3", "\"a b\" \"a b\"" },
		{ "$4", "-5" },
		{ "$5; $$5", "31 \"0x1f\"" }, { "$6; $$6", "\"\" \"\"" }, { "$7", "\"quoted\"" },
		{ "$$0; $0", "\"x.d\" \"x.d\"" },
		{ "$target; $$target", "4711 \"4711\"" }, { "$projid + $taskid + $zoneid", "(+ (+ 0 0) 0)" },
		{ "a = $1 + $2", "(= a (+ 97 foo))" }, { "($9)$1", "(cast<pid_t> 97)" },
	};
	struct fixture f;
	char tree[256];

	(void)state;
	CHECK_BODIES(rows, "");
	open_default(&f);
	assert_int_equal(parse(&f, "BEGIN { $pid; $ppid; $uid; $euid; $gid; $egid; $sid; $pgid; $2 }"), 0);
	put_stmts(&f.out, f.c.script->clauses->body);
	snprintf(tree, sizeof tree, "%d %d %d %d %d %d %d %d foo", getpid(), getppid(), getuid(), geteuid(), getgid(),
		 getegid(), getsid(0), getpgid(0));
	assert_string_equal(buf_str(&f.out), tree);
	for (unsigned i = 0; i < test_env.nargs; i++)
		assert_int_equal(f.c.arg_used[i], i == 1);
	close_all(&f);
}

static void test_defaultargs(void **state)
{
	struct compile_env env = test_env;
	struct d_options o = test_options();
	struct fixture f;

	(void)state;
	o.defaultargs = true;
	env.nargs = 0;
	env.target = -1;
	open_with(&f, &o, &env);
	assert_int_equal(parse(&f, "profile-$1 { $1; $$1; $target; $99999999999 }"), 0);
	put_stmts(&f.out, f.c.script->clauses->body);
	assert_string_equal(buf_str(&f.out), "0 \"\" 0 0");
	close_all(&f);
}

/* A missing or empty argument has the value in argdefaults; if that has none, that of defaultargs, or an error. */
static void test_argdefaults(void **state)
{
	static const char *given[] = { "", "7" };
	struct compile_env env = test_env;
	struct d_options o = test_options();
	struct fixture f;

	(void)state;
	env.args = given;
	env.nargs = 2;
	o.argdefaults = "1s,8,pid,,x y";
	o.defaultargs = true;
	open_with(&f, &o, &env);
	assert_int_equal(parse(&f, "tick-$1 { $$1; $2; $3; $$4; $4; $$5; $$6 }"), 0);
	put_stmts(&f.out, f.c.script->clauses->body);
	assert_string_equal(buf_str(&f.out), "\"1s\" 7 pid \"\" 0 \"x y\" \"\"");
	close_all(&f);

	o.defaultargs = false;
	open_with(&f, &o, &env);
	assert_int_equal(parse(&f, "BEGIN { $3; $6 }"), -1);
	close_all(&f);
}

/* ---- clauses and descriptions ---- */

static void put_specs(struct buf *b, const struct script *s)
{
	for (const struct clause *c = s->clauses; c; c = c->next) {
		for (size_t i = 0; i < c->specs.n; i++) {
			const struct probe_spec *p = &c->specs.v[i];

			if (p->id)
				buf_printf(b, "%s#%u", i ? "," : "", p->id);
			else
				buf_printf(b, "%s%s:%s:%s:%s", i ? "," : "", p->prov, p->mod, p->func, p->name);
		}
		if (c->pred)
			buf_puts(b, " / "), put(b, c->pred), buf_puts(b, " /");
		buf_puts(b, c->has_body ? " {}" : "");
		buf_puts(b, c->next ? "; " : "");
	}
}

static void test_descriptions(void **state)
{
	static const struct { const char *text; int spec; const char *result; } rows[] = {
		{ "BEGIN", FILE_TEXT, ":::BEGIN" }, { "a:b", FILE_TEXT, "::a:b" }, { "a:b:c", FILE_TEXT, ":a:b:c" },
		{ "a:b:c:d", FILE_TEXT, "a:b:c:d" }, { "profile:::", FILE_TEXT, "profile:::" },
		{ ":::", FILE_TEXT, ":::" },
		{ "::f*?[a-z]:e", FILE_TEXT, "::f*?[a-z]:e" }, { "BEGIN,END , ERROR{}", FILE_TEXT,
		  ":::BEGIN,:::END,:::ERROR {}" },
		{ "profile-97, tick-1s { }", FILE_TEXT, ":::profile-97,:::tick-1s {}" },
		{ "7, 8 { }", FILE_TEXT, "#7,#8 {}" }, { "profile-$1ms {}", FILE_TEXT, ":::profile-97ms {}" },
		{ "pid$target:::entry", FILE_TEXT, "pid4711:::entry" },
		{ "$1", FILE_TEXT, "#97" }, { "$2:::", FILE_TEXT, "foo:::" },
		{ "pid1:libc.so.6:_ZN3fooEv.part.0:return", FILE_TEXT, "pid1:libc.so.6:_ZN3fooEv.part.0:return" },
		{ "a;b;", FILE_TEXT, ":::a; :::b" }, { "a {} b {}", FILE_TEXT, ":::a {}; :::b {}" },
		{ ";a;;", FILE_TEXT, ":::a" },
		{ "a /x/ {}", FILE_TEXT, ":::a / x / {}" }, { "a /x/; b /y/", FILE_TEXT, ":::a / x /; :::b / y /" },
		{ "a /x / y/ {}", FILE_TEXT, ":::a / (/ x y) / {}" }, { "a /x/ /**/{}", FILE_TEXT, ":::a / x / {}" },
		{ "a /x/ /* c { */ // d\n {}", FILE_TEXT, ":::a / x / {}" },
		{ "a /x / /* c */ 2 == (y / 3)/\n{}", FILE_TEXT, ":::a / (== (/ x 2) (/ y 3)) / {}" },
		/* a path, or a predicate, a comment */
		{ "pid$target:/usr/b-n/x.so.1:f:entry/x/{}", FILE_TEXT, "pid4711:/usr/b-n/x.so.1:f:entry / x / {}" },
		{ "pid*:/bin/sh::,usdt1:/a/*/b[0-9]*::x {}", FILE_TEXT,
		  "pid*:/bin/sh::,usdt1:/a/*/b[0-9]*::x {}" },
		{ "pid1:/bin/x:a::b:entry", FILE_TEXT, "pid1:/bin/x:a::b:entry" },
		{ "a1:/x/{}", FILE_TEXT, "::a1: / x / {}" }, { "a1:/x?y:z/{}", FILE_TEXT, "::a1: / (? x y z) / {}" },
		{ "a1://x:y:z\n/x/{}", FILE_TEXT, "::a1: / x / {}" }, 
		{ "a1:/*/x:y:z*//x/{}", FILE_TEXT, "::a1: / x / {}" },
		{ "syscall::read:/x/{}", FILE_TEXT, "syscall::read: / x / {}" },
		{ "pid1:/bin/sh", SPEC_MODULE, "pid1:/bin/sh::" },
		{ "pid1:/bin/sh:f /x/{}", SPEC_FUNCTION, "pid1:/bin/sh:f: / x / {}" },
		{ "profile", SPEC_PROVIDER, "profile:::" }, { "m", SPEC_MODULE, ":m::" },
		{ "p:m", SPEC_MODULE, "p:m::" },
		{ "f", SPEC_FUNCTION, "::f:" }, { "m:f {}", SPEC_FUNCTION, ":m:f: {}" }, { "tick-1s", SPEC_PROBE,
		  ":::tick-1s" },
		{ "3 /x/ {}", SPEC_ID, "#3 / x / {}" }, { "self-x:::y, int-1", FILE_TEXT, "self-x:::y,:::int-1" },
		{ "foo\n/x/\n{}\nbar\n{}", FILE_TEXT, ":::foo / x / {}; :::bar {}" },
		{ "this:::x {}", FILE_TEXT, "this:::x {}" }, { "#!/usr/sbin/dtr -s\nBEGIN", FILE_TEXT, ":::BEGIN" },
		{ "\xef\xbb\xbf" "BEGIN", FILE_TEXT, ":::BEGIN" }, { "BEGIN\r\n{\r\n}\r\n", FILE_TEXT, ":::BEGIN {}" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct fixture f;

		open_default(&f);
		if (parse_n(&f, rows[i].text, strlen(rows[i].text), rows[i].spec))
			fail_msg("%s: %s", rows[i].text, f.diags.list.v[0].text);
		put_specs(&f.out, f.c.script);
		assert_string_equal(buf_str(&f.out), rows[i].result);
		close_all(&f);
	}
}

static void test_several_texts(void **state)
{
	struct fixture f;

	(void)state;
	open_default(&f);
	assert_int_equal(parse(&f, "BEGIN { x = 1 }"), 0);
	assert_int_equal(parse_n(&f, "tick-1s", 7, SPEC_PROBE), 0);
	put_specs(&f.out, f.c.script);
	assert_string_equal(buf_str(&f.out), ":::BEGIN {}; :::tick-1s");
	assert_int_equal(f.c.script->nclauses, 2);
	assert_int_equal(f.c.script->clauses->next->index, 1);
	assert_string_equal(f.c.script->clauses->next->specs.v[0].text, "tick-1s");
	close_all(&f);
}

static void test_pragmas(void **state)
{
	struct fixture f;
	const struct script *s;

	(void)state;
	open_default(&f);
	assert_int_equal(parse(&f, "#pragma D option quiet\n  #pragma D option bufsize=4m\n#pragma D option \"x=a b\"\n"
			       "#pragma D attributes Stable/Stable/Common foo\n#pragma D binding \"1.0\" foo\n"
			       "#pragma D depends_on module kernel\n#pragma weak x\n#ident \"x\"\n#\nBEGIN {\n"
			       "#pragma D option last=\n}"), 0);
	s = f.c.script;
	assert_int_equal(s->options.n, 4);
	assert_string_equal(s->options.v[0].name, "quiet");
	assert_null(s->options.v[0].value);
	assert_string_equal(s->options.v[1].name, "bufsize");
	assert_string_equal(s->options.v[1].value, "4m");
	assert_int_equal(s->options.v[1].loc.line, 2);
	assert_string_equal(s->options.v[2].value, "a b");
	assert_string_equal(s->options.v[3].value, "");
	close_all(&f);
}

static void test_declarations(void **state)
{
	struct fixture f;

	(void)state;
	open_default(&f);
	assert_int_equal(parse(&f, "int x; self long y, *z; this string s; uint64_t a[int, string], b[pid_t]; foo_t *k;"
			       "typedef int *ip; ip i; enum { P, Q = 7, R } e; char c[R]; struct t; struct t *tp; int "
			       "d[Q + 1][2];"
			       "inline int I = 3; inline string S = \"s\"; int h[I]; const unsigned cu; BEGIN"), -1);
	assert_int_equal(f.diags.nerrors, 1);
	assert_int_equal(f.diags.list.v[0].tag, f.c.types.error ? D_KTYPE : D_SYNTAX);
	lang_print_tree(&f.out, f.c.script, false);
	assert_string_equal(buf_str(&f.out),
		"variable x : int\nvariable self->y : long\nvariable self->z : long *\nvariable this->s : string\n"
		"variable a[int, string] : uint64_t\nvariable b[pid_t] : uint64_t\nvariable k : int *\nvariable i : "
		"int *\n"
		"variable e : enum <anonymous>\nvariable c : char[8]\nvariable tp : struct t *\nvariable d : "
		"int[8][2]\n"
		"variable h : int[3]\nvariable cu : unsigned int\n"
		"inline P : int\n  int 0 : int\ninline Q : int\n  int 7 : int\ninline R : int\n  int 8 : int\n"
		"inline I : int\n  int 3 : int\ninline S : string\n  string \"s\"\nclause 1\n  probe BEGIN\n");
	close_all(&f);
}

static void test_translators(void **state)
{
	struct fixture f;
	const struct translator *x;

	(void)state;
	open_default(&f);
	assert_int_equal(parse(&f, "struct o { int a; string b; }; struct i { long c; };\n"
			       "translator struct o < struct i *P > { a = P->c + 1; b = \"x\"; };\nBEGIN { a = 1 }"),
			       0);
	x = f.c.script->translators;
	assert_string_equal(x->param, "P");
	assert_string_equal(x->to->name, "struct o");
	assert_ptr_equal(x->from, type_lookup(&f.c.types, "struct i *"));
	assert_int_equal(x->members.n, 2);
	put(&f.out, x->members.v[0].expr);
	assert_string_equal(buf_str(&f.out), "(+ (->c P) 1)");
	close_all(&f);
}

static void test_dump(void **state)
{
	struct fixture f;

	(void)state;
	open_default(&f);
	assert_int_equal(parse(&f, "#pragma D option quiet\nprofile-97, BEGIN /pid == 1 || !self->x/ {\n"
			       "@a[execname] = count();"
			       "if (x) { trace(\"a\\n\\\"\\377\"); } else y[1] += (char)2; f(curthread->pid, ++z) }"),
			       0);
	lang_print_tree(&f.out, f.c.script, false);
	assert_string_equal(buf_str(&f.out),
		"option quiet\nclause 1\n  probe profile-97\n  probe BEGIN\n  predicate\n    binary ||\n      "
		"binary ==\n"
		"        name pid\n        int 1 : int\n      unary !\n        name self->x\n  body\n    aggregate\n"
		"      aggregation @a\n        name execname\n      call count\n    if\n      name x\n    then\n      "
		"call trace\n"
		"        string \"a\\012\\\"\\377\"\n    else\n      assign +=\n        index\n          name y\n"
		"          int 1 : int\n        cast : char\n          int 2 : int\n    call f\n      member ->pid\n"
		"        name curthread\n      unary ++x\n        name z\n");
	close_all(&f);
}

static void test_places(void **state)
{
	struct fixture f;
	const struct node *n;

	(void)state;
	open_default(&f);
	assert_int_equal(parse(&f, "/* one\n two */ BEGIN {\n\tabc = \"\tx\" + d->e; }"), 0);
	assert_int_equal(f.c.script->clauses->loc.line, 2);
	assert_int_equal(f.c.script->clauses->loc.col, 9);
	n = f.c.script->clauses->body->expr;
	assert_int_equal(n->loc.line, 3);
	assert_int_equal(n->loc.col, 6);	/* the operator */
	assert_int_equal(n->a->loc.col, 2);
	assert_int_equal(n->b->a->loc.col, 8);
	assert_int_equal(n->b->b->loc.col, 18);	/* the member */
	assert_ptr_equal(n->loc.src, f.c.script->clauses->loc.src);
	close_all(&f);
}

/* ---- errors: "TAG line:col" of each, in order ---- */

static const struct { const char *text, *errors; } error_rows[] = {
	{ "BEGIN { x = ; }", "D_SYNTAX 1:13" }, { "BEGIN {\nx = ;\ny = 1;\nz + ;\n}", "D_SYNTAX 2:5, D_SYNTAX 4:5" },
	{ "BEGIN { x = }\nEND { y = }", "D_SYNTAX 1:13, D_SYNTAX 2:11" },
	{ "BEGIN { if (x { y = } }\nEND { ) }", "D_SYNTAX 1:15, D_SYNTAX 2:7" },
	{ "a /x {y = }\nb /x/ { = }", "D_SYNTAX 1:6, D_SYNTAX 1:11, D_SYNTAX 2:9" },
	{ "a /x == / { }\nb { = }", "D_SYNTAX 1:9, D_SYNTAX 2:5" }, { "BEGIN", "" }, { "BEGIN {", "D_SYNTAX 1:8" },
	{ "BEGIN END { }", "D_SYNTAX 1:7" }, { "a, { }", "D_SYNTAX 1:4" }, { "/x/ { }", "D_SYNTAX 1:1" },
	{ "}", "D_SYNTAX 1:1" }, { "BEGIN { } }", "D_SYNTAX 1:11" }, { "{ }", "D_SYNTAX 1:1" },
	{ "@a", "D_SYNTAX 1:1" },
	{ "BEGIN { a b }", "D_SYNTAX 1:11" }, { "BEGIN { while (1) { } }", "D_SYNTAX 1:9" },
	{ "BEGIN { for (;;) ; }\nEND { goto x; }", "D_SYNTAX 1:9, D_SYNTAX 2:7" },
	{ "BEGIN { for (int i = 0; i < 9; i++) { x++; }\ny = ; }", "D_SYNTAX 1:9, D_SYNTAX 2:5" },
	{ "BEGIN { do { x++; } while (x < 2); while (1) ; }", "D_SYNTAX 1:9, D_SYNTAX 1:36" },
	{ "BEGIN { switch (x) { case 1: y = 1; break; default: } }", "D_SYNTAX 1:9" },
	{ "BEGIN { while (x) { x++;\nif (y) break; x+; } }", "D_SYNTAX 1:9, D_SYNTAX 2:17" },
	{ "BEGIN { /* x", "D_SYNTAX 1:9" }, { "/* x", "D_SYNTAX 1:1" }, { "BEGIN { \"x }\n", "D_STR_NL 1:9" },
	{ "BEGIN { \"x;\n }", "D_STR_NL 1:9" }, { "BEGIN { \"x\\\n\" }", "D_STR_NL 1:9, D_STR_NL 2:1" },
	{ "BEGIN { ''; }", "D_CHR_NULL 1:9" }, { "BEGIN { 'a\n }", "D_CHR_NL 1:9" },
	{ "BEGIN { 'abcdefghi' }", "D_CHR_OFLOW 1:9" }, { "BEGIN { 09; 0x; 0xg; 1a; 5lll; 0b1 }",
	  "D_INT_DIGIT 1:9, D_INT_DIGIT 1:13, D_INT_DIGIT 1:17, D_INT_DIGIT 1:22, D_INT_DIGIT 1:26, D_INT_DIGIT 1:32" },
	{ "BEGIN { 18446744073709551616; 0x10000000000000000 }", "D_INT_OFLOW 1:9, D_INT_OFLOW 1:31" },
	{ "BEGIN { 1.5; .5; 1e3 }", "D_SYNTAX 1:9, D_SYNTAX 1:14, D_SYNTAX 1:18" },
	{ "BEGIN { \x80\x81 x }", "D_SYNTAX 1:9" }, { "BEGIN { x } \x01", "D_SYNTAX 1:13" },
	{ "BEGIN { $20; $foo; $8; $$x }", "D_MACRO_UNDEF 1:9, D_MACRO_UNDEF 1:14, D_MACRO_OFLOW 1:20, D_MACRO_UNDEF "
	  "1:24" },
	{ "a-$20 { }", "D_MACRO_UNDEF 1:1" }, { "BEGIN { $ }", "D_SYNTAX 1:9" },
	{ "a:b:c:d:e { }", "D_PDESC_INVAL 1:1" }, { "0 { }", "D_PDESC_INVAL 1:1" }, { "99999999999 {}",
	  "D_PDESC_INVAL 1:1" },
	{ "#pragma D foo\nBEGIN", "D_PRAGMA_INVAL 1:1" }, { "#pragma D option\nBEGIN", "D_PRAGMA_MALFORM 1:1" },
	{ "#pragma D option a b\nBEGIN", "D_PRAGMA_MALFORM 1:1" }, { "#foo\nBEGIN", "D_PRAGCTL_INVAL 1:1" },
	{ "#pragma D error no\nBEGIN", "D_PRAGERR 1:1" }, { "#error no\nBEGIN", "D_PRAGERR 1:1" },
	{ "#pragma D binding x\nBEGIN", "D_PRAGMA_MALFORM 1:1" }, { "#pragma D binding \"x\" y\nBEGIN",
	  "D_PRAGMA_INVAL 1:1" },
	{ "#pragma D attributes a/b/c x\nBEGIN", "D_PRAGMA_INVAL 1:1" }, { "#pragma D attributes\nBEGIN",
	  "D_PRAGMA_MALFORM 1:1" },
	{ "#pragma D attributes Stable/Stable/Common pid\nBEGIN", "D_PRAGMA_SCOPE 1:1" },
	{ "#pragma D attributes Stable/Stable/Common provider x args\nBEGIN", "" },
	{ "#pragma D attributes Stable/Stable/Common provider x arg\nBEGIN", "D_PRAGMA_INVAL 1:1" },
	{ "/* a\n /* b */ BEGIN", "D_SYNTAX 2:2" }, { "/*/ x **/ BEGIN /*** / **/ { y = 1 }", "" },
	{ "BEGIN exit(0);", "D_SYNTAX 1:7" },
	{ "#line x\nBEGIN", "D_PRAGMA_MALFORM 1:1" },
	{ "BEGIN\n#define X 1\n#if X\n{ }", "D_PRAGCTL_INVAL 2:1, D_PRAGCTL_INVAL 3:1" },
	{ " #!x\nBEGIN", "D_PRAGCTL_INVAL 1:1" },
	{ "", "D_EMPTY 1:1" }, { " /* x */ ", "D_EMPTY 1:1" },
	{ "provider x { probe y(); probe z__w(int, char *s) : (void); };\nBEGIN { = }", "D_SYNTAX 2:9" },
	{ "provider x { probe y; probe (int); int z; };\nBEGIN { = }",
	  "D_SYNTAX 1:21, D_SYNTAX 1:29, D_SYNTAX 1:36, D_SYNTAX 2:9" },
	{ "float f; double d; long double l; extern x; extern int f2(int (*)(char), ...), y[]; BEGIN", "" },
	{ "unsigned float f; short double d; BEGIN", "D_DECL_SIGNINT 1:10, D_DECL_LONGINT 1:25" },
	{ "static x; BEGIN", "D_DECL_BADCLASS 1:8" },
	{ "inline int f[int] = 1; BEGIN", "" }, { "int x = 1; BEGIN", "D_SYNTAX 1:7" },
	{ "int pid; BEGIN", "D_DECL_IDRED 1:5" }, { "int x; long x; int x; BEGIN", "D_DECL_IDRED 1:13" },
	{ "self int pid; this int pid; BEGIN", "" }, { "int x[int]; int x; BEGIN", "D_DECL_IDRED 1:17" },
	{ "inline int x = 1; int x; inline int x = 2; BEGIN", "D_DECL_IDRED 1:23, D_DECL_IDRED 1:37" },
	{ "struct s { int a; int a; }; struct s { int b; }; BEGIN", "D_UNKNOWN 1:23, D_DECL_TYPERED 1:36" },
	{ "struct s { struct s x; }; BEGIN", "D_DECL_INCOMPLETE 1:21" },
	{ "struct s { int a : 33; int b : -1; int : 0; }; BEGIN",
	  "D_DECL_BFSIZE 1:16, D_DECL_BFCONST 1:28" },
	{ "struct s { int; void v; int a; }; BEGIN", "D_DECL_MNAME 1:12, D_DECL_VOIDOBJ 1:22" },
	{ "int a[-1]; int b[1L << 50]; int c[1][x]; BEGIN",
	 "D_DECL_ARRSUB 1:7, D_DECL_ARRBIG 1:17, D_SYNTAX 1:38, D_DECL_DYNOBJ 1:37" },
	{ "int a[f(x)]; BEGIN", "D_DECL_ARRSUB 1:7" }, { "unsigned signed x; long long long y; char char z; BEGIN",
	  "D_DECL_COMBO 1:1, D_DECL_COMBO 1:20, D_DECL_COMBO 1:38" },
	{ "int string x; BEGIN", "D_DECL_COMBO 1:5" }, { "void v; int; BEGIN",
	  "D_DECL_VOIDOBJ 1:6, D_DECL_USELESS 1:9" },
	{ "struct s { int 5 }; BEGIN { = }\nint x\nEND { }\nBEGIN { = }",
	  "D_SYNTAX 1:16, D_SYNTAX 1:29, D_SYNTAX 3:1, D_SYNTAX 4:9" },
	{ "enum e { A, A, B = x, C = 1L << 40 }; BEGIN", "D_UNKNOWN 1:13, D_DECL_ENCONST 1:20, D_DECL_ENOFLOW 1:23" },
	{ "struct o { int a; }; translator struct o < int *p > { a = 1; a = 2; b = 3; }; translator int < int *p > { };"
	  "translator struct o < int *q > { }; BEGIN",
	  "D_XLATE_MEMB 1:69, D_XLATE_SOU 1:90, D_XLATE_REDECL 1:120" },
	{ "BEGIN { offsetof(int, x); } struct s { int a : 3, b; }; END { offsetof(struct s, a); offsetof(struct s, c); "
	  "offsetof(struct s, b.c) }",
	  "D_OFFSETOF_TYPE 1:23, D_OFFSETOF_BITFIELD 1:82, D_UNKNOWN 1:105, D_OFFSETOF_TYPE 1:130" },
	{ "BEGIN { self; this->3; }", "D_SYNTAX 1:13, D_SYNTAX 1:21" }, { "BEGIN { a + b = c; }", "D_SYNTAX 1:15" },
};

static void test_errors(void **state)
{
	unsigned bad = 0;

	(void)state;
	for (size_t i = 0; i < sizeof error_rows / sizeof *error_rows; i++) {
		struct fixture f;
		int r;

		open_default(&f);
		r = parse(&f, error_rows[i].text);
		for (size_t j = 0; j < f.diags.list.n; j++) {
			const struct diag *d = &f.diags.list.v[j];

			buf_printf(&f.out, "%s%s %u:%u", j ? ", " : "", diag_tag_name(d->tag), d->loc.line, d->loc.col);
		}
		if (strcmp(buf_str(&f.out), error_rows[i].errors) || r != (*error_rows[i].errors ? -1 : 0)) {
			print_error("%s\n\tsays   %s\n\twanted %s\n", error_rows[i].text, buf_str(&f.out),
				    error_rows[i].errors);
			bad++;
		}
		close_all(&f);
	}
	assert_int_equal(bad, 0);
}

static void test_unknown_types(void **state)
{
	struct fixture f;

	(void)state;
	open_default(&f);
	f.c.types.btf_path = "/nonexistent";
	assert_int_equal(parse(&f, "BEGIN { (struct no_such_s *)a; (no_such_t)a; }"), -1);
	assert_int_equal(f.diags.nerrors, 2);
	assert_int_equal(f.diags.list.v[0].tag, D_KTYPE);
	assert_non_null(strstr(f.diags.list.v[0].text, "struct no_such_s"));
	close_all(&f);
}

static void test_messages(void **state)
{
	static const struct { const char *text, *message; } rows[] = {
		{ "BEGIN { x = ; }", "syntax error near \";\", expected an expression" },
		{ "BEGIN { f(1; }", "syntax error near \";\", expected ')'" },
		{ "a /x { }", "syntax error near \"{\", expected '/' at the end of the predicate" },
		{ "BEGIN {", "syntax error near end of input, expected '}' or ';'" },
		{ "/x/ {}", "syntax error near \"/\", expected probe description" },
		{ "BEGIN { $20 }", "macro argument $20 is not defined" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct fixture f;

		open_default(&f);
		assert_int_equal(parse(&f, rows[i].text), -1);
		assert_string_equal(f.diags.list.v[0].text, rows[i].message);
		close_all(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operators), cmocka_unit_test(test_primaries),
		cmocka_unit_test(test_types_in_expressions),
		cmocka_unit_test(test_statements),
		cmocka_unit_test(test_macros), cmocka_unit_test(test_defaultargs), cmocka_unit_test(test_argdefaults),
		cmocka_unit_test(test_descriptions),
		cmocka_unit_test(test_several_texts), cmocka_unit_test(test_pragmas),
		cmocka_unit_test(test_declarations),
		cmocka_unit_test(test_translators), cmocka_unit_test(test_dump), cmocka_unit_test(test_places),
		cmocka_unit_test(test_errors), cmocka_unit_test(test_unknown_types), cmocka_unit_test(test_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
