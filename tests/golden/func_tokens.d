/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* strtok: goes on in the next clause of a firing, begins anew in the next one; delimiters that are known and that are not. */
#pragma D option quiet
string delim;
BEGIN { delim = ";,"; }
profile-97 { printf("[%s]", strtok(execname, ",;")); printf("[%s]", strtok(NULL, delim)); }
profile-97 { printf("[%s]", strtok(NULL, ",;")); printf("[%s]\n", strtok(0, ",")); }
profile-97 /(this->t = strtok(NULL, ",")) == NULL/ { printf("none left\n"); this->t = strtok("x y", " "); }
profile-97 /this->t == "x"/ { printf("[%s] [%s] [%s]\n", strtok(NULL, ""), strtok("a:b", execname), strtok("", "x")); }
profile-97 { n = 0; this->s = strtok(execname, ";"); }
profile-97 /this->s != NULL/ { printf("%d %s\n", strlen(this->s), strtok(NULL, ";")); }
END { printf("[%s]\n", strtok(NULL, ",")); }
