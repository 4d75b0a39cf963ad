/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/why/print.h"

#include <inttypes.h>
#include <string.h>

#include "base/json.h"

/* Shown: threads, waits, and states that are at least so much of a thread's time (1/1000). */
enum { MOST_THREADS = 20, MOST_WAITS = 20, LEAST_SHARE = 1 };

static double share(int64_t ns, int64_t whole) { return whole ? 100.0 * (double)ns / (double)whole : 0; }
static double seconds(int64_t ns) { return (double)ns / 1e9; }

/* Columns that would show 0.0 for all threads are left out. */
static void choose_columns(const struct why_table *t, bool shown[WHY_CLASSES])
{
	for (size_t i = 0; i < t->counted && i < MOST_THREADS; i++)
		for (unsigned c = 0; c < WHY_CLASSES; c++)
			shown[c] |= share(t->threads.v[i]->of_class[c], t->threads.v[i]->whole) >= 0.05;
}

static void put_thread_name(struct buf *out, const struct why_table *t, why_id id)
{
	const char *name = why_name(t, id);

	buf_printf(out, "%s %" PRIu32, name ? name : "thread", (uint32_t)id);
}

static void put_row(struct buf *out, const struct why_thread *thread, const bool shown[WHY_CLASSES])
{
	buf_printf(out, "%7" PRIu32 " %7" PRIu32 " %-15.15s %10.3f", (uint32_t)(thread->id >> 32),
		   (uint32_t)thread->id, thread->name ? thread->name : "", seconds(thread->whole));
	for (unsigned c = 0; c < WHY_CLASSES; c++)
		if (shown[c])
			buf_printf(out, " %*.1f%%", (int)strlen(why_class_title(c)) < 6 ? 5 :
				   (int)strlen(why_class_title(c)) - 1, share(thread->of_class[c], thread->whole));
	buf_putc(out, '\n');
}

static void put_table(struct buf *out, const struct why_table *t)
{
	bool shown[WHY_CLASSES] = { false };

	choose_columns(t, shown);
	buf_puts(out, "    PID     TID NAME               SECONDS");
	for (unsigned c = 0; c < WHY_CLASSES; c++)
		if (shown[c])
			buf_printf(out, " %*s", (int)strlen(why_class_title(c)) < 6 ? 6 :
				   (int)strlen(why_class_title(c)), why_class_title(c));
	buf_putc(out, '\n');
	for (size_t i = 0; i < t->counted && i < MOST_THREADS; i++)
		put_row(out, t->threads.v[i], shown);
	if (t->counted > MOST_THREADS)
		buf_printf(out, "... and %zu more threads (-O json shows all)\n", t->counted - MOST_THREADS);
}

static void put_state(struct buf *out, const struct why_state *s)
{
	why_state_text(out, s);
	if (s->certainty != WHY_EXACT)
		buf_printf(out, " (%s)", why_certainty_name(s->certainty));
}

/* The states of each thread that are more than a column says: in which call. */
static void put_states(struct buf *out, const struct why_table *t)
{
	for (size_t i = 0; i < t->counted && i < MOST_THREADS; i++) {
		const struct why_thread *thread = t->threads.v[i];
		bool any = false;

		for (size_t k = 0; k < thread->times.n; k++) {
			const struct why_time *time = &thread->times.v[k];

			if (time->state.call < 0 || share(time->ns, thread->whole) < LEAST_SHARE)
				continue;
			if (!any) {
				buf_putc(out, '\n');
				put_thread_name(out, t, thread->id);
				buf_putc(out, '\n');
			}
			any = true;
			buf_printf(out, "  %5.1f%%  ", share(time->ns, thread->whole));
			put_state(out, &time->state);
			buf_putc(out, '\n');
		}
	}
}

static void put_waker(struct buf *out, const struct why_table *t, const struct why_wait *w)
{
	buf_puts(out, w->state.class == WHY_LOCK ? "released by " : "woken by ");
	if (w->by <= UINT32_MAX) {
		why_interrupt_text(out, w->by);
		return;
	}
	put_thread_name(out, t, w->by);
	if (w->by_waited) {
		buf_puts(out, ", which had waited: ");
		put_state(out, &w->by_last);
	}
}

static void put_waits(struct buf *out, const struct why_table *t)
{
	if (t->waits.n)
		buf_puts(out, "\n   SECONDS    TIMES WAIT\n");
	for (size_t i = 0; i < t->waits.n && i < MOST_WAITS; i++) {
		const struct why_wait *w = &t->waits.v[i];

		buf_printf(out, "%10.3f %8" PRId64 " ", seconds(w->ns), w->times);
		put_thread_name(out, t, w->thread->id);
		buf_puts(out, ": ");
		put_state(out, &w->state);
		if (w->object)
			buf_printf(out, ", 0x%" PRIx64, w->object);
		buf_puts(out, ": ");
		put_waker(out, t, w);
		buf_putc(out, '\n');
	}
	if (t->waits.n > MOST_WAITS)
		buf_printf(out, "... and %zu more (-O json shows all)\n", t->waits.n - MOST_WAITS);
}

void why_print(struct buf *out, const struct why_table *t)
{
	buf_printf(out, "%.3f s\n\n", seconds(t->elapsed));
	put_table(out, t);
	put_states(out, t);
	put_waits(out, t);
}

static void json_thread_id(struct buf *out, const struct why_table *t, why_id id)
{
	const char *name = why_name(t, id);

	json_member_uint(out, "pid", id >> 32);
	json_member_uint(out, "tid", (uint32_t)id);
	if (name)
		json_member_text(out, "name", name);
}

static void json_state(struct buf *out, const struct why_state *s)
{
	const char *call = why_call_name(s->call);

	json_member_text(out, "state", why_class_name(s->class));
	json_member_text(out, "certainty", why_certainty_name(s->certainty));
	if (call)
		json_member_text(out, "call", call);
}

static void json_thread(struct buf *out, const struct why_table *t, const struct why_thread *thread)
{
	json_line_open(out, "thread");
	json_thread_id(out, t, thread->id);
	json_member_uint(out, "ns", (uint64_t)thread->whole);
	json_name(out, "states");
	json_open(out, '[');
	for (size_t i = 0; i < thread->times.n; i++) {
		json_open(out, '{');
		json_state(out, &thread->times.v[i].state);
		json_member_uint(out, "ns", (uint64_t)thread->times.v[i].ns);
		json_close(out, '}');
	}
	json_close(out, ']');
	json_line_close(out);
}

static void json_wait(struct buf *out, const struct why_table *t, const struct why_wait *w)
{
	struct buf text = { 0 };

	json_line_open(out, "wait");
	json_thread_id(out, t, w->thread->id);
	json_state(out, &w->state);
	json_name(out, "object");
	json_hex(out, w->object);
	json_member_uint(out, "ns", (uint64_t)w->ns);
	json_member_uint(out, "times", (uint64_t)w->times);
	json_name(out, "waker");
	json_open(out, '{');
	if (w->by <= UINT32_MAX) {
		why_interrupt_text(&text, w->by);
		json_member_text(out, "interrupt", buf_str(&text));
	} else {
		json_thread_id(out, t, w->by);
	}
	json_close(out, '}');
	if (w->by_waited) {
		json_name(out, "waker_waited");
		json_open(out, '{');
		json_state(out, &w->by_last);
		json_close(out, '}');
	}
	json_line_close(out);
	buf_free(&text);
}

void why_print_json(struct buf *out, const struct why_table *t)
{
	json_line_open(out, "why");
	json_member_uint(out, "ns", (uint64_t)t->elapsed);
	json_line_close(out);
	for (size_t i = 0; i < t->counted; i++)
		json_thread(out, t, t->threads.v[i]);
	for (size_t i = 0; i < t->waits.n; i++)
		json_wait(out, t, &t->waits.v[i]);
}
