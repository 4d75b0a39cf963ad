/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/share.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *share_find(struct arena *a)
{
	static const char *const places[] = { "/share", "/../share", "/../share/dtr" };
	const char *env = secure_getenv("DTR_SHARE");
	char exe[PATH_MAX];
	char *slash;
	ssize_t n;

	if (env && *env)
		return env;
	n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	exe[n > 0 ? n : 0] = '\0';
	slash = strrchr(exe, '/');
	for (size_t i = 0; slash && i < sizeof places / sizeof places[0]; i++) {
		char *dir = arena_printf(a, "%.*s%s", (int)(slash - exe), exe, places[i]);

		if (access(arena_printf(a, "%s/prelude.d", dir), R_OK) == 0)
			return dir;
	}
	return PKGDATADIR;
}
