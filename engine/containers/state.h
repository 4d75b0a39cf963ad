/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of containers, images and pods, from the files that the runtimes keep on this machine: Docker's and
 * containerd's configuration of each container, the list of containers/storage (podman, CRI-O), the kubelet's folders
 * of logs. What cannot be read has no name. The files may be anybody's, so what they say is only shown.
 *
 * Ownership: plain data. Errors: functions return false if nothing was found.
 */
#ifndef ENGINE_CONTAINERS_STATE_H
#define ENGINE_CONTAINERS_STATE_H

#include <stdbool.h>

enum { STATE_NAME = 256 };

struct container_state {
	char name[STATE_NAME], image[STATE_NAME];
	char pod[STATE_NAME];		/* "NAMESPACE/NAME" */
};

/* Finds what is known of the container with this ID of 64 digits. root: "", or a folder that stands for the root of the
 * file system. Members that are not known are "". */
bool state_find(const char *root, const char *id, struct container_state *out);
/* Finds the name, "NAMESPACE/NAME", of the kubelet's pod with this UID. */
bool state_pod(const char *root, const char *uid, char out[STATE_NAME]);

#endif
