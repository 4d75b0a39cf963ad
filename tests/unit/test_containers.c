/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Control groups and containers: paths of all runtimes, their files in a made tree, mounts of both versions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/jsonread.h"
#include "engine/containers/containers.h"
#include "engine/containers/hierarchy.h"
#include "engine/containers/runtimes.h"
#include "engine/containers/state.h"
#include "ir/value.h"

#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER "ffffffffffffffff0000000000000000ffffffffffffffff0000000000000000"
#define UID "12345678-1234-1234-1234-123456789abc"
#define UID_ "12345678_1234_1234_1234_123456789abc"

/* ---- paths ---- */
static void test_paths(void **state)
{
	static const struct {
		const char *path, *runtime, *id, *pod;
		unsigned level;
	} rows[] = {
		{ "/", NULL, "", "", 0 },
		{ "/system.slice/ssh.service", NULL, "", "", 0 },
		{ "/docker/" HEX, "docker", HEX, "", 2 },
		{ "/system.slice/docker-" HEX ".scope", "docker", HEX, "", 2 },
		{ "/system.slice/docker-" HEX ".scope/init.scope", "docker", HEX, "", 2 },
		{ "/system.slice/nerdctl-" HEX ".scope", "containerd", HEX, "", 2 },
		{ "/default/" HEX, "containerd", HEX, "", 2 },
		{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_ ".slice/cri-containerd-" HEX
		  ".scope", "containerd", HEX, UID, 4 },
		{ "/kubepods.slice/kubepods-pod" UID_ ".slice/crio-" HEX ".scope", "crio", HEX, UID, 3 },
		{ "/kubepods.slice/kubepods-pod" UID_ ".slice/crio-conmon-" HEX ".scope", NULL, "", UID, 3 },
		{ "/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" UID_ ".slice", NULL, "", UID, 3 },
		{ "/kubepods/burstable/pod" UID "/" HEX, "container", HEX, UID, 4 },
		{ "/kubepods/pod" UID "/" HEX "/inner", "container", HEX, UID, 3 },
		{ "/machine.slice/libpod-" HEX ".scope", "podman", HEX, "", 2 },
		{ "/machine.slice/libpod-" HEX ".scope/container", "podman", HEX, "", 2 },
		{ "/machine.slice/libpod-conmon-" HEX ".scope", NULL, "", "", 0 },
		{ "/libpod_parent/libpod-" HEX, "podman", HEX, "", 2 },
		{ "/libpod_parent/" HEX "/libpod-" HEX, "podman", HEX, HEX, 3 },
		{ "/libpod_parent/libpod-conmon-" HEX, NULL, "", "", 0 },
		{ "/user.slice/user-1000.slice/user@1000.service/user.slice/user-libpod_pod_" OTHER ".slice/libpod-" HEX
		  ".scope", "podman", HEX, OTHER, 6 },
		{ "/lxc.payload.web", "lxc", "web", "", 1 },
		{ "/lxc.payload/web", "lxc", "web", "", 2 },
		{ "/lxc/web/system.slice/ssh.service", "lxc", "web", "", 2 },
		{ "/lxc.monitor.web", NULL, "", "", 0 },
		{ "/machine.slice/machine-my\\x2dbox.scope", "systemd-nspawn", "my-box", "", 2 },
		{ "/machine.slice/systemd-nspawn@box.service/payload", "systemd-nspawn", "box", "", 2 },
		{ "/ecs/task/" HEX, "container", HEX, "", 3 },
		{ "/docker/" HEX "/docker/" OTHER, "docker", OTHER, "", 4 },
		/* not quite */
		{ "/docker/" HEX "0", NULL, "", "", 0 },
		{ "/docker/0123456789abcdef", NULL, "", "", 0 },
		{ "/system.slice/docker-" HEX ".service", NULL, "", "", 0 },
		{ "/kubepods/podling", NULL, "", "", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct container_place p;
		bool found = runtime_find(rows[i].path, &p);

		assert_int_equal(found, rows[i].runtime || *rows[i].pod);
		if (!rows[i].runtime)
			assert_null(p.runtime);
		else
			assert_string_equal(p.runtime, rows[i].runtime);
		assert_string_equal(p.pod, rows[i].pod);
		if (!rows[i].runtime)
			continue;
		assert_string_equal(p.id, rows[i].id);
		assert_int_equal(p.level, rows[i].level);
	}
}

/* ---- a made tree ---- */
#define TEMPLATE "/tmp/dtr-containers-XXXXXX"
static char root[] = TEMPLATE;

static void put_file(const char *path, const char *text)
{
	char name[PATH_MAX];
	FILE *f;

	snprintf(name, sizeof name, "%s%s", root, path);
	for (char *p = name + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(name, 0700);
		*p = '/';
	}
	f = fopen(name, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	return remove(path);
}

static int tree_remove(void **state)
{
	(void)state;
	return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static int tree_make(void **state)
{
	(void)state;
	memcpy(root, TEMPLATE, sizeof root);
	return mkdtemp(root) ? 0 : -1;
}

static void state_is(const char *id, const char *name, const char *image, const char *pod)
{
	struct container_state s;

	assert_true(state_find(root, id, &s));
	assert_string_equal(s.name, name);
	assert_string_equal(s.image, image);
	assert_string_equal(s.pod, pod);
}

static void test_docker(void **state)
{
	struct container_state s;

	(void)state;
	put_file("/var/lib/docker/containers/" HEX "/config.v2.json",
		 "{\"State\":{\"Name\":\"no\"}, \"Config\" : {\"Hostname\":\"h\",\"Image\":\"redis:7\",\"Labels\":{}},"
		 "\"Name\":\"/web\\u0041\"}");
	state_is(HEX, "webA", "redis:7", "");
	assert_false(state_find(root, OTHER, &s));
	/* with the kubelet */
	put_file("/var/lib/docker/containers/" HEX "/config.v2.json",
		 "{\"Config\":{\"Image\":\"nginx\",\"Labels\":{\"io.kubernetes.container.name\":\"front\","
		 "\"io.kubernetes.pod.name\":\"shop-1\","
		 "\"io.kubernetes.pod.namespace\":\"prod\"}},\"Name\":\"/k8s_x\"}");
	state_is(HEX, "front", "nginx", "prod/shop-1");
	/* damaged */
	put_file("/var/lib/docker/containers/" HEX "/config.v2.json", "{\"Name\":\"/web");
	assert_false(state_find(root, HEX, &s));
	put_file("/var/lib/docker/containers/" HEX "/config.v2.json", "[[[[{");
	assert_false(state_find(root, HEX, &s));
}

static void test_podman(void **state)
{
	(void)state;
	put_file("/var/lib/containers/storage/overlay-containers/containers.json",
		 "[{\"id\":\"" OTHER "\",\"names\":[\"db\"],"
		 "\"metadata\":\"{\\\"image-name\\\":\\\"localhost/db:1\\\"}\"},"
		 "\n {\"id\":\"" HEX "\",\"names\":[\"web\",\"x\"],\"image\":\"5\"}]");
	state_is(OTHER, "db", "localhost/db:1", "");
	state_is(HEX, "web", "", "");
}

static void test_home(void **state)
{
	(void)state;
	put_file("/home/joe/.local/share/containers/storage/vfs-containers/containers.json",
		 "[{\"id\":\"" HEX "\",\"names\":[\"mine\"]}]");
	state_is(HEX, "mine", "", "");
}

static void test_containerd(void **state)
{
	(void)state;
	put_file("/run/containerd/io.containerd.runtime.v2.task/k8s.io/" HEX "/config.json",
		 "{\"ociVersion\":\"1\",\"annotations\":{\"io.kubernetes.cri.container-name\":\"app\","
		 "\"io.kubernetes.cri.image-name\":\"registry/app:2\",\"io.kubernetes.cri.sandbox-name\":\"app-7\","
		 "\"io.kubernetes.cri.sandbox-namespace\":\"dev\"}}");
	state_is(HEX, "app", "registry/app:2", "dev/app-7");
}

static void test_crio(void **state)
{
	(void)state;
	put_file("/run/containers/storage/overlay-containers/" HEX "/userdata/config.json",
		 "{\"annotations\":{\"io.kubernetes.container.name\":\"app\","
		 "\"io.kubernetes.cri-o.ImageName\":\"q/app\","
		 "\"io.kubernetes.pod.name\":\"app-8\",\"io.kubernetes.pod.namespace\":\"dev\"}}");
	state_is(HEX, "app", "q/app", "dev/app-8");
}

static void test_kubelet(void **state)
{
	char pod[STATE_NAME];

	(void)state;
	put_file("/var/log/containers/shop-1_prod_front-" HEX ".log", "");
	put_file("/var/log/pods/prod_shop-1_" UID "/front/0.log", "");
	state_is(HEX, "front", "", "prod/shop-1");
	assert_true(state_pod(root, UID, pod));
	assert_string_equal(pod, "prod/shop-1");
	assert_false(state_pod(root, "12345678-0000-1234-1234-123456789abc", pod));
}

/* ---- mounts ---- */
static void hierarchy_is(const char *wanted, const char *controller, unsigned number, const char *mount)
{
	char proc[PATH_MAX], reason[160] = "";
	struct cgroup_hierarchy h;

	snprintf(proc, sizeof proc, "%s/proc", root);
	assert_int_equal(cgroup_hierarchy_find(&h, wanted, proc, reason, sizeof reason), 0);
	assert_string_equal(h.controller, controller);
	assert_int_equal(h.number, number);
	assert_string_equal(h.mount, mount);
}

static void test_mounts(void **state)
{
	char proc[PATH_MAX], reason[160] = "", directory[PATH_MAX];
	struct cgroup_hierarchy h;

	(void)state;
	snprintf(proc, sizeof proc, "%s/proc", root);
	put_file("/proc/self/cgroup", "0::/user.slice\n");
	put_file("/proc/self/mountinfo",
		 "20 1 0:5 / /proc rw - proc proc rw\n"
		 "31 20 0:28 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,x\n");
	hierarchy_is(NULL, "", 0, "/sys/fs/cgroup");
	hierarchy_is("v2", "", 0, "/sys/fs/cgroup");
	assert_int_not_equal(cgroup_hierarchy_find(&h, "memory", proc, reason, sizeof reason), 0);
	assert_string_equal(reason, "no controller of version 1 called 'memory' is mounted");
	/* version 1, several controllers in one hierarchy, blanks in the path */
	put_file("/proc/self/cgroup", "9:name=systemd:/\n5:pids:/\n4:cpu,cpuacct:/a:b\n");
	put_file("/proc/self/mountinfo",
		 "31 20 0:28 / /cg\\040x/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
		 "32 20 0:29 /sub /cg/pids0 rw - cgroup cgroup rw,pids\n"
		 "33 20 0:29 / /cg/pids rw - cgroup cgroup rw,pids\n");
	hierarchy_is(NULL, "pids", 5, "/cg/pids");
	hierarchy_is("cpuacct", "cpuacct", 4, "/cg x/cpu");
	assert_int_not_equal(cgroup_hierarchy_find(&h, "v2", proc, reason, sizeof reason), 0);
	/* what a mount does not show */
	h = (struct cgroup_hierarchy){ .mount = "/m", .root = "/docker/1" };
	assert_int_equal(cgroup_directory(&h, "/docker/1/x", directory), 0);
	assert_string_equal(directory, "/m/x");
	assert_int_not_equal(cgroup_directory(&h, "/docker/12", directory), 0);
	assert_int_not_equal(cgroup_directory(&h, "/", directory), 0);
}

/* ---- groups that are known ---- */
static void shown(struct containers *c, unsigned kind, uint64_t id, const char *text)
{
	struct buf b = { 0 };

	containers_show(c, kind, id, &b);
	assert_string_equal(buf_str(&b), text);
	buf_free(&b);
}

/* Makes a directory of the hierarchy. Returns its inode number, which is the group's. */
static uint64_t make_group(const char *path)
{
	char name[PATH_MAX];
	struct stat st;

	snprintf(name, sizeof name, "%s/cg%s", root, path);
	assert_true(!mkdir(name, 0700) || !strcmp(path, "/"));
	assert_int_equal(stat(name, &st), 0);
	return st.st_ino;
}

static void test_groups(void **state)
{
	struct containers *c;
	struct cgroup_found found;
	uint64_t docker, web, in, app, other;
	char mounts[PATH_MAX + 64];

	(void)state;
	snprintf(mounts, sizeof mounts, "31 20 0:28 / %s/cg rw - cgroup2 cgroup2 rw\n", root);
	put_file("/proc/self/cgroup", "0::/\n");
	put_file("/proc/self/mountinfo", mounts);
	put_file("/cg/x", "");
	put_file("/var/lib/docker/containers/" HEX "/config.v2.json",
		 "{\"Name\":\"/web\",\"Config\":{\"Image\":\"nginx:1\"}}");
	put_file("/var/log/pods/dev_app-7_" UID "/app/0.log", "");
	docker = make_group("/docker");
	web = make_group("/docker/" HEX);
	in = make_group("/docker/" HEX "/in");
	make_group("/kubepods");
	make_group("/kubepods/pod" UID);
	app = make_group("/kubepods/pod" UID "/" OTHER);
	c = containers_open(&(struct containers_want){ .root = root });
	containers_scan(c);
	shown(c, VAL_CGROUP, in, "/docker/" HEX "/in");
	shown(c, VAL_CONTAINER, in, "web");
	shown(c, VAL_IMAGE, web, "nginx:1");
	shown(c, VAL_CONTAINER, docker, "-");
	shown(c, VAL_POD, app, "dev/app-7");
	shown(c, VAL_CONTAINER, app, "ffffffffffff");
	shown(c, VAL_CGROUP, UINT64_MAX, "?");
	/* rows that are shown alike are one */
	assert_int_equal(containers_settle(c, VAL_CONTAINER, in), in);
	assert_int_equal(containers_settle(c, VAL_CONTAINER, web), in);
	assert_int_equal(containers_settle(c, VAL_CGROUP, web), web);
	assert_true(containers_is(c, VAL_CONTAINER, "web", in));
	assert_true(containers_is(c, VAL_CONTAINER, "0123456789ab", web));
	assert_false(containers_is(c, VAL_CONTAINER, "0123456789", web));
	assert_false(containers_is(c, VAL_CONTAINER, "web", app));
	assert_true(containers_is(c, VAL_POD, "app-7", app));
	assert_true(containers_is(c, VAL_POD, "dev/app-7", app));
	assert_true(containers_is(c, VAL_POD, UID, app));
	assert_true(containers_is(c, VAL_CGROUP, "/docker", docker));
	assert_false(containers_is(c, VAL_CGROUP, "/docker", web));
	assert_true(containers_find(c, CGROUP_OF_CONTAINER, "web", &found));
	assert_int_equal(found.id, web);
	assert_int_equal(found.level, 2);
	assert_true(containers_find(c, CGROUP_BY_NAME, "docker", &found) && found.id == docker && found.level == 1);
	assert_false(containers_find(c, CGROUP_BY_NAME, "nothing", &found));
	/* one that is created later, and has ended: it keeps its name, but is found no longer */
	other = UINT64_MAX - 1;
	containers_add(c, other, docker, OTHER);
	shown(c, VAL_CGROUP, other, "/docker/" OTHER);
	assert_false(containers_find(c, CGROUP_BY_NAME, "/docker/" OTHER, &found));
	containers_close(c);
	containers_close(NULL);
}

/* ---- JSON ---- */
static void member_is(const char *text, const char *name, const char *want)
{
	struct json_part v;
	char out[64];

	assert_int_equal(json_read_member(json_read(text, strlen(text)), name, &v), want != NULL);
	if (!want)
		return;
	assert_true(json_read_string(v, out, sizeof out));
	assert_string_equal(out, want);
}

static void test_json(void **state)
{
	static const char list[] = " [ 1 , {\"a\":[1,2]}, \"x,]\" ] ";
	struct json_part at = json_read(list, strlen(list)), v;
	unsigned n = 0;

	(void)state;
	member_is("{\"a\":1,\"b\":\"\\\"c\\n\\u00e9\"}", "b", "\"c\n\xc3\xa9");
	member_is("{ \"x\" : {\"b\":\"no\"} , \"b\" : \"yes\" }", "b", "yes");
	member_is("{\"x\":[\"b\",{\"b\":\"}\"}],\"b\":\"y\"}", "b", "y");
	member_is("{\"b\"", "b", NULL);
	member_is("{\"a\":{{{{", "b", NULL);
	member_is("[\"b\"]", "b", NULL);
	member_is("", "b", NULL);
	member_is("{\"a\" \"b\":\"c\"}", "b", NULL);
	while (json_read_element(&at, &v))
		n++;
	assert_int_equal(n, 3);
	/* cut texts of every length read no byte outside */
	for (size_t len = 0; len < sizeof list; len++) {
		char *copy = malloc(len + 1);

		memcpy(copy, list, len);
		at = json_read(copy, len);
		while (json_read_element(&at, &v))
			assert_true(v.at < copy + len);
		free(copy);
	}
}

int main(void)
{
	/* each in a tree of its own: the names of one runtime would be found for another */
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),
		cmocka_unit_test_setup_teardown(test_docker, tree_make, tree_remove),
		cmocka_unit_test_setup_teardown(test_podman, tree_make, tree_remove),
		cmocka_unit_test_setup_teardown(test_home, tree_make, tree_remove),
		cmocka_unit_test_setup_teardown(test_containerd, tree_make, tree_remove),
		cmocka_unit_test_setup_teardown(test_crio, tree_make, tree_remove),
		cmocka_unit_test_setup_teardown(test_kubelet, tree_make, tree_remove),
		cmocka_unit_test_setup_teardown(test_mounts, tree_make, tree_remove),
		cmocka_unit_test_setup_teardown(test_groups, tree_make, tree_remove),
		cmocka_unit_test(test_json),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
