! SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
! chain.c in Fortran.
module matrix
	implicit none
	integer, volatile :: stopped = 0, counted = 0
contains
	subroutine chainleaf()
		do while (stopped == 0)
			counted = ieor(counted, 1)
		end do
	end subroutine

	recursive subroutine chaininner(times)
		integer, intent(in) :: times
		if (times > 1) then
			call chaininner(times - 1)
		else
			call chainleaf()
		end if
		counted = ieor(counted, 1)
	end subroutine

	subroutine chainmiddle()
		call chaininner(3)
		counted = ieor(counted, 1)
	end subroutine

	subroutine chainouter()
		call chainmiddle()
		counted = ieor(counted, 1)
	end subroutine

	subroutine chain_start() bind(c)
		call chainouter()
		counted = ieor(counted, 1)
	end subroutine
end module
