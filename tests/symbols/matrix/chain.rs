// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// chain.c in Rust.
#![allow(dead_code)]
use std::ptr::{addr_of, addr_of_mut, read_volatile, write_volatile};

static mut STOP: u32 = 0;
static mut COUNTED: u32 = 0;

#[inline(always)]
fn count() {
    unsafe { write_volatile(addr_of_mut!(COUNTED), read_volatile(addr_of!(COUNTED)).wrapping_add(1)) }
}

#[inline(never)]
fn chainleaf() {
    while unsafe { read_volatile(addr_of!(STOP)) } == 0 {
        count();
    }
}

#[inline(never)]
fn chaininner(times: i32) {
    if times > 1 {
        chaininner(times - 1);
    } else {
        chainleaf();
    }
    count();
}

#[inline(never)]
fn chainmiddle() {
    chaininner(3);
    count();
}

#[inline(never)]
fn chainouter() {
    chainmiddle();
    count();
}

#[no_mangle]
pub extern "C" fn chain_start() {
    chainouter();
    count();
}

fn main() {
    chain_start();
}
