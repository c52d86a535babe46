import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { checkForm, errorsOf, invalid, readForm } from '~/http/form.server';
import { HostError } from '~/http/host-error.server';
import { scopeOf } from '~/http/scope.server';
import { processorTime } from '../../support/processor-time';

function requestContext(body: BodyInit, headers: Record<string, string> = {}) {
  return { request: new Request('http://localhost/form', { method: 'POST', body, headers }), context: {} };
}

async function statusOf(reading: Promise<unknown>): Promise<number | undefined> {
  const thrown = (await reading.catch((error: unknown) => error)) as { init?: { status?: number } };
  return thrown.init?.status;
}

test('reads the known fields and drops all others', async () => {
  const body = new URLSearchParams([
    ['email', 'a@b.example'],
    ['a[99999999]', '1'],
    ['__intent__', 'x'],
    ['__proto__.x', '1'],
  ]);
  const form = await readForm(requestContext(body), ['email']);
  expect([...form]).toEqual([['email', 'a@b.example']]);
});

test('a field name that would exhaust the form library is harmless', async () => {
  const from = requestContext(
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
    await statusOf(readForm(requestContext(new URLSearchParams({ email: 'x'.repeat(100_000) })), ['email'])),
  ).toBe(413);
  const many = new URLSearchParams(Array.from({ length: 500 }, (_, n) => [`f${n}`, '1']));
  expect(await statusOf(readForm(requestContext(many), ['email']))).toBe(413);
  expect(
    await statusOf(readForm(requestContext('{}', { 'content-type': 'application/json' }), ['email'])),
  ).toBe(400);
  expect(
    await statusOf(readForm(requestContext('x', { 'content-type': 'multipart/form-data' }), ['email'])),
  ).toBe(400);
});

test('a compressed body gets a 415, and is not inflated', async () => {
  for (const coding of ['gzip', 'br', 'deflate', 'identity, gzip']) {
    const form = gzipSync('email=a%40b.example');
    const type = 'application/x-www-form-urlencoded';
    const from = requestContext(form, { 'content-type': type, 'content-encoding': coding });
    expect(await statusOf(readForm(from, ['email'])), coding).toBe(415);
  }
});

test('remembers the posted fields without secrets', async () => {
  const from = requestContext(new URLSearchParams({ email: 'a@b.example', password: 'secret' }));
  await readForm(from, ['email', 'password']);
  expect(scopeOf(from).submitted).toEqual([['email', 'a@b.example']]);
});

test('a refused form keeps all input but secrets', async () => {
  const from = requestContext(new URLSearchParams({ email: 'nonsense', password: 'secret' }));
  const form = await readForm(from, ['email', 'password']);
  const checked = checkForm(from, form, z.object({ email: z.email('email_invalid'), password: z.string() }));
  expect(checked.ok).toBe(false);
  if (checked.ok) return;
  expect(checked.lastResult.initialValue).toEqual({ email: 'nonsense' });
  expect(checked.lastResult.error).toEqual({ email: ['email_invalid'] });
  expect(scopeOf(from).failed).toBe(true);
});

test('switching the language skips validation and keeps all input but secrets', async () => {
  const posted = new FormData();
  for (const [name, value] of Object.entries({ email: 'nonsense', password: 'secret', lng: 'de' })) {
    posted.set(name, value);
  }
  const from = requestContext(posted);
  const form = await readForm(from, ['email', 'password']);
  const checked = checkForm(from, form, z.object({ email: z.email('email_invalid'), password: z.string() }));
  expect(checked).toEqual({ ok: false, lastResult: { initialValue: { email: 'nonsense' }, switched: true } });
  const scope = scopeOf(from);
  expect([scope.switched, scope.failed, scope.lostFile]).toEqual([{ locale: 'de' }, undefined, undefined]);
  if (!checked.ok) expect(invalid(checked.lastResult).init?.status).toBe(200);
});

test('a file posted with a switch of the language is reported as lost', async () => {
  const posted = new FormData();
  posted.set('lng', 'it');
  posted.set('logo', new File(['x'], 'logo.png'));
  const from = requestContext(posted);
  await readForm(from, [], { maxParts: 5, maxFiles: 1 });
  expect(scopeOf(from)).toMatchObject({ switched: { locale: 'it' }, lostFile: true });
});

test('an unknown language is ignored', async () => {
  const from = requestContext(new URLSearchParams({ email: 'a@b.example', lng: 'xx' }));
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
  expect(errorsOf(refused({}), ['email'])).toEqual({ fieldErrors: {}, formErrors: ['invalid'] });
});
