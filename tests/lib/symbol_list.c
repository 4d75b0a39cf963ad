/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "tests/lib/symbol_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct kallsyms *symbol_list(const char *text, int *err)
{
	char path[] = "/tmp/dtr-symbols-XXXXXX";
	int fd = mkstemp(path), ignored;
	struct kallsyms *k = NULL;

	err = err ? err : &ignored;
	*err = 0;
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		*err = errno;
	else
		k = kallsyms_open(path, err);
	if (fd >= 0)
		close(fd);
	unlink(path);
	return k;
}
