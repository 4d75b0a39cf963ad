/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The order of bytes; addresses as text. */
#pragma D option quiet
BEGIN
{
	n = 0x0102030405060708;
	printf("%x %x %x %x %x\n", htons(n), htonl(n), htonll(n), ntohs(htons(n)), ntohll(n));
	printf("%d %d %x\n", htons(1), sizeof(htonl(1)) + sizeof(ntohs(1)) + sizeof(htonll(1)), ntohl(0x12345678));
	this->a = (uint32_t *)alloca(4);
	*this->a = htonl(0xc0a80117);
	printf("%s %s\n", inet_ntoa(this->a), inet_ntop(2, this->a));
	*this->a = 0;
	printf("%s\n", inet_ntoa(this->a));
	this->b = (uint64_t *)alloca(24);
	this->b[0] = htonll(0xfe80000000000000);
	this->b[1] = htonll(0x02144ffffe0b76c8);
	printf("%s %s\n", inet_ntoa6(this->b), inet_ntop(10, this->b));
	printf("%s %s\n", link_ntop(1, this->b), link_ntop(32, this->b));
	this->b[0] = 0;
	printf("%s ", inet_ntoa6(this->b));
	this->b[1] = htonll(0xffff0a000001);
	printf("%s %s ", inet_ntoa6(this->b), inet_ntop(10, this->b));
	this->b[1] = htonll(1);
	printf("%s\n", inet_ntoa6(this->b));
}
BEGIN { printf("%s\n", inet_ntop(pid - pid + 3, this->b)); }
BEGIN { printf("%s\n", link_ntop(7, this->b)); }
BEGIN { printf("%s\n", inet_ntoa((uint32_t *)8)); }
