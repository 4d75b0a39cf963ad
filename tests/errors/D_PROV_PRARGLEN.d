/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
provider app {
	probe start(int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, 
		int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, 
		int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, 
		int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, 
		int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, 
		int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, 
		int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, 
		int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, 
		int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, 
		int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, 
		int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, 
		int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, 
		int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int);
};
BEGIN { exit(0); }
