import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LOCALE_CODES } from '#contract/locales';
import { getMailSettings, type MailSettings } from '#contract/mail-settings';
import { DAY_MS } from '#contract/time';
import { accounts } from '#host/db/accounts.tables';
import { mailSettings } from '#host/db/insight.tables';
import { mails } from '#host/db/mail.tables';
import { runInsightMails } from '#host/insight/jobs';
import { createTestHost, START, type TestAccount, type TestHost } from '../../support/host';
import { send } from '../../support/json-calls';

const OFF: MailSettings = { figures: 'off', firstScan: false, unusual: false, destinationFailing: true };
let host: TestHost;
let owner: TestAccount;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());
beforeEach(async () => {
  host.clock.set(START);
  owner = await host.account();
  await changeAccount({ lastLoginAt: START, timeZone: 'Europe/Berlin' });
  await host.db.orm.execute(
    sql`update subscriptions set access_until = '2028-01-01' where account_id = ${owner.id}`,
  );
});

async function changeAccount(fields: Partial<typeof accounts.$inferInsert>): Promise<void> {
  await host.db.orm.update(accounts).set(fields).where(eq(accounts.id, owner.id));
}

async function choose(settings: Partial<MailSettings>): Promise<void> {
  const body = { ...OFF, ...settings };
  const { status } = await send(host, 'PUT', '/api/account/mails', body, { token: owner.token });
  expect(status).toBe(200);
}

/** As two hosts do that look at the same moment, each twice. */
async function runAt(at: string): Promise<void> {
  host.clock.set(new Date(at));
  const run = () => runInsightMails(host.deps, host.clock.now());
  await Promise.all([run(), run()]);
  await run();
}

async function mailsToOwner() {
  return (await host.mails()).filter(({ to }) => to === owner.email).reverse();
}
/** With plain spaces around the dash of a range. */
const subjects = async () => (await mailsToOwner()).map(({ subject }) => subject?.replace(/\s/g, ' '));

/** Counts visits of a code on a day, at noon (UTC), as if they had come then. */
async function addVisits(codeId: string, day: string, count: number): Promise<void> {
  const { orm } = host.db;
  const figures = { hours: { 12: [count, 0, 0, 0, 0] }, facets: { country: { FR: count } } };
  for (const subject of [codeId, owner.id])
    await orm.execute(
      sql`insert into day_figures (subject_id, day, figures) values (${subject}, ${day}, ${JSON.stringify(figures)})`,
    );
  await orm.execute(sql`insert into code_marks (code_id, day, before)
    values (${codeId}, ${day}, coalesce((select scans from code_totals where code_id = ${codeId}), 0)) on conflict do nothing`);
  await orm.execute(sql`insert into code_totals (code_id, account_id, scans, clicks, others, last_at, counted_in)
    values (${codeId}, ${owner.id}, ${count}, 0, 0, ${`${day}T12:00:00Z`}, pg_current_xact_id()::text::bigint / 1024)
    on conflict (code_id) do update set scans = code_totals.scans + excluded.scans, last_at = excluded.last_at,
      counted_in = excluded.counted_in`);
}

const dayAfter = (day: string, days: number) =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

describe('the figures of a week', () => {
  test('come once on Monday at seven, by the zone of the account, whatever the clocks do', async () => {
    const code = await host.code(owner.id, { name: 'Terrace', createdAt: new Date('2026-02-01T00:00:00Z') });
    await addVisits(code.id, '2026-03-04', 40);
    await addVisits(code.id, '2026-03-24', 30);
    await addVisits(code.id, '2026-03-31', 20);
    await choose({ figures: 'week' });
    await runAt('2026-03-09T05:59:00Z');
    expect(await subjects()).toEqual([]);
    await runAt('2026-03-09T06:00:00Z');
    expect(await subjects()).toEqual(['Your figures: 40 visits, 2 – 8 March 2026']);
    await choose({ figures: 'week' });
    await runAt('2026-03-09T20:00:00Z');
    expect(await subjects()).toHaveLength(1);
    // Summer time begins in Berlin on 29 March.
    await runAt('2026-03-30T04:59:00Z');
    expect((await subjects()).slice(1)).toEqual(['Your figures: 0 visits, 9 – 15 March 2026']);
    await runAt('2026-03-30T05:00:00Z');
    expect((await subjects()).slice(2)).toEqual(['Your figures: 30 visits, 23 – 29 March 2026']);
    const { text, html } = (await mailsToOwner()).at(-1) ?? {};
    expect(text).toMatch(
      /30 visits: 0 in the time before: the difference may be chance, 16\s–\s22 March 2026\./,
    );
    expect(text).toContain('1. Terrace – 30 visits');
    expect(text).toContain('/user/analytics?period=range&from=2026-03-23&to=2026-03-29');
    expect(html).toContain('mails-off?token=figures.');
  });

  test('come once if the zone changes between them, eastwards and westwards', async () => {
    const code = await host.code(owner.id, { createdAt: new Date('2026-02-01T00:00:00Z') });
    for (const day of ['2026-03-04', '2026-03-11', '2026-03-18']) await addVisits(code.id, day, 40);
    await choose({ figures: 'week' });
    await changeAccount({ timeZone: 'Pacific/Auckland' });
    await runAt('2026-03-09T06:00:00Z');
    expect(await subjects()).toHaveLength(1);
    await changeAccount({ timeZone: 'Pacific/Honolulu' });
    await runAt('2026-03-16T16:59:00Z');
    expect(await subjects()).toHaveLength(1);
    await runAt('2026-03-16T17:00:00Z');
    expect(await subjects()).toEqual([
      'Your figures: 40 visits, 2 – 8 March 2026',
      'Your figures: 40 visits, 9 – 15 March 2026',
    ]);
    // There that Monday has already been over for most of a day.
    await changeAccount({ timeZone: 'Pacific/Auckland' });
    await runAt('2026-03-23T17:00:00Z');
    expect((await subjects()).slice(2)).toEqual(['Your figures: 40 visits, 16 – 22 March 2026']);
  });

  test('are made up for after the host was down', async () => {
    const code = await host.code(owner.id, { createdAt: new Date('2026-02-01T00:00:00Z') });
    for (const day of ['2026-03-04', '2026-03-11', '2026-03-18']) await addVisits(code.id, day, 40);
    await choose({ figures: 'week' });
    await runAt('2026-03-25T12:00:00Z');
    expect(await subjects()).toHaveLength(3);
  });

  test('do not come without codes, without access, without a sign-in, and to an address that refuses mails', async () => {
    await choose({ figures: 'week' });
    await runAt('2026-03-09T06:00:00Z');
    const code = await host.code(owner.id, { createdAt: new Date('2026-02-01T00:00:00Z') });
    for (const day of ['2026-03-11', '2026-03-18', '2026-03-25', '2026-04-01'])
      await addVisits(code.id, day, 40);
    await changeAccount({ lastLoginAt: null });
    await runAt('2026-03-16T06:00:00Z');
    await changeAccount({ lastLoginAt: START });
    await host.db.orm.execute(
      sql`update subscriptions set access_until = '2026-03-20' where account_id = ${owner.id}`,
    );
    await runAt('2026-03-23T06:00:00Z');
    await host.db.orm.execute(
      sql`update subscriptions set access_until = '2028-01-01' where account_id = ${owner.id}`,
    );
    await host.db.orm.insert(mails).values({
      id: crypto.randomUUID(),
      to: owner.email,
      locale: 'gb',
      template: 'mail.ticket_arrived',
      values: {},
      attachments: [],
      createdAt: START,
      dueAt: START,
      givenUpAt: START,
      lastError: 'EENVELOPE 550',
    });
    await runAt('2026-03-30T05:00:00Z');
    expect(await subjects()).toEqual([]);
    await host.db.orm.delete(mails).where(eq(mails.to, owner.email));
    await runAt('2026-04-06T05:00:00Z');
    expect(await subjects()).toEqual(['Your figures: 40 visits, 30 March – 5 April 2026']);
  });

  test('become those of the month, on its first, in every language', async () => {
    for (const locale of LOCALE_CODES) {
      owner = await host.account();
      host.clock.set(START);
      await changeAccount({ lastLoginAt: START, timeZone: 'America/New_York', locale });
      const code = await host.code(owner.id, {
        name: 'Terrace',
        createdAt: new Date('2026-01-01T00:00:00Z'),
      });
      await addVisits(code.id, '2026-03-24', 1_234);
      await addVisits(code.id, '2026-02-10', 50);
      await choose({ figures: 'week' });
      await choose({ figures: 'month' });
      await host.db.orm.execute(sql`update subscriptions set access_until = '2028-01-01'`);
      await runAt('2026-04-01T10:59:00Z');
      expect(await subjects()).toEqual([]);
      await runAt('2026-04-01T11:00:00Z');
      const [mail, ...others] = await mailsToOwner();
      expect(others).toEqual([]);
      expect(mail?.text).toMatch(/1[.,\u202f\u00a0]?234/);
      expect((mail?.text ?? '') + mail?.subject + mail?.html).not.toMatch(/\{\{|undefined|NaN/);
    }
  });
});

describe('the first visit of a code', () => {
  test('is told once, several in one mail, at most one in an hour', async () => {
    const [seen, first, second, third, uncounted] = [
      await host.code(owner.id, { name: 'Seen' }),
      await host.code(owner.id, { name: 'First' }),
      await host.code(owner.id, { name: 'Second' }),
      await host.code(owner.id, { name: 'Third' }),
      await host.code(owner.id, { name: 'Uncounted', isCounted: false }),
    ];
    await addVisits(seen.id, '2026-03-01', 2);
    await choose({ firstScan: true });
    for (const code of [seen, first, second, uncounted]) await addVisits(code.id, '2026-03-02', 1);
    await runAt('2026-03-02T10:15:00Z');
    expect(await subjects()).toEqual(['2 codes were visited for the first time']);
    expect((await mailsToOwner())[0]?.text).toContain('First\nSecond\n');
    await addVisits(third.id, '2026-03-02', 1);
    await addVisits(first.id, '2026-03-02', 1);
    await runAt('2026-03-02T11:14:00Z');
    expect(await subjects()).toHaveLength(1);
    await runAt('2026-03-02T11:15:00Z');
    expect((await subjects()).slice(1)).toEqual(['“Third” was visited for the first time']);
    await choose({ firstScan: false });
    await runAt('2026-03-02T14:00:00Z');
    await choose({ firstScan: true });
    await runAt('2026-03-02T15:00:00Z');
    expect(await subjects()).toHaveLength(2);
  });
});

describe('unusual visits', () => {
  test('are told in the morning after, once for what goes on, and several codes in one mail', async () => {
    const createdAt = new Date('2025-01-01T00:00:00Z');
    const [still, falling, rising] = [
      await host.code(owner.id, { name: 'Still', createdAt }),
      await host.code(owner.id, { name: 'Falling', createdAt }),
      await host.code(owner.id, { name: 'Rising', createdAt }),
    ];
    const begin = '2026-01-01';
    for (let day = 0; day < 75; day += 1) {
      const date = dayAfter(begin, day);
      const usual = 40 + (day % 4);
      await addVisits(still.id, date, usual);
      if (date < '2026-03-10') await addVisits(falling.id, date, usual);
      await addVisits(rising.id, date, date === '2026-03-10' ? 400 : usual);
    }
    host.clock.set(new Date('2026-03-09T10:00:00Z'));
    await choose({ unusual: true });
    await runAt('2026-03-10T06:00:00Z');
    expect(await subjects()).toEqual([]);
    await runAt('2026-03-11T05:59:00Z');
    expect(await subjects()).toEqual([]);
    await runAt('2026-03-11T06:00:00Z');
    expect(await subjects()).toEqual(['Unusual visits of 2 codes']);
    const { text } = (await mailsToOwner())[0] ?? {};
    expect(text).toMatch(/On Tuesday,? 10 March:/);
    expect(text).toMatch(/Rising: 400 visits, where about 4\d were to be expected/);
    expect(text).toMatch(/Falling: 0 visits, where about 4\d were to be expected/);
    expect(text).not.toContain('Still');
    for (const day of ['12', '13', '14', '15']) await runAt(`2026-03-${day}T06:00:00Z`);
    expect(await subjects()).toHaveLength(1);
  });
});

describe('the link in a mail', () => {
  async function linkedToken(): Promise<string> {
    const code = await host.code(owner.id, { createdAt: new Date('2026-02-01T00:00:00Z') });
    await addVisits(code.id, '2026-03-04', 40);
    await choose({ figures: 'week', unusual: true });
    await runAt('2026-03-09T06:00:00Z');
    return /mails-off\?token=(\S+)/.exec((await mailsToOwner())[0]?.text ?? '')?.[1] ?? '';
  }
  const settings = async () =>
    getMailSettings.response.parse(
      (await send(host, 'GET', '/api/account/mails', undefined, { token: owner.token })).body,
    ).data;

  test('switches off its kind only, without signing in, and however often', async () => {
    const token = await linkedToken();
    const check = () => send(host, 'POST', '/api/mails/off/check', { token });
    expect((await check()).body).toEqual({ data: { kind: 'figures', isOn: true } });
    expect((await settings()).figures).toBe('week');
    for (let click = 0; click < 2; click += 1) {
      expect((await send(host, 'POST', '/api/mails/off', { token })).status).toBe(200);
      expect(await settings()).toEqual({ ...OFF, unusual: true });
    }
    host.clock.set(new Date(START.getTime() + 1_000 * DAY_MS));
    expect((await check()).body).toMatchObject({ data: { kind: 'figures', isOn: false } });
  });

  test('is refused for another kind or account, and if it is not ours', async () => {
    const token = await linkedToken();
    const other = await host.account();
    for (const wrong of [
      token.replace('figures', 'unusual'),
      token.replace(owner.id, other.id),
      token.slice(0, -2),
      `${token}.x`,
      '',
      'x'.repeat(200),
    ]) {
      const { status, body } = await send(host, 'POST', '/api/mails/off', { token: wrong });
      expect([status, body]).toMatchObject([422, { errors: { token: ['token_unknown'] } }]);
    }
    expect((await settings()).unusual).toBe(true);
  });

  test('works after the secrets were changed, as long as the earlier one is kept', async () => {
    const token = await linkedToken();
    const { jwtSecrets } = host.deps.settings;
    jwtSecrets.unshift('a newer secret of the test host, long enough');
    const { status } = await send(host, 'POST', '/api/mails/off', { token });
    jwtSecrets.shift();
    expect(status).toBe(200);
  });
});

test('the settings are in the export of an account, and gone with it', async () => {
  await choose({ firstScan: true, destinationFailing: false });
  const exported = await send(host, 'GET', '/api/account/export', undefined, { token: owner.token });
  expect(exported.body.data).toMatchObject({
    account: { mailSettings: { ...OFF, firstScan: true, destinationFailing: false } },
  });
  await send(host, 'DELETE', '/api/account', { password: owner.password }, { token: owner.token });
  expect(await host.db.orm.select().from(mailSettings).where(eq(mailSettings.accountId, owner.id))).toEqual(
    [],
  );
  await runAt('2026-03-02T12:00:00Z');
});
