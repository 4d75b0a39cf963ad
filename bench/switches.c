/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* switches OBJECT PROGRAM SECONDS: attaches a program of exact.bpf.c, for comparison with dtr exact, and waits. Ends by
 * itself. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct bpf_object *obj;
	struct bpf_program *prog;
	struct bpf_link *link;

	if (argc != 4) {
		fprintf(stderr, "usage: switches OBJECT PROGRAM SECONDS\n");
		return 2;
	}
	obj = bpf_object__open_file(argv[1], NULL);
	if (!obj || bpf_object__load(obj)) {
		fprintf(stderr, "switches: cannot load %s\n", argv[1]);
		return 1;
	}
	prog = bpf_object__find_program_by_name(obj, argv[2]);
	link = prog ? bpf_program__attach(prog) : NULL;
	if (!link) {
		perror("switches: attaching");
		return 1;
	}
	usleep((useconds_t)(atof(argv[3]) * 1e6));
	bpf_link__destroy(link);
	bpf_object__close(obj);
	return 0;
}
