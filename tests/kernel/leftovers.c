/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Prints the BPF programs and maps in the kernel whose names begin with "dtr_", to find those that sessions left. Empty
 * program arrays may be the kernel's (left_map in tests/faults/left.c). */
#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void show(const char *kind, __u32 id, const char *name)
{
	if (strncmp(name, "dtr_", 4) == 0)
		printf("%s %u %s\n", kind, id, name);
}

int main(void)
{
	__u32 id, len;

	for (id = 0; bpf_prog_get_next_id(id, &id) == 0;) {
		struct bpf_prog_info info = { 0 };
		int fd = bpf_prog_get_fd_by_id(id);

		len = sizeof info;
		if (fd >= 0 && bpf_obj_get_info_by_fd(fd, &info, &len) == 0)
			show("program", id, info.name);
		if (fd >= 0)
			close(fd);
	}
	for (id = 0; bpf_map_get_next_id(id, &id) == 0;) {
		struct bpf_map_info info = { 0 };
		int fd = bpf_map_get_fd_by_id(id);

		len = sizeof info;
		if (fd >= 0 && bpf_obj_get_info_by_fd(fd, &info, &len) == 0 && info.type != BPF_MAP_TYPE_PROG_ARRAY)
			show("map", id, info.name);
		if (fd >= 0)
			close(fd);
	}
	return 0;
}
