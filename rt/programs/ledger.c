/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The ledger's programs (engine/bpf/ledger.h). They run for every timer of the machine; for timers that are not ours,
 * they cost two look-ups.
 */
#include "rt/programs/kernel.h"
#include "rt/programs/ledger.h"

/* The state of a perf event while it counts (PERF_EVENT_STATE_ACTIVE), and the value of hw.interrupts of a throttled
 * event (MAX_INTERRUPTS). */
#define EVENT_ACTIVE 1
#define EVENT_THROTTLED UINT64_MAX

extern uint8_t map_ledger[];		/* the memory */
extern struct ledger_now map_ledger_now[];	/* the part of it by CPU */
extern char map_events;
extern uint8_t map_data[];		/* the session's */
extern volatile uint64_t map_state;	/* the word in it */

NUMBER(ledger_size);			/* bytes of the memory */
NUMBER(data_size);
NUMBER(cpu_mask);			/* number of ledger_now - 1 */
NUMBER(state_active);			/* IR_S_ACTIVE */

/* Offsets: of members of struct perf_event from the timer in it, which can be negative, and in other structures. */
NUMBER(event_id);
NUMBER(event_owner);
NUMBER(event_state);
NUMBER(event_interrupts);
NUMBER(timer_expires);
NUMBER(timer_base);
NUMBER(base_cpu_base);
NUMBER(prog_active);			/* from a CPU's timers to its bpf_prog_active; 0: unknown */

/* Without this the compiler computes the address first, and the verifier does not know the limit then. */
#define CHECKED(v) __asm__ volatile("" : "+r"(v))

static inline struct ledger_words *shared_words(void)
{
	return (struct ledger_words *)map_ledger;
}

static inline struct ledger_slot *slot_at(uint64_t off)
{
	if (off > K(ledger_size) - sizeof(struct ledger_slot))
		return NULL;
	CHECKED(off);
	return (struct ledger_slot *)(map_ledger + off);
}

static inline struct ledger_now *current_expiration(void)
{
	return &map_ledger_now[bpf_get_smp_processor_id() & K(cpu_mask)];
}

/* A word of the session's data. */
static inline uint64_t data_word(uint64_t off)
{
	if (off > K(data_size) - sizeof(uint64_t))
		return 0;
	CHECKED(off);
	return *(volatile uint64_t *)(map_data + off);
}

/* The slot's offset if this is the timer of one of our events, else 0. For other timers, the memory around them is read
 * too and means nothing, so two numbers must match. */
static inline uint64_t find_event(uint64_t timer)
{
	uint64_t id = kernel_u64(timer + K(event_id));
	const struct ledger_event *e = bpf_map_lookup_elem(&map_events, &id);

	return e && kernel_u64(timer + K(event_owner)) == e->owner ? e->slot : 0;
}

/* Whole periods between two expirations were skipped; the rest is a shift. */
static inline void count_gap(struct ledger_slot *s, uint64_t ns)
{
	uint64_t periods = s->period ? ns / s->period : 0;
	bool throttled = s->throttled;

	if (!periods)
		periods = 1;
	s->shift[throttled] += (int64_t)(ns - periods * s->period);
	s->lost[throttled ? LEDGER_THROTTLED : LEDGER_LATE] += (int64_t)(periods - 1);
	s->throttled = 0;
}

/* At hrtimer_expire_entry. */
int program_ledger_entry(const uint64_t *ctx)
{
	uint64_t timer = ctx[0], at = find_event(timer), expires;
	struct ledger_now *now;
	struct ledger_slot *s;

	if (!at || map_state != K(state_active))
		return 0;
	s = slot_at(at);
	if (!s)
		return 0;
	expires = kernel_u64(timer + K(timer_expires));
	if (s->last)
		count_gap(s, expires - s->last);
	else
		s->first = expires;
	s->last = expires;
	s->expired++;
	now = current_expiration();
	now->timer = timer;
	now->slot = at;
	now->fired = data_word(s->fired_at);
	now->drops = data_word(s->drops_at);
	return 0;
}

/* Whether another program was running on this CPU. The CPU's bpf_prog_active is at a fixed distance from its timers. */
static inline bool another_program_runs(uint64_t timer)
{
	uint64_t cpu_base = kernel_u64(kernel_u64(timer + K(timer_base)) + K(base_cpu_base));

	return kernel_u32(cpu_base + K(prog_active)) != 0;
}

/* The kernel did not run the probe's program because another one was running on this CPU: a system call of dtr's may
 * have caused it. */
static inline enum ledger_cause nested_cause(void)
{
	return bpf_get_current_pid_tgid() >> 32 == shared_words()->tgid ? LEDGER_OWN : LEDGER_NESTED;
}

/* Why the timer expired and the program did not run. */
static inline enum ledger_cause find_cause(uint64_t timer)
{
	if (K(prog_active) && another_program_runs(timer))
		return nested_cause();
	if (!bpf_get_current_pid_tgid())
		return LEDGER_IDLE;
	if (map_state != K(state_active))
		return LEDGER_LATE;	/* the session ended in between */
	if (kernel_u32(timer + K(event_state)) != EVENT_ACTIVE)
		return LEDGER_STOPPED;
	/* without bpf_prog_active, a nested program is the only cause left */
	return K(prog_active) ? LEDGER_REFUSED : nested_cause();
}

/* At hrtimer_expire_exit. */
int program_ledger_exit(const uint64_t *ctx)
{
	struct ledger_now *now = current_expiration();
	uint64_t timer = ctx[0];
	struct ledger_slot *s;

	if (now->timer != timer)
		return 0;
	now->timer = 0;
	s = slot_at(now->slot);
	if (!s)
		return 0;
	if (kernel_u64(timer + K(event_interrupts)) == EVENT_THROTTLED)
		s->throttled = 1;
	if (data_word(s->fired_at) != now->fired) {
		s->delivered++;
		s->records_lost += data_word(s->drops_at) - now->drops;
		return 0;
	}
	s->lost[find_cause(timer)]++;
	return 0;
}

/* Stores which thread opens the events. */
int program_ledger_self(void *ctx)
{
	(void)ctx;
	shared_words()->task = bpf_get_current_task();
	shared_words()->tgid = bpf_get_current_pid_tgid() >> 32;
	return 0;
}
