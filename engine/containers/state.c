/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/containers/state.h"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/jsonread.h"

enum { LARGEST = 16 << 20 };

/* ---- files ---- */
/* The contents of a regular file, which the caller frees; NULL: it cannot be read. */
static char *file_read(const char *path, size_t *n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	char *text = NULL;
	ssize_t got = 0;

	*n = 0;
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0 && st.st_size <= LARGEST)
		text = malloc((size_t)st.st_size);
	while (text && *n < (size_t)st.st_size && (got = read(fd, text + *n, (size_t)st.st_size - *n)) > 0)
		*n += (size_t)got;
	if (fd >= 0)
		close(fd);
	return text;
}

/* Calls fn for the contents of each file that a pattern below root matches, until it returns true. */
typedef bool file_fn(void *arg, struct json_part file);

static bool files_each(const char *root, const char *pattern, file_fn *fn, void *arg)
{
	char path[PATH_MAX];
	glob_t files = { 0 };
	bool done = false;

	snprintf(path, sizeof path, "%s%s", root, pattern);
	if (glob(path, GLOB_NOSORT, NULL, &files))
		files.gl_pathc = 0;
	for (size_t i = 0; i < files.gl_pathc && !done; i++) {
		size_t n;
		char *text = file_read(files.gl_pathv[i], &n);

		done = text && fn(arg, json_read(text, n));
		free(text);
	}
	globfree(&files);
	return done;
}

/* ---- values ---- */
static bool text_member(struct json_part object, const char *name, char out[STATE_NAME])
{
	struct json_part v;
	char text[STATE_NAME];

	if (!json_read_member(object, name, &v) || !json_read_string(v, text, sizeof text) || !*text)
		return false;
	memcpy(out, text, sizeof text);
	return true;
}

/* The first of several members that an object has. */
static void first_member(struct json_part object, const char *const *names, char out[STATE_NAME])
{
	for (size_t i = 0; names[i] && !*out; i++)
		text_member(object, names[i], out);
}

static void pod_put(char out[STATE_NAME], const char *space, const char *name)
{
	if (*name && !*out)
		snprintf(out, STATE_NAME, "%.100s%s%.150s", space, *space ? "/" : "", name);
}

/* Labels and annotations, which the kubelet and the runtimes write. */
static void labels_take(struct json_part labels, struct container_state *out)
{
	static const char *const names[] = {
		"io.kubernetes.container.name", "io.kubernetes.cri.container-name", "nerdctl/name", NULL,
	};
	static const char *const images[] = {
		"io.kubernetes.cri.image-name", "io.kubernetes.cri-o.ImageName", "io.kubernetes.cri-o.Image", NULL,
	};
	static const char *const pods[] = {
		"io.kubernetes.pod.name", "io.kubernetes.cri.sandbox-name", "io.kubernetes.cri-o.KubeName", NULL,
	};
	static const char *const spaces[] = {
		"io.kubernetes.pod.namespace", "io.kubernetes.cri.sandbox-namespace", "io.kubernetes.cri-o.Namespace",
		NULL,
	};
	char pod[STATE_NAME] = "", space[STATE_NAME] = "", name[STATE_NAME] = "";

	first_member(labels, names, name);
	if (*name && strcmp(name, "POD"))
		snprintf(out->name, sizeof out->name, "%s", name);
	first_member(labels, images, out->image);
	first_member(labels, pods, pod);
	first_member(labels, spaces, space);
	pod_put(out->pod, space, pod);
}

/* ---- Docker: /var/lib/docker/containers/ID/config.v2.json ---- */
static bool docker_take(void *arg, struct json_part file)
{
	struct container_state *out = arg;
	struct json_part config, labels;
	char name[STATE_NAME] = "";

	if (!text_member(file, "Name", name))
		return false;
	snprintf(out->name, sizeof out->name, "%s", name + (*name == '/'));
	if (json_read_member(file, "Config", &config)) {
		text_member(config, "Image", out->image);
		if (json_read_member(config, "Labels", &labels))
			labels_take(labels, out);
	}
	return true;
}

/* ---- the configuration that a runtime of OCI gets: annotations ---- */
static bool oci_take(void *arg, struct json_part file)
{
	struct container_state *out = arg;
	struct json_part labels;

	if (json_read_member(file, "annotations", &labels))
		labels_take(labels, out);
	return *out->name;
}

/* ---- containers/storage: a list of all containers ---- */
struct storage_search {
	const char *id;
	struct container_state *out;
};

/* `metadata` is a string with JSON. */
static void metadata_take(struct json_part container, struct container_state *out)
{
	enum { MOST = 16384 };
	struct json_part v, inner;
	char *text = malloc(MOST), pod[STATE_NAME] = "";

	if (text && json_read_member(container, "metadata", &v) && json_read_string(v, text, MOST)) {
		inner = json_read(text, strlen(text));
		if (!*out->image)
			text_member(inner, "image-name", out->image);
		if (text_member(inner, "pod-name", pod))
			pod_put(out->pod, "", pod);
	}
	free(text);
}

static bool storage_take(void *arg, struct json_part file)
{
	struct storage_search *s = arg;
	struct json_part container, names, name;
	char id[STATE_NAME];

	while (json_read_element(&file, &container)) {
		if (!text_member(container, "id", id) || strcmp(id, s->id))
			continue;
		metadata_take(container, s->out);
		if (!*s->out->name && json_read_member(container, "names", &names) &&
		    json_read_element(&names, &name))
			json_read_string(name, s->out->name, sizeof s->out->name);
		return *s->out->name;
	}
	return false;
}

/* ---- the kubelet: /var/log/containers/POD_NAMESPACE_CONTAINER-ID.log, /var/log/pods/NAMESPACE_NAME_UID ---- */
static bool kubelet_find(const char *root, const char *id, struct container_state *out)
{
	char pattern[PATH_MAX], pod[STATE_NAME], space[STATE_NAME], name[STATE_NAME];
	const char *file;
	glob_t files = { 0 };
	bool found = false;

	snprintf(pattern, sizeof pattern, "%s/var/log/containers/*-%s.log", root, id);
	if (!glob(pattern, GLOB_NOSORT, NULL, &files)) {
		file = strrchr(files.gl_pathv[0], '/') + 1;
		found = sscanf(file, "%255[^_]_%255[^_]_%255[^_]", pod, space, name) == 3 &&
			strlen(name) > strlen(id) + 5;
	}
	globfree(&files);
	if (!found)
		return false;
	name[strlen(name) - strlen(id) - 5] = '\0';	/* -ID.log */
	if (!*out->name)
		snprintf(out->name, sizeof out->name, "%s", name);
	pod_put(out->pod, space, pod);
	return true;
}

bool state_pod(const char *root, const char *uid, char out[STATE_NAME])
{
	char path[PATH_MAX], space[STATE_NAME], name[STATE_NAME], of[STATE_NAME];
	const struct dirent *e;
	DIR *dir;

	*out = '\0';
	snprintf(path, sizeof path, "%s/var/log/pods", root);
	dir = opendir(path);
	while (dir && !*out && (e = readdir(dir)))
		if (sscanf(e->d_name, "%255[^_]_%255[^_]_%255s", space, name, of) == 3 && !strcmp(of, uid))
			pod_put(out, space, name);
	if (dir)
		closedir(dir);
	return *out;
}

/* ---- all of them ---- */
bool state_find(const char *root, const char *id, struct container_state *out)
{
	static const char *const oci[] = {
		"/run/containerd/io.containerd.runtime.v2.task/*/%s/config.json",
		"/run/containers/storage/*-containers/%s/userdata/config.json",
	};
	static const char *const storage[] = {
		"/var/lib/containers/storage/*-containers/containers.json",
		"/run/containers/storage/*-containers/volatile-containers.json",
		"/home/*/.local/share/containers/storage/*-containers/containers.json",
	};
	struct storage_search search = { id, out };
	char pattern[PATH_MAX];
	bool found;

	memset(out, 0, sizeof *out);
	snprintf(pattern, sizeof pattern, "/var/lib/docker/containers/%s/config.v2.json", id);
	found = files_each(root, pattern, docker_take, out);
	for (size_t i = 0; i < sizeof oci / sizeof *oci && !found; i++) {
		snprintf(pattern, sizeof pattern, oci[i], id);
		found = files_each(root, pattern, oci_take, out);
	}
	for (size_t i = 0; i < sizeof storage / sizeof *storage && !(found && *out->image); i++)
		found |= files_each(root, storage[i], storage_take, &search);
	found |= kubelet_find(root, id, out);
	return found;
}
