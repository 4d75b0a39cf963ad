/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Constants choose actions: c ? action : 1. What is not chosen is not looked at, so it may name what is not there. */
#pragma D option quiet
inline int VERBOSE = 1;
inline int JAILS = 0;
inline int BOTH = VERBOSE && !JAILS;

profile-97
{
	VERBOSE ? printf("pid %d", pid) : 1;
	JAILS ? printf(" jail %d", curpsinfo->no_such_member) : 1;
	JAILS == 0 ? printf(" free") : printf(" in jail");
	BOTH ? (JAILS ? trace("no") : printf(" both\n")) : 1;
	VERBOSE ? @seen[pid] = count() : 1;
	JAILS ? @jailed[pid] = count() : 1;
	(pid == 1 && VERBOSE) ? self->ok = 7 : 1;
	this->n = JAILS ? 1 : self->ok;
	@ok = sum(this->n);
}

/* Nothing is left: that is no reason for the default action. */
profile-97
{
	JAILS ? printf("never\n") : 1;
}

END
{
	VERBOSE ? trunc(@seen, 1) : 1;
	printa(@seen);
	printa(@ok);
}
