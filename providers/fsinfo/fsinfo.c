/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Operations on open files, by the system calls that have a descriptor. Probes fire when the call ends, close when it
 * begins. arg0 is the descriptor, from which args[0] is translated; arg1 is the number of bytes of read and write.
 */
#include "providers/registry.h"
#include "providers/site/site.h"
#include "providers/site/syscalls.h"

static const struct arg_desc file_and_size[] = {
	{ .native = "int", .mapped = "fileinfo_t *", .value = "(int)arg0" }, { .native = "int64_t" }, { 0 }
};
#define ARGS .arg = file_and_size

#define FDT "curthread->files->fdt"
#define FILE_OF(fd) FDT "->fd[" fd "]"
#define CLOSED "(uint_t)(" ARG0 ")"
/* -9: EBADF, there is no file. */
#define IS_OPEN "_raw1 != -9 && "
#define ON(fd, calls) SITES({ "sys_exit", .when = IS_OPEN "(" calls ")", .arg = { "(int)" fd, "0" } }), ARGS
#define MOVES(calls) SITES({ "sys_exit", .when = IS_OPEN calls, \
	.arg = { "(int)" ARG0, "_raw1 > 0 ? _raw1 : 0" } }), ARGS
#define OPENED(condition) SITES({ "sys_exit", .when = "_raw1 >= 0 && " OPENS condition, .arg = { "_raw1", "0" } }), ARGS

#define CLOSES CLOSE " && " CLOSED " < " FDT "->max_fds && " FILE_OF(CLOSED) " != 0"
/* FMODE_CREATED in include/linux/fs.h of the kernel: the call that opened the file created it. */
#define CREATED " && " FILE_OF("_raw1") " && " FILE_OF("_raw1") "->f_mode & 0x100000"
/* AT_EMPTY_PATH: what the descriptor refers to, not a path. */
#define OF_DESCRIPTOR(flags) " && (" flags ") & 0x1000"
#define ATTRIBUTES FSTAT " || " FSTATAT OF_DESCRIPTOR(ARG3) " || " STATX OF_DESCRIPTOR(ARG2)
#define MAPPED MAP " && !((" ARG3 ") & 0x20)"	/* not MAP_ANONYMOUS */
/* Commands of fcntl(): F_SETFL; F_GETLK ... F_SETLKW, the same for 32-bit processes (F_GETLK64), F_OFD_GETLK ... */
#define COMMAND "(int)(" ARG1 ")"
#define SETS_FLAGS FCNTL " && " COMMAND " == 4"
#define FROM_TO(first, last) COMMAND " >= " #first " && " COMMAND " <= " #last
#define LOCKS FLOCK " || " FCNTL " && (" FROM_TO(5, 7) " || " FROM_TO(12, 14) " || " FROM_TO(36, 38) ")"

#define BY_PATH(calls) .never = "Linux's tracepoints have no file here: use " calls
#define NO_FUNCTION "Linux has no such operation on files"
#define NO_PAGES "no system call does this: see vminfo:::fspgin and vminfo:::fspgout"

static const struct site_row rows[] = {
	{ .name = "access", BY_PATH("syscall::*access*:entry") },
	{ .name = "addmap", .never = "see fsinfo:::map" },
	{ .name = "close", SITES({ "sys_enter", .when = CLOSES, .arg = { "(int)" ARG0, "0" } }), ARGS },
	{ .name = "create", OPENED(CREATED) },
	{ .name = "delmap", .never = "use syscall::munmap:entry" },
	{ .name = "dispose", .never = NO_FUNCTION },
	{ .name = "dump", .never = NO_FUNCTION },
	{ .name = "dumpctl", .never = NO_FUNCTION },
	{ .name = "fid", .never = NO_FUNCTION },
	{ .name = "frlock", ON(ARG0, LOCKS) },
	{ .name = "fsync", ON(ARG0, FSYNC) },
	{ .name = "getattr", ON(ARG0, ATTRIBUTES) },
	{ .name = "getpage", .never = NO_PAGES },
	{ .name = "getsecattr", .never = "use syscall::*getxattr:entry" },
	{ .name = "inactive", .never = NO_FUNCTION },
	{ .name = "ioctl", ON(ARG0, IOCTL) },
	{ .name = "link", BY_PATH("syscall::link*:entry") },
	{ .name = "lookup", BY_PATH("fbt::filename_lookup:entry, where the kernel has kprobes") },
	{ .name = "map", ON(ARG4, MAPPED) },
	{ .name = "mkdir", BY_PATH("syscall::mkdir*:entry") },
	{ .name = "open", OPENED("") },
	{ .name = "pageio", .never = NO_PAGES },
	{ .name = "pathconf", .never = NO_FUNCTION },
	{ .name = "poll", .never = "poll() has many files: use syscall::*poll*:entry" },
	{ .name = "putpage", .never = NO_PAGES },
	{ .name = "read", MOVES(READS) },
	{ .name = "readdir", ON(ARG0, READDIR) },
	{ .name = "readlink", BY_PATH("syscall::readlink*:entry") },
	{ .name = "realvp", .never = NO_FUNCTION },
	{ .name = "remove", BY_PATH("syscall::unlink*:entry") },
	{ .name = "rename", BY_PATH("syscall::rename*:entry") },
	{ .name = "rmdir", BY_PATH("syscall::rmdir:entry, syscall::unlinkat:entry") },
	{ .name = "rwlock", .never = NO_FUNCTION },
	{ .name = "rwunlock", .never = NO_FUNCTION },
	{ .name = "seek", ON(ARG0, SEEK) },
	{ .name = "setattr", ON(ARG0, SETATTR) },
	{ .name = "setfl", ON(ARG0, SETS_FLAGS) },
	{ .name = "setsecattr", .never = "use syscall::*setxattr:entry" },
	{ .name = "shrlock", .never = NO_FUNCTION },
	{ .name = "space", ON(ARG0, SPACE) },
	{ .name = "symlink", BY_PATH("syscall::symlink*:entry") },
	{ .name = "vnevent", .never = NO_FUNCTION },
	{ .name = "write", MOVES(WRITES) },
};

static const struct provider_sites fsinfo_sites = {
	.list = site_list, .rows = rows, .nrows = sizeof rows / sizeof *rows, .prelude = true,
};

const struct provider provider_fsinfo = {
	.name = "fsinfo", .attr = &site_attr, .enumerate = site_enumerate, .late = site_late, .provide = site_provide,
	.args = site_args, .sites = &fsinfo_sites, .ctx = site_ctx, .attach = site_attach, .detach = site_detach,
};
