/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * D expressions for sites at block_bio_queue, where a bio (struct bio, the first word of the context) is passed to a
 * device (providers/site/site.h). A file system passes its bio once; the device mapper passes others to its disks.
 * The numbers: blk_types.h and page-flags.h of the kernel.
 *
 * Ownership: constants. Errors: none.
 */
#ifndef PROVIDERS_SITE_BIO_H
#define PROVIDERS_SITE_BIO_H

#define BIO "((struct bio *)_raw0)"
/* Operations that move data. */
#define BIO_READ "(" BIO "->bi_opf & 0xff) == 0 && " BIO "->bi_iter.bi_size"
#define BIO_WRITE "(" BIO "->bi_opf & 0xff) == 1 && " BIO "->bi_iter.bi_size"
/* Somebody waits for it (REQ_SYNC). */
#define BIO_SYNC BIO "->bi_opf & 0x800"
#define BIO_PAGES "((" BIO "->bi_iter.bi_size + 4095) >> 12)"
/* The first page of the data. Its mapping is that of a file, unless one of the lowest two bits is set: a process's own
 * memory (1), a movable page of the kernel (2). */
#define BIO_PAGE BIO "->bi_io_vec->bv_page"
#define BIO_MAPPING "(uint64_t)_mapping(" BIO_PAGE ")"
#define BIO_OF_FILE BIO_MAPPING " && !(" BIO_MAPPING " & 3)"
/* PG_swapcache, bit 10 of the page's flags, its first word. A file uses the bit for itself. */
#define BIO_OF_SWAP "!(" BIO_OF_FILE ") && *(uint64_t *)" BIO_PAGE " & 0x400"
/* Data of a process's memory, without the page cache. */
#define BIO_DIRECT "(" BIO_MAPPING " & 1) && !(*(uint64_t *)" BIO_PAGE " & 0x400)"

#endif
