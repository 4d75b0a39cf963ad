/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/containers/runtimes.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* What stands between `before` and `after` in a name. */
enum row_id {
	ROW_DIGITS,	/* 64 hexadecimal digits */
	ROW_NAME,	/* any name */
	ROW_UID,	/* a UID: 36 characters, with '_' for '-' in names of systemd, or 32 digits */
	ROW_NOTHING,	/* the group is of the runtime itself, not of a container */
};

static const struct runtime_row {
	const char *runtime;
	const char *parent;	/* name of the group above; NULL: any */
	const char *before, *after;
	enum row_id id;
	bool pod;
} rows[] = {
	/* the processes that watch a container are not in it */
	{ "crio", NULL, "crio-conmon-", "", ROW_NOTHING, false },
	{ "podman", NULL, "libpod-conmon-", "", ROW_NOTHING, false },
	{ "lxc", NULL, "lxc.monitor.", "", ROW_NOTHING, false },
	{ "lxc", "lxc.monitor", "", "", ROW_NOTHING, false },
	/* with systemd */
	{ "docker", NULL, "docker-", ".scope", ROW_DIGITS, false },
	{ "containerd", NULL, "cri-containerd-", ".scope", ROW_DIGITS, false },
	{ "containerd", NULL, "nerdctl-", ".scope", ROW_DIGITS, false },
	{ "crio", NULL, "crio-", ".scope", ROW_DIGITS, false },
	{ "podman", NULL, "libpod-", ".scope", ROW_DIGITS, false },
	{ "podman", NULL, "libpod-payload-", "", ROW_DIGITS, false },
	{ "systemd-nspawn", "machine.slice", "machine-", ".scope", ROW_NAME, false },
	{ "systemd-nspawn", "machine.slice", "systemd-nspawn@", ".service", ROW_NAME, false },
	/* without */
	{ "podman", NULL, "libpod-", "", ROW_DIGITS, false },
	{ "crio", NULL, "crio-", "", ROW_DIGITS, false },
	{ "docker", "docker", "", "", ROW_DIGITS, false },
	{ "containerd", "default", "", "", ROW_DIGITS, false },
	{ "lxc", NULL, "lxc.payload.", "", ROW_NAME, false },
	{ "lxc", "lxc.payload", "", "", ROW_NAME, false },
	{ "lxc", "lxc", "", "", ROW_NAME, false },
	/* pods of the kubelet, and of podman */
	{ "kubelet", NULL, "kubepods-burstable-pod", ".slice", ROW_UID, true },
	{ "kubelet", NULL, "kubepods-besteffort-pod", ".slice", ROW_UID, true },
	{ "kubelet", NULL, "kubepods-pod", ".slice", ROW_UID, true },
	{ "kubelet", NULL, "pod", "", ROW_UID, true },
	{ "podman", NULL, "machine-libpod_pod_", ".slice", ROW_DIGITS, true },
	{ "podman", NULL, "user-libpod_pod_", ".slice", ROW_DIGITS, true },
	{ "podman", NULL, "libpod_pod_", "", ROW_DIGITS, true },
	{ "podman", "libpod_parent", "", "", ROW_DIGITS, true },
	/* containers in pods of the kubelet's cgroupfs driver, and those of other managers (ECS, ...) */
	{ "container", NULL, "", "", ROW_DIGITS, false },
};

static bool all_hex(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isxdigit((unsigned char)s[i]))
			return false;
	return true;
}

/* Stores the UID with '-'. */
static bool uid_take(const char *s, size_t n, char *out)
{
	enum { UID = 36, DIGITS = 32 };

	if ((n != UID && n != DIGITS) || (n == DIGITS && !all_hex(s, n)))
		return false;
	for (size_t i = 0; i < n; i++) {
		const bool mark = n == UID && (i == 8 || i == 13 || i == 18 || i == 23);

		if (mark ? s[i] != '_' && s[i] != '-' : !isxdigit((unsigned char)s[i]))
			return false;
		out[i] = mark ? '-' : s[i];
	}
	out[n] = '\0';
	return true;
}

static bool id_take(enum row_id kind, const char *s, size_t n, char out[RUNTIME_NAME])
{
	if (kind == ROW_UID)
		return uid_take(s, n, out);
	if (!n || n >= RUNTIME_NAME || (kind == ROW_DIGITS && (n != RUNTIME_ID || !all_hex(s, n))))
		return false;
	memcpy(out, s, n);
	out[n] = '\0';
	return true;
}

/* systemd writes '-' and other characters of a name as \x2d. */
static void name_unescape(char *s)
{
	char *to = s;
	unsigned c;

	for (; *s; s++)
		if (s[0] == '\\' && s[1] == 'x' && sscanf(s + 2, "%2x", &c) == 1 && c && s[3]) {
			*to++ = (char)c;
			s += 3;
		} else {
			*to++ = *s;
		}
	*to = '\0';
}

struct component {
	const char *at;
	size_t n;
};

static bool is_word(const struct component *c, const char *word)
{
	return c->n == strlen(word) && !memcmp(c->at, word, c->n);
}

/* The row that a component matches; its ID in id[]. */
static const struct runtime_row *row_find(const struct component *above, const struct component *c,
					  char id[RUNTIME_NAME])
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct runtime_row *r = &rows[i];
		const size_t before = strlen(r->before), after = strlen(r->after);

		if ((r->parent && !is_word(above, r->parent)) || c->n < before + after ||
		    memcmp(c->at, r->before, before) || memcmp(c->at + c->n - after, r->after, after))
			continue;
		if (r->id == ROW_NOTHING || id_take(r->id, c->at + before, c->n - before - after, id))
			return r;
	}
	return NULL;
}

bool runtime_find(const char *path, struct container_place *out)
{
	struct component above = { "", 0 }, c = { path, 0 };
	char id[RUNTIME_NAME];

	memset(out, 0, sizeof *out);
	for (unsigned level = 1; c.at += strspn(c.at, "/"), *c.at; level++) {
		const struct runtime_row *r;

		c.n = strcspn(c.at, "/");
		r = row_find(&above, &c, id);
		if (r && r->pod) {
			snprintf(out->pod, sizeof out->pod, "%s", id);
			out->pod_level = level;
			out->runtime = NULL;
		} else if (r && r->id == ROW_NOTHING) {
			out->runtime = NULL;
		} else if (r) {
			out->runtime = r->runtime;
			out->level = level;
			out->named = r->id == ROW_NAME;
			snprintf(out->id, sizeof out->id, "%s", id);
			if (out->named)
				name_unescape(out->id);
		}
		above = c;
		c.at += c.n;
	}
	return out->runtime || *out->pod;
}
