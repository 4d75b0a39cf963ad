/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "engine/host/wall.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

enum { TRIES = 3, CLOSE_NS = 1000 };

/* This thread may be interrupted between reading the two clocks, so the shortest of several readings counts. */
int64_t wall_offset(void)
{
	int64_t offset = 0, least = INT64_MAX;

	for (int i = 0; i < TRIES && least > CLOSE_NS; i++) {
		int64_t before = clock_now(), wall = clock_read(CLOCK_REALTIME);
		int64_t span = clock_now() - before;

		if (span < least) {
			least = span;
			offset = wall - before - span / 2;
		}
	}
	return offset;
}

int wall_steps(void)
{
	/* a timer that never expires, but is cancelled when the clock is set */
	const struct itimerspec never = { .it_value.tv_sec = sizeof(time_t) > 4 ? INT64_MAX / 2000000000 : INT32_MAX };
	int fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	if (!timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

void wall_step_seen(int fd)
{
	uint64_t expired;

	while (read(fd, &expired, sizeof expired) < 0 && (errno == ECANCELED || errno == EINTR))
		;
}
