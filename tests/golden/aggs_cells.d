/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Keys that are known beforehand: rows are there where something was added, whatever it was, and only there. */
profile-97
{
	@mode[arg0 ? "kernel" : "user"] = count();
	@where[cpu, pid & 3] = count();
	@zero[pid % 5 == 0, cpu] = sum(0);
	@least[execname == "sh" ? 1 : execname == "gzip" ? -7 : 1000000] = min(0x7fffffffffffffff);
	@none[pid == 77 ? "never" : "always"] = max(-0x7fffffffffffffff - 1);
	@hist[cpu != 0, cpu == 7 ? "last" : "other"] = quantize(pid, 0);
	@signed[-(pid & 1), (char)(cpu & 0xf0)] = avg(pid);
	@bit[(uint8_t)pid] = count();
}

/* Several sites: a list of constants, and what one of them calculates. */
profile-97 /cpu == 1/ { @sites["one"] = count(); @mixed[(short)(pid & 7)] = count(); }
profile-97 /cpu > 1/ { @sites[cpu == 7 ? "seven" : "several"] = count(); @mixed[3] = count(); }
profile-97 { @sites["all"] = count(); @mixed[pid == 3 ? -1 : 9] = count(); }

/* Those that are updated together share their cells. */
profile-97 { @n[!cpu] = count(); @s[!cpu] = sum(pid); @q[!cpu] = lquantize(cpu, 0, 8, 4); }

/* Too many combinations: the key is looked up in a map. */
profile-97 { @many[pid & 0x1ff, cpu & 1] = count(); @wide[pid & 0xfff] = count(); @var[this->x = cpu & 1] = count(); }

END
{
	printa(@n, @s);
	printa("%d %@d\n", @zero);
	normalize(@s, 10);
	printa(@s);
	denormalize(@s);
	trunc(@sites, 2);
	printa("%s %@d\n", @sites);
	clear(@mode);
	printa(@mode);
	trunc(@mixed);
}
