// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Functions that use known amounts of CPU time, and report them: "share NAME MICROSECONDS".
//	shares.js MS		unit of CPU time
'use strict';
const unit = Number(process.argv[2]) * 1000;

function used() {
	const u = process.cpuUsage();

	return u.user + u.system;
}

function step(n) {
	let s = 0;

	for (let i = 0; i < n; i++)
		s = (s * 31 + i) | 0;
	return s;
}

function spin(f, units) {
	const end = used() + units * unit;
	let s = 0;

	while (used() < end)
		for (let i = 0; i < 20; i++)
			s = (s + f(i)) | 0;
	return s;
}

function plain() {
	return spin(() => step(1000), 4);
}

function recursive(n = 20) {
	return n ? recursive(n - 1) : spin(step.bind(null, 1000), 3);
}

function thrower(i) {
	try {
		if (i & 1)
			throw new Error('one');
		return step(500);
	} catch (e) {
		return e.message.length;
	} finally {
		step(500);
	}
}

function exceptions() {
	return spin(thrower, 2);
}

function collecting() {
	let keep = [];

	return spin((i) => {
		keep.push({ i, f: () => i, text: `${i}` });
		if (keep.length > 10000)
			keep = keep.slice(9000);
		return new Function('n', `return n + ${i & 7}`)(i);
	}, 2);
}

async function asynchronous() {
	for (let i = 0; i < 4; i++) {
		await null;
		awaited();
	}
}

function awaited() {
	return spin((i) => step(1000 + i), 0.25);
}

async function report(name, f) {
	const before = used();

	await f();
	console.log(`share ${name} ${used() - before}`);
}

async function main() {
	await report('plain', plain);
	await report('recursive', recursive);
	await report('exceptions', exceptions);
	await report('collecting', collecting);
	await report('awaited', asynchronous);
	setTimeout(() => {}, 500);	// the rootless engine reads memory a moment after the sample
}

main();
