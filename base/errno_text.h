/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Texts of errors that name the limit which was reached. Errors: none. */
#ifndef BASE_ERRNO_TEXT_H
#define BASE_ERRNO_TEXT_H

/* The text of a positive errno, like strerror; for EMFILE it names the limit. Valid until the next call of this or of
 * strerror. */
const char *errno_text(int err);

#endif
