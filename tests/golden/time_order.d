/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records print in the order of their times, whatever CPU they come from. */
profile-97 { trace(timestamp); }
