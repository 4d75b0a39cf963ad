/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The code of processes as providers see it: files, functions, instructions. engine/programs implements it.
 *
 * Ownership: everything returned belongs to the implementation and is valid until it is closed.
 * Errors: functions return -errno with a sentence in reason[size]; there may be no implementation (probe_set.programs
 * is NULL): then no process can be looked at.
 */
#ifndef PROVIDERS_PROGRAM_H
#define PROVIDERS_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file whose code a process has mapped. */
struct program_module {
	const char *name;	/* last part of its path; "a.out": the program itself */
	const char *path;
	bool program;		/* the program that the process executes */
	int fd;			/* the open file, or -1 */
	uint64_t start, end;	/* the addresses of its code */
	uint64_t off;		/* what is mapped at `start`: the offset in the file */
	void *file;		/* for the implementation; differs between files */
};

/* A file that a process has mapped to execute it. */
struct program_region {
	int64_t pid;
	uint64_t start, end;	/* addresses; the mapping may have changed since */
	uint64_t ino;		/* inode number of the file */
};

/* A function of a file. Several symbols with the same address are one function with several names. */
struct program_function {
	const char *name;
	uint64_t off;		/* of its first instruction, in the file */
	uint64_t size;		/* bytes */
	bool alias;		/* another symbol is the better name of this function */
	bool part;		/* not a function, but a part that the compiler moved elsewhere ("f.cold") */
	bool resolver;		/* of an IFUNC: its result is the function with this name */
	bool go;		/* is called as Go's compiler does */
};

/* A probe that is compiled into a file (USDT). */
struct program_note {
	const char *provider, *name;
	const char *args;	/* where its arguments are, as the assembler writes operands (usdt/operand.h) */
	uint64_t off;		/* of its instruction, in the file */
	uint64_t address;	/* its link-time address */
	uint64_t semaphore;	/* offset of the 16-bit counter of tracers in the file; 0: it has none */
	uint8_t word;		/* bytes of an address in the file */
};

enum program_leaves {
	LEAVES_NOT,		/* the next instruction is in the function, or it calls another function */
	LEAVES_RETURN,		/* returns to the caller */
	LEAVES_TAIL,		/* jumps to another function, which returns to the caller (a tail call) */
	LEAVES_UNKNOWN,		/* jumps to an address that is not known */
};

/* An instruction. */
struct program_step {
	uint64_t off;		/* from the first instruction of the function */
	enum program_leaves leaves;
	bool probed;		/* false: the kernel cannot probe it */
	bool emulated;		/* the kernel emulates it; others it executes in a copy, which costs more */
	const char *why;	/* the reason, if it cannot */
};

/* A place where a statement of a source line begins. */
struct program_statement {
	const char *file;	/* path of the source */
	uint32_t line;
	const char *function;	/* that contains the statement; it may be inlined. "": unknown */
	uint64_t off;		/* of the instruction, in the file of the code */
	uint64_t at;		/* from the first instruction of the function whose code this is */
	/* The offset of the first instruction of its basic block, in the file: if a thread executes one statement of a
	 * block, it executes those that follow in the block, unless a signal interrupts it. */
	uint64_t block;
	uint64_t cheapest;	/* the instruction of the block at which a probe costs least, in the file */
	const char *why;	/* the kernel cannot probe it; NULL: it can */
	bool entry;		/* a call of the function, or an inlined copy, begins with it */
};

/* A variable of a process, or a member or an element of one. */
struct program_variable {
	const char *function;	/* in which it is static; "": none */
	uint64_t addr;		/* in the process */
	uint64_t size;		/* bytes */
	bool is_signed;
};

enum program_kind {
	PROGRAM_VOID,
	PROGRAM_INTEGER,	/* or an enumeration, a truth value, a character */
	PROGRAM_POINTER,
	PROGRAM_REAL,		/* a floating-point number of 4 or 8 bytes */
	PROGRAM_OTHER,		/* a structure and the like */
	PROGRAM_TEXT,		/* a string of Go: address, length */
	PROGRAM_SLICE,		/* a slice of Go: address of the first element, length, capacity */
};

/* The type of a parameter or a result. */
struct program_type {
	enum program_kind kind;
	uint8_t size;		/* bytes */
	bool is_signed;
	bool text;		/* a pointer to characters */
};

/* Where the first word of a parameter of Go is when the function begins. */
struct program_place {
	enum program_where {
		PROGRAM_NOWHERE,	/* not known, or in a floating-point register */
		PROGRAM_WORD,		/* word number `at` of those in registers */
		PROGRAM_STACK,		/* `at` bytes after the return address */
	} where;
	uint32_t at;
};

enum { PROGRAM_PARAMETERS = 16 };

struct program_signature {
	struct program_type result;
	struct program_type parameter[PROGRAM_PARAMETERS];
	unsigned n;
	/* of a function of Go: */
	struct program_place place[PROGRAM_PARAMETERS];
	struct program_type results[PROGRAM_PARAMETERS];	/* each is at `word` of those in registers */
	unsigned word[PROGRAM_PARAMETERS];
	unsigned nresults;
};

struct arena;
/* An open implementation. Never defined. */
struct programs;

/* May a function have another name in its language: C++, Rust, OCaml? */
static inline bool program_encoded(const char *name)
{
	return (name[0] == '_' && (name[1] == 'Z' || name[1] == 'R')) ||
	       (name[0] == 'c' && name[1] == 'a' && name[2] == 'm' && name[3] == 'l' && name[4] >= 'A' &&
		name[4] <= 'Z');
}

struct program_ops {
	/* Stores the files of a process in the order of their addresses, *n of them. -ESRCH: no such process. */
	int (*modules)(struct programs *g, int64_t pid, const struct program_module **out, size_t *n, char *reason,
		       size_t size);
	/* Stores the functions of a file, by address; names of one function are next to each other. */
	int (*functions)(struct programs *g, const struct program_module *m, const struct program_function **out,
			 size_t *n);
	/* The name in its language, without parameters' values: ns::f(int). The name itself if it is not mangled. Valid
	 * until the next call. */
	const char *(*plain)(struct programs *g, const char *name);
	/* The first instruction of a function. If it cannot be decoded here, it counts as one that can be probed and is
	 * not emulated; only `probed`, `emulated` and `why` are set. */
	struct program_step (*first)(struct programs *g, const struct program_module *m,
				     const struct program_function *f);
	/* Calls fn for each function that the resolver of an IFUNC can choose; their names may be unknown (""), and
	 * then their sizes are 0. */
	int (*choices)(struct programs *g, const struct program_module *m, const struct program_function *f,
		       void (*fn)(void *arg, const struct program_function *choice), void *arg, char *reason,
		       size_t size);
	/* Calls fn for each instruction of a function. -ENOEXEC: its code cannot be decoded as a whole. */
	int (*steps)(struct programs *g, const struct program_module *m, const struct program_function *f,
		     void (*fn)(void *arg, const struct program_step *step), void *arg, char *reason, size_t size);
	/* Stores the probes that are compiled into a file. */
	int (*notes)(struct programs *g, const struct program_module *m, const struct program_note **out, size_t *n);
	/* The function that contains an offset in the file; NULL: unknown. */
	const struct program_function *(*function_at)(struct programs *g, const struct program_module *m, uint64_t off);
	/* The link-time address of the symbol whose name is name[n]. Returns false if the file has none. */
	bool (*symbol)(struct programs *g, const struct program_module *m, const char *name, size_t n,
		       uint64_t *address);
	/* The types of a function's parameters and of its result, from debugging information. Returns false if they are
	 * not known. */
	bool (*signature)(struct programs *g, const struct program_module *m, const struct program_function *f,
			  struct program_signature *out);
	/* Calls fn with the ID of each process of this machine that may be traced. */
	void (*processes)(void (*fn)(void *arg, int64_t pid), void *arg);
	/* Calls fn for each file that a process has mapped to execute it. Returns 0 or -errno. */
	int (*regions)(int64_t pid, void (*fn)(void *arg, const struct program_region *r), void *arg);
	/* Another implementation of these functions, for a file that is examined once. Its memory is the arena's; close
	 * it before that is freed. */
	struct programs *(*open)(struct arena *a);
	void (*close)(struct programs *g);
	/* The file that a process has mapped at an address; NULL: none, or it cannot be read. */
	const struct program_module *(*at)(struct programs *g, int64_t pid, uint64_t addr);
	/* Finds a global or static variable: "config.limit", "table[3].n", "ns::var". function: in which it is static,
	 * or "". program: the module of the program, which may have a copy of a library's variable; or NULL. -ENOENT:
	 * the file does not have it; -ENODATA: it does not describe it (another file may); another error: it has, but
	 * without an address of its own. */
	int (*variable)(struct programs *g, const struct program_module *m, const struct program_module *program,
			const char *function, const char *name, struct program_variable *out, char *reason,
			size_t size);
	/* Calls `found` for each beginning of a statement in source files that are `wanted`. Each inlined copy is
	 * another one. blocks: find the basic blocks; else each statement is one. -ENODATA: the file has no debugging
	 * information. */
	int (*statements)(struct programs *g, const struct program_module *m, bool blocks,
			  bool (*wanted)(void *arg, const char *path),
			  void (*found)(void *arg, const struct program_statement *s), void *arg, char *reason,
			  size_t size);
};

#endif
