/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
inline psinfo_t *me = curpsinfo;
inline psinfo_t *myself = me;
inline fileinfo_t file[int fd] = fds[fd];
BEGIN
/myself->pr_pid == pid && myself != NULL && file[0].fi_name != ""/
{
	trace(myself->pr_none);
	trace(file[1].fi_none);
}
