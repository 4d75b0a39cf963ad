/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* cmd/dtr/child.c: how a command is split, held, released. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/dtr/child.h"
#include "cmd/dtr/program.h"

static void check_words(const char *command, const char *want)
{
	struct arena a;
	char got[256] = "", **w;

	arena_init(&a, NULL, NULL);
	w = child_words(&a, command);
	if (!want) {
		assert_null(w);
	} else {
		assert_non_null(w);
		for (; *w; w++)
			snprintf(got + strlen(got), sizeof got - strlen(got), "<%s>", *w);
		assert_string_equal(got, want);
	}
	arena_free(&a);
}

static void test_words(void **state)
{
	(void)state;
	check_words("date", "<date>");
	check_words("  ls  -l\t/tmp\n", "<ls><-l></tmp>");
	check_words("sh -c 'echo a  b'", "<sh><-c><echo a  b>");
	check_words("sh -c \"echo 'x' \\\"y\\\" \\\\ \\n\"", "<sh><-c><echo 'x' \"y\" \\ \\n>");
	check_words("a'b'\"c\"d", "<abcd>");
	check_words("a\\ b c\\", "<a b><c\\>");
	check_words("x '' \"\" y", "<x><><><y>");
	check_words("''", "<>");
	check_words("a;b|c $HOME *", "<a;b|c><$HOME><*>");
	check_words("", NULL);
	check_words(" \t\n", NULL);
	check_words("sh -c 'open", NULL);
	check_words("\"", NULL);
}

static int wait_for(struct child *c)
{
	for (int i = 0; i < 12000 && !child_ended(c); i++)	/* two minutes: only what hangs takes them */
		usleep(10000);
	assert_true(child_ended(c));
	return c->status;
}

static const struct rlimit stack = { RLIM_INFINITY, RLIM_INFINITY };

static int start(struct child *c, char **words, bool aside)
{
	char path[PATH_MAX];
	int r = program_find(words[0], path, sizeof path);

	return r ? r : child_start(c, &(struct child_command){ .path = path, .words = words, .aside = aside,
							     .stack = &stack });
}

static void test_release(void **state)
{
	struct child c;
	int status;

	(void)state;
	assert_int_equal(start(&c, (char *[]){ "sh", "-c", "exit 5", NULL }, false), 0);
	assert_true(c.pid > 0);
	usleep(50000);
	assert_false(child_ended(&c));	/* held */
	assert_int_equal(child_release(&c), 0);
	status = wait_for(&c);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 5);
	child_close(&c);
	child_close(&c);
}

/* A missing command is reported before anything begins. */
static void test_missing(void **state)
{
	static const char *const none[] = { "/nonexistent/command", "no-such-command-anywhere", "" };
	char path[PATH_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
		assert_int_equal(program_find(none[i], path, sizeof path), -ENOENT);
	assert_int_equal(program_find("/", path, sizeof path), -EACCES);
	assert_int_equal(program_find("sh", path, 3), -ENOENT);	/* no folder's file has so short a name */
	assert_int_equal(program_find("/bin/sh", path, 3), -ENAMETOOLONG);
}

static void make_file(const char *path, mode_t mode, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_true(!fchmod(fileno(f), mode) && !fclose(f));
}

static void check_found(const char *dirs, const char *name, int want, const char *where)
{
	char path[PATH_MAX] = "";

	setenv("PATH", dirs, 1);
	assert_int_equal(program_find(name, path, sizeof path), want);
	if (!want)
		assert_string_equal(path, where);
}

/* As execvp(3): an empty folder is this one; one that has the file but not to be executed is passed over. */
static void test_path(void **state)
{
	char dir[] = "/tmp/dtr-path-XXXXXX", dirs[256], want[256], here[PATH_MAX], *before = strdup(getenv("PATH"));

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_non_null(getcwd(here, sizeof here));
	assert_int_equal(chdir(dir), 0);
	assert_true(!mkdir("a", 0755) && !mkdir("b", 0755) && !mkdir("b/folder", 0755));
	make_file("a/x", 0644, "");
	make_file("b/x", 0755, "");
	make_file("y", 0755, "");
	snprintf(dirs, sizeof dirs, "/nowhere:%s/a:%s/b", dir, dir);
	snprintf(want, sizeof want, "%s/b/x", dir);
	check_found(dirs, "x", 0, want);
	check_found("a:b", "x", 0, "b/x");
	check_found("/nowhere:", "y", 0, "./y");
	check_found(":/nowhere", "y", 0, "./y");
	check_found("a:/nowhere", "x", -EACCES, NULL);
	check_found("b:/nowhere", "folder", -EACCES, NULL);
	check_found("b", "y", -ENOENT, NULL);
	check_found("", "y", 0, "./y");
	unsetenv("PATH");
	assert_int_equal(program_find("sh", dirs, sizeof dirs), 0);	/* the system's standard path */
	setenv("PATH", before, 1);
	free(before);
	assert_true(!unlink("a/x") && !unlink("b/x") && !unlink("y") && !rmdir("a") && !rmdir("b/folder") &&
		    !rmdir("b"));
	assert_true(!chdir(here) && !rmdir(dir));
}

/* Errors that only the kernel can detect. */
static void test_interpreter(void **state)
{
	char path[] = "/tmp/dtr-child-XXXXXX";
	int fd = mkstemp(path);
	struct child c;

	(void)state;
	assert_true(fd >= 0 && !close(fd));
	make_file(path, 0700, "#!/nonexistent/interpreter\n");
	assert_int_equal(start(&c, (char *[]){ path, NULL }, false), -ENOENT);
	assert_int_equal(c.pid, 0);
	/* without a first line it is the shell's */
	make_file(path, 0700, "exit 7\n");
	assert_int_equal(start(&c, (char *[]){ path, NULL }, false), 0);
	assert_int_equal(child_release(&c), 0);
	assert_int_equal(WEXITSTATUS(wait_for(&c)), 7);
	child_close(&c);
	unlink(path);
}

/* With aside, its output goes to this process's standard error. */
static void test_aside(void **state)
{
	char text[16] = "";
	struct child c;
	int p[2], err = dup(2), r;

	(void)state;
	assert_true(err >= 0 && !pipe(p));
	dup2(p[1], 2);
	r = start(&c, (char *[]){ "echo", "hello", NULL }, true);
	dup2(err, 2);
	close(err);
	close(p[1]);
	assert_int_equal(r, 0);
	assert_int_equal(child_release(&c), 0);
	assert_int_equal(read(p[0], text, sizeof text - 1), 6);
	assert_string_equal(text, "hello\n");
	wait_for(&c);
	child_close(&c);
	close(p[0]);
}

/* It ends with us, released or not. */
static void test_close(void **state)
{
	(void)state;
	for (int released = 0; released < 2; released++) {
		struct child c;

		assert_int_equal(start(&c, (char *[]){ "sleep", "100", NULL }, false), 0);
		if (released)
			assert_int_equal(child_release(&c), 0);
		child_close(&c);
		assert_true(c.reaped);
		assert_true(WIFSIGNALED(c.status));
		assert_int_equal(kill(c.pid, 0), -1);
	}
}

/* One that was killed while held cannot be released, and says so instead of waiting. */
static void test_killed(void **state)
{
	struct child c;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(start(&c, (char *[]){ "true", NULL }, false), 0);
	assert_int_equal(kill(c.pid, SIGKILL), 0);
	wait_for(&c);
	assert_int_equal(child_release(&c), -ECHILD);
	child_close(&c);
}

/* Its name: that of the program once it has executed it. */
static void check_name(const struct child *c, const char *want)
{
	char path[32], name[32] = "";
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/comm", (int)c->pid);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(name, sizeof name, f));
	fclose(f);
	name[strcspn(name, "\n")] = '\0';
	assert_string_equal(name, want);
}

/* Held, it has executed the program and nothing of it; a signal that comes meanwhile comes when it runs. */
static void test_executed(void **state)
{
	struct child c;
	int status;

	(void)state;
	assert_int_equal(start(&c, (char *[]){ "sleep", "100", NULL }, false), 0);
	if (!c.traced) {	/* whoever runs this test is tracing it */
		child_close(&c);
		skip();
	}
	check_name(&c, "sleep");
	assert_int_equal(kill(c.pid, SIGTERM), 0);
	usleep(50000);
	assert_false(child_ended(&c));
	assert_int_equal(child_release(&c), 0);
	status = wait_for(&c);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	child_close(&c);
}

static int refuse_ptrace(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { .len = sizeof code / sizeof *code, .filter = code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

/* Where it must not be traced it waits before its exec. */
static int held_before(void)
{
	char path[] = "/tmp/dtr-child-XXXXXX";
	int fd = mkstemp(path);
	struct child c;

	if (refuse_ptrace() || fd < 0 || close(fd))
		return 1;
	if (start(&c, (char *[]){ "sh", "-c", "exit 6", NULL }, false) || c.traced || child_ended(&c))
		return 2;
	if (child_release(&c) || WEXITSTATUS(wait_for(&c)) != 6)
		return 3;
	child_close(&c);
	make_file(path, 0700, "#!/nonexistent/interpreter\n");
	if (start(&c, (char *[]){ path, NULL }, false) || child_release(&c) != -ENOENT)
		return 4;
	child_close(&c);
	return unlink(path);
}

static void test_untraced(void **state)
{
	int status;
	pid_t pid = fork();

	(void)state;
	if (pid == 0)
		_exit(held_before());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words), cmocka_unit_test(test_release), cmocka_unit_test(test_missing),
		cmocka_unit_test(test_path), cmocka_unit_test(test_interpreter), cmocka_unit_test(test_aside),
		cmocka_unit_test(test_close), cmocka_unit_test(test_killed), cmocka_unit_test(test_executed),
		cmocka_unit_test(test_untraced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
