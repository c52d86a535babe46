import { expect, test } from 'vitest';
import { z } from 'zod';
import { LOCALE_CODES } from '#contract/locales';
import { TicketForm, TicketSubject } from '#contract/tickets';
import { i18nOf } from '~/i18n/messages.server';

const LONG = 'x'.repeat(6000);
const REFUSED = [
  {},
  { email: '', firstname: '', lastname: '', subject: '', message: '' },
  { email: `${LONG}@a.example`, firstname: LONG, lastname: LONG, subject: 'no', message: LONG },
  { email: 'nobody', firstname: '<b>', lastname: 'www.a.example', subject: [], message: 'short' },
  { email: [], firstname: 1, lastname: null, subject: 'other', message: 'a bell\u0007 in a message' },
];
const codes = new Set(
  REFUSED.flatMap((form) => TicketForm.safeParse(form).error?.issues.map(({ message }) => message) ?? []),
);
const { properties } = z.toJSONSchema(TicketForm, { io: 'input', unrepresentable: 'any' });
const limits = Object.entries(properties ?? {}).flatMap(([field, rules]) =>
  typeof rules === 'object' && rules.maxLength ? [[field, rules.maxLength] as const] : [],
);

test('the cases cover every error code', () => {
  expect([...codes].sort()).toEqual([
    'email_invalid',
    'email_required',
    'email_too_long',
    'firstname_invalid',
    'firstname_required',
    'firstname_too_long',
    'lastname_invalid',
    'lastname_required',
    'lastname_too_long',
    'message_invalid',
    'message_required',
    'message_too_long',
    'message_too_short',
    'subject_required',
  ]);
});

test.each(LOCALE_CODES)('every error code of the contact form has a fitting message (%s)', (locale) => {
  const { t, exists } = i18nOf(locale);
  for (const code of [...codes, 'person_required', 'rate_limited', 'captcha_failed']) {
    expect(exists(`contact:errors.${code}`, { fallbackLng: [] }), code).toBe(true);
  }
  expect(limits).toHaveLength(4);
  for (const [field, limit] of limits) expect(t(`contact:errors.${field}_too_long`)).toContain(String(limit));
  for (const subject of TicketSubject.options) {
    expect(exists(`contact:subjects.${subject}`, { fallbackLng: [] }), subject).toBe(true);
  }
});
