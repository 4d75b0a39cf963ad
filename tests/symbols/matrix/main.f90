! SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
program chain
	use matrix
	implicit none
	call chain_start()
end program
