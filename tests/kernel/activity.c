/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * activity FILE: known numbers of system calls, of which dtr traces those between two calls of getppid(). Prints the
 * kernel's counts for them: bytes and calls (/proc/self/io), switches, migrations.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FORKS = 5, VFORKS = 3, THREADS = 4, SEMOPS = 6, MESSAGES = 4, MOVES = 20, COPIES = 2 };

struct io {
	long rchar, wchar, syscr, syscw;
};

/* The counts so far; the kernel adds this read itself afterwards. Returns its bytes. */
static ssize_t io_read(struct io *io, int fd)
{
	char text[512] = "";
	ssize_t n = pread(fd, text, sizeof text - 1, 0);

	sscanf(text, "rchar: %ld wchar: %ld syscr: %ld syscw: %ld", &io->rchar, &io->wchar, &io->syscr, &io->syscw);
	return n;
}

static long migrations(void)
{
	FILE *f = fopen("/proc/self/sched", "r");
	char line[256];
	long n = -1;

	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "se.nr_migrations : %ld", &n) == 1)
			break;
	if (f)
		fclose(f);
	return n;
}

static void transfer(const char *path)
{
	int from = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int to = open("copy", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	char data[1000] = "";
	struct iovec v[2] = { { data, 300 }, { data, 700 } };
	loff_t at = 0;

	for (int i = 0; i < 10; i++)
		if (write(from, data, sizeof data) < 0 || writev(from, v, 2) < 0)
			_exit(1);
	if (pwrite(from, data, 77, 5) != 77 || pread(from, data, 123, 0) != 123 || preadv(from, v, 2, 0) != 1000)
		_exit(1);
	lseek(from, 0, SEEK_SET);
	if (sendfile(to, from, NULL, 5000) != 5000 || copy_file_range(from, &at, to, NULL, 3000, 0) != 3000)
		_exit(1);
}

static void *nothing(void *arg)
{
	return arg;
}

static void child_shared(void)
{
	pid_t pid = vfork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
}

static void child(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
}

static void create(void)
{
	pthread_t thread;

	for (int i = 0; i < FORKS; i++)
		child();
	for (int i = 0; i < VFORKS; i++)
		child_shared();
	for (int i = 0; i < THREADS; i++)
		if (!pthread_create(&thread, NULL, nothing, NULL))
			pthread_join(thread, NULL);
}

static void communicate(void)
{
	int sem = semget(IPC_PRIVATE, 1, 0600), queue = msgget(IPC_PRIVATE, 0600);
	struct { long type; char text[8]; } m = { 1, "" };

	for (int i = 0; i < SEMOPS; i++)
		semop(sem, &(struct sembuf){ .sem_op = 1 }, 1);
	for (int i = 0; i < MESSAGES; i++) {
		msgsnd(queue, &m, sizeof m.text, 0);
		msgrcv(queue, &m, sizeof m.text, 0, 0);
	}
	semctl(sem, 0, IPC_RMID);
	msgctl(queue, IPC_RMID, NULL);
}

/* Moves between the first two CPUs that it may use. */
static void move(void)
{
	cpu_set_t all, one;
	int cpu[2], n = 0;

	sched_getaffinity(0, sizeof all, &all);
	for (int i = 0; i < CPU_SETSIZE && n < 2; i++)
		if (CPU_ISSET(i, &all))
			cpu[n++] = i;
	for (int i = 0; n == 2 && i < MOVES; i++) {
		CPU_ZERO(&one);
		CPU_SET(cpu[i % 2], &one);
		sched_setaffinity(0, sizeof one, &one);
	}
}

int main(int argc, char **argv)
{
	int io = open("/proc/self/io", O_RDONLY | O_CLOEXEC);
	long moved = migrations();
	struct rusage u, v;
	struct io a = { 0 }, b = { 0 };
	ssize_t own;

	if (argc != 2 || io < 0)
		return 2;
	getrusage(RUSAGE_THREAD, &u);
	own = io_read(&a, io);
	syscall(SYS_getppid);
	transfer(argv[1]);
	create();
	communicate();
	move();
	syscall(SYS_getppid);
	io_read(&b, io);
	getrusage(RUSAGE_THREAD, &v);
	/* sendfile() and copy_file_range() count as both, but are neither read() nor write() */
	printf("readch %ld\nwritech %ld\nsysread %ld\nsyswrite %ld\n", b.rchar - a.rchar - own, b.wchar - a.wchar,
	       b.syscr - a.syscr - 1 - COPIES, b.syscw - a.syscw - COPIES);
	printf("sysfork %d\nsysvfork %d\nnthreads %d\nsema %d\nmsg %d\n", FORKS, VFORKS, FORKS + VFORKS + THREADS,
	       SEMOPS, 2 * MESSAGES);
	printf("pswitch %ld\ninv_swtch %ld\n", v.ru_nvcsw - u.ru_nvcsw + v.ru_nivcsw - u.ru_nivcsw,
	       v.ru_nivcsw - u.ru_nivcsw);
	if (moved >= 0)
		printf("cpumigrate %ld\n", migrations() - moved);
	return 0;
}
