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
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/dtr/child.h"

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

static void test_release(void **state)
{
	struct child c;
	int status;

	(void)state;
	assert_int_equal(child_start(&c, (char *[]){ "sh", "-c", "exit 5", NULL }, false), 0);
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

/* What is not there is told before anything begins. */
static void test_missing(void **state)
{
	static char *const none[] = { "/nonexistent/command", "no-such-command-anywhere" };
	struct child c;

	(void)state;
	for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
		assert_int_equal(child_start(&c, (char *[]){ none[i], NULL }, false), -ENOENT);
		assert_int_equal(c.pid, 0);
		child_close(&c);
	}
	assert_int_equal(child_start(&c, (char *[]){ "/", NULL }, false), -EACCES);
	child_close(&c);
}

/* What only the kernel knows is told when it is released. */
static void test_interpreter(void **state)
{
	static const char text[] = "#!/nonexistent/interpreter\n";
	char path[] = "/tmp/dtr-child-XXXXXX";
	int fd = mkstemp(path);
	struct child c;

	(void)state;
	assert_true(fd >= 0 && write(fd, text, sizeof text - 1) > 0 && !fchmod(fd, 0700));
	close(fd);
	assert_int_equal(child_start(&c, (char *[]){ path, NULL }, false), 0);
	assert_int_equal(child_release(&c), -ENOENT);
	wait_for(&c);
	child_close(&c);
	unlink(path);
}

/* What it prints, aside, is on our standard error. */
static void test_aside(void **state)
{
	char text[16] = "";
	struct child c;
	int p[2], err = dup(2), r;

	(void)state;
	assert_true(err >= 0 && !pipe(p));
	dup2(p[1], 2);
	r = child_start(&c, (char *[]){ "echo", "hello", NULL }, true);
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

		assert_int_equal(child_start(&c, (char *[]){ "sleep", "100", NULL }, false), 0);
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
	assert_int_equal(child_start(&c, (char *[]){ "true", NULL }, false), 0);
	assert_int_equal(kill(c.pid, SIGKILL), 0);
	wait_for(&c);
	assert_int_equal(child_release(&c), -ECHILD);
	child_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words), cmocka_unit_test(test_release), cmocka_unit_test(test_missing),
		cmocka_unit_test(test_interpreter), cmocka_unit_test(test_aside), cmocka_unit_test(test_close), cmocka_unit_test(test_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
