/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * json(), one byte per step. A path is a list of elements separated by '.', '[' and ']': names of members and indexes
 * of arrays. An index consists of digits only. Values are parsed only as far as needed to find their ends.
 */
#include "rt/rt.h"
#include "rt/word.h"

enum {
	ELEMENT, AFTER, REST, OBJECT, KEY, KEY_ESCAPE, COLON, VALUE, STRING, STRING_ESCAPE, NEST, NEST_STRING,
		NEST_ESCAPE,
	WORD, INTEGER, FRACTION, EXPONENT, COMMA,
	DONE = 254, FAIL = 255
};

/* The limit of an index: no text is long enough for more elements. */
#define NUMBER_MAX (1u << 24)
#define NO_NUMBER UINT32_MAX

struct json_work {
	uint32_t number;	/* the path element as a number, or NO_NUMBER */
	uint32_t position;	/* index in the current array */
	uint16_t at;		/* offset in s */
	uint16_t elem;		/* offset in the path: the element to find */
	uint16_t elem_end;
	uint16_t next;		/* the element after it */
	uint16_t key;		/* offset in the path: the next byte to compare with a key */
	uint16_t from, to;	/* the value in s */
	uint16_t braces, brackets;
	uint8_t state;
	uint8_t inside;		/* state to continue with after a path element was parsed */
	uint8_t array;		/* the current container is an array, not an object */
	uint8_t more;		/* the path has elements after this one */
	uint8_t same;		/* the key equals the path element so far */
	uint8_t found;		/* the next value is that of the path element */
};

struct json {
	const char *s;
	uint64_t cap;
	const char *path;
	uint64_t pathcap;
	struct json_work *w;
};

static inline bool is_separator(uint64_t c)
{
	return c == '.' || c == '[' || c == ']' || !c;
}

static inline bool is_space(uint64_t c)
{
	return c == ' ' || c - '\t' < 5;
}

static inline bool is_digit(uint64_t c)
{
	return c - '0' < 10;
}

/* ---- the path ---- */
static inline void element_byte(struct json *j)
{
	uint64_t c = rt_load_at(j->path, j->pathcap, j->w->elem_end) & 0xff;

	if (is_separator(c)) {
		j->w->next = j->w->elem_end;
		j->w->state = AFTER;
		return;
	}
	j->w->number = is_digit(c) && j->w->number < NUMBER_MAX ? j->w->number * 10 + (uint32_t)(c - '0') : NO_NUMBER;
	j->w->elem_end++;
}

static inline void after_byte(struct json *j)
{
	uint64_t c = rt_load_at(j->path, j->pathcap, j->w->next) & 0xff;

	if (c && is_separator(c)) {
		j->w->next++;
		return;
	}
	/* separators before the first element */
	if (c && j->w->elem_end == j->w->elem) {
		j->w->elem = j->w->elem_end = j->w->next;
		j->w->state = ELEMENT;
		return;
	}
	j->w->more = c != 0;
	j->w->found = j->w->array && !j->w->number && j->w->elem_end > j->w->elem;
	j->w->state = j->w->inside;
}

/* Enters an object or array, in which to find the next path element. */
static inline void descend(struct json *j, uint64_t c)
{
	j->w->array = c == '[';
	j->w->position = 0;
	j->w->inside = j->w->array ? VALUE : OBJECT;
	j->w->elem = j->w->elem_end = j->w->next;
	j->w->number = 0;
	j->w->state = ELEMENT;
}

/* ---- values ---- */
/* The value [from, to) ends. */
static inline void value_end(struct json *j, uint64_t to)
{
	if (!j->w->found)
		j->w->state = COMMA;
	else if (j->w->more)
		j->w->state = FAIL;
	else
		j->w->state = DONE;
	j->w->to = (uint16_t)to;
}

static inline void value_begin(struct json *j, uint64_t c)
{
	j->w->from = j->w->at;
	if (c == '{' || c == '[') {
		j->w->braces = c == '{';
		j->w->brackets = c == '[';
		if (j->w->found && j->w->more)
			descend(j, c);
		else
			j->w->state = NEST;
	} else if (c == '"') {
		j->w->from++;
		j->w->state = STRING;
	} else if (c - 'a' < 26) {
		j->w->state = WORD;
	} else if (c == '-' || is_digit(c)) {
		j->w->state = INTEGER;
	} else {
		j->w->state = FAIL;
	}
}

static inline void nested(struct json *j, uint64_t c)
{
	if (c == '"')
		j->w->state = NEST_STRING;
	if (c == '{')
		j->w->braces++;
	if (c == '[')
		j->w->brackets++;
	if (c == '}' && j->w->braces-- == 0)
		j->w->state = FAIL;
	if (c == ']' && j->w->brackets-- == 0)
		j->w->state = FAIL;
	if (!j->w->braces && !j->w->brackets && j->w->state == NEST)
		value_end(j, (uint64_t)j->w->at + 1);
}

/* The word ends before the current byte: it must be true, false or null. */
static inline void word_end(struct json *j)
{
	uint64_t n = (uint64_t)j->w->at - j->w->from, w = rt_load_at(j->s, j->cap, j->w->from) & rt_bytes(n);

	/* "true", "false" and "null" in little-endian order */
	if (w == 0x65757274 || w == 0x65736c6166 || w == 0x6c6c756e)
		value_end(j, j->w->at);
	else
		j->w->state = FAIL;
}

/* True if the byte continues the number. */
static inline bool in_number(struct json *j, uint64_t c)
{
	if (j->w->state == INTEGER && c == '.') {
		j->w->state = FRACTION;
		return true;
	}
	if (j->w->state != EXPONENT && (c | 0x20) == 'e') {
		j->w->state = EXPONENT;
		return true;
	}
	return is_digit(c) || (j->w->state == EXPONENT && (c == '+' || c == '-'));
}

static inline void key_byte(struct json *j, uint64_t c)
{
	uint64_t want = rt_load_at(j->path, j->pathcap, j->w->key) & 0xff;

	if (j->w->key >= j->w->elem_end || want != c)
		j->w->same = 0;
	j->w->key++;
}

static inline void comma(struct json *j)
{
	if (!j->w->array) {
		j->w->state = OBJECT;
		return;
	}
	j->w->position++;
	j->w->found = j->w->position == j->w->number;
	j->w->state = VALUE;
}

/* A byte between tokens, where spaces are skipped. */
static inline void between(struct json *j, uint64_t c)
{
	if (is_space(c))
		return;
	if (j->w->state == VALUE) {
		value_begin(j, c);
	} else if (j->w->state == OBJECT && c == '"') {
		j->w->key = j->w->elem;
		j->w->same = 1;
		j->w->state = KEY;
	} else if (j->w->state == COLON && c == ':') {
		j->w->state = VALUE;
	} else if (j->w->state == COMMA && c == ',') {
		comma(j);
	} else if (j->w->state == REST && (c == '{' || c == '[')) {
		j->w->next = j->w->elem;
		descend(j, c);
	} else {
		j->w->state = FAIL;
	}
}

/* A byte of a string or of a nested value. */
static inline void within(struct json *j, uint64_t c)
{
	switch (j->w->state) {
	case KEY:
		if (c == '"') {
			j->w->found = j->w->same && j->w->key == j->w->elem_end;
			j->w->state = COLON;
			return;
		}
		key_byte(j, c);
		if (c == '\\')
			j->w->state = KEY_ESCAPE;
		break;
	case KEY_ESCAPE:
		key_byte(j, c);
		j->w->state = KEY;
		break;
	case STRING:
		if (c == '"')
			value_end(j, j->w->at);
		else if (c == '\\')
			j->w->state = STRING_ESCAPE;
		break;
	case NEST_STRING:
		if (c == '"')
			j->w->state = NEST;
		else if (c == '\\')
			j->w->state = NEST_ESCAPE;
		break;
	case STRING_ESCAPE:
		j->w->state = STRING;
		break;
	case NEST_ESCAPE:
		j->w->state = NEST_STRING;
		break;
	default:
		nested(j, c);
	}
}

static long json_step(uint64_t i, void *state)
{
	struct json *j = state;
	uint64_t c, s = j->w->state;

	(void)i;
	if (s == ELEMENT) {
		element_byte(j);
		return 0;
	}
	if (s == AFTER) {
		after_byte(j);
		return 0;
	}
	c = rt_load_at(j->s, j->cap, j->w->at) & 0xff;
	if (!c) {
		j->w->state = FAIL;
		return 1;
	}
	if (s == WORD && c - 'a' >= 26) {
		word_end(j);
		return j->w->state >= DONE;
	}
	if (s >= INTEGER && s <= EXPONENT && !in_number(j, c)) {
		value_end(j, j->w->at);
		if (c == '+' || c == '-' || (c | 0x20) == 'x')
			j->w->state = FAIL;
		return j->w->state >= DONE;
	}
	if (s == REST || s == OBJECT || s == COLON || s == VALUE || s == COMMA)
		between(j, c);
	else if (s < WORD)
		within(j, c);
	j->w->at++;
	return j->w->state >= DONE;
}

uint64_t rt_json(char *dst, void *work, const char *s, const char *path, uint64_t caps)
{
	struct json j = { s, rt_cap(caps, 2), path, rt_cap(caps, 3), work };

	rt_clear(work);
	j.w->inside = REST;
	/* a byte of s takes one step, after a number or word two; a byte of the path one, of its first element two */
	rt_loop(2 * j.cap + 3 * j.pathcap, json_step, &j);
	if (j.w->state == DONE)
		rt_part(dst, s, rt_cap(caps, 0) | j.cap << 16, j.w->from, (uint64_t)j.w->to - j.w->from);
	return 0;
}
