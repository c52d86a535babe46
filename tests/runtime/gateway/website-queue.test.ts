import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MAX, type Sender, WAITING, WebsiteQueue } from '#runtime/gateway/website-queue';

let queue: WebsiteQueue;

beforeEach(() => {
  vi.useFakeTimers();
  queue = new WebsiteQueue();
});
afterEach(() => void vi.useRealTimers());

const stranger = (network: string, more: Partial<Sender> = {}): Sender => ({
  account: null,
  isKnownDevice: false,
  isVisit: false,
  networks: network.split(' in '),
  ...more,
});

/** What has become of requests, by the names of their networks, in this order. */
function send(...senders: Sender[]) {
  const begun: string[] = [];
  const refused: string[] = [];
  const leave: (() => void)[] = [];
  const all = senders.map((sender) => {
    const response = new EventEmitter() as ServerResponse;
    const name = sender.account ?? sender.networks[0] ?? '';
    const settled = queue.enter(
      { method: 'GET', headers: {} } as unknown as IncomingMessage,
      response,
      sender,
    );
    settled.then((place) => {
      (place ? begun : refused).push(name);
      if (place) leave.push(place);
    });
    return { response, settled };
  });
  return { begun, refused, leave, all };
}

const settle = () => vi.advanceTimersByTimeAsync(0);
const several = (count: number, sender: (n: number) => Sender) =>
  Array.from({ length: count }, (_, n) => sender(n));

async function fill() {
  const filling = send(...several(MAX.pages, (n) => stranger(`filler ${n}`)));
  await settle();
  expect(filling.begun).toHaveLength(MAX.pages);
  return filling;
}

test('a place that is given back goes to the networks in turn, one for each', async () => {
  const { leave } = await fill();
  const { begun } = send(...['a', 'a', 'a', 'b in x', 'c in x'].map((network) => stranger(network)));
  for (const give of leave) {
    give();
    // Twice does no harm.
    give();
    await settle();
  }
  expect(begun).toEqual(['a', 'b', 'a', 'c', 'a']);
});

test('browsers that somebody has signed in with come before other strangers', async () => {
  const { leave } = await fill();
  const { begun } = send(stranger('a'), stranger('b', { isKnownDevice: true }));
  leave[0]?.();
  await settle();
  expect(begun).toEqual(['b']);
});

test('forms, pages and pages of codes have places of their own', async () => {
  await fill();
  const visits = send(...several(MAX.visits + 1, (n) => stranger(`${n}`, { isVisit: true })));
  await settle();
  expect(visits.begun).toHaveLength(MAX.visits);
  const form = { method: 'POST', headers: {} } as unknown as IncomingMessage;
  const response = new EventEmitter() as ServerResponse;
  expect(await queue.enter(form, response, stranger('a'))).not.toBeNull();
});

test('one more request of an account than may be underway waits, and others pass', async () => {
  const customer = (account: string) => stranger('one network', { account });
  const { begun, leave } = send(...several(MAX.ofAccount + 1, () => customer('ada')), customer('bo'));
  await settle();
  expect(begun).toEqual([...several(MAX.ofAccount, () => customer('ada')).map(() => 'ada'), 'bo']);
  leave.at(-1)?.();
  await settle();
  expect(begun).toHaveLength(MAX.ofAccount + 1);
  leave[0]?.();
  await settle();
  expect(begun).toHaveLength(MAX.ofAccount + 2);
});

test('of a network as many as allowed wait, and one more is refused at once', async () => {
  const { leave } = await fill();
  const { begun, refused } = send(...several(WAITING.perNetwork + 1, () => stranger('a')), stranger('b'));
  await settle();
  expect([begun, refused]).toEqual([[], ['a']]);
  leave[0]?.();
  const more = send(stranger('a'), stranger('a'));
  await settle();
  expect([begun, more.refused]).toEqual([['a'], ['a']]);
});

test('when the queue is full, the network with most in it gives way', async () => {
  await fill();
  const crowd = send(...several(WAITING.total - 2, (n) => stranger(`${n}`)), stranger('a'), stranger('a'));
  await settle();
  expect(crowd.refused).toEqual([]);
  const { refused } = send(stranger('b'));
  await settle();
  expect([crowd.refused, refused]).toEqual([['a'], []]);
});

test('who has waited for ten seconds is refused, and no longer in the queue', async () => {
  const { leave } = await fill();
  const { begun, refused } = send(stranger('a'));
  await vi.advanceTimersByTimeAsync(9_999);
  expect(refused).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(refused).toEqual(['a']);
  leave[0]?.();
  await settle();
  expect(begun).toEqual([]);
});

test('a client that leaves while it waits makes room for another', async () => {
  const { leave } = await fill();
  const { begun, refused, all } = send(...several(WAITING.perNetwork, () => stranger('a')));
  all[0]?.response.emit('close');
  const { begun: next } = send(stranger('a'), stranger('b'));
  await settle();
  expect([begun, refused]).toEqual([[], ['a']]);
  for (const give of leave.slice(0, 2)) give();
  await settle();
  expect([begun, next]).toEqual([['a'], ['b']]);
  const [first] = all;
  expect(first && (await first.settled)).toBeNull();
});
