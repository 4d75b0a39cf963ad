/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
BEGIN
{
	trace(strlen(pid));
	trace(index("a", "b", "c"));
	trace(inet_ntoa(5));
	trace(htons("a"));
	trace(strtok("a", 1));
}
