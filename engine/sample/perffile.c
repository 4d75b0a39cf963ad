/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/sample/perffile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/sample/pipe.h"
#include "engine/sample/unpack.h"

enum {
	HEAD = PERF_RECORD_HEAD,
	USER_TYPES = 64, TYPE_ATTR = 64, TYPE_FEATURE = 80, TYPE_COMPRESSED = 81,
	TYPE_COMPRESSED2 = 83,
	BRANCH_COUNTERS = 1 << 19, MISC_BUILD_ID_SIZE = 1 << 15, MISC_MMAP_BUILD_ID = 1 << 14,
};

static bool file_bad(struct perf_file *f, uint64_t at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static bool file_bad(struct perf_file *f, uint64_t at, const char *fmt, ...)
{
	va_list ap;

	if (*f->reason)
		return false;
	va_start(ap, fmt);
	vsnprintf(f->reason, sizeof f->reason, fmt, ap);
	va_end(ap);
	f->bad_at = at;
	return false;
}

static uint64_t u64_at(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return v;
}

static uint32_t u32_at(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof v);
	return v;
}

static uint64_t record_size(const struct perf_file *f, uint64_t off)
{
	return f->bytes[off + 6] | (uint64_t)f->bytes[off + 7] << 8;
}

static bool part_fits(const struct perf_file *f, struct perf_part p)
{
	return p.off <= f->size && p.size <= f->size - p.off;
}

static struct perf_part part_at(const struct perf_file *f, uint64_t off)
{
	return (struct perf_part){ u64_at(f->bytes + off), u64_at(f->bytes + off + 8) };
}

/* ---- the header ---- */
static bool file_read(struct perf_file *f, int fd)
{
	struct stat st;
	uint64_t size;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return file_bad(f, 0, "not a file");
	size = record_perf_size(fd, (uint64_t)st.st_size);
	f->bytes = malloc((size_t)size + 1);
	if (!f->bytes)
		return file_bad(f, 0, "no memory for the file");
	while (f->size < size) {
		ssize_t n = pread(fd, f->bytes + f->size, (size_t)(size - f->size), (off_t)f->size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		f->size += (uint64_t)n;
	}
	f->all = f->taken = f->size;
	return true;
}

static uint64_t time_of(const struct perf_event_attr *a)
{
	return a->freq ? a->sample_freq ? 1000000000 / a->sample_freq : 0 : a->sample_period;
}

static bool is_clock(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE &&
	       (a->config == PERF_COUNT_SW_CPU_CLOCK || a->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* True if this event takes samples by time, as with -F. */
static bool attr_samples(const struct perf_event_attr *a)
{
	return a->sample_period && !(a->type == PERF_TYPE_SOFTWARE && a->config == PERF_COUNT_SW_DUMMY);
}

/* How well the event's samples represent time: 0 not at all (faults, switches), 3 best. */
static int attr_rank(const struct perf_event_attr *a)
{
	if (is_clock(a))
		return 3;
	if (a->type == PERF_TYPE_SOFTWARE || a->type == PERF_TYPE_TRACEPOINT || a->type == PERF_TYPE_BREAKPOINT)
		return 0;
	return a->type == PERF_TYPE_HARDWARE && a->config == PERF_COUNT_HW_CPU_CYCLES ? 2 : 1;
}

static bool attr_take(struct perf_file *f)
{
	static const struct { uint64_t bit; const char *what; } needed[] = {
		{ PERF_SAMPLE_IP, "program counter" }, { PERF_SAMPLE_TID, "thread" },
		{ PERF_SAMPLE_TIME, "time (perf record -T)" },
	};
	const struct perf_event_attr *a = &f->attr;

	if (!attr_rank(a))
		return file_bad(f, f->attr_at,
				"its samples were taken by events, not by time (perf record -F 997 -e cpu-clock)");
	if (!a->freq && !is_clock(a))
		return file_bad(f, f->attr_at, "its samples were taken by a count of events (-c), not by time (-F)");
	for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
		if (!(a->sample_type & needed[i].bit))
			return file_bad(f, f->attr_at, "its samples have no %s", needed[i].what);
	f->interval = time_of(a);
	if (!f->interval || f->interval > INT64_MAX)
		return file_bad(f, f->attr_at, "its sampling rate is invalid");
	if (!part_fits(f, f->ids) || f->ids.size % 8)
		return file_bad(f, f->attr_at, "the event's IDs are outside the file");
	if (f->events > 1 && !(a->sample_type & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER)))
		return file_bad(f, f->attr_at, "the samples of several events cannot be distinguished");
	return true;
}

/* Considers an event, of which n bytes are known; keeps the best one. */
static void attr_offer(struct perf_file *f, uint64_t at, uint64_t n, struct perf_part ids)
{
	struct perf_event_attr a = { 0 };

	memcpy(&a, f->bytes + at, n < sizeof a ? (size_t)n : sizeof a);
	f->listed++;
	if (!attr_samples(&a))
		return;
	if (!f->events++ || attr_rank(&a) > attr_rank(&f->attr)) {
		f->attr = a;
		f->attr_at = at;
		f->attr_number = f->listed;
		f->ids = ids;
	}
}

static bool attrs_read(struct perf_file *f, uint64_t each, struct perf_part list)
{
	if (!part_fits(f, list) || each < PERF_ATTR_SIZE_VER0 + PERF_PART || each > 4096 || list.size / each > 1024)
		return file_bad(f, 24, "the list of events is outside the file");
	for (uint64_t off = list.off; off - list.off + each <= list.size; off += each)
		attr_offer(f, off, each - PERF_PART, part_at(f, off + each - PERF_PART));
	return f->events ? attr_take(f) : file_bad(f, list.off, "none of its events is sampled");
}

/* Features follow the records, in the order of their bits. */
static void features_read(struct perf_file *f)
{
	uint64_t off = f->end;

	for (unsigned i = 0; i < PERF_FILE_FEATURES; i++) {
		if (!(f->bytes[PERF_FEATURES_AT + i / 8] >> i % 8 & 1))
			continue;
		if (off > f->size || f->size - off < PERF_PART)
			return;
		f->feature[i] = part_at(f, off);
		if (!part_fits(f, f->feature[i]))
			f->feature[i] = (struct perf_part){ 0 };
		off += PERF_PART;
	}
}

/* In the pipe format, headers are records among the others. */
static bool pipe_read(struct perf_file *f)
{
	uint64_t size, off;
	const uint8_t *p;

	f->data = PERF_PIPE_HEAD;
	f->end = f->size;
	for (off = f->data; f->size - off >= HEAD; off += size) {
		uint32_t type, n;

		p = f->bytes + off;
		type = u32_at(p);
		size = record_size(f, off);
		if (size < HEAD || size > f->size - off)
			break;
		n = size >= HEAD + PERF_ATTR_SIZE_VER0 ? u32_at(p + HEAD + 4) : 0;
		if (type == TYPE_ATTR && n >= PERF_ATTR_SIZE_VER0 && n <= size - HEAD)
			attr_offer(f, off + HEAD, n, (struct perf_part){ off + HEAD + n, size - HEAD - n });
		if (type == TYPE_FEATURE && size >= 2 * HEAD && u64_at(p + HEAD) < PERF_FILE_FEATURES)
			f->feature[u64_at(p + HEAD)] = (struct perf_part){ off + 2 * HEAD, size - 2 * HEAD };
	}
	return f->events ? attr_take(f) : file_bad(f, PERF_PIPE_HEAD, "none of its events is sampled");
}

static bool head_read(struct perf_file *f)
{
	struct perf_part data;

	if (f->size >= PERF_PIPE_HEAD && !memcmp(f->bytes, "PERFILE2", 8) && u64_at(f->bytes + 8) == PERF_PIPE_HEAD)
		return pipe_read(f);
	if (f->size < PERF_HEAD || memcmp(f->bytes, "PERFILE2", 8)) {
		if (f->size >= 8 && !memcmp(f->bytes, "2ELIFREP", 8))
			return file_bad(f, 0, "written on a machine with a different byte order");
		return file_bad(f, 0, "not a file of perf record");
	}
	if (u64_at(f->bytes + 8) < PERF_HEAD)
		return file_bad(f, 8, "the header is too short");
	data = part_at(f, PERF_DATA_AT);
	if (data.off > f->size)
		return file_bad(f, 40, "the records are outside the file");
	f->data = data.off;
	f->end = data.size > f->size - data.off ? f->size : data.off + data.size;
	if (!attrs_read(f, u64_at(f->bytes + 16), part_at(f, PERF_ATTRS_AT)))
		return false;
	if (!data.size)
		f->end = f->size;		/* perf was interrupted: records extend to the end of the file */
	else
		features_read(f);
	if (data.size > f->size - data.off)
		file_bad(f, f->size, "the file is truncated");
	return true;
}

/* ---- records ---- */

/* The size of the trailer of every record except samples, and the distance of the time from its end. */
static unsigned trailer_time(const struct perf_file *f, unsigned *size)
{
	static const uint64_t trailing[] = { PERF_SAMPLE_ID, PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,
		PERF_SAMPLE_IDENTIFIER };
	unsigned n = 8;

	for (size_t i = 0; i < sizeof trailing / sizeof trailing[0]; i++)
		n += f->attr.sample_type & trailing[i] ? 8 : 0;
	*size = f->attr.sample_id_all ? n + (f->attr.sample_type & PERF_SAMPLE_TID ? 8 : 0) : 0;
	return n;
}

/* Reads the words of a sample in the order of the format. */
struct perffile_words {
	const uint8_t *p, *end;
	bool bad;
};

static uint64_t take_word(struct perffile_words *w)
{
	uint64_t v;

	if (w->end - w->p < 8) {
		w->bad = true;
		return 0;
	}
	v = u64_at(w->p);
	w->p += 8;
	return v;
}

static void words_skip(struct perffile_words *w, uint64_t n)
{
	if (n > (uint64_t)(w->end - w->p) / 8)
		w->bad = true;
	else
		w->p += 8 * n;
}

/* Skips the counts of an event or of a group. */
static void counts_skip(struct perffile_words *w, uint64_t format)
{
	uint64_t each = 1 + !!(format & PERF_FORMAT_ID) + !!(format & 16 /* PERF_FORMAT_LOST */);
	uint64_t n = format & PERF_FORMAT_GROUP ? take_word(w) : 1;

	words_skip(w, !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING));
	if (n > UINT32_MAX)
		w->bad = true;
	else
		words_skip(w, n * each);
}

static bool is_ours(const struct perf_file *f, uint64_t id)
{
	for (uint64_t off = 0; off < f->ids.size; off += 8)
		if (u64_at(f->bytes + f->ids.off + off) == id)
			return true;
	return false;
}

static void branches_skip(const struct perf_file *f, struct perffile_words *w)
{
	uint64_t n = take_word(w), words = f->attr.branch_sample_type & BRANCH_COUNTERS ? 4 : 3;

	if (f->attr.branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		take_word(w);
	words_skip(w, n > UINT32_MAX ? n : n * words);
}

/* Reads the data for unwinding, which follow the call chain. */
static void start_read(const struct perf_file *f, struct perffile_words w, struct perf_record *r)
{
	uint64_t type = f->attr.sample_type, abi, size;
	struct perf_start s = { .mask = f->attr.sample_regs_user };

	if (!(type & PERF_SAMPLE_REGS_USER) || !(type & PERF_SAMPLE_STACK_USER))
		return;
	if (type & PERF_SAMPLE_RAW)
		words_skip(&w, w.end - w.p < 8 ? UINT64_MAX : ((uint64_t)u32_at(w.p) + 4 + 7) / 8);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		branches_skip(f, &w);
	abi = take_word(&w);
	s.regs = w.p;
	words_skip(&w, abi ? (uint64_t)__builtin_popcountll(s.mask) : 0);
	size = take_word(&w);
	s.stack = w.p;
	words_skip(&w, size / 8);
	s.size = size ? take_word(&w) : 0;
	if (w.bad || !abi || s.size > size)
		return;
	s.bits = abi == PERF_SAMPLE_REGS_ABI_32 ? 32 : 64;
	r->start = s;
}

static bool sample_read(const struct perf_file *f, struct perffile_words w, struct perf_record *r)
{
	uint64_t type = f->attr.sample_type, id = 0, tid;

	if (type & PERF_SAMPLE_IDENTIFIER)
		id = take_word(&w);
	r->ip = take_word(&w);
	tid = take_word(&w);
	r->pid = (uint32_t)tid;
	r->tid = (uint32_t)(tid >> 32);
	r->time = take_word(&w);
	if (type & PERF_SAMPLE_ADDR)
		take_word(&w);
	if (type & PERF_SAMPLE_ID)
		id = take_word(&w);
	if (type & PERF_SAMPLE_STREAM_ID)
		take_word(&w);
	if (type & PERF_SAMPLE_CPU)
		r->cpu = (uint32_t)take_word(&w);
	if (type & PERF_SAMPLE_PERIOD)
		take_word(&w);
	if (type & PERF_SAMPLE_READ)
		counts_skip(&w, f->attr.read_format);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		r->nchain = take_word(&w);
		r->chain = w.p;
		words_skip(&w, r->nchain);
	}
	if (!w.bad)
		start_read(f, w, r);
	return !w.bad && (f->events < 2 || is_ours(f, id));
}

static const char *name_in(const uint8_t *p, const uint8_t *end)
{
	return p < end && memchr(p, '\0', (size_t)(end - p)) ? (const char *)p : NULL;
}

static bool mmap2_read(const uint8_t *p, const uint8_t *end, struct perf_record *r)
{
	if (end - p < 64)
		return false;
	if (r->misc & MISC_MMAP_BUILD_ID) {
		r->idlen = p[32] < PERF_FILE_BUILD_ID ? p[32] : PERF_FILE_BUILD_ID;
		r->id = p + 36;
	} else {
		r->major = u32_at(p + 32);
		r->minor = u32_at(p + 36);
		r->ino = u64_at(p + 40);
		r->generation = u64_at(p + 48);
	}
	r->prot = u32_at(p + 56);
	r->flags = u32_at(p + 60);
	r->name = name_in(p + 64, end);
	return r->name;
}

/* Reads the payload of a record, between its header and its trailer. */
static bool body_read(const uint8_t *p, const uint8_t *end, struct perf_record *r)
{
	if (r->type == PERF_RECORD_LOST_SAMPLES && end - p >= 8) {
		r->lost = u64_at(p);
		return true;
	}
	if (end - p < 8)
		return false;
	r->pid = u32_at(p);
	r->tid = u32_at(p + 4);
	switch (r->type) {
	case PERF_RECORD_COMM:
		r->name = name_in(p + 8, end);
		return r->name;
	case PERF_RECORD_FORK: case PERF_RECORD_EXIT:
		if (end - p < 16)
			return false;
		r->ppid = u32_at(p + 4);
		r->tid = u32_at(p + 8);
		r->ptid = u32_at(p + 12);
		return true;
	case PERF_RECORD_LOST:
		if (end - p < 16)
			return false;
		r->lost = u64_at(p + 8);
		return true;
	case PERF_RECORD_MMAP: case PERF_RECORD_MMAP2:
		if (end - p < 32)
			return false;
		r->addr = u64_at(p + 8);
		r->len = u64_at(p + 16);
		r->off = u64_at(p + 24);
		if (r->type == PERF_RECORD_MMAP2)
			return mmap2_read(p, end, r);
		r->prot = r->misc & PERF_RECORD_MISC_MMAP_DATA ? 0 : 4;
		r->name = name_in(p + 32, end);
		return r->name;
	}
	return false;
}

bool perf_file_record(const struct perf_file *f, size_t i, struct perf_record *r)
{
	const uint8_t *p = f->bytes + f->at[i].off, *end = p + (p[6] | p[7] << 8);
	unsigned trailer;

	memset(r, 0, sizeof *r);
	r->type = u32_at(p);
	r->misc = p[4] | (unsigned)p[5] << 8;
	if (r->type == PERF_RECORD_SAMPLE)
		return sample_read(f, (struct perffile_words){ p + HEAD, end, false }, r);
	trailer_time(f, &trailer);
	r->time = f->at[i].time;
	if (end - p < HEAD + (ptrdiff_t)trailer)
		return false;
	if (f->attr.sample_id_all && f->attr.sample_type & PERF_SAMPLE_CPU)
		r->cpu = u32_at(end - 8 - (f->attr.sample_type & PERF_SAMPLE_IDENTIFIER ? 8 : 0));
	return body_read(p + HEAD, end - trailer, r);
}

/* The time of a record. Returns false if the record is not needed. */
static bool record_time(const struct perf_file *f, uint64_t off, uint32_t type, unsigned size, uint64_t *time)
{
	unsigned trailer, back = trailer_time(f, &trailer), at = HEAD + 16;

	*time = 0;
	if (type >= USER_TYPES)
		return false;
	if (type == PERF_RECORD_SAMPLE) {
		at += f->attr.sample_type & PERF_SAMPLE_IDENTIFIER ? 8 : 0;
		if (size < at + 8)
			return false;
		*time = u64_at(f->bytes + off + at);
	} else if (trailer && size >= HEAD + trailer) {
		*time = u64_at(f->bytes + off + size - back);
	}
	return true;
}

static int at_compare(const void *x, const void *y)
{
	const struct perf_at *a = x, *b = y;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->off < b->off ? -1 : a->off > b->off;
}

static bool at_add(struct perf_file *f, size_t *cap, uint64_t time, uint64_t off)
{
	if (time > INT64_MAX)
		return file_bad(f, off, "a record's time is invalid");
	if (f->n == *cap) {
		size_t more = *cap ? 2 * *cap : 1024;
		struct perf_at *v = reallocarray(f->at, more, sizeof *v);

		if (!v)
			return file_bad(f, off, "no memory for the list of its records");
		f->at = v;
		*cap = more;
	}
	f->at[f->n++] = (struct perf_at){ time, off };
	return true;
}

/* The offset of the next record, relative to this one; 0: the file is malformed. */
static uint64_t record_step(struct perf_file *f, uint64_t off, uint64_t end)
{
	uint64_t size = record_size(f, off), more = 0;
	uint32_t type = u32_at(f->bytes + off);

	if (size < HEAD || size > end - off) {
		file_bad(f, off, size < HEAD ? "a record's length is invalid" : "a record is truncated");
		return 0;
	}
	if (type == PERF_TYPE_AUXTRACE && size >= 16)
		more = u64_at(f->bytes + off + 8);
	if (type == PERF_TYPE_TRACING && size >= 12)
		more = ((uint64_t)u32_at(f->bytes + off + 8) + 7) & ~7ull;
	if (more > end - off - size) {
		file_bad(f, off, "a record is truncated");
		return 0;
	}
	return size + more;
}

/* Indexes the complete records from `off` up to `end`. Returns where they end. */
static uint64_t index_part(struct perf_file *f, size_t *cap, uint64_t off, uint64_t end)
{
	uint64_t time, step;

	for (; end - off >= HEAD; off += step) {
		uint32_t type = u32_at(f->bytes + off);
		uint64_t size = record_size(f, off);

		if (size >= HEAD && size > end - off)
			break;
		step = record_step(f, off, end);
		if (!step || (record_time(f, off, type, (unsigned)size, &time) && !at_add(f, cap, time, off)))
			break;
	}
	return off;
}

/* Appends unpacked records to the file's bytes. */
static bool packed_append(struct perf_file *f, uint64_t at, const struct buf *b)
{
	uint8_t *bytes = realloc(f->bytes, (size_t)f->all + b->len + 1);

	if (!bytes)
		return file_bad(f, at, "no memory for the compressed records");
	f->bytes = bytes;
	memcpy(bytes + f->all, b->data, b->len);
	f->all += b->len;
	return true;
}

/* Unpacks one part of the data that perf record -z compressed. Its last record may continue in the next part. */
static bool packed_take(struct perf_file *f, size_t *cap, uint64_t off, unsigned head)
{
	uint64_t n = record_size(f, off), most = (64ull << 20) + 256 * f->size;
	bool before = *f->reason, good;
	struct buf b = { 0 };
	int r;

	if (!f->unpack && !(f->unpack = unpack_open()))
		return file_bad(f, off, "the records are compressed (perf record -z): "
				"libzstd.so.1, which is needed to read them, is not installed");
	n = n < head ? 0 : head == 16 && u64_at(f->bytes + off + 8) < n - head ? u64_at(f->bytes + off + 8) : n - head;
	r = unpack_put(f->unpack, f->bytes + off + head, (size_t)n, &b, (size_t)(most - (f->all - f->size)));
	if (r < 0)
		file_bad(f, off, r == -ENOMEM ? "no memory for the compressed records" :
			 r == -EFBIG ? "the compressed records are too large" : "the compressed records are damaged");
	else if (b.len && packed_append(f, off, &b))
		f->taken = index_part(f, cap, f->taken, f->all);
	buf_free(&b);
	good = r >= 0 && (before || !*f->reason);
	if (!good && !before)
		f->bad_at = off;
	return good;
}

static void index_make(struct perf_file *f)
{
	uint64_t off = f->data, step;
	size_t cap = 0;

	for (; off < f->end; off += step) {
		uint64_t time, size;
		uint32_t type;

		if (f->end - off < HEAD) {
			file_bad(f, off, "a record is truncated");
			break;
		}
		type = u32_at(f->bytes + off);
		size = record_size(f, off);
		step = record_step(f, off, f->end);
		if (!step)
			break;
		if (type == TYPE_COMPRESSED || type == TYPE_COMPRESSED2) {
			if (!packed_take(f, &cap, off, type == TYPE_COMPRESSED2 ? 16 : 8))
				break;
		} else if (record_time(f, off, type, (unsigned)size, &time) && !at_add(f, &cap, time, off)) {
			break;
		}
	}
	if (f->taken < f->all)
		file_bad(f, f->end, "the last compressed record is truncated");
	if (f->n)
		qsort(f->at, f->n, sizeof *f->at, at_compare);
}

bool perf_file_open(struct perf_file *f, int fd)
{
	*f = (struct perf_file){ 0 };
	if (!file_read(f, fd) || !head_read(f))
		return false;
	index_make(f);
	return true;
}

void perf_file_close(struct perf_file *f)
{
	unpack_close(f->unpack);
	f->unpack = NULL;
	free(f->bytes);
	free(f->at);
	f->bytes = NULL;
	f->at = NULL;
	f->n = 0;
}

/* ---- features ---- */
const uint8_t *perf_file_feature(const struct perf_file *f, enum perf_feature feature, uint64_t off, uint64_t n)
{
	struct perf_part p = f->feature[feature];

	return off <= p.size && n <= p.size - off ? f->bytes + p.off + off : NULL;
}

const char *perf_file_text(const struct perf_file *f, enum perf_feature feature)
{
	const uint8_t *p = perf_file_feature(f, feature, 0, 4);
	const uint8_t *text = p ? perf_file_feature(f, feature, 4, u32_at(p)) : NULL;

	return text ? name_in(text, text + u32_at(p)) : NULL;
}

bool perf_file_build_id(const struct perf_file *f, uint64_t *off, const char **name, const uint8_t **id,
			unsigned *idlen)
{
	const uint8_t *p = perf_file_feature(f, PERF_FEATURE_BUILD_ID, *off, HEAD + 28);
	unsigned misc, size;

	if (!p)
		return false;
	misc = p[4] | (unsigned)p[5] << 8;
	size = p[6] | (unsigned)p[7] << 8;
	if (size <= HEAD + 28 || !perf_file_feature(f, PERF_FEATURE_BUILD_ID, *off, size))
		return false;
	*off += size;
	*id = p + HEAD + 4;
	*idlen = misc & MISC_BUILD_ID_SIZE && (*id)[PERF_FILE_BUILD_ID] < PERF_FILE_BUILD_ID ?
		(*id)[PERF_FILE_BUILD_ID] :
		 PERF_FILE_BUILD_ID;
	*name = name_in(p + HEAD + 28, p + size);
	return *name;
}
