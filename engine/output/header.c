/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The header of dtr -h. A probe is an inline function, so that the compiler checks types; it contains one instruction
 * without effect and a note (https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation). A program increments
 * nothing: tracers increment the semaphore, which is in the section .probes.
 */
#include "engine/output/header.h"

#include <ctype.h>
#include <string.h>

#include "lang/types/types.h"

/*
 * The same in each header; several may be included. The instruction has one byte. Kernels from 6.18 on replace one of
 * five bytes by a call, which saves a trap but overwrites what a function keeps below the stack pointer (the red zone).
 */
static const char common[] =
	"#ifndef DTR_USDT_NOTE\n"
	"#if defined __GNUC__ && defined __ELF__ && defined __linux__\n"
	"#define DTR_USDT 1\n"
	"#else\n"
	"#define DTR_USDT 0\n"
	"#endif\n"
	"#if defined __LP64__ && __LP64__\n"
	"#define DTR_USDT_WORD \"8\"\n"
	"#else\n"
	"#define DTR_USDT_WORD \"4\"\n"
	"#endif\n"
	"#ifdef __CHAR_UNSIGNED__\n"
	"#define DTR_USDT_CHAR \"1\"\n"
	"#else\n"
	"#define DTR_USDT_CHAR \"-1\"\n"
	"#endif\n"
	"#if defined __x86_64__ || defined __i386__\n"
	"#define DTR_USDT_REAL \"mx\"\n"
	"#elif defined __aarch64__\n"
	"#define DTR_USDT_REAL \"mw\"\n"
	"#else\n"
	"#define DTR_USDT_REAL \"m\"\n"
	"#endif\n"
	"#define DTR_USDT_NOTE(provider, name, semaphore, args) \\\n"
	"\t\"990:\\tnop\\n\" \\\n"
	"\t\"\\t.pushsection .note.stapsdt,\\\"?\\\",\\\"note\\\"\\n\" \\\n"
	"\t\"\\t.balign 4\\n\" \\\n"
	"\t\"\\t.4byte 992f-991f, 994f-993f, 3\\n\" \\\n"
	"\t\"991:\\t.asciz \\\"stapsdt\\\"\\n\" \\\n"
	"\t\"992:\\t.balign 4\\n\" \\\n"
	"\t\"993:\\t.\" DTR_USDT_WORD \"byte 990b\\n\" \\\n"
	"\t\"\\t.\" DTR_USDT_WORD \"byte _.stapsdt.base\\n\" \\\n"
	"\t\"\\t.\" DTR_USDT_WORD \"byte \" #semaphore \"\\n\" \\\n"
	"\t\"\\t.asciz \\\"\" #provider \"\\\"\\n\" \\\n"
	"\t\"\\t.asciz \\\"\" #name \"\\\"\\n\" \\\n"
	"\t\"\\t.asciz \\\"\" args \"\\\"\\n\" \\\n"
	"\t\"994:\\t.balign 4\\n\" \\\n"
	"\t\"\\t.popsection\\n\" \\\n"
	"\t\"\\t.ifndef _.stapsdt.base\\n\" \\\n"
	"\t\"\\t.pushsection .stapsdt.base,\\\"aG\\\",\\\"progbits\\\",.stapsdt.base,comdat\\n\" \\\n"
	"\t\"\\t.weak _.stapsdt.base\\n\" \\\n"
	"\t\"\\t.hidden _.stapsdt.base\\n\" \\\n"
	"\t\"_.stapsdt.base:\\t.space 1\\n\" \\\n"
	"\t\"\\t.size _.stapsdt.base, 1\\n\" \\\n"
	"\t\"\\t.popsection\\n\" \\\n"
	"\t\"\\t.endif\\n\"\n"
	"#endif\n\n";

/* ---- names ---- */
static void put_upper(struct buf *out, const char *s)
{
	for (; *s; s++)
		buf_putc(out, (char)toupper((unsigned char)*s));
}

/* PROVIDER_PROBE_NAME of the probe provider:::probe-name. */
static void put_macro_name(struct buf *out, const struct declared_provider *d, const struct declared_probe *p)
{
	put_upper(out, d->name);
	buf_putc(out, '_');
	for (const char *s = p->name; *s; s++) {
		s += s[0] == '_' && s[1] == '_';
		buf_putc(out, (char)toupper((unsigned char)*s));
	}
}

static void put_function_name(struct buf *out, const struct declared_provider *d, const struct declared_probe *p)
{
	buf_printf(out, "dtr_usdt_%s_%s", d->name, p->name);
}

void header_semaphore(struct buf *out, const struct declared_provider *d, const struct declared_probe *p)
{
	buf_printf(out, "%s_%s_semaphore", d->name, p->name);
}

/* ---- types ---- */
/* Types of D that C has, too; others are written as the type that they stand for. */
static bool is_c_name(const char *name)
{
	static const char *const names[] = {
		"int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "size_t",
		"ssize_t", "intptr_t", "uintptr_t", "ptrdiff_t", "pid_t", "uid_t", "gid_t", "off_t", "mode_t", "time_t",
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

static const struct type *c_int(const struct type *t)
{
	while (t->kind == T_INT && t->ref && !is_c_name(t->name))
		t = t->ref;
	return t;
}

/* As large as an address, in programs of either word size. */
static bool is_word(const struct type *t)
{
	if (t->kind != T_INT)
		return t->kind == T_PTR || t->kind == T_STRING || t->kind == T_ARRAY || t->kind == T_FUNC;
	while (t->ref && strcmp(t->name, "int64_t") && strcmp(t->name, "uint64_t"))
		t = t->ref;
	return strstr(t->name, "long") && !strstr(t->name, "long long");
}

static const char *type_refusal(const struct type *t)
{
	switch (t->kind) {
	case T_INT: case T_ENUM: case T_STRING: case T_PTR: case T_ARRAY: case T_FUNC:
		return NULL;
	case T_STRUCT:
		if (t->floating && t->size <= 8)
			return NULL;
		return "a structure cannot be an argument, only its address";
	default:
		return "it cannot be the type of an argument in C";
	}
}

/* A pointer is one to data that the probe does not change. */
static void put_type(struct buf *out, const struct type *t)
{
	const struct type *to = t->kind == T_PTR || t->kind == T_ARRAY ? t->ref : NULL;

	if (t->kind == T_STRING || (to && to->kind == T_STRING)) {
		buf_puts(out, "const char *");
	} else if (to && to->kind != T_PTR && to->kind != T_ARRAY && to->kind != T_FUNC) {
		buf_puts(out, "const ");
		type_print(out, c_int(to));
		buf_puts(out, " *");
	} else if (to || t->kind == T_FUNC) {
		buf_puts(out, "const void *");
	} else {
		type_print(out, c_int(t));
		buf_putc(out, ' ');
	}
}

/* The size and sign, as the note has them: a C string. */
static void put_size(struct buf *out, const struct type *t)
{
	const char *sign = (t->kind == T_INT || t->kind == T_ENUM) && t->is_signed ? "-" : "";

	if (t->kind == T_INT && !strcmp(c_int(t)->name, "char"))
		buf_puts(out, "DTR_USDT_CHAR \"");
	else if (is_word(t))
		buf_printf(out, "%s%s%sDTR_USDT_WORD \"", *sign ? "\"" : "", sign, *sign ? "\" " : "");
	else
		buf_printf(out, "\"%s%u%s", sign, (unsigned)t->size, t->floating ? "f" : "");
}

/* ---- probes ---- */
static void put_arg_names(struct buf *out, const struct declared_probe *p)
{
	for (size_t i = 0; i < p->in.n; i++)
		buf_printf(out, "%sarg%zu", i ? ", " : "", i);
}

static bool has_pointer(const struct declared_probe *p)
{
	for (size_t i = 0; i < p->in.n; i++)
		if (p->in.v[i].type->kind != T_INT && p->in.v[i].type->kind != T_ENUM && !p->in.v[i].type->floating)
			return true;
	return false;
}

static void put_function(struct buf *out, const struct declared_provider *d, const struct declared_probe *p)
{
	size_t n = p->in.n;

	buf_puts(out, "static __inline__ __attribute__((always_inline, unused)) void ");
	put_function_name(out, d, p);
	buf_puts(out, n ? "(" : "(void");
	for (size_t i = 0; i < n; i++) {
		buf_puts(out, i ? ", " : "");
		put_type(out, p->in.v[i].type);
		buf_printf(out, "arg%zu", i);
	}
	buf_printf(out, ")\n{\n\t__asm__ __volatile__(DTR_USDT_NOTE(%s, %s, ", d->name, p->name);
	header_semaphore(out, d, p);
	buf_puts(out, ",");
	for (size_t i = 0; i < n; i++) {
		buf_puts(out, i ? " \" \" " : " ");
		put_size(out, p->in.v[i].type);
		buf_printf(out, "@%%[arg%zu]\"", i);
	}
	buf_puts(out, n ? ") : :" : " \"\") : :");
	for (size_t i = 0; i < n; i++)
		buf_printf(out, "%s [arg%zu] %s (arg%zu)", i ? "," : "", i,
			   p->in.v[i].type->floating ? "DTR_USDT_REAL" : "\"nor\"", i);
	/* what pointers point to must be in memory */
	buf_puts(out, has_pointer(p) ? " : \"memory\");\n}\n" : ");\n}\n");
}

static void put_semaphore(struct buf *out, const struct declared_provider *d, const struct declared_probe *p)
{
	buf_puts(out, "extern volatile unsigned short ");
	header_semaphore(out, d, p);
	buf_puts(out, ";\nvolatile unsigned short ");
	header_semaphore(out, d, p);
	buf_puts(out, " __attribute__((weak, used, visibility(\"hidden\"), section(\".probes\"))) = 0;\n");
}

static void put_macros(struct buf *out, const struct declared_provider *d, const struct declared_probe *p)
{
	buf_puts(out, "#define ");
	put_macro_name(out, d, p);
	buf_putc(out, '(');
	put_arg_names(out, p);
	buf_puts(out, ") ");
	put_function_name(out, d, p);
	buf_putc(out, '(');
	for (size_t i = 0; i < p->in.n; i++)
		buf_printf(out, "%s(arg%zu)", i ? ", " : "", i);
	buf_puts(out, ")\n#define ");
	put_macro_name(out, d, p);
	buf_puts(out, "_ENABLED() ((int)__builtin_expect(");
	header_semaphore(out, d, p);
	buf_puts(out, " != 0, 0))\n");
}

/* Elsewhere: the arguments are evaluated, nothing else happens. */
static void put_empty(struct buf *out, const struct declared_provider *d, const struct declared_probe *p)
{
	buf_puts(out, "#define ");
	put_macro_name(out, d, p);
	buf_putc(out, '(');
	put_arg_names(out, p);
	buf_puts(out, ") ((void)0");
	for (size_t i = 0; i < p->in.n; i++)
		buf_printf(out, ", (void)(arg%zu)", i);
	buf_puts(out, ")\n#define ");
	put_macro_name(out, d, p);
	buf_puts(out, "_ENABLED() 0\n");
}

/* Structures that only parameters mention would be local to the function. */
static void put_tags(struct buf *out, const struct declared_provider *d, const struct declared_probe *p)
{
	(void)d;
	for (size_t i = 0; i < p->in.n; i++) {
		const struct type *t = p->in.v[i].type;

		if (t->kind == T_PTR && (t->ref->kind == T_STRUCT || t->ref->kind == T_UNION) && !t->ref->floating &&
		    t->ref->name && strchr(t->ref->name, ' ')) {
			type_print(out, t->ref);
			buf_puts(out, ";\n");
		}
	}
}

/* Appends one part for each probe. */
static void put_each(struct buf *out, const struct declared_provider *d,
		     void (*put)(struct buf *out, const struct declared_provider *d, const struct declared_probe *p))
{
	for (size_t i = 0; i < d->probes.n; i++)
		put(out, d, &d->probes.v[i]);
}

static const struct declared_probe *find_refused(const struct script *s, const char **why)
{
	for (size_t i = 0; i < s->providers.n; i++)
		for (size_t k = 0; k < s->providers.v[i]->probes.n; k++) {
			const struct declared_probe *p = &s->providers.v[i]->probes.v[k];

			for (size_t n = 0; n < p->in.n; n++)
				if ((*why = type_refusal(p->in.v[n].type)))
					return p;
		}
	return NULL;
}

const struct declared_probe *header_write(struct buf *out, const struct script *s, const char *from, const char **why)
{
	const struct declared_probe *bad = find_refused(s, why);

	if (bad)
		return bad;
	buf_printf(out, "/* Made by dtr -h from %s. Do not edit. */\n", from);
	for (size_t i = 0; i < s->providers.n; i++) {
		const struct declared_provider *d = s->providers.v[i];

		buf_puts(out, "#ifndef DTR_USDT_");
		put_upper(out, d->name);
		buf_puts(out, "_H\n#define DTR_USDT_");
		put_upper(out, d->name);
		buf_puts(out, "_H\n\n#include <stddef.h>\n#include <stdint.h>\n#include <sys/types.h>\n\n");
		buf_puts(out, common);
		put_each(out, d, put_tags);
		buf_puts(out, "#if DTR_USDT\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
		put_each(out, d, put_semaphore);
		put_each(out, d, put_function);
		buf_puts(out, "#ifdef __cplusplus\n}\n#endif\n");
		put_each(out, d, put_macros);
		buf_puts(out, "#else\n");
		put_each(out, d, put_empty);
		buf_puts(out, "#endif\n\n#endif\n");
	}
	return NULL;
}
