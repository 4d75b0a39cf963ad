/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A stack that has more frames than were collected has a root that says so; one of exactly so many frames has none. */
#pragma D option quiet
profile-97
{
	@[ustack(2), stack(2)] = count();
	@one[stack(1)] = sum(3);
}
