/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/dtr/made.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/buf.h"
#include "cmd/dtr/say.h"

const char *made_script(struct arena *a, const char *name, const char *command, const char *text)
{
	int fd = memfd_create(command, MFD_CLOEXEC), r = fd < 0 ? -errno : buf_write_fd(fd, text, strlen(text));

	if (r >= 0)
		return arena_printf(a, "/proc/self/fd/%d", fd);
	say("%s %s: failed to write the script: %s\n", name, command, strerror(-r));
	return NULL;
}
