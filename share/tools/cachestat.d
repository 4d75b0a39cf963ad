/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma dtr tool "reads of files that the page cache had, and that it had not"
#pragma dtr usage "[-i PERIOD] [-p PID | -c COMMAND]"
#pragma dtr about "Prints for each period the pages that reads of files asked the page cache for, the pages that were"
#pragma dtr more "added to it, in advance or because they were missing (a write adds pages, too), those that were"
#pragma dtr more "removed, and the page faults that had to find a page of a mapped file. Hits are at least the pages"
#pragma dtr more "asked for less those added. Kernels before 6.12 have no tracepoint for reads. With -p or -c only what"
#pragma dtr more "that process and its descendants do."
#pragma dtr option -i period $1 "print every period: 2 (seconds), 500ms (default: 1s)"
#pragma D option quiet
#pragma D option defaultargs
#pragma D option argdefaults=1s

/* Pages of a folio: bit 6 of its flags means that the second page has the order. */
inline uint64_t pages[uint64_t f] = *(uint64_t *)f & 64 ? 1 << (*(uint64_t *)(f + sizeof (struct page)) & 0xff) : 1;

BEGIN
{
	printf("%-20s %10s %10s %10s %10s\n", "TIME", "ASKED", "ADDED", "REMOVED", "FAULTS");
	@asked = sum(0);
	@added = sum(0);
	@removed = sum(0);
	@faults = sum(0);
}

syscall::*read*:entry, syscall::sendfile:entry, syscall::splice:entry, syscall::copy_file_range:entry
{
	self->next = 0;
}

/* A read that continues can ask for pages again; it ends at the end of the file. */
sdt:::mm_filemap_get_pages
/!$target || progenyof($target)/
{
	this->pages = (args[0]->host->i_size + 4095) / 4096;
	this->end = arg2 < this->pages ? arg2 + 1 : this->pages;
	this->first = self->next > arg1 ? self->next : arg1;
	@asked = sum(this->end > this->first ? this->end - this->first : 0);
	self->next = this->end;
}

sdt:::mm_filemap_add_to_page_cache
/!$target || progenyof($target)/
{
	@added = sum(pages[arg0]);
}

sdt:::mm_filemap_delete_from_page_cache
/!$target || progenyof($target)/
{
	@removed = sum(pages[arg0]);
}

sdt:::mm_filemap_fault
/!$target || progenyof($target)/
{
	@faults = sum(1);
}

tick-$1, END
{
	printf("%Y", walltimestamp);
	printa(" %@10d %@10d %@10d %@10d\n", @asked, @added, @removed, @faults);
	clear(@asked);
	clear(@added);
	clear(@removed);
	clear(@faults);
}
