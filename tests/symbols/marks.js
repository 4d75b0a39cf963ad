// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Calls mark() through the ways in which JavaScript calls JavaScript. mark() prints the stack that jstack() must show,
// with its number, then makes a system call with this number: ftruncate(2).
//	marks.js FOLDER [HOT]	FOLDER: for its files; HOT: how often functions are called before they call mark()
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');
const { EventEmitter } = require('node:events');
const { Worker, isMainThread, workerData, threadId } = require('node:worker_threads');
const folder = isMainThread ? process.argv[2] : workerData;
const HOT = Number(process.argv[3] || 0);
const FD = fs.openSync(path.join(folder, `marks-${threadId}`), 'w');
let number = 1000 + 100000 * threadId;

Error.stackTraceLimit = Infinity;

// The source names functions, not what they become a property of when it runs.
function name(site) {
	const text = site.getFunctionName();

	return !text || text === 'eval' || text.startsWith('[') ? '<anonymous>' : text;
}

function chain(sites) {
	return sites.filter((s) => (s.getFileName() || s.isEval()) && !s.isAsync() && !s.isPromiseAll())
		.map((s) => `${name(s)} (${s.getFileName() || '<anonymous>'}:${s.getLineNumber()})`)
		.reverse().join(';');
}

// The error and the system call are on one line, because both stacks have it.
function mark() {
	const n = number++, holder = {};

	Error.prepareStackTrace = (error, sites) => chain(sites);
	Error.captureStackTrace(holder); fs.writeSync(1, `chain ${n} ${holder.stack}\n`); fs.ftruncateSync(FD, n);
	Error.prepareStackTrace = undefined;
	return n;
}

let quiet = false;
function leaf(n) {
	return quiet ? n : mark();
}

function recursion(n) {
	return n ? recursion(n - 1) : mark();
}

const arrow = (n) => {
	return n ? other(n - 1) : mark();
};
function other(n) {
	return (() => arrow(n))();
}

// ---- exceptions ----
function deepThrow(n) {
	try {
		if (n)
			deepThrow(n - 1);
		throw new Error('here');
	} finally {
		if (n === 3)
			mark();
	}
}

function exceptions() {
	try {
		try {
			throw new TypeError('one');
		} catch (e) {
			mark();
			throw new RangeError('two');
		} finally {
			mark();
		}
	} catch {
		mark();
	}
	try {
		deepThrow(6);
	} catch (e) {
		mark();
	}
	try {
		null.property;
	} catch {
		mark();
	}
}

// ---- closures, classes ----
function counter(step) {
	let total = 0;
	return function add(n) {
		const inner = () => {
			total += step;
			mark();
		};
		for (let i = 0; i < n; i++)
			inner();
		return total;
	};
}

class Base {
	static #private = 1;
	field = mark();
	constructor(n) {
		this.n = n;
		mark();
	}
	get value() {
		return mark();
	}
	set value(v) {
		mark(v);
	}
	method() {
		return mark();
	}
	static make(n) {
		mark();
		return new this(n);
	}
	#hidden() {
		return mark();
	}
	hidden() {
		return this.#hidden();
	}
	[Symbol.iterator]() {
		mark();
		return [1, 2][Symbol.iterator]();
	}
	toString() {
		mark();
		return 'base';
	}
	valueOf() {
		mark();
		return 1;
	}
	toJSON() {
		mark();
		return 1;
	}
	'a name with blanks'() {
		mark();
	}
}
class Derived extends Base {
	constructor(n) {
		super(n);
		mark();
	}
	method() {
		return super.method();
	}
	static {
		mark();
	}
}

function classes() {
	const d = Derived.make(1);
	d.value = d.value;
	d.method();
	d.hidden();
	[...d];
	`${d}`;
	d + 1;
	JSON.stringify(d);
	d['a name with blanks']();
	new Proxy({}, { get() { return mark(); } }).anything;
	new Proxy(recursion, { apply(f, self, a) { return f(...a); } })(2);
	Object.defineProperty({}, 'x', { get: recursion.bind(null, 1) }).x;
	Reflect.construct(Derived, [1]);
	Reflect.apply(recursion, null, [2]);
	recursion.call(null, 1);
	recursion.apply(null, [1]);
	new (class extends Array { constructor() { super(); mark(); } })();
	const o = { method() { mark(); }, f: function () { mark(); }, g: () => { mark(); } };
	o.method();
	o.f();
	o.g();
	const namespace = { deep: {} };
	namespace.deep.member = function () { mark(); };
	namespace.deep.member();
	(function () { mark(); })();
	(() => { mark(); })();
	(function named() { mark(); })();
	new Function('mark', '\n\nreturn mark();')(mark);
}

// ---- V8's own functions in between ----
function builtins() {
	[1, 2].map(() => mark());
	[1].forEach(function each() { mark(); });
	[2, 1].sort((a, b) => mark() && a - b);
	[1, 2, 3].reduce((a) => a + mark());
	[1].filter(() => mark());
	[1].find(() => mark());
	[1].flatMap(() => [mark()]);
	Array.from([1], () => mark());
	Array.from({ length: 1 }, () => mark());
	new Map([[1, 2]]).forEach(() => mark());
	new Set([1]).forEach(() => mark());
	new Float64Array([2, 1]).sort((a, b) => mark() && a - b);
	'banana'.replace(/a/g, () => mark() && 'b');
	'banana'.replace('b', () => mark() && 'b');
	JSON.parse('{"a": 1}', () => mark());
	JSON.stringify({ a: 1 }, () => mark() && 1);
	Object.fromEntries({ [Symbol.iterator]: function* pairs() { mark(); yield [1, 2]; } });
	((strings) => mark())`tagged ${1}`;
	((a = mark()) => a)();
	const { a = mark() } = {};
	[...{ *[Symbol.iterator]() { yield mark(); } }];
	new Promise(() => mark());
	eval('\nmark()');
	(0, eval)('(function () { globalThis.marker = 1; })')();
	const f = vm.runInThisContext('\n(function inText(f) {\n\treturn f();\n})', { filename: 'text.js', lineOffset: 0 });
	f(mark);
	vm.runInNewContext('f()', { f: mark }, 'context.js');
	new EventEmitter().on('event', function listener() { mark(); }).emit('event');
	a;
}

// ---- generators, async functions ----
function* generator(n) {
	if (n)
		yield* generator(n - 1);
	else
		yield mark();
}

async function* agenerator() {
	for (let i = 0; i < 2; i++) {
		mark();
		yield i;
		await null;
	}
}

async function awaited(n) {
	if (n)
		await awaited(n - 1);
	await null;
	mark();
}

async function asynchronous() {
	mark();
	await awaited(3);
	for await (const i of agenerator())
		mark(i);
	await Promise.all([awaited(1), awaited(0)]);
	await Promise.reject(new Error('x')).catch(() => mark()).finally(() => mark());
	await { then(resolve) { mark(); resolve(); } };
	await new Promise((resolve) => setTimeout(() => { mark(); resolve(); }, 0));
	await new Promise((resolve) => setImmediate(() => { mark(); resolve(); }));
	await new Promise((resolve) => process.nextTick(() => { mark(); resolve(); }));
	await new Promise((resolve) => queueMicrotask(() => { mark(); resolve(); }));
	await new Promise((resolve) => fs.stat('/', () => { mark(); resolve(); }));
	await fs.promises.stat('/');
	mark();
}

// ---- code that is compiled ----
function inlined(n) {
	return leaf(n);
}
function inliner(n) {
	let sum = 0;

	sum += inlined(n);
	return sum +
		inlined(n + 1);
}
class Hot {
	constructor(n) {
		this.n = leaf(n);
	}
	get member() {
		return inlined(this.n);
	}
}
function constructing(n) {
	return new Hot(n).member;
}
function mapping(n) {
	return [n].map((x) => inlined(x))[0];
}
function looping(n) {		// compiled while it runs
	let sum = 0;

	quiet = true;
	for (let i = 0; i < n; i++)
		sum = (sum + inliner(i)) | 0;
	quiet = false;
	return sum +
		inliner(1);
}

function hot() {
	quiet = true;
	for (let i = 0; i < HOT; i++)
		inliner(i) + constructing(i) + mapping(i);
	quiet = false;
	for (let i = 0; i < 3; i++) {
		inliner(i);
		constructing(i);
		mapping(i);
	}
	looping(HOT);
}

// ---- collection moves functions and scripts ----
function garbage() {
	const keep = [];

	for (let i = 0; i < 30; i++) {
		const made = new Function('mark', `${'\n'.repeat(i)}return function made${i}() { return mark(); };`)(mark);
		keep.push(made);
		for (let k = 0; k < 1000; k++)
			keep.push({ k, text: `${i}.${k}`, f: () => k });
		if (i % 3 === 0)
			keep.splice(0, 1500);
		made();
		if (globalThis.gc)
			gc();
		made();
	}
}

function modules() {
	for (let i = 0; i < 1000; i++) {
		const file = path.join(folder, `module${i}.js`);

		fs.writeFileSync(file, `${'\n'.repeat(i % 7)}exports.call = function call(f, n) {\n\treturn n ? call(f, n - 1) : f(); };\n`);
		const module = require(file);
		if (i % 10 === 0)
			module.call(mark, i % 4);
	}
}

async function main() {
	mark();
	recursion(60);
	arrow(5);
	exceptions();
	counter(2)(3);
	classes();
	builtins();
	[...generator(5)];
	await asynchronous();
	hot();
	garbage();
	if (!isMainThread)
		return;
	modules();
	await new Promise((resolve) => new Worker(__filename, { workerData: folder, argv: process.argv.slice(2) })
		.on('exit', resolve));
	process.on('exit', () => mark());
}

main();
