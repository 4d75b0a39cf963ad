/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
BEGIN /nix/
{
	trace(nix);
	trace(nix[1]);
}
END { trace(nix); }
