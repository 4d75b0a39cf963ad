/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The rootless engine's elements: found, removed, used again; memory is bounded by the most there were at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/interp/store.h"

enum { N = 5000 };

struct store_key {
	uint64_t a, b;
};

static void test_find(void **state)
{
	struct arena a;
	struct store s;
	struct store_key k = { 0, 7 };
	uint64_t *v, sum = 0;
	unsigned n = 0;

	(void)state;
	arena_init(&a, NULL, NULL);
	store_init(&s, &a, sizeof k, 12);
	assert_null(store_find(&s, 0, &k));
	assert_null(store_next(&s, NULL));
	assert_false(store_remove(&s, 0, &k));
	for (k.a = 0; k.a < N; k.a++) {
		v = store_put(&s, k.a % 3, &k);
		assert_true(!v[0] && !v[1]);
		v[0] = v[1] = k.a;
		assert_ptr_equal(store_put(&s, k.a % 3, &k), v);
	}
	for (k.a = 0; k.a < N; k.a++) {
		v = store_find(&s, k.a % 3, &k);
		assert_true(v && v[0] == k.a && v[1] == k.a);
		assert_null(store_find(&s, k.a % 3 + 1, &k));
	}
	for (struct store_entry *e = store_next(&s, NULL); e; e = store_next(&s, e), n++) {
		k = (struct store_key){ e->value[0], 7 };
		assert_memory_equal(store_key(&s, e), &k, sizeof k);
		assert_int_equal(e->number, e->value[0] % 3);
		sum += e->value[0];
	}
	assert_int_equal(n, N);
	assert_int_equal(sum, (uint64_t)N * (N - 1) / 2);
	store_clear(&s);
	assert_int_equal(s.n, 0);
	assert_null(store_next(&s, NULL));
	assert_null(store_find(&s, 1, &(struct store_key){ 1, 7 }));
	arena_free(&a);
}

/* A value that is created again is zero again; without a key, only the number distinguishes elements. */
static void test_again(void **state)
{
	struct arena a;
	struct store s;

	(void)state;
	arena_init(&a, NULL, NULL);
	store_init(&s, &a, 0, 8);
	*(uint64_t *)store_put(&s, 4, NULL) = 5;
	*(uint64_t *)store_put(&s, 5, NULL) = 6;
	assert_true(store_remove(&s, 4, NULL));
	assert_false(store_remove(&s, 4, NULL));
	assert_int_equal(*(uint64_t *)store_find(&s, 5, NULL), 6);
	assert_int_equal(*(uint64_t *)store_put(&s, 4, NULL), 0);
	arena_free(&a);
}

static void test_memory(void **state)
{
	struct arena a;
	struct store s;
	size_t total = 0;

	(void)state;
	arena_init(&a, NULL, NULL);
	store_init(&s, &a, sizeof(struct store_key), 256);
	for (uint64_t i = 0; i < 100 * N; i++) {
		store_put(&s, 0, &(struct store_key){ i, 1 });
		if (i >= N)
			assert_true(store_remove(&s, 0, &(struct store_key){ i - N, 1 }));
		if (i == 2 * N)
			total = a.total;
	}
	assert_int_equal(s.n, N);
	assert_int_equal(a.total, total);
	for (int i = 0; i < 100; i++) {
		store_clear(&s);
		for (uint64_t k = 0; k < N; k++)
			store_put(&s, 1, &(struct store_key){ k, i });
	}
	assert_int_equal(a.total, total);
	arena_free(&a);
}

static bool is_third(void *arg, const void *key)
{
	++*(unsigned *)arg;
	return ((const struct store_key *)key)->a % 3 == 0;
}

static void test_sweep(void **state)
{
	unsigned seen = 0, left = 0;
	struct arena a;
	struct store s;

	(void)state;
	arena_init(&a, NULL, NULL);
	store_init(&s, &a, sizeof(struct store_key), 8);
	assert_int_equal(store_sweep(&s, is_third, &seen), 0);
	for (uint64_t i = 0; i < N; i++)
		*(uint64_t *)store_put(&s, 0, &(struct store_key){ i, 1 }) = i;
	assert_int_equal(store_sweep(&s, is_third, &seen), (N + 2) / 3);
	assert_int_equal(seen, N);
	for (struct store_entry *e = store_next(&s, NULL); e; e = store_next(&s, e), left++)
		assert_int_not_equal(e->value[0] % 3, 0);
	assert_int_equal(left, N - (N + 2) / 3);
	assert_int_equal(s.n, left);
	assert_null(store_find(&s, 0, &(struct store_key){ 3, 1 }));
	assert_int_equal(*(uint64_t *)store_find(&s, 0, &(struct store_key){ 4, 1 }), 4);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_sweep),
	};

	return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
