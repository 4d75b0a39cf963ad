/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * peer OBJECT PROGRAM HZ SECONDS: runs a program of peer.bpf.c on every CPU like a hand-written profiler and empties
 * the ring buffer ten times a second. Ends by itself. With "minor" for HZ, it runs at minor page faults.
 * peer OBJECT PROGRAM -c COMMAND...: attaches it to its tracepoint (system calls, page faults) while the command runs.
 * bench/cost compares dtr with both.
 * peer OBJECT PROGRAM cgroup SECONDS: attaches a program for packets to the root of cgroup2.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/mount.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* hz: 0: at minor page faults. */
static int attach(int prog_fd, int cpu, unsigned long hz)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof attr,
					.config = PERF_COUNT_SW_PAGE_FAULTS_MIN, .sample_period = 1 };
	int fd;

	if (hz) {
		attr.config = PERF_COUNT_SW_CPU_CLOCK;
		attr.sample_period = 1000000000ul / hz;
	}
	fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog_fd) < 0 || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
		return -1;
	return 0;
}

static struct bpf_program *load(struct bpf_object *obj, const char *job)
{
	struct bpf_program *prog = obj ? bpf_object__find_program_by_name(obj, job) : NULL, *p;

	if (!prog) {
		fprintf(stderr, "peer: no program %s\n", job);
		return NULL;
	}
	bpf_object__for_each_program(p, obj)
		bpf_program__set_autoload(p, p == prog);
	if (bpf_object__load(obj)) {
		fprintf(stderr, "peer: cannot load\n");
		return NULL;
	}
	return prog;
}

static int on_record(void *arg, void *data, size_t size)
{
	*(unsigned long *)arg += data && size;
	return 0;
}

static void consume(struct bpf_object *obj, double seconds)
{
	unsigned long records = 0;
	int ring = bpf_object__find_map_fd_by_name(obj, "ring");
	struct ring_buffer *rb = ring_buffer__new(ring, on_record, &records, NULL);

	for (int i = 0; i < seconds * 10; i++) {
		usleep(100000);
		if (rb)
			ring_buffer__consume(rb);
	}
	ring_buffer__free(rb);
}

static int profile(struct bpf_object *obj, struct bpf_program *prog, unsigned long hz, double seconds)
{
	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++)
		if (attach(bpf_program__fd(prog), cpu, hz) < 0) {
			perror("peer: perf_event_open");
			return 1;
		}
	consume(obj, seconds);
	return 0;
}

/* A cgroup2 of its own, which no path leads to, has the root that all others have. */
static int packets(struct bpf_object *obj, struct bpf_program *prog, double seconds)
{
	int fs = (int)syscall(SYS_fsopen, "cgroup2", FSOPEN_CLOEXEC), root;

	root = fs < 0 || syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) ? -1 :
		(int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
	if (root < 0 || !bpf_program__attach_cgroup(prog, root)) {
		perror("peer: the root of cgroup2");
		return 1;
	}
	consume(obj, seconds);
	return 0;
}

static int during(struct bpf_program *prog, char **command)
{
	int status = 1;
	pid_t pid;

	if (!bpf_program__attach(prog)) {
		perror("peer: attaching");
		return 1;
	}
	pid = fork();
	if (pid == 0) {
		execvp(command[0], command);
		_exit(127);
	}
	return waitpid(pid, &status, 0) < 0 || status;
}

int main(int argc, char **argv)
{
	struct bpf_program *prog;
	struct bpf_object *obj;

	if (argc < 5) {
		fprintf(stderr, "usage: peer OBJECT PROGRAM {HZ SECONDS | minor SECONDS | cgroup SECONDS | "
			"-c COMMAND...}\n");
		return 2;
	}
	obj = bpf_object__open_file(argv[1], NULL);
	prog = load(obj, argv[2]);
	if (!prog)
		return 1;
	if (strcmp(argv[3], "-c") == 0)
		return during(prog, argv + 4);
	if (strcmp(argv[3], "cgroup") == 0)
		return packets(obj, prog, atof(argv[4]));
	return profile(obj, prog, strcmp(argv[3], "minor") ? strtoul(argv[3], NULL, 10) : 0, atof(argv[4]));
}
