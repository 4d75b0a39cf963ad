/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Suggestions for descriptions that match nothing. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/word.h"
#include "providers/registry.h"

/* Providers that DTrace has on other systems, or that are planned: their names are not misspellings. */
static const char *const foreign_providers[] = {
	"fc", "iscsi", "kinst", "nfsv3", "nfsv4",
	"rawfbt", "smb", "srp",
	"vfs",
};

static bool provider_exists(const char *pattern)
{
	const struct probe_spec spec = { .prov = pattern };

	for (const struct provider *const *p = providers; *p; p++) {
		if (probe_glob(pattern, (*p)->name) || probe_process(&spec, *p) >= 0)
			return true;
	}
	return false;
}

const char *probe_foreign_provider(const char *name)
{
	for (size_t i = 0; i < sizeof foreign_providers / sizeof *foreign_providers; i++)
		if (!strcmp(foreign_providers[i], name))
			return foreign_providers[i];
	return NULL;
}

/* Returns true if the provider does not exist. */
static bool hint_provider(const struct probe_spec *spec, char *reason, size_t n)
{
	const char *other;

	if (provider_exists(spec->prov))
		return false;
	other = probe_foreign_provider(spec->prov);
	if (other)
		snprintf(reason, n, "the %s provider is not part of this version", other);
	else if (probe_is_glob(spec->prov))
		snprintf(reason, n, "no such provider");
	else
		snprintf(reason, n, "no such provider: %.64s", spec->prov);
	return true;
}

/* a pattern such as profile-1??: no such probe has been created yet */
static bool hint_glob(const struct probe_spec *spec, char *reason, size_t n)
{
	if (!probe_is_glob(spec->name))
		return false;
	for (const struct provider *const *p = providers; *p; p++) {
		/* those of tables (sites) are all enumerated */
		if (!(*p)->provide || (*p)->processes || (*p)->sites || !probe_glob(spec->prov, (*p)->name))
			continue;
		snprintf(reason, n,
			 "patterns match only existing probes; probes of the %s provider are "
			 "created when named in full",
			 (*p)->name);
		return true;
	}
	return false;
}

/* ---- suggestions ---- */

static void spec_parts(const struct probe_spec *s, const char *out[4])
{
	out[0] = s->prov, out[1] = s->mod, out[2] = s->func, out[3] = s->name;
}

/* The edit distance of a part of a description from a probe's. Returns the limit if it is larger, or if the part is
 * a pattern that does not match. */
static unsigned part_distance(const char *typed, const char *part)
{
	if (probe_glob(typed, part))
		return 0;
	return probe_is_glob(typed) ? word_limit(typed) : word_distance(typed, part, word_limit(typed));
}

/* The edit distance from a description to a probe, over all parts; at most `limit`. */
static unsigned spec_distance(const struct probe_spec *spec, const struct probe *p, unsigned limit)
{
	const char *typed[4], *parts[4] = { p->provname, p->mod, p->func, p->name };
	unsigned sum = 0;

	spec_parts(spec, typed);
	for (int i = 3; i >= 0 && sum < limit; i--) {
		unsigned d = part_distance(typed[i], parts[i]);

		sum += d;
		if (*typed[i] && d && d == word_limit(typed[i]))
			return limit;
	}
	return sum < limit ? sum : limit;
}

/* The corrected description in the form in which it was typed: a single part (-P, -f, a name), or all parts with
 * colons. */
static void near_text(struct buf *b, const struct probe_spec *spec, const struct probe *p)
{
	const char *typed[4], *parts[4] = { p->provname, p->mod, p->func, p->name };
	int first = 3, last = 3;

	spec_parts(spec, typed);
	for (const char *s = spec->text; *s && *s != '{' && (*s != '/' || *spec->mod == '/') && first; s++)
		first -= *s == ':';
	if (first == last)
		while (last > 0 && !*typed[last])
			first = --last;
	for (int i = first; i <= last; i++)
		buf_printf(b, "%s%s", i > first ? ":" : "", !*typed[i] || probe_glob(typed[i], parts[i]) ? typed[i] :
			   parts[i]);
}

/* Probes that are created on first use: only the word before the first digit can be misspelt. */
static bool near_made(struct probe_set *s, const struct probe_spec *spec, struct buf *b)
{
	size_t head = strcspn(spec->name, "0123456789"), other;
	struct word_near near = { .word = arena_strndup(s->arena, spec->name, head) };
	struct probe_spec made = *spec;
	char reason[256];

	if (!spec->name[head] || !head)
		return false;
	for (size_t i = 0; i < s->list.n; i++) {
		const struct probe *p = s->list.v[i];

		other = strcspn(p->name, "0123456789");
		if (p->prov->provide && p->name[other] && probe_glob(spec->prov, p->provname))
			word_offer(&near, arena_strndup(s->arena, p->name, other));
	}
	if (!near.best)
		return false;
	made.name = arena_printf(s->arena, "%s%s", near.best, spec->name + head);
	for (const struct provider *const *p = providers; *p; p++)
		if ((*p)->provide && !(*p)->processes && probe_glob(spec->prov, (*p)->name) &&
		    (*p)->provide(*p, s, &made, reason, sizeof reason) > 0) {
			near_text(b, spec, &(struct probe){ .provname = (*p)->name, .mod = "", .func = "",
				.name = made.name });
			return true;
		}
	return false;
}

static const struct probe *nearest_probe(const struct probe_set *s, const struct probe_spec *spec)
{
	const struct probe *best = NULL;
	unsigned limit = 5;

	for (size_t i = 0; i < s->list.n; i++) {
		unsigned d = spec_distance(spec, s->list.v[i], limit);

		if (d >= limit)
			continue;
		limit = d;
		best = s->list.v[i];
	}
	return best;
}

/* The description is clear, and a provider knows why the probe cannot exist. */
static bool is_refused(struct probe_set *s, const struct probe_spec *spec)
{
	char reason[256];

	for (const struct provider *const *p = providers; *p; p++)
		if ((*p)->provide && !(*p)->processes && probe_glob(spec->prov, (*p)->name) &&
		    (*p)->provide(*p, s, spec, reason, sizeof reason) < 0)
			return true;
	return probe_foreign_provider(spec->prov);
}

const char *probe_suggestion(struct probe_set *s, const struct probe_spec *spec)
{
	const char *text = "";
	struct buf near = { 0 };
	const struct probe *best;

	if (spec->id || is_refused(s, spec))
		return text;
	if (!near_made(s, spec, &near)) {
		probe_set_enumerate_all(s);
		best = nearest_probe(s, spec);
		if (best)
			near_text(&near, spec, best);
	}
	if (near.len)
		text = arena_printf(s->arena, " (did you mean '%s'?)", buf_str(&near));
	buf_free(&near);
	return text;
}

/* Probes of other systems' sdt provider for which Linux has a tracepoint. */
static bool hint_sdt(const struct probe_spec *spec, char *reason, size_t n)
{
	static const char *const names[][2] = {
		{ "callout-end", "timer_expire_exit" }, { "callout-start", "timer_expire_entry" },
		{ "callout_end", "timer_expire_exit" }, { "callout_start", "timer_expire_entry" },
		{ "interrupt-complete", "irq_handler_exit" }, { "interrupt-start", "irq_handler_entry" },
		{ "taskq-enqueue", "workqueue_queue_work" }, { "taskq-exec-end", "workqueue_execute_end" },
		{ "taskq-exec-start", "workqueue_execute_start" },
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(spec->prov, "sdt") || strcmp(spec->name, names[i][0]))
			continue;
		snprintf(reason, n, "Linux's tracepoint has another name and other arguments: sdt:::%s", names[i][1]);
		return true;
	}
	return false;
}

void probe_hint(const struct probe_spec *spec, char *reason, size_t n)
{
	if (hint_provider(spec, reason, n) || hint_glob(spec, reason, n) || hint_sdt(spec, reason, n))
		return;
	if (*spec->prov && !probe_is_glob(spec->prov) && *spec->name && !probe_is_glob(spec->name))
		snprintf(reason, n, "the %s provider has no such probe", spec->prov);
}
