/* SPDX-License-Identifier: Apache-2.0 */
/* A read of many things that the fake slurmrestd answers. */
#include "lib/slurm_reading.h"

void seen_done(struct seen *s, struct err err, bool changed, int64_t asked_ms)
{
	s->calls++;
	s->err = err;
	s->changed = changed;
	s->asked_ms = asked_ms;
	assert_null(strstr(err.text, FAKE_TOKEN));
	slurm_free(TAKE(s->free_me));
}

void begin_reading(struct setup *t, void (*start)(struct setup *t), const char *errors_begin)
{
	*t = (struct setup){
		.f = fake_slurmrestd_new(), .start = start, .errors_begin = errors_begin
	};
	t->s = rest_client(t->f);
	start(t);
	rest_negotiates(t->f);
}

void read_again(struct setup *t)
{
	str_clear(&t->seen.text);
	t->seen.calls = 0;
	t->start(t);
}

void end_reading(struct setup *t)
{
	slurm_free(t->s);
	fake_slurmrestd_free(t->f);
	str_free(&t->seen.text);
}

void was_read(const struct setup *t, const char *expected)
{
	assert_string_equal(t->seen.err.text, "");
	assert_int_equal(t->seen.calls, 1);
	assert_true(t->seen.changed);
	assert_string_equal(str_text(&t->seen.text), expected);
}

void has_failed(const struct setup *t, enum err_kind kind)
{
	assert_int_equal(t->seen.calls, 1);
	if (t->seen.err.kind != kind || !str_has_prefix(t->seen.err.text, t->errors_begin))
		fail_msg("%s: %s\n(should be %s: %s...)", err_kind_name(t->seen.err.kind),
			t->seen.err.text, err_kind_name(kind), t->errors_begin);
	assert_string_equal(str_text(&t->seen.text), ""); /* never half a list */
}
