/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Powers of two, negative values, zero, one empty row on either side. */
profile-97 { @ = quantize((int)uid); }
