/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tracemem(address, size [, count]): records the array of `size` bytes at the address, and how many of them to show.
 */
#include "lang/check/tracemem.h"

#include "lang/check/checker.h"
#include "lang/check/conv.h"

enum { TRACEMEM_MAX = 32000 };

/* The address as a pointer to the bytes, in the same address space. */
static struct node *bytes_at(struct checker *ck, struct node *addr, uint64_t size)
{
	struct type *array = type_array(ck->t, ck->t->t_uchar, size);
	struct type *ptr = addr->type->user ? type_pointer_user(ck->t, array) : type_pointer(ck->t, array);

	return check_wrap(ck, N_DEREF, check_wrap(ck, N_CAST, addr, ptr), array);
}

static bool check_size(struct checker *ck, struct node **arg, int64_t *size)
{
	if (!check_operand(ck, arg))
		return false;
	if (!type_is_int((*arg)->type))
		check_fail(ck, (*arg)->loc, D_PROTO_ARG,
			   "tracemem( ) argument #2 is incompatible with prototype: "
			   "\"%s\" where \"size_t\" is expected",
			   check_text(ck, (*arg)->type));
	else if (node_const(*arg, size) && *size > 0 && *size <= TRACEMEM_MAX)
		return true;
	else
		check_fail(ck, (*arg)->loc, D_TRACEMEM_SIZE,
			   "tracemem( ) argument #2 must be an integer constant between 1 and %d", TRACEMEM_MAX);
	return false;
}

void check_tracemem(struct checker *ck, struct node *call)
{
	struct type *t = check_operand(ck, &call->args[0]);
	int64_t size;

	if (call->nargs > 3) {
		check_fail(ck, call->loc, D_TRACEMEM_ARGS,
			   "tracemem( ) prototype mismatch: %u args passed, at most 3 expected", call->nargs);
		return;
	}
	if (t && !type_is_scalar(t)) {
		check_fail(ck, call->args[0]->loc, D_TRACEMEM_ADDR,
			   "tracemem( ) argument #1 must be a pointer or an integer, not \"%s\"", check_text(ck, t));
		t = NULL;
	}
	if (!check_size(ck, &call->args[1], &size) || !t)
		return;
	call->args[0] = bytes_at(ck, call->args[0], (uint64_t)size);
	call->nargs--;
	if (call->nargs < 2)
		return;
	call->args[1] = call->args[2];
	t = check_operand(ck, &call->args[1]);
	if (t && type_is_int(t))
		call->args[1] = check_cast(ck, call->args[1], ck->t->t_ulong);
	else if (t)
		check_fail(ck, call->args[1]->loc, D_TRACEMEM_DYNSIZE,
			   "tracemem( ) argument #3 must be an integer, not \"%s\"", check_text(ck, t));
}
