/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reads the interpreted frames of a thread that runs CPython, from the memory of its process. The same source is
 * compiled for BPF and for this process. Nothing in that memory is trusted: it may be torn or hostile, so every loop is
 * bounded and every address may be invalid.
 *
 * Ownership: the caller owns the struct rt_py. Errors: what cannot be read ends the stack.
 */
#ifndef RT_PYTHON_H
#define RT_PYTHON_H

#include <stdbool.h>
#include <stdint.h>

enum {
	RT_PY_FRAMES = 128,		/* maximum number of frames */
	RT_PY_WORDS = 2 * RT_PY_FRAMES,	/* maximum number of words after a merge */
	RT_PY_READ = 80,		/* bytes of a frame that are used */
	RT_PY_WINDOW = 1024,		/* bytes that are read at once; a power of two */
	RT_PY_PAGE = 4096,
	RT_PY_NEAR = 512,		/* bytes between frames that follow each other in memory */
	RT_PY_STEPS = 1024,		/* maximum number of frames that a walk reads, hidden ones included */
	RT_PY_EACH = 4,			/* steps of a cheap loop that are made at once */
	RT_PY_THREADS = 4096,		/* maximum number of threads that a search, or a walk, visits */
	RT_PY_STATES = 8,		/* maximum number of interpreters in which a thread has frames */
};

/* What becomes of native frames that interpreted ones replace: they are omitted; stay, with the mark RT_PY_REPLACED;
 * stay as they are. */
enum rt_py_keep { RT_PY_OMIT, RT_PY_MARK, RT_PY_SHOW };
/* No address has this mark. */
#define RT_PY_REPLACED (0x40ull << 56)
#define RT_PY_MARKS (0xffull << 56)

/* Offsets in CPython's structures, in bytes. */
struct rt_py_layout {
	uint16_t runtime_interps;	/* _PyRuntime: the first interpreter */
	uint16_t interp_next, interp_threads;
	uint16_t thread_previous, thread_next, thread_tid;
	uint16_t thread_frame;		/* the current frame, or the current struct _PyCFrame */
	uint16_t cframe_frame, cframe_previous;
	uint16_t frame_code, frame_previous, frame_instr;
	uint16_t frame_entry;		/* a byte that says where a native call of the interpreter began */
	uint16_t code_file, code_name, code_lines, code_first, code_code;
	uint16_t string_length, string_state, string_ascii, string_wide;	/* wide: data of other strings */
	uint16_t bytes_size, bytes_data;
	/* Free-threaded: the number of the copy of the code that a frame runs, 32 bits; 0: there are no copies. A code
	 * object's list of copies: its length, then addresses. */
	uint16_t frame_copy, code_copies;
	uint8_t string_kind;		/* the lowest bit of a string's kind, in its state */
	uint8_t entry_least;		/* least value of frame_entry's byte at a beginning */
	bool cframes;			/* threads have a list of struct _PyCFrame, one for each native call */
	bool shims;			/* a beginning is a frame of its own, on the native stack */
};

/* A frame. */
struct rt_py_frame {
	uint64_t code;			/* address of its code object */
	uint64_t at;			/* address of its instruction; before a merge the caller replaces it by the
					   word that the stack shows, 0: nothing */
	uint64_t entry;			/* the native function that runs this frame has this address in its part of
					   the native stack; 0: unknown */
};

/* The current frame and memory below it, where its callers usually are. Not part of the state, whose size is limited in
 * BPF. The bytes at the end make any masked offset valid. */
struct rt_py_copy {
	uint8_t at[RT_PY_WINDOW + 128 + 8];
};

/* The state of a walk. The caller sets `layout`, `runtime`, `tid` and, except in BPF, `read` and `arg`. */
struct rt_py {
	struct rt_py_layout layout;
	uint64_t runtime;		/* address of _PyRuntime */
	uint64_t tid;			/* the thread's ID in its innermost PID name space */
	bool (*read)(void *arg, uint64_t addr, void *buf, uint64_t n);
	void *arg;
	uint64_t interp, thread;	/* thread: address of the thread's state; 0: none found */
	uint64_t several;		/* there are several interpreters: the thread may have a state in each */
	uint64_t visited, stepped;	/* by this search or walk: threads, frames */
	uint64_t cframe, next;
	uint64_t before;		/* number of frames of the states before this one */
	/* of the copy (struct rt_py_copy): */
	uint64_t window, filled;	/* address, bytes */
	uint64_t current;		/* the current frame is at this byte of the copy */
	uint64_t n;			/* number of frames found */
	bool more;			/* there are more than RT_PY_FRAMES */
	struct rt_py_frame frame[RT_PY_FRAMES];
	/* of a merge, here because BPF's verifier must not know the values: */
	uint64_t nout;			/* number of words stored */
	uint64_t native, at;		/* next frame of each kind */
	uint64_t replaced;		/* interpreted frames have replaced the native frame */
	uint64_t cut;			/* outer frames are omitted: interpreted ones were not read */
	uint64_t keep;			/* enum rt_py_keep, set by the caller */
};

/* A native stack, innermost frame first, and the result of putting interpreted frames into it. */
struct rt_py_merge {
	const uint64_t *pc, *sp;	/* program counter and stack pointer of each frame, in RT_PY_FRAMES words */
	uint64_t n;
	uint64_t end;			/* the last frame ends here */
	uint64_t *out;			/* RT_PY_WORDS words */
	struct rt_py *py;
};

/* Finds the thread's state, in the newest interpreter in which it has one. If `thread` is this
 * thread's and there is one interpreter, nothing is searched. Returns false if there is none. */
bool rt_py_thread(struct rt_py *p);
/* Reads the frames of `thread`, innermost first; then those that the thread has in older interpreters, which have
 * called the newer ones. *c is overwritten. */
void rt_py_walk(struct rt_py *p, struct rt_py_copy *c);
/* Replaces native frames by the interpreted frames that they run. Interpreted frames without a native frame are
 * omitted. If the walk found more frames than it stored, the stack ends after the last one that it stored; with
 * RT_PY_MARK, the rest is marked like replaced frames. In BPF, *m is on the stack. */
void rt_py_merge(struct rt_py_merge *m);

#endif
