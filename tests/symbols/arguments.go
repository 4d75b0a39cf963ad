// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Functions with arguments and results of all kinds, each called with values that the program prints.
package main

/*
__attribute__((noinline)) static int c_add(int a, int b) { return a + b; }
*/
import "C"

import (
	"errors"
	"fmt"
	"strings"
)

type point struct{ x, y int32 }

//go:noinline
func mixed(a int, s string, b []byte, f float64, p *point, u uint8) (int, string, error) {
	if a > 100 {
		return 0, "", errors.New("large")
	}
	return a + len(b) + int(p.x) + int(u) + int(f), s + "!", nil
}

//go:noinline
func stack(a, b, c, d, e int, table [3]int32, f string, g, h int8, last string) int8 {
	return int8(a) + g - h + int8(strings.Count(last, "b")) + int8(table[0])
}

func (p point) scale(by int16, unused string) point { return point{p.x * int32(by), p.y * int32(by)} }

//go:noinline
func call(p point, i int16) point { return p.scale(i, "") }

func main() {
	p := point{3, 4}
	for i := 0; i < 3; i++ {
		s := strings.Repeat("ab", i)
		n, t, err := mixed(i, s, []byte("slice"), 2.5, &p, 200)
		fmt.Printf("mixed %d %s slice 5 3 200 = %d %s %t\n", i, s, n, t, err != nil)
		k := stack(1, 2, 3, 4, 5, [3]int32{int32(i), 8, 9}, "six", -7, 8, s)
		fmt.Printf("stack 1 5 %d six -7 8 %s = %d\n", i, s, k)
		q := call(p, int16(-i))
		fmt.Printf("call %d = %d\n", -i, q.x)
		fmt.Printf("c_add %d %d = %d\n", i, 40, C.c_add(C.int(i), 40))
	}
}
