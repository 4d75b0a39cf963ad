// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Functions of Go and C that call each other.
package main

/*
extern void goCallback(int);
static volatile long sink;
__attribute__((noinline)) static void c_leaf(void) { sink++; }
__attribute__((noinline)) static void c_calls(int n) { goCallback(n); sink++; }
__attribute__((noinline)) static void c_outer(void) { c_leaf(); sink++; }
*/
import "C"

var sum int

//export goCallback
func goCallback(n C.int) {
	if n > 0 {
		goCalls(int(n) - 1)
	} else {
		goLeaf()
	}
	sum++
}

//go:noinline
func goLeaf() { sum++ }

//go:noinline
func goCalls(n int) { C.c_calls(C.int(n)); sum++ }

func main() {
	C.c_outer()
	goCalls(2)
}
