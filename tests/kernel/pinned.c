/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * pinned list FILE...		the programs and maps pinned as these files: "program ID" or "map ID", one per line
 * pinned edit FILE OLD NEW	replaces the first OLD, with its NUL, in the value of a map by NEW, which is not longer
 */
#include <bpf/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* /proc says what kind of object a descriptor is. */
static void list(const char *path)
{
	int fd = bpf_obj_get(path);
	char name[64], line[128];
	unsigned id;
	FILE *f;

	snprintf(name, sizeof name, "/proc/self/fdinfo/%d", fd);
	f = fd < 0 ? NULL : fopen(name, "r");
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "map_id: %u", &id) == 1)
			printf("map %u\n", id);
		else if (sscanf(line, "prog_id: %u", &id) == 1)
			printf("program %u\n", id);
	if (f)
		fclose(f);
	if (fd >= 0)
		close(fd);
}

static int edit(const char *path, const char *old, const char *new)
{
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof info;
	int fd = bpf_obj_get(path);
	char *value, *at;

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len) || strlen(new) > strlen(old))
		return 2;
	value = mmap(NULL, info.value_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (value == MAP_FAILED)
		return 2;
	at = memmem(value, info.value_size, old, strlen(old) + 1);
	if (!at)
		return 1;
	strcpy(at, new);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "edit"))
		return edit(argv[2], argv[3], argv[4]);
	for (int i = 2; i < argc; i++)
		list(argv[i]);
	return 0;
}
