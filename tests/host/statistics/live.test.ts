import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLiveFigures } from '#host/statistics/live';
import { VISITS_CHANNEL } from '#host/visits/count/notifier';
import { breakable } from '../../support/breakable-database';
import { openFresh } from '../../support/fresh-database';
import { createTestHost, type TestHost } from '../../support/host';
import { readEvents } from './events';

const MANY = '*';
let host: TestHost;
let broken: ReturnType<typeof breakable>;
let lines: string[] = [];

beforeAll(async () => {
  broken = breakable(await openFresh());
  host = await createTestHost({ db: broken.db });
});
afterAll(() => host.close());

/** Live figures whose notifications come from the test. */
function createHeard() {
  let receive: (payload: string) => void = () => undefined;
  let reconnect: () => void = () => undefined;
  const listen: TestHost['db']['listen'] = async (channel, onPayload, onConnected) => {
    expect(channel).toBe(VISITS_CHANNEL);
    receive = onPayload;
    reconnect = () => onConnected?.();
    return async () => undefined;
  };
  let comparisons = 0;
  let results = Promise.resolve();
  const query: TestHost['db']['query'] = async (statement) => {
    const rows = await broken.db.query(statement);
    if (statement.name === 'live_figures') {
      comparisons += 1;
      await results;
    }
    return rows as never;
  };
  /** Lets comparisons read, but holds up their results until the returned function is called. */
  const holdResults = () => {
    let release = () => {};
    results = new Promise((done) => {
      release = done;
    });
    return { release: () => release(), started: () => comparisons };
  };
  lines = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line).msg) });
  const live = createLiveFigures({ ...host.deps, log, db: { ...broken.db, query, listen } });
  const open = async (accountId: string, codeId: string | null = null) => {
    const events = readEvents(live.open({ accountId, codeId, isAllowed: async () => true }));
    expect((await events.next())?.name).toBe('ready');
    return events;
  };
  return {
    live,
    open,
    holdResults,
    receive: (payload: string) => receive(payload),
    reconnect: () => reconnect(),
  };
}

type Heard = ReturnType<typeof createHeard>;
type Page = Awaited<ReturnType<Heard['open']>>;

/** That these pages are told now, and the others not before all are told a second later. */
async function expectTold({ reconnect }: Heard, reported: Page[], others: Page[] = []): Promise<void> {
  const timeOf = async (page: Page) => JSON.parse((await page.next())?.data ?? '{}').at;
  const now = host.clock.now().toISOString();
  expect(await Promise.all(reported.map(timeOf))).toEqual(reported.map(() => now));
  host.clock.advance(1_000);
  reconnect();
  const all = [...reported, ...others];
  expect(await Promise.all(all.map(timeOf))).toEqual(all.map(() => host.clock.now().toISOString()));
}

test('of five hundred open pages each is served, and one more is refused until one is closed', async () => {
  const { live, open } = createHeard();
  const pages = [];
  for (let n = 0; n < 500; n += 1) pages.push(await open(`account ${Math.floor(n / 5)}`));
  const refuse = () => live.open({ accountId: 'one more', codeId: null, isAllowed: async () => true });
  expect(refuse).toThrow(expect.objectContaining({ code: 'unavailable' }));
  await pages[7]?.leave();
  const last = await open('one more');
  expect(refuse).toThrow(expect.objectContaining({ code: 'unavailable' }));
  live.close();
  expect(await last.next()).toBeNull();
});

test('after a lost connection, all pages are told to read their figures again', async () => {
  const heard = createHeard();
  const pages = [await heard.open('one'), await heard.open('other', 'a code')];
  heard.reconnect();
  await expectTold(heard, pages);
  heard.live.close();
});

test('if the owners of codes cannot be read, all pages are told, and the next time only those concerned', async () => {
  const heard = createHeard();
  const [owner, other] = [await host.account(), await host.account()];
  const code = await host.code(owner.id);
  const [page, foreign] = [await heard.open(owner.id), await heard.open(other.id)];
  broken.set('down', 'live_');
  heard.receive(code.id);
  await expectTold(heard, [page, foreign]);
  expect(lines).toEqual(['could not find out whose figures changed: notifying all pages']);
  broken.set('none');
  heard.receive(code.id);
  await expectTold(heard, [page], [foreign]);
  heard.live.close();
});

test('of several codes in a notification, the pages of each are told, and those of others not', async () => {
  const heard = createHeard();
  const owner = await host.account();
  const codes = [await host.code(owner.id), await host.code(owner.id), await host.code(owner.id)];
  const [first, second, third] = [
    await heard.open(owner.id, codes[0]?.id),
    await heard.open(owner.id, codes[1]?.id),
    await heard.open(owner.id, codes[2]?.id),
  ];
  heard.receive(`${codes[0]?.id},${codes[2]?.id}`);
  await expectTold(heard, [first, third], [second]);
  heard.live.close();
});

test('what is notified while figures are compared is compared once more, and a failure stops nothing', async () => {
  const heard = createHeard();
  const [owner, other] = [await host.account(), await host.account()];
  const code = await host.code(owner.id);
  const [page, calm] = [await heard.open(owner.id), await heard.open(other.id)];
  heard.receive(MANY);
  await expectTold(heard, [page, calm]);
  const held = heard.holdResults();
  const before = held.started();
  heard.receive(MANY);
  await expect.poll(held.started).toBe(before + 1);
  await host.request(`/r/${code.slug}`);
  heard.receive(MANY);
  held.release();
  await expectTold(heard, [page], [calm]);
  broken.set('down', 'live_figures');
  heard.receive(MANY);
  await expectTold(heard, [page, calm]);
  broken.set('none');
  await host.request(`/r/${code.slug}`);
  heard.receive(MANY);
  await expectTold(heard, [page], [calm]);
  heard.live.close();
});
