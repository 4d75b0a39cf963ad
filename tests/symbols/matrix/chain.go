// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// chain.c in Go.
package main

var stopped, counted uint32

//go:noinline
func chainleaf() {
	for stopped == 0 {
		counted++
	}
}

//go:noinline
func chaininner(times int) {
	if times > 1 {
		chaininner(times - 1)
	} else {
		chainleaf()
	}
	counted++
}

//go:noinline
func chainmiddle() {
	chaininner(3)
	counted++
}

//go:noinline
func chainouter() {
	chainmiddle()
	counted++
}
