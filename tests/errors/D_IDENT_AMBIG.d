/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
int PIDTYPE_SID;
enum pid_type kind;
BEGIN
{
	trace(kind == PIDTYPE_SID);
}
