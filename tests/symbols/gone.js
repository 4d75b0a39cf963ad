// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Calls functions that are made at run time, makes a system call in each, and lets the collector remove them.
//	gone.js FILE	commands are on standard input: any other than "go" makes a system call, too
'use strict';
const fs = require('node:fs');
const FD = fs.openSync(process.argv[2], 'w');
let number = 1000;

function mark() {
	fs.ftruncateSync(FD, number);
}

function command() {
	const bytes = Buffer.alloc(64);

	return bytes.toString('utf8', 0, fs.readSync(0, bytes));
}

function made() {
	new Function('mark', '\n\nreturn mark();')(mark);
	number++;
	eval('\nmark()');
	number++;
	new Function('mark', '\nfunction inner() {\n\treturn mark() +\n\t\t1;\n}\nreturn inner() +\n\t2;')(mark);
}

while (!command().includes('go'))
	mark();
number = 2000;
made();
for (let i = 0; i < 30; i++) {
	const keep = [];

	for (let k = 0; k < 20000; k++)
		keep.push({ k });
	gc();
}
console.log('gone');
command();
