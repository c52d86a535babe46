import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairQueue, type Place } from '#processes/fair-queue';

const LIMITS = { perOwner: 3, perAddress: 5, total: 8 };
const anyone = () => true;

function queueOf(...jobs: [address: string, owner: string, name: string][]) {
  const queue = new FairQueue<Place & { name: string }>(LIMITS);
  for (const [address, owner, name] of jobs) queue.add({ address, owner, name });
  return queue;
}

function drain(queue: ReturnType<typeof queueOf>, mayStart: (owner: string) => boolean = anyone): string[] {
  const names: string[] = [];
  for (let job = queue.take(mayStart); job; job = queue.take(mayStart)) names.push(job.name);
  return names;
}

test('addresses are served in turn, and the accounts behind each in turn', () => {
  const queue = queueOf(
    ['a', 'ann', 'ann 1'],
    ['a', 'ann', 'ann 2'],
    ['a', 'ann', 'ann 3'],
    ['a', 'bob', 'bob 1'],
    ['b', 'cy', 'cy 1'],
    ['b', 'cy', 'cy 2'],
  );
  expect(drain(queue)).toEqual(['ann 1', 'cy 1', 'bob 1', 'cy 2', 'ann 2', 'ann 3']);
  expect(queue.size).toBe(0);
});

test('an owner who may not start yet is passed over and keeps the turn', () => {
  const queue = queueOf(['a', 'ann', 'ann 1'], ['b', 'bob', 'bob 1']);
  expect(queue.countOwners((owner) => owner !== 'ann')).toBe(1);
  expect(drain(queue, (owner) => owner !== 'ann')).toEqual(['bob 1']);
  expect(drain(queue)).toEqual(['ann 1']);
});

test('an owner, an address and all together have limits', () => {
  const queue = queueOf(['a', 'ann', '1'], ['a', 'ann', '2'], ['b', 'ann', '3']);
  // Wherever an account asks from.
  expect(queue.fullness({ address: 'c', owner: 'ann' })).toBe('owner');
  expect(queue.fullness({ address: 'a', owner: 'bob' })).toBeNull();
  for (const owner of ['bob', 'cy', 'di']) queue.add({ address: 'a', owner, name: owner });
  expect(queue.fullness({ address: 'a', owner: 'ed' })).toBe('address');
  expect(queue.fullness({ address: 'c', owner: 'ed' })).toBeNull();
  for (const owner of ['ed', 'flo']) queue.add({ address: 'c', owner, name: owner });
  expect(queue.fullness({ address: 'd', owner: 'gus' })).toBe('total');
});

test('what leaves the queue is not taken, and makes room', () => {
  const queue = new FairQueue<Place>({ ...LIMITS, perOwner: 1 });
  const job = { address: 'a', owner: 'ann' };
  queue.add(job);
  expect(queue.fullness(job)).toBe('owner');
  expect(queue.remove(job)).toBe(true);
  expect(queue.remove(job)).toBe(false);
  expect([queue.size, queue.fullness(job), queue.take(anyone)]).toEqual([0, null, undefined]);
});

test('nobody waits for more than one turn of each other address', () => {
  const place = fc.record({ address: fc.constantFrom('a', 'b', 'c'), owner: fc.constantFrom('x', 'y') });
  fc.assert(
    fc.property(fc.array(place, { maxLength: 30 }), (places) => {
      const queue = new FairQueue<Place>({ perOwner: 99, perAddress: 99, total: 99 });
      for (const { address, owner } of places) queue.add({ address, owner: `${owner} of ${address}` });
      const served: string[] = [];
      for (let job = queue.take(anyone); job; job = queue.take(anyone)) served.push(job.address);
      expect(served.length).toBe(places.length);
      for (const [at, address] of served.entries()) {
        const again = served.indexOf(address, at + 1);
        const between = served.slice(at + 1, again < 0 ? at + 1 : again);
        expect(new Set(between).size).toBe(between.length);
      }
    }),
  );
});
