import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createOnboarding } from '#host/accounts/onboarding';
import { codes, drafts } from '#host/db/codes.tables';
import type { TestAccount, TestHost } from '../../support/host';
import { send } from '../../support/json-calls';
import { createGoogleHost, type GoogleStandIn, googleCalls, openGoogleStandIn } from './google-stand-in';

let google: GoogleStandIn;
let host: TestHost;
let account: TestAccount;

beforeAll(async () => {
  google = await openGoogleStandIn();
  host = await createGoogleHost({ fetch: google.fetch });
});
beforeEach(async () => {
  host.clock.advance(3_600_000);
  account = await host.account();
});
afterAll(() => host.close());

const { signIn, bought } = googleCalls(() => ({ google, host, account }));

async function keepDraft(fields: Record<string, unknown>): Promise<string> {
  const form = new FormData();
  form.set('visitor', 'a browser with a long random key');
  form.set('fields', JSON.stringify(fields));
  const answered = await host.request('/api/drafts', { method: 'POST', body: form });
  return String((await answered.json()).data.id);
}

const codesOf = (accountId: string) => host.db.orm.select().from(codes).where(eq(codes.accountId, accountId));

test('a bought account that is opened with Google first is set up: the kept design becomes its first code', async () => {
  const draftId = await keepDraft({ type: 'link', content: 'example.org/menu' });
  const buyer = await bought({ draftId });
  const answered = await signIn(await buyer.token());
  expect([answered.status, answered.body]).toEqual([
    200,
    { token: expect.any(String), device: expect.any(String), created: 'account' },
  ]);
  expect(await codesOf(buyer.accountId)).toMatchObject([
    { type: 'link', content: 'https://example.org/menu', visibility: 'public' },
  ]);
  const again = await signIn(await buyer.token());
  expect(again.body).toEqual({ token: expect.any(String), device: expect.any(String), created: null });
  expect(await codesOf(buyer.accountId)).toHaveLength(1);
});

test('the mailed link still sets names and password of such an account, and creates no second code', async () => {
  const draftId = await keepDraft({ type: 'text', content: 'Once' });
  const buyer = await bought({ draftId });
  await signIn(await buyer.token());
  const password = 'three quiet lamps over water';
  const names = { firstName: 'Ada', lastName: 'Byron', password, confirmPassword: password };
  const set = await send(host, 'POST', '/api/account/onboarding', { ...names, token: buyer.link });
  expect(set.status).toBe(200);
  expect(await codesOf(buyer.accountId)).toHaveLength(1);
  expect((await signIn(await buyer.token())).body).toMatchObject({ created: null });
});

test('the design of a second purchase becomes a code at the next sign-in, even with a known identity', async () => {
  const buyer = await bought();
  expect((await signIn(await buyer.token())).body).toMatchObject({ created: 'account' });
  host.clock.advance(1_000);
  const draftId = await keepDraft({ type: 'text', content: 'Second' });
  const order = { email: buyer.email, locale: 'gb' as const, draftId };
  await host.db.orm.transaction((orm) => createOnboarding(orm, host.deps, order, host.clock.now()));
  expect((await signIn(await buyer.token())).body).toMatchObject({ created: 'code' });
  expect(await codesOf(buyer.accountId)).toMatchObject([{ content: 'Second' }]);
});

test('a design that is not yet a valid code stays saved, and the account opens anyway', async () => {
  const draftId = await keepDraft({ type: 'email', content: 'not an address' });
  const buyer = await bought({ draftId });
  expect((await signIn(await buyer.token())).body).toMatchObject({ created: 'account' });
  expect(await codesOf(buyer.accountId)).toEqual([]);
  expect(await host.db.orm.select().from(drafts).where(eq(drafts.id, draftId))).toHaveLength(1);
});
