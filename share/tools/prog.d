/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What `dtr prog` runs for procedures, with the probes of --object: docs/prog.md. */
#pragma D option quiet
#pragma D option oformat=tables
#pragma D option dynvarsize=16m

/* The frames of a thread, by the stack pointer at the entry of their procedures. outer: the outermost frame of a
 * procedure; start: the thread's clock at the entry; top: the innermost frame of all. */
self uint64_t fn[uint64_t], start[uint64_t], up[uint64_t], level[uint64_t], outer[uint64_t];
self uint64_t top, part;
/* clock: the CPU time in measured procedures; since: what vtimestamp was when the last probe had fired. */
self int64_t clock, since;
int on;				/* counts the parts of the run that are measured; 0 or less: this one is not */
/* What --net subtracts, in ns: the cost of an entry; of a return; of a return where the kernel replaces the return
 * address (arg0 is 0); what the first two cost more if the kernel does not emulate the instruction. */
int64_t entry_cost, return_cost, replaced_cost, copied_cost;

BEGIN
{
	on = 1;
}

/* The time since the last entry or return belongs to the innermost procedure. What cannot be subtracted is `more`. */
pid$target:a.out::entry, pid$target:a.out::return
{
	this->time = self->top ? (int64_t)vtimestamp - self->since : 0;
	this->more = this->time < 0 ? -this->time : 0;
	if (this->time < 0) { this->time = 0; }
	if (this->more > entry_cost + copied_cost) { this->more = entry_cost + copied_cost; }
	self->clock += this->time;
}

pid$target:a.out::entry, pid$target:a.out::return
/self->top && self->fn[self->top] && on > 0 && self->part == on/
{
	@self[usym(self->fn[self->top])] = sum(this->time);
}

pid$target:a.out::entry
{
	this->sp = uregs[R_SP];
	this->fn = uregs[R_PC];
	this->up = self->top;
	/* frames that exceptions or longjmp() have left; if there are more, the next entries skip them */
	if (this->up && this->up <= this->sp) { this->up = self->up[this->up]; }
	if (this->up && this->up <= this->sp) { this->up = self->up[this->up]; }
	if (this->up && this->up <= this->sp) { this->up = self->up[this->up]; }
	if (this->up && this->up <= this->sp) { this->up = self->up[this->up]; }
	if (this->up && this->up <= this->sp) { this->up = self->up[this->up]; }
	if (this->up && this->up <= this->sp) { this->up = self->up[this->up]; }
}

pid$target:a.out::entry
{
	this->cost = entry_cost + (_emulated ? 0 : copied_cost);
	this->level = this->up ? self->level[this->up] + 1 : 1;
	if (self->outer[this->fn] <= this->sp) { self->outer[this->fn] = this->sp; }
	if (on > 0) {
		@calls[usym(this->fn)] = count();
		@deepest = max(this->level);
	}
	if (on > 0 && this->up) {
		@arcs[usym(self->fn[this->up]), usym(this->fn)] = count();
	}
	self->fn[this->sp] = this->fn;
	self->up[this->sp] = this->up;
	self->level[this->sp] = this->level;
	self->start[this->sp] = self->clock;
	self->top = this->sp;
}

/* Where the kernel replaces the return address (arg0 is 0), the procedure has returned already, and the stack pointer
 * is 8 bytes higher. */
pid$target:a.out::return
{
	this->replaced = !arg0 && self->top != uregs[R_SP];
	this->sp = this->replaced ? uregs[R_SP] - 8 : uregs[R_SP];
	this->fn = self->fn[this->sp];
	this->cost = this->replaced ? replaced_cost : _emulated ? return_cost : return_cost + copied_cost;
}

pid$target:a.out::return
/this->fn/
{
	this->time = self->clock - (int64_t)self->start[this->sp];
	this->up = self->up[this->sp];
	if (on > 0) {
		@mean[usym(this->fn)] = avg(this->time);
		@minimum[usym(this->fn)] = min(this->time);
		@maximum[usym(this->fn)] = max(this->time);
	}
	if (on > 0 && self->outer[this->fn] == this->sp) {	/* recursive calls are part of the outermost one */
		@total[usym(this->fn)] = sum(this->time);
	}
	if (on > 0 && this->up) {
		@within[usym(self->fn[this->up]), usym(this->fn)] = sum(this->time);
	}
	if (self->outer[this->fn] == this->sp) { self->outer[this->fn] = 0; }
	self->fn[this->sp] = self->up[this->sp] = self->level[this->sp] = self->start[this->sp] = 0;
	self->top = this->up;
}

pid$target:a.out::entry, pid$target:a.out::return
{
	self->since = (int64_t)vtimestamp + this->cost + this->more;
	self->part = on;
}
