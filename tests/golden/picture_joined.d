/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Both stacks of a row are one path, whatever the order of the keys: the process's frames, then the kernel's on top. A
 * thread without a user stack has the kernel's frames only. Sums of differences of times have a unit of time.
 */
#pragma D option quiet
self uint64_t since;
profile-97 { @kernel_first[stack(), ustack()] = count(); }
profile-97 { @user_first[ustack(), stack()] = count(); }
profile-97 { @between[stack(), execname, ustack(), cpu] = count(); }
profile-97 { @waited[stack(), ustack()] = sum(timestamp - self->since); }
profile-97 { @waited_us[stack(), ustack()] = sum(timestamp - self->since); }
profile-97 { @half[stack(), ustack()] = sum(timestamp - self->since); }
profile-97 { @mixed[stack()] = sum(timestamp - self->since); @mixed[stack()] = sum(1000); }
END { normalize(@waited_us, 1000); normalize(@half, 2); }
