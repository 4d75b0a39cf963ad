/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The second argument is the weight; mixed signs are drawn from the middle. */
profile-97 { @ = quantize(arg1, (int)uid); }
