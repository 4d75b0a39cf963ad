/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/session/cpp.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef VEC(const char *) cpp_words;

/* A text, and what the preprocessor is called with. */
struct cpp_job {
	struct arena *arena;
	const struct options *opts;
	const struct source *src;
};

/* True if a line marker can contain this file name. */
static bool name_is_plain(const char *name)
{
	return name && *name && !strpbrk(name, "\"\\\n");
}

/* Opens a file with the text for the preprocessor, without a first line "#!". Returns a descriptor or -errno. */
static int input_open(const struct source *src, unsigned stdc)
{
	const char *text = src->text;
	struct buf b = { 0 };
	int fd = -1, err;

	/* in a system header, because redefining it elsewhere causes a warning */
	if (stdc == STDC_A || stdc == STDC_T)
		buf_puts(&b, "# 1 \"<dtr>\" 3\n#undef __STDC__\n#define __STDC__ 0\n");
	buf_printf(&b, "# 1 \"%s\"\n", name_is_plain(src->name) ? src->name : "<stdin>");
	if (!strncmp(text, "#!", 2))
		text += strcspn(text, "\n");
	buf_put(&b, text, src->len - (size_t)(text - src->text));
	if (!b.failed)
		fd = memfd_create("dtr_script", MFD_CLOEXEC);
	err = b.failed ? -ENOMEM : fd < 0 ? -errno : 0;
	if (!err)
		err = buf_write_fd(fd, b.data, b.len);
	if (!err && lseek(fd, 0, SEEK_SET) < 0)
		err = -errno;
	buf_free(&b);
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}

static void words_list(struct arena *a, cpp_words *w, const char *letter, const struct opt_list *l)
{
	for (unsigned i = 0; i < l->n; i++)
		*VEC_ADD(a, w) = arena_printf(a, "%s%s", letter, l->v[i]);
}

/* Appends the arguments of the preprocessor. */
static void words_options(cpp_words *w, const struct cpp_job *job)
{
	/* DTrace's macros; "unix`x" and "linux" are names in D scripts. Compiler extensions in headers are removed,
	 * and so are two headers of the C library that contain only functions. */
	static const char *const fixed[] = {
		"-Uunix", "-Ulinux", "-Ui386", "-U__GNUC__",
		"-D__unix", "-D__linux", "-D__Linux", "-D__SVR4", "-D__SUNW_D=1", "-D__SUNW_D_64",
		"-D__attribute__(x)=", "-D__asm__(x)=", "-D__extension__=", "-D__restrict=", "-D__signed__=signed",
		"-D_BITS_BYTESWAP_H", "-D_BITS_UINTN_IDENTITY_H",
	};
	const struct options *o = job->opts;
	const char *name = job->src->name, *slash = name ? strrchr(name, '/') : NULL;
	struct arena *a = job->arena;

	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		*VEC_ADD(a, w) = fixed[i];
	*VEC_ADD(a, w) = arena_printf(a, "-D__SUNW_D_VERSION=0x%08x", D_MAJOR << 24 | D_MINOR << 12);
	if (o->stdc == STDC_S)
		*VEC_ADD(a, w) = "-traditional-cpp";
	if (o->cpphdrs)
		*VEC_ADD(a, w) = "-H";
	/* files in the script's directory */
	if (slash) {
		*VEC_ADD(a, w) = "-iquote";
		*VEC_ADD(a, w) = arena_strndup(a, name, slash == name ? 1 : (size_t)(slash - name));
	}
	words_list(a, w, "-D", &o->define);
	words_list(a, w, "-U", &o->undef);
	words_list(a, w, "-I", &o->incdir);
	words_list(a, w, "", &o->cppargs);
	*VEC_ADD(a, w) = "-";
	*VEC_ADD(a, w) = NULL;
}

static int cpp_spawn(pid_t *pid, const char *const *argv, int in, int out)
{
	posix_spawn_file_actions_t acts;
	int err = posix_spawn_file_actions_init(&acts);

	if (err)
		return -err;
	err = posix_spawn_file_actions_adddup2(&acts, in, 0);
	if (!err)
		err = posix_spawn_file_actions_adddup2(&acts, out, 1);
	if (!err)
		err = posix_spawnp(pid, argv[0], &acts, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&acts);
	return -err;
}

/* Starts the first of the preprocessors that exists. */
static int cpp_start(const struct cpp_job *job, pid_t *pid, int in, int out)
{
	static const struct { const char *name, *flag; } known[] = {
		{ "cpp", NULL }, { "gcc", "-E" }, { "clang", "-E" }, { "cc", "-E" }, { "/lib/cpp", NULL },
	};
	const char *path = job->opts->cpppath;
	size_t n = path ? 1 : sizeof known / sizeof *known;
	int err = -ENOENT;

	for (size_t i = 0; i < n && (err == -ENOENT || err == -EACCES); i++) {
		cpp_words w = { 0 };

		*VEC_ADD(job->arena, &w) = path ? path : known[i].name;
		if (!path && known[i].flag) {
			*VEC_ADD(job->arena, &w) = known[i].flag;
			*VEC_ADD(job->arena, &w) = "-xc";
		}
		words_options(&w, job);
		err = cpp_spawn(pid, w.v, in, out);
	}
	return err;
}

/* Stores the output and the exit status of the preprocessor. Returns 0 or -errno. */
static int cpp_output(const struct cpp_job *job, struct buf *b, int *status)
{
	int in = input_open(job->src, job->opts->stdc), fds[2] = { -1, -1 }, err;
	pid_t pid = -1;

	err = in < 0 ? in : pipe2(fds, O_CLOEXEC) ? -errno : 0;
	if (!err)
		err = cpp_start(job, &pid, in, fds[1]);
	if (in >= 0)
		close(in);
	if (fds[1] >= 0)
		close(fds[1]);
	if (!err)
		err = buf_read_fd(b, fds[0]);
	/* before waiting, because it may still be writing */
	if (fds[0] >= 0)
		close(fds[0]);
	while (pid > 0 && waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	return err;
}

int cpp_run(struct arena *a, const struct options *o, struct source *src)
{
	struct source *written = arena_alloc(a, sizeof *written);
	const struct cpp_job job = { a, o, src };
	struct buf b = { 0 };
	int status = 0, err = cpp_output(&job, &b, &status);

	if (!err && !status) {
		*written = *src;
		written->of = src;
		src->shown = written;
		src->text = arena_memdup(a, buf_str(&b), b.len + 1);
		src->len = b.len;
	}
	buf_free(&b);
	return err ? err : status ? 1 : 0;
}
