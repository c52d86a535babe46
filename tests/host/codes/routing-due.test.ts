import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '#contract/time';
import { changeCode } from '#host/codes/code/change';
import { restoreCode } from '#host/codes/code/deletion';
import { runDueRouting } from '#host/codes/routing/due-work';
import { changeParts } from '#host/codes/routing/edits';
import { codes } from '#host/db/codes.tables';
import { createTestHost, START, type TestAccount, type TestHost } from '../../support/host';
import { routingCalls, to } from './routing-calls';

let host: TestHost;
let owner: TestAccount;
let calls: ReturnType<typeof routingCalls>;
let code: Awaited<ReturnType<TestHost['code']>>;

beforeAll(async () => {
  host = await createTestHost();
});
afterAll(() => host.close());
beforeEach(async () => {
  host.clock.set(START);
  owner = await host.account();
  calls = routingCalls(host, owner.token);
  code = await host.code(owner.id, { name: 'Terrace' });
});

/** As two hosts do that look at the same moment, each twice. */
async function runAt(at: string | number): Promise<void> {
  host.clock.set(new Date(at));
  const run = () => runDueRouting(host.deps, host.clock.now());
  await Promise.all([run(), run()]);
  await run();
}

async function mailsToOwner(): Promise<{ template: string; subject: string | null; text: string | null }[]> {
  const mails = await host.mails();
  return mails
    .filter((mail) => mail.to === owner.email)
    .map(({ template, subject, text }) => ({ template, subject, text }))
    .reverse();
}
const templates = async () =>
  (await mailsToOwner()).map(({ template }) => template.replace('account-mail.', ''));
const copy = async () => {
  const copied = await calls.send('POST', `${code.id}/copies`, {});
  return ((await copied.json()) as { data: { id: string } }).data.id;
};
const remove = () => calls.send('DELETE', code.id);
const restore = () => restoreCode(host.db.orm, { accountId: owner.id, id: code.id }, host.clock.now());
/** Visits the code until it has ended by its visits. */
const reachEnd = () =>
  expect
    .poll(async () => {
      await host.request(`/r/${code.slug}`);
      return (await calls.read(code.id)).routing.end?.reachedAt;
    })
    .toBeTruthy();
/** Whether something in the database waits for a lock. */
const isWaiting = async () => {
  const text = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return (await host.db.query({ name: '', text, values: [] })).length > 0;
};

describe('a schedule', () => {
  const at = '2026-03-05T09:00:00.000Z';

  test('becomes the content of its code, at its moment by the history', async () => {
    await calls.update(code.id, { schedule: { at, target: 'https://next.example/' } });
    await runAt('2026-03-05T08:59:59Z');
    expect((await calls.read(code.id)).code.content).toBe('https://destination.example/');
    await runAt('2026-03-05T09:00:40Z');
    const { code: shown, routing } = await calls.read(code.id);
    expect([shown.content, shown.routing, routing.schedule]).toEqual(['https://next.example/', null, null]);
    const changes = await calls.changes(code.id);
    expect(changes.filter((change) => change.field === 'content')).toEqual([
      { at, field: 'content', before: 'https://destination.example/', after: 'https://next.example/' },
    ]);
    expect(changes).toHaveLength(3);
  });

  test('that was moved or removed does nothing at its first moment', async () => {
    await calls.update(code.id, { schedule: { at, target: 'https://next.example/' } });
    await calls.update(code.id, {
      schedule: { at: '2026-03-06T09:00:00Z', target: 'https://next.example/' },
    });
    await runAt(at);
    expect((await calls.read(code.id)).code.content).toBe('https://destination.example/');
    await runAt('2026-03-06T09:00:00Z');
    expect((await calls.read(code.id)).code.content).toBe('https://next.example/');
    await calls.update(code.id, {
      schedule: { at: '2026-03-07T09:00:00Z', target: 'https://last.example/' },
    });
    await calls.update(code.id, { schedule: null });
    await runAt('2026-03-08T09:00:00Z');
    expect((await calls.read(code.id)).code.content).toBe('https://next.example/');
  });

  test('leaves rules as they are', async () => {
    const rule = await calls.add(code.id, { languages: ['de'], variants: to('https://de.example/') });
    await calls.update(code.id, { schedule: { at, target: 'https://next.example/' } });
    await runAt(at);
    expect((await calls.read(code.id)).routing.rules).toEqual([rule]);
  });

  test.each(['2026-03-05T08:00:00Z', '2026-03-05T10:00:00Z'])(
    'becomes the content of a copy too, made at %s',
    async (copiedAt) => {
      await calls.update(code.id, { schedule: { at, target: 'https://next.example/' } });
      host.clock.set(new Date(copiedAt));
      const id = await copy();
      await runAt('2026-03-05T10:00:01Z');
      const { code: shown, routing } = await calls.read(id);
      expect([shown.content, routing.schedule]).toEqual(['https://next.example/', null]);
    },
  );

  test.each(['2026-03-04T10:00:00Z', '2026-03-06T10:00:00Z'])(
    'takes effect in a code that was deleted and is brought back at %s',
    async (restoredAt) => {
      await calls.update(code.id, { schedule: { at, target: 'https://next.example/' } });
      await remove();
      await runAt(restoredAt);
      expect(await restore()).toBe(true);
      await runAt('2026-03-06T10:00:01Z');
      const { code: shown, routing } = await calls.read(code.id);
      expect([shown.content, routing.schedule]).toEqual(['https://next.example/', null]);
    },
  );

  test.each([
    ['removed', null],
    ['replaced', { at: '2026-03-07T09:00:00.000Z', target: 'https://last.example/' }],
  ])('that is %s at its moment does nothing', async (_, schedule) => {
    await calls.update(code.id, { schedule: { at, target: 'https://next.example/' } });
    const now = new Date(at);
    host.clock.set(now);
    let running: Promise<void> | undefined;
    await host.db.orm.transaction(async (transaction) => {
      await transaction.select().from(codes).where(eq(codes.id, code.id)).for('update');
      running = runDueRouting(host.deps, now);
      await expect.poll(isWaiting).toBe(true);
      const routing = changeParts({ schedule }, { now, total: 0 });
      await changeCode(transaction, { accountId: owner.id, id: code.id }, { routing }, now);
    });
    await running;
    const { code: shown, routing } = await calls.read(code.id);
    expect([shown.content, routing?.schedule ?? null]).toEqual(['https://destination.example/', schedule]);
    if (!schedule) return;
    await runAt(schedule.at);
    expect((await calls.read(code.id)).code.content).toBe(schedule.target);
  });
});

describe('the owner is told of an end', () => {
  const at = '2026-03-12T12:00:00.000Z';

  test('three days before and after it, once each', async () => {
    await calls.update(code.id, { end: { at, message: 'over' } });
    await runAt('2026-03-09T11:59:59Z');
    expect(await templates()).toEqual([]);
    await runAt('2026-03-09T12:00:01Z');
    await calls.update(code.id, { end: { at, message: 'over, thank you' } });
    await runAt('2026-03-10T12:00:01Z');
    const [soon, ...others] = await mailsToOwner();
    expect(others).toEqual([]);
    expect(soon?.template).toBe('account-mail.code_ends_soon');
    expect(`${soon?.subject} ${soon?.text}`).toContain('Terrace');
    expect(soon?.text).toContain(`https://www.quadrille.example/user/qrcodes/${code.id}`);
    expect(soon?.text).toContain('12 March 2026');
    await runAt('2026-03-12T12:00:01Z');
    await runAt('2026-03-20T12:00:01Z');
    expect(await templates()).toEqual(['code_ends_soon', 'code_ended']);
  });

  test('only after it if it was set for less than three days, or nobody looked in time', async () => {
    await calls.update(code.id, { end: { at: '2026-03-04T12:00:00Z', message: '' } });
    await runAt('2026-03-04T11:00:00Z');
    expect(await templates()).toEqual([]);
    await runAt('2026-03-05T11:00:00Z');
    expect(await templates()).toEqual(['code_ended']);
    await calls.update(code.id, { end: { at, message: '' } });
    await runAt('2026-03-30T11:00:00Z');
    expect(await templates()).toEqual(['code_ended', 'code_ended']);
  });

  test('not if it was removed', async () => {
    await calls.update(code.id, { end: { at, message: '' } });
    await calls.update(code.id, { end: null });
    await runAt('2026-03-30T11:00:00Z');
    expect(await templates()).toEqual([]);
  });

  test('at once if the end is now', async () => {
    await calls.update(code.id, {
      end: { at: new Date(START.getTime() - 20_000).toISOString(), message: '' },
    });
    await runAt(START.getTime() + 1_000);
    expect(await templates()).toEqual(['code_ended']);
  });

  test('at ninety percent of its visits and when they are reached', async () => {
    await calls.update(code.id, { end: { visits: 10, message: '' } });
    const visit = async (count: number) => {
      for (let n = 0; n < count; n += 1) await host.request(`/r/${code.slug}`);
      await runAt(host.clock.now().getTime() + HOUR_MS);
    };
    // Until the cache has it, visits are counted without a route.
    await expect
      .poll(async () => {
        await visit(1);
        return (await calls.read(code.id)).figures?.since;
      })
      .toBe('2026-03-02');
    const { total } = (await calls.read(code.id)).code.visits;
    await visit(8 - total);
    expect(await templates()).toEqual([]);
    await visit(1);
    expect(await templates()).toEqual(['code_ends_soon_visits']);
    await visit(1);
    expect(await templates()).toEqual(['code_ends_soon_visits', 'code_ended_visits']);
    await visit(2);
    const [soon, ended] = await mailsToOwner();
    expect(soon?.text).toContain('9');
    expect(ended?.text).toContain('10');
    expect(await templates()).toHaveLength(2);
  });

  test('at ninety percent of its visits, and at all of them, while the code is paused', async () => {
    await calls.update(code.id, { end: { visits: 10, message: '' }, pause: { message: '' } });
    const visitUntil = async (count: number) => {
      while ((await calls.read(code.id)).code.visits.total < count) await host.request(`/r/${code.slug}`);
      await runAt(host.clock.now().getTime() + HOUR_MS);
      return templates();
    };
    expect(await visitUntil(8)).toEqual([]);
    expect(await visitUntil(9)).toEqual(['code_ends_soon_visits']);
    expect(await visitUntil(10)).toEqual(['code_ends_soon_visits', 'code_ended_visits']);
  });

  test('once of an end by visits whose date or message is changed after it', async () => {
    await calls.update(code.id, { end: { visits: 2, message: '' } });
    await reachEnd();
    await runAt(START.getTime() + HOUR_MS);
    await calls.update(code.id, { end: { visits: 2, at, message: 'sold out' } });
    await runAt('2026-03-10T12:00:00Z');
    await reachEnd();
    await runAt('2026-03-13T12:00:00Z');
    expect(await templates()).toEqual(['code_ended_visits']);
  });

  test('once of an end whose date has come and that gets a number of visits as well', async () => {
    const target = 'https://after.example/';
    await calls.update(code.id, { end: { at, target } });
    await runAt('2026-03-12T12:00:01Z');
    host.clock.advance(HOUR_MS);
    await calls.update(code.id, { end: { at, visits: 2, target } });
    await reachEnd();
    await runAt('2026-03-13T12:00:00Z');
    expect(await templates()).toEqual(['code_ended']);
  });

  test('of a copy as of its original, once each', async () => {
    await calls.update(code.id, { end: { at, message: '' } });
    await copy();
    await runAt('2026-03-10T12:00:00Z');
    await runAt('2026-03-13T12:00:00Z');
    expect((await templates()).sort()).toEqual([
      'code_ended',
      'code_ended',
      'code_ends_soon',
      'code_ends_soon',
    ]);
  });

  test('in a code that was deleted and is brought back, once', async () => {
    await calls.update(code.id, { end: { at, message: '' } });
    await runAt('2026-03-10T12:00:00Z');
    await remove();
    await runAt('2026-03-13T12:00:00Z');
    await restore();
    await runAt('2026-03-13T12:00:01Z');
    await remove();
    await restore();
    await runAt('2026-03-13T12:00:02Z');
    expect(await templates()).toEqual(['code_ends_soon', 'code_ended']);
  });

  test('not of the visits of its original, with which a copy does not begin', async () => {
    await calls.update(code.id, { end: { visits: 10, message: '' } });
    await host.db.query({
      name: '',
      text: `update codes set routing = jsonb_set(routing, '{end}', routing->'end' || $2) where id = $1`,
      values: [code.id, { reachedAt: START.toISOString(), noticedAt: START.toISOString() }],
    });
    host.clock.advance(HOUR_MS);
    const { code: copied, routing } = await calls.read(await copy());
    expect(copied.routing).toMatchObject({ hasEnded: false, end: { at: null, visits: 10 } });
    expect(routing.end?.reachedAt).toBe(null);
    await runAt(START.getTime() + 2 * HOUR_MS);
    expect(await templates()).toEqual([]);
  });

  test('not of ninety percent if there were as many when it was set', async () => {
    for (let n = 0; n < 9; n += 1) await host.request(`/r/${code.slug}`);
    await calls.update(code.id, { end: { visits: 10, message: '' } });
    await runAt(START.getTime() + HOUR_MS);
    expect(await templates()).toEqual([]);
  });
});

describe('when an account is erased', () => {
  const erase = async () => {
    const body = JSON.stringify({ password: owner.password, keepsLinks: true });
    const erased = await host.request('/api/account', { method: 'DELETE', token: owner.token, body });
    expect(erased.status).toBe(200);
  };
  const rowOf = async () => {
    const [row] = await host.db.query<{ routing: object | null; content: string; isDeleted: boolean }>({
      name: '',
      text: 'select routing, content, deleted_at is not null as "isDeleted" from codes where id = $1',
      values: [code.id],
    });
    return row;
  };

  test('its visited links keep their content and end only, and no job of theirs is left', async () => {
    await calls.add(code.id, { languages: ['de'], variants: to('https://de.example/') });
    await calls.update(code.id, { end: { at: '2026-05-01T00:00:00Z', message: 'Over.' } });
    await host.request(`/r/${code.slug}`);
    await erase();
    const end = { at: '2026-05-01T00:00:00.000Z', message: '' };
    const routing = { rules: [], pause: null, schedule: null, end };
    expect(await rowOf()).toMatchObject({ routing, content: code.content, isDeleted: false });
    const left = await host.db.query({
      name: '',
      text: 'select from jobs where subject = $1',
      values: [code.id],
    });
    expect(left).toEqual([]);
  });

  test.each([
    [{ pause: { message: '' } }],
    [{ end: { at: new Date(START.getTime() - 1_000).toISOString(), message: '' } }],
  ])('one that its owner had closed by %j leads nowhere any more', async (change) => {
    await host.request(`/r/${code.slug}`);
    await calls.update(code.id, change);
    await erase();
    expect(await rowOf()).toEqual({ routing: null, content: '', isDeleted: true });
  });

  test.each([
    [
      'is over, which its job has not noticed yet, leads to the new target',
      2 * HOUR_MS,
      'https://new.example/',
    ],
    ['is to come leads to its present target', 0, null],
  ])('one whose scheduled change %s', async (_, passed, target) => {
    await host.request(`/r/${code.slug}`);
    const at = new Date(START.getTime() + HOUR_MS).toISOString();
    await calls.update(code.id, { schedule: { at, target: 'https://new.example/' } });
    host.clock.advance(passed);
    await erase();
    const content = target ?? code.content;
    expect(await rowOf()).toEqual({ routing: null, content, isDeleted: false });
    expect((await host.request(`/r/${code.slug}`)).headers.get('location')).toBe(content);
  });

  test('one that would end by its visits, which nobody counts any more, leads on without that end', async () => {
    await host.request(`/r/${code.slug}`);
    await calls.update(code.id, { end: { visits: 3, target: 'https://after.example/' } });
    await erase();
    expect(await rowOf()).toEqual({ routing: null, content: code.content, isDeleted: false });
    for (let n = 0; n < 5; n += 1)
      expect((await host.request(`/r/${code.slug}`)).headers.get('location')).toBe(code.content);
  });

  test('one that has ended by its visits leads nowhere any more', async () => {
    await calls.update(code.id, { end: { visits: 2, message: '' } });
    await reachEnd();
    await erase();
    expect(await rowOf()).toEqual({ routing: null, content: '', isDeleted: true });
  });

  test('no mail is sent about an end of it', async () => {
    await calls.update(code.id, { end: { at: '2026-03-20T00:00:00Z', message: '' } });
    await erase();
    await runAt('2026-04-20T00:00:00Z');
    expect(await templates()).not.toContain('code_ended');
    host.clock.advance(DAY_MS);
  });
});
