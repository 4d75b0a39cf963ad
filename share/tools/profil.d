/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "program counters in numbered cells, as profil(2) counts them"
#pragma dtr usage "[-s SCALE] [-o OFFSET] [-n CELLS] [-w BITS] [-O OBJECT] [-F RATE] [--raw FILE] {PID | -c COMMAND}"
#pragma dtr about "A program counter belongs to the cell (PC - OFFSET) * SCALE / 65536 / bytes of a cell. With scale"
#pragma dtr more "0xffff a cell of 4 bytes is 4 bytes of code, with 0x7fff 8, with 0x3fff 16. Only user code is"
#pragma dtr more "sampled. Ends with the process."
#pragma dtr option -s text:SCALE pass "-x profilscale=%s" "2 to 0xffff, the default"
#pragma dtr option -o text:OFFSET pass "-x profiloffset=%s" "address in the object, or a function, of cell 0 (default:"
#pragma dtr more "its first code)"
#pragma dtr option -n text:CELLS pass "-x profilcells=%s" "number of cells (default: up to the end of the code)"
#pragma dtr option -w 16|32 pass "-x profilbits=%s" "bits of a cell (default: 32)"
#pragma dtr option -O text:OBJECT pass "-x gmonobjects=%s" "the program (a.out, the default) or a library"
#pragma dtr option -F rate $1 "samples per second on each CPU (default: 997)"
#pragma dtr option --raw file pass "-x profilraw -o %s" "write all cells to this file, as an array of counters"
#pragma dtr operand pid target "the process"
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
