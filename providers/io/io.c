/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * I/O of block devices. A driver gets requests, each of one or more bios (struct bio), or the bios themselves (device
 * mapper, zram). arg0, arg1 and arg2 are the address of the request or the bio; args[] are translated from arg3
 * (struct io_event in the prelude), arg4 (the disk) and arg5 (the page).
 */
#include "providers/registry.h"
#include "providers/site/site.h"

#define REQUEST "((struct request *)_raw0)"
#define OPERATION "(" REQUEST "->cmd_flags & 0xff)"
/* 34, 35: commands of the drivers and of user programs (REQ_OP_DRV_IN, REQ_OP_DRV_OUT); they are not I/O of data. */
#define OF_DATA OPERATION " != 34 && " OPERATION " != 35"
/*
 * A request may complete in parts; it is done with the last one. Then a write that flushed the device's cache before or
 * after itself is reported once more, without data. A request that only flushes (2) has none, either.
 */
#define LAST "(uint32_t)_raw2 >= " REQUEST "->__data_len && (" OPERATION " > 1 || " REQUEST "->__data_len)"
/* True if the driver of a bio's device gets bios. */
#define OF_BIOS(word) BIO(word) "->bi_bdev->bd_disk->queue->mq_ops == 0"

/* A bio, and the first bio of a request. */
#define BIO(word) "((struct bio *)_raw" #word ")"
#define FIRST REQUEST "->bio"
/* The disk or partition: a struct block_device *. */
#define DISK_OF_BIO(word) "(uint64_t)" BIO(word) "->bi_bdev"
#define DISK "(uint64_t)(" REQUEST "->part ? " REQUEST "->part : " \
	REQUEST "->q->disk ? " REQUEST "->q->disk->part0 : (struct block_device *)0)"
/* The first page of the data of a read or a write: a struct page *. */
#define PAGE_OF(bio) "(uint64_t)((" bio "->bi_opf & 0xff) < 2 && " bio "->bi_io_vec ? " \
	bio "->bi_io_vec->bv_page : (struct page *)0)"
#define PAGE "(" OPERATION " < 2 && " FIRST " ? " PAGE_OF(FIRST) " : 0)"

/* arg3 is the address, in which some bits have another meaning: how it ended (blk_status_t, 5 bits) instead of bits
 * that are always 1 in an address of the kernel; done; a bio. */
#define STATE(word, status, flags) "(_raw" #word " & ~(31ull << 57)) | ((uint64_t)(" status ") & 31) << 57 | " flags
#define OF_REQUEST(status, flags) { "_raw0", "_raw0", "_raw0", STATE(0, status, flags), DISK, PAGE }
#define OF_BIO(word, status, flags) { "_raw" #word, "_raw" #word, "_raw" #word, STATE(word, status, flags), \
	DISK_OF_BIO(word), PAGE_OF(BIO(word)) }

/*
 * A request starts when it is queued, in the thread that wants it; a thread of the kernel may pass it to the driver
 * later. A request that is not queued starts when the driver gets it. Requests that the driver gives back are queued
 * again.
 */
#define QUEUED "_io_queued[_raw0]"

/* A thread sleeps until an I/O is done; which one, the kernel's scheduler does not know. */
#define UNKNOWN { "0", "0", "0", "0", "0", "0" }

static const struct arg_desc io_args[] = {
	{ .native = "struct io_event *", .mapped = "bufinfo_t *", .value = "(struct io_event *)arg3" },
	{ .native = "struct block_device *", .mapped = "devinfo_t *", .value = "(struct block_device *)arg4" },
	{ .native = "struct page *", .mapped = "fileinfo_t *", .value = "(struct page *)arg5" },
	{ 0 }
};

static const struct site_row rows[] = {
	{ .name = "done", SITES(
		{ "block_rq_complete", .when = OF_DATA " && " LAST, .arg = OF_REQUEST("_raw1", "2") },
		{ "block_bio_complete", .when = OF_BIOS(1),
			.arg = OF_BIO(1, BIO(1) "->bi_status", "3") }), .arg = io_args },
	{ .name = "start", SITES(
		{ "block_rq_insert", .when = OF_DATA " && !" QUEUED " && (" QUEUED " = 1)",
			.arg = OF_REQUEST("0", "0") },
		{ "block_rq_requeue", .when = OF_DATA " && (" QUEUED " = 1) && 0" },
		{ "block_rq_merge", .when = "(" QUEUED " = 0)" },
		{ "block_rq_issue", .when = OF_DATA " && (!" QUEUED " || (" QUEUED " = 0))",
			.arg = OF_REQUEST("0", "0") },
		{ "block_bio_queue", .when = OF_BIOS(0), .arg = OF_BIO(0, "0", "1") }), .arg = io_args },
	{ .name = "wait-done", SITES({ "sched_switch", .when = SITE_TASK(2) "->in_iowait",
		.task = "_raw2", .task_word = 2, .arg = UNKNOWN }), .arg = io_args },
	{ .name = "wait-start", SITES({ "sched_switch", .when = SITE_TASK(1) "->in_iowait", .arg = UNKNOWN }),
	  .arg = io_args },
};

static const struct provider_sites io_sites = {
	.list = site_list, .rows = rows, .nrows = sizeof rows / sizeof *rows, .prelude = true,
};

const struct provider provider_io = {
	.name = "io", .attr = &site_attr, .enumerate = site_enumerate, .late = site_late, .args = site_args,
	.sites = &io_sites, .ctx = site_ctx, .attach = site_attach, .detach = site_detach,
};
