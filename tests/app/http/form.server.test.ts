import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { checkForm, errorsOf, invalid, readForm, readUnreadTexts, withFormErrors } from '~/http/form.server';
import { HostError } from '~/http/host-error.server';
import type { Scope } from '~/http/scope.server';
import { errorTexts } from '~/i18n/messages.server';
import { processorTime } from '../../support/processor-time';
import { scopeOf } from '../../support/scope';

async function posting(body: BodyInit, headers: Record<string, string> = {}, path = '/form') {
  return scopeOf(new Request(`http://localhost${path}`, { method: 'POST', body, headers }));
}

type Thrown = { init?: { status?: number } };

async function statusOf(reading: Promise<unknown>): Promise<number | undefined> {
  const thrown = (await reading.catch((error: unknown) => error)) as Thrown;
  return thrown.init?.status;
}

test('reads the known fields and drops all others', async () => {
  const body = new URLSearchParams([
    ['email', 'a@b.example'],
    ['a[99999999]', '1'],
    ['__intent__', 'x'],
    ['__proto__.x', '1'],
  ]);
  const form = await readForm(await posting(body), ['email']);
  expect([...form]).toEqual([['email', 'a@b.example']]);
});

test('a field name that would exhaust the form library is harmless', async () => {
  const from = await posting(
    new URLSearchParams([
      ['email[99999999]', '1'],
      ['email', 'x'],
    ]),
  );
  const cost = await processorTime(async () =>
    checkForm(from, await readForm(from, ['email']), z.object({ email: z.email() })),
  );
  expect(cost).toBeLessThan(500);
});

test('a body that is too large gets a 413, an unreadable one a 400', async () => {
  expect(
    await statusOf(readForm(await posting(new URLSearchParams({ email: 'x'.repeat(100_000) })), ['email'])),
  ).toBe(413);
  const many = new URLSearchParams(Array.from({ length: 500 }, (_, n) => [`f${n}`, '1']));
  expect(await statusOf(readForm(await posting(many), ['email']))).toBe(413);
  expect(
    await statusOf(readForm(await posting('{}', { 'content-type': 'application/json' }), ['email'])),
  ).toBe(400);
  expect(
    await statusOf(readForm(await posting('x', { 'content-type': 'multipart/form-data' }), ['email'])),
  ).toBe(400);
});

test('a compressed body gets a 415, and is not inflated', async () => {
  for (const coding of ['gzip', 'GZIP', 'br', 'deflate', 'identity, gzip', 'gzip, identity']) {
    const form = gzipSync('email=a%40b.example');
    const type = 'application/x-www-form-urlencoded';
    const from = await posting(form, { 'content-type': type, 'content-encoding': coding });
    const thrown = (await readForm(from, ['email']).catch((error: unknown) => error)) as Thrown;
    expect(thrown.init, coding).toEqual({ status: 415, headers: { 'Accept-Encoding': 'identity' } });
  }
});

test('a body that is said to be as it is gets read', async () => {
  const type = 'application/x-www-form-urlencoded';
  for (const coding of ['identity', 'Identity, identity', '']) {
    const from = await posting('email=a%40b.example', { 'content-type': type, 'content-encoding': coding });
    expect((await readForm(from, ['email'])).get('email')).toBe('a@b.example');
  }
});

test('remembers the posted fields without secrets', async () => {
  const secrets = ['password', 'currentPassword', 'newPassword', 'confirmPassword', 'code'];
  const entered = { email: 'a@b.example', ...Object.fromEntries(secrets.map((name) => [name, 'secret'])) };
  const from = await posting(new URLSearchParams(entered));
  await readForm(from, ['email', ...secrets]);
  expect(from.submitted).toEqual([['email', 'a@b.example']]);
  expect(await readUnreadTexts(await posting(new URLSearchParams(entered)))).toEqual([
    ['email', 'a@b.example'],
  ]);
});

test('a form has at most a hundred and twenty fields and, unless it asks for one, no file', async () => {
  const form = async (count: number) =>
    posting(new URLSearchParams(Array.from({ length: count }, (_, n) => [`f${n}`, '1'])));
  expect(await statusOf(readForm(await form(120), []))).toBeUndefined();
  expect(await statusOf(readForm(await form(121), []))).toBe(413);
  const withFile = new FormData();
  withFile.set('logo', new File(['x'], 'logo.png'));
  expect(await statusOf(readForm(await posting(withFile), []))).toBe(413);
});

test('the time of a slow upload does not count against the host', async () => {
  const from = await posting(new URLSearchParams({ email: 'a@b.example' }));
  from.deadline = 1;
  await readForm(from, ['email']);
  expect(from.deadline).toBeUndefined();
});

test.each<[string, () => Promise<Scope>]>([
  ['a page that was only opened', () => scopeOf(new Request('http://localhost/form'))],
  [
    'a form that was read before',
    async () => {
      const scope = await posting(new URLSearchParams({ email: 'a@b.example' }));
      await scope.request.text();
      return scope;
    },
  ],
  ['a body that is no form', () => posting('{}', { 'content-type': 'application/json' })],
])('%s has no texts to keep', async (_, make) => {
  expect(await readUnreadTexts(await make())).toEqual([]);
});

test('a refused form keeps all input but secrets', async () => {
  const from = await posting(new URLSearchParams({ email: 'nonsense', password: 'secret' }));
  const form = await readForm(from, ['email', 'password']);
  const checked = checkForm(from, form, z.object({ email: z.email('email_invalid'), password: z.string() }));
  expect(checked.ok).toBe(false);
  if (checked.ok) return;
  expect(checked.lastResult.initialValue).toEqual({ email: 'nonsense' });
  expect(checked.lastResult.error).toEqual({ email: ['email_invalid'] });
  expect(from.failed).toBe(true);
});

test('switching the language skips validation and keeps all input but secrets', async () => {
  const posted = new FormData();
  for (const [name, value] of Object.entries({ email: 'nonsense', password: 'secret', lng: 'de' })) {
    posted.set(name, value);
  }
  const from = await posting(posted);
  const form = await readForm(from, ['email', 'password']);
  const checked = checkForm(from, form, z.object({ email: z.email('email_invalid'), password: z.string() }));
  expect(checked).toEqual({ ok: false, lastResult: { initialValue: { email: 'nonsense' }, switched: true } });
  const scope = from;
  expect([scope.switched, scope.failed, scope.lostFile]).toEqual([{ locale: 'de' }, undefined, undefined]);
  if (!checked.ok) expect(invalid(checked.lastResult).init?.status).toBe(200);
});

test('a form that showed errors shows them again in the other language', async () => {
  const shownErrors = JSON.stringify({ email: ['email_invalid'], '': ['login_wait:30'] });
  const entered = { email: 'nonsense', password: 'secret', shownErrors, lng: 'de' };
  const from = await posting(new URLSearchParams(entered), { cookie: 'lng=de' }, '/login');
  const form = await readForm(from, ['email', 'password']);
  expect([...form.keys()]).toEqual(['email', 'password']);
  const checked = checkForm(from, form, z.object({ email: z.email(), password: z.string() }));
  expect(checked).toMatchObject({
    ok: false,
    lastResult: {
      initialValue: { email: 'nonsense' },
      error: { email: ['email_invalid'], '': ['login_wait:30'] },
      texts: errorTexts('de', ['common', 'account'], ['email_invalid', 'login_wait:30']),
      switched: true,
    },
  });
  expect(from.failed).toBe(true);
});

test.each([
  ['no JSON', 'nonsense'],
  ['a list', '[]'],
  ['nothing', 'null'],
  ['a text in place of codes', '{"email":"email_invalid"}'],
  ['an error of a field that the form does not have', '{"password":["email_invalid"]}'],
  ['a text of its own', '{"email":["Send your password to a@b.example"]}'],
  ['names that every object has', '{"email":["toString","constructor:1"]}'],
  ['a code with a long value', `{"email":["email_invalid:${'x'.repeat(300)}"]}`],
  ['very many codes', JSON.stringify({ email: Array(21).fill('email_invalid') })],
])('what no form has shown is ignored: %s', async (_, shownErrors) => {
  const from = await posting(new URLSearchParams({ email: 'nonsense', shownErrors, lng: 'de' }));
  const checked = checkForm(from, await readForm(from, ['email']), z.object({ email: z.email() }));
  expect(checked).toEqual({
    ok: false,
    lastResult: { initialValue: { email: 'nonsense' }, switched: true },
  });
});

test('errors of its own form are shown again without those that no form has shown', async () => {
  const shownErrors = JSON.stringify({ email: ['email_invalid', 'unheard_of'], other: ['email_invalid'] });
  const from = await posting(new URLSearchParams({ shownErrors, lng: 'de' }));
  const checked = checkForm(from, await readForm(from, ['email']), z.object({ email: z.email() }));
  expect(checked).toMatchObject({ lastResult: { error: { email: ['email_invalid'] } } });
  if (!checked.ok) expect(Object.keys(checked.lastResult.error ?? {})).toEqual(['email']);
});

test('the id of a posted form is noted if it can be one, and is no input', async () => {
  const idOf = async (formId: string) => {
    const from = await posting(new URLSearchParams({ formId, email: 'a@b.example' }));
    await readForm(from, ['email']);
    expect(from.submitted).toEqual([['email', 'a@b.example']]);
    return from.formId;
  };
  expect(await idOf('passkey-1')).toBe('passkey-1');
  for (const wrong of ['', '"><', 'x'.repeat(81)]) expect(await idOf(wrong)).toBeUndefined();
  const unread = await posting(new URLSearchParams({ formId: 'login', email: 'a@b.example' }));
  expect(await readUnreadTexts(unread)).toEqual([['email', 'a@b.example']]);
});

test('a switch submits the form with the intent of the button before it, and any other button with its own', async () => {
  const intentOf = async (entered: Record<string, string>, fields = ['intent']) => {
    const from = await posting(new URLSearchParams({ ...entered, shownIntent: 'pause' }));
    return (await readForm(from, fields)).get('intent');
  };
  expect(await intentOf({ lng: 'de' })).toBe('pause');
  expect(await intentOf({ theme: 'dark', intent: 'resume' })).toBe('resume');
  expect(await intentOf({ lng: 'de' }, ['email'])).toBeNull();
  expect(await intentOf({})).toBeNull();
});

test('the errors that a form showed change nothing about its next attempt', async () => {
  const shownErrors = JSON.stringify({ email: ['email_invalid'] });
  const from = await posting(new URLSearchParams({ email: 'a@b.example', shownErrors }));
  const checked = checkForm(from, await readForm(from, ['email']), z.object({ email: z.email() }));
  expect(checked).toMatchObject({ ok: true, value: { email: 'a@b.example' } });
});

test('a file posted with a switch of the language is reported as lost', async () => {
  const posted = new FormData();
  posted.set('lng', 'it');
  posted.set('logo', new File(['x'], 'logo.png'));
  const from = await posting(posted);
  await readForm(from, ['logo'], { maxParts: 5, maxFiles: 1 });
  expect(from).toMatchObject({ switched: { locale: 'it' }, lostFile: true, submitted: [] });
});

test('an empty file field with such a switch loses nothing', async () => {
  const posted = new FormData();
  posted.set('lng', 'it');
  posted.set('logo', new File([], ''));
  const from = await posting(posted);
  await readForm(from, [], { maxParts: 5, maxFiles: 1 });
  expect(from.lostFile).toBeUndefined();
});

test('a form may switch the theme as well as the language', async () => {
  const from = await posting(new URLSearchParams({ theme: 'dark', lng: 'fr', email: 'nonsense' }));
  const checked = checkForm(from, await readForm(from, ['email']), z.object({ email: z.email() }));
  expect(checked.ok).toBe(false);
  expect(from.switched).toEqual({ theme: 'dark', locale: 'fr' });
  const other = await posting(new URLSearchParams({ theme: 'pink', note: 'dark', other: 'fr' }));
  await readForm(other, ['email']);
  expect(other.switched).toBeUndefined();
});

test('an unknown language is ignored', async () => {
  const from = await posting(new URLSearchParams({ email: 'a@b.example', lng: 'xx' }));
  const checked = checkForm(from, await readForm(from, ['email']), z.object({ email: z.email() }));
  expect(checked.ok).toBe(true);
});

test("the host's field errors are shown at their fields, all others on the form", () => {
  const refused = (errors: Record<string, string[]>) =>
    new HostError(422, { message: '', status: 'error', code: 'invalid', errors });
  expect(errorsOf(refused({ email: ['email_taken'] }), ['email'])).toEqual({
    fieldErrors: { email: ['email_taken'] },
  });
  expect(errorsOf(refused({ other: ['strange'] }), ['email'])).toEqual({
    fieldErrors: {},
    formErrors: ['strange'],
  });
  expect(errorsOf(refused({ email: ['email_taken'], other: ['strange', 'odd'] }), ['email'])).toEqual({
    fieldErrors: { email: ['email_taken'] },
    formErrors: ['strange', 'odd'],
  });
  expect(errorsOf(refused({}), ['email'])).toEqual({ fieldErrors: {}, formErrors: ['invalid'] });
});

/** A form with an address, read and found valid. */
async function validForm(headers: Record<string, string> = {}) {
  const entered = new URLSearchParams({ email: 'a@b.example', formToken: 'an old one' });
  const from = await posting(entered, headers);
  const form = await readForm(from, ['email', 'formToken']);
  const checked = checkForm(from, form, z.object({ email: z.email(), formToken: z.string() }));
  if (!checked.ok) throw new Error('the form is invalid');
  return { from, ...checked };
}

test("the form returns with the host's status, and its errors in the visitor's language", async () => {
  const { reject } = await validForm({ 'accept-language': 'de' });
  const errors = { email: ['email_invalid'] };
  const refusal = new HostError(429, { message: '', status: 'error', code: 'invalid', errors });
  const refuse = () => Promise.reject(refusal);
  const refused = await withFormErrors(reject, ['email'], refuse);
  expect(refused.init?.status).toBe(429);
  const { lastResult } = refused.data;
  expect(lastResult).toMatchObject({ initialValue: { email: 'a@b.example' }, error: errors });
  expect(lastResult.texts).toEqual(errorTexts('de', ['common'], ['email_invalid']));
  expect(Object.keys(lastResult.texts ?? {})).toContain('email_invalid');
  const elsewhere = await withFormErrors(reject, () => ({ formErrors: ['strange'] }), refuse);
  expect(elsewhere.data.lastResult.error).toEqual({ '': ['strange'] });
});

test('what the host did not refuse is returned or passed on', async () => {
  const { reject, from } = await validForm();
  expect(await withFormErrors(reject, ['email'], async () => 'done')).toBe('done');
  const redirect = new Response(null, { status: 303 });
  await expect(withFormErrors(reject, ['email'], () => Promise.reject(redirect))).rejects.toBe(redirect);
  expect(from.failed).toBeUndefined();
});

test('an invalid form is a 422, unless the host chose the status', async () => {
  const { reject } = await validForm();
  const lastResult = reject({ formErrors: ['strange'] });
  expect([invalid(lastResult).init?.status, invalid(lastResult, 429).init?.status]).toEqual([422, 429]);
});

test('only an expired form gets a new token', async () => {
  const { from, reject } = await validForm();
  reject({ formErrors: ['strange'] });
  expect(from.submitted).toContainEqual(['formToken', 'an old one']);
  reject({ formErrors: ['form_expired'] });
  expect(from.submitted).toEqual([['email', 'a@b.example']]);
});
