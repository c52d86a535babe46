import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairQueue, type QueueKey } from '#processes/fair-queue';

const LIMITS = { perOwner: 3, perClientIp: 5, total: 8 };
const anyone = () => true;

function queueOf(...jobs: [clientIp: string, owner: string, name: string][]) {
  const queue = new FairQueue<QueueKey & { name: string }>(LIMITS);
  for (const [clientIp, owner, name] of jobs) queue.add({ clientIp, owner, name });
  return queue;
}

function drain(queue: ReturnType<typeof queueOf>, mayStart: (owner: string) => boolean = anyone): string[] {
  const names: string[] = [];
  for (let job = queue.take(mayStart); job; job = queue.take(mayStart)) names.push(job.name);
  return names;
}

test('client IPs are served in turn, and so are the accounts behind each of them', () => {
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

test('an owner who may not start yet is skipped without losing their turn', () => {
  const queue = queueOf(['a', 'ann', 'ann 1'], ['b', 'bob', 'bob 1']);
  expect(queue.countOwners((owner) => owner !== 'ann')).toBe(1);
  expect(drain(queue, (owner) => owner !== 'ann')).toEqual(['bob 1']);
  expect(drain(queue)).toEqual(['ann 1']);
});

test('the queue has limits per owner, per client IP and in total', () => {
  const queue = queueOf(['a', 'ann', '1'], ['a', 'ann', '2']);
  expect(queue.reachedLimit({ clientIp: 'b', owner: 'ann' })).toBeNull();
  queue.add({ clientIp: 'b', owner: 'ann', name: '3' });
  // The limit of an account applies to all of its client IPs.
  expect(queue.reachedLimit({ clientIp: 'c', owner: 'ann' })).toBe('owner');
  expect(queue.reachedLimit({ clientIp: 'a', owner: 'bob' })).toBeNull();
  for (const owner of ['bob', 'cy', 'di']) queue.add({ clientIp: 'a', owner, name: owner });
  expect(queue.reachedLimit({ clientIp: 'a', owner: 'ed' })).toBe('clientIp');
  expect(queue.reachedLimit({ clientIp: 'c', owner: 'ed' })).toBeNull();
  queue.add({ clientIp: 'c', owner: 'ed', name: 'ed' });
  expect(queue.reachedLimit({ clientIp: 'd', owner: 'gus' })).toBeNull();
  queue.add({ clientIp: 'c', owner: 'flo', name: 'flo' });
  expect(queue.reachedLimit({ clientIp: 'd', owner: 'gus' })).toBe('total');
});

test('a removed job is never taken and frees its place', () => {
  const queue = new FairQueue<QueueKey>({ ...LIMITS, perOwner: 1 });
  const job = { clientIp: 'a', owner: 'ann' };
  queue.add(job);
  expect(queue.reachedLimit(job)).toBe('owner');
  expect(queue.remove(job)).toBe(true);
  expect(queue.remove(job)).toBe(false);
  expect([queue.size, queue.reachedLimit(job), queue.take(anyone)]).toEqual([0, null, undefined]);
});

test('no job waits for more than one turn of any other client IP', () => {
  const key = fc.record({ clientIp: fc.constantFrom('a', 'b', 'c'), owner: fc.constantFrom('x', 'y') });
  fc.assert(
    fc.property(fc.array(key, { maxLength: 30 }), (keys) => {
      const queue = new FairQueue<QueueKey>({ perOwner: 99, perClientIp: 99, total: 99 });
      for (const { clientIp, owner } of keys) queue.add({ clientIp, owner: `${owner} of ${clientIp}` });
      const served: string[] = [];
      for (let job = queue.take(anyone); job; job = queue.take(anyone)) served.push(job.clientIp);
      expect(served.length).toBe(keys.length);
      for (const [at, clientIp] of served.entries()) {
        const again = served.indexOf(clientIp, at + 1);
        const between = served.slice(at + 1, again < 0 ? at + 1 : again);
        expect(new Set(between).size).toBe(between.length);
      }
    }),
  );
});
