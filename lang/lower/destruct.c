/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* stop(), raise(), chill(). */
#include "lang/lower/destruct.h"

#include <signal.h>

#include "rt/rt.h"
#include "lang/lower/expr.h"
#include "lang/lower/lower.h"

void lower_stop(struct lower *l, const struct node *call, uint32_t rec)
{
	(void)call, (void)rec;
	ir_emit(&l->b, IR_SIGNAL, ir_i(SIGSTOP));
}

void lower_raise(struct lower *l, const struct node *call, uint32_t rec)
{
	(void)rec;
	ir_emit(&l->b, IR_SIGNAL, lower_expr(l, call->args[0]));
}

/* One account per CPU: the start of its interval, and the time spent in chill() since then. */
enum { CHILL_SINCE, CHILL_SPENT = 8, CHILL_SIZE = 16 };
#define CHILL_INTERVAL 1000000000ll

/* At most half of each second on a CPU; any more is an illegal operation. */
void lower_chill(struct lower *l, const struct node *call, uint32_t rec)
{
	static const char name[] = "chilled@";
	int64_t found = ir_obj_find(l->ir, name);
	uint32_t obj = found >= 0 ? (uint32_t)found : ir_obj_add(l->ir, &(struct ir_obj){
		.name = name, .kind = IR_O_AGG, .size = CHILL_SIZE, .tag = UINT32_MAX,
	});
	struct ir_arg ns = lower_expr(l, call->args[0]), left;
	ir_reg now = ir_emit0(&l->b, IR_CLOCK), account = ir_emit(&l->b, IR_CELL0, ir_o(obj)), since, spent;
	uint32_t old = ir_newblock(&l->b, NULL), current = ir_newblock(&l->b, NULL);

	(void)rec;
	since = ir_emit(&l->b, IR_LD64, ir_mc(account, obj, CHILL_SINCE));
	ir_emit(&l->b, IR_BUGT, lower_op(l, IR_SUB, ir_r(now), ir_r(since)), ir_i(CHILL_INTERVAL), ir_b(old),
		ir_b(current));
	ir_enter(&l->b, old);
	ir_emit(&l->b, IR_ST64, ir_mc(account, obj, CHILL_SINCE), ir_r(now));
	ir_emit(&l->b, IR_ST64, ir_mc(account, obj, CHILL_SPENT), ir_i(0));
	ir_enter(&l->b, current);
	spent = ir_emit(&l->b, IR_LD64, ir_mc(account, obj, CHILL_SPENT));
	left = lower_op(l, IR_SUB, ir_i(RT_CHILL_MAX), ir_r(spent));
	lower_fault_if(l, IR_BNE, lower_op(l, IR_UGT, ns, left), IR_FLT_ILLOP, ns);
	ir_emit(&l->b, IR_XADD, ir_mc(account, obj, CHILL_SPENT), ns);
	ir_emit(&l->b, IR_CHILL, ir_r(now), ns);
}
