// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
package main

import "C"

//export chain_start
func chain_start() {
	chainouter()
	counted++
}

func main() {}
