/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * profil - program counters in numbered cells, as profil(2) counts them
 *
 * usage: dtr profil [-s SCALE] [-o OFFSET] [-n CELLS] [-w BITS] [-O OBJECT] [-F RATE] [--raw FILE] {PID | -c COMMAND}
 *
 * A program counter belongs to the cell (PC - OFFSET) * SCALE / 65536 / bytes of a cell. With scale 0xffff a cell of 4
 * bytes is 4 bytes of code, with 0x7fff 8, with 0x3fff 16. Only user code is sampled. Ends with the process.
 *
 *   -s SCALE = -x profilscale=SCALE	2 to 0xffff, the default
 *   -o OFFSET = -x profiloffset=OFFSET	address in the object, or a function, of cell 0 (default: its first code)
 *   -n CELLS = -x profilcells=CELLS	number of cells (default: up to the end of the code)
 *   -w 16|32 = -x profilbits=16|32	bits of a cell (default: 32)
 *   -O OBJECT = -x gmonobjects=OBJECT	the program (a.out, the default) or a library
 *   -F RATE = $1	samples per second on each CPU (default: 997)
 *   --raw FILE = -x profilraw -o FILE	write all cells to this file, as an array of counters
 *   PID = -p PID	the process
 */
#pragma D option quiet
#pragma D option needpc
#pragma D option oformat=profil
#pragma D option aggsize=64m
#pragma D option argdefaults=997

profile-$1
/pid == $target && arg1/
{
	@samples[uaddr(arg1)] = count();
}
