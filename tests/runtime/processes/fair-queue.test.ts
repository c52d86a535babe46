import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairQueue, type QueueKey } from '#runtime/processes/fair-queue';

const LIMITS = { perOwner: 3, perNetwork: 5, total: 8 };
const anyone = () => true;

type Named = QueueKey & { name: string };

const jobOf = (network: string, owner: string, name = owner, lane = 0): Named => ({
  lane,
  owner,
  name,
  networks: network.split(' in '),
});

function queueOf(...jobs: Parameters<typeof jobOf>[]) {
  const queue = new FairQueue<Named>(LIMITS);
  for (const job of jobs) queue.add(jobOf(...job));
  return queue;
}

function drain(queue: FairQueue<Named>, mayStart: (job: Named) => boolean = anyone): string[] {
  const names: string[] = [];
  for (let job = queue.take(mayStart); job; job = queue.take(mayStart)) names.push(job.name);
  return names;
}

test('networks are served in turn, and so are the accounts behind each of them', () => {
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

test('networks within one wider network share its turn', () => {
  const queue = queueOf(['a in x', '1'], ['b in x', '2'], ['c in x', '3'], ['d in y', '4']);
  expect(drain(queue)).toEqual(['1', '4', '2', '3']);
});

test('a lower lane is served first', () => {
  const queue = queueOf(['a', 'ann', '1', 2], ['b', 'bob', '2', 1], ['c', 'cy', '3', 0], ['d', 'di', '4', 0]);
  expect(drain(queue)).toEqual(['3', '4', '2', '1']);
});

test('an owner who may not start yet is skipped without losing their turn', () => {
  const queue = queueOf(['a', 'ann'], ['b', 'bob']);
  const isNotAnn = ({ owner }: QueueKey) => owner !== 'ann';
  expect(queue.countOwners(isNotAnn)).toBe(1);
  expect(drain(queue, isNotAnn)).toEqual(['bob']);
  expect(drain(queue)).toEqual(['ann']);
});

test('the queue has limits per owner and per network, twice as many for each wider one', () => {
  const queue = queueOf(['a', 'ann', '1'], ['a', 'ann', '2']);
  expect(queue.reachedLimit(jobOf('b', 'ann'))).toBeNull();
  queue.add(jobOf('b', 'ann', '3'));
  // The limit of an account applies to all of its networks.
  expect(queue.reachedLimit(jobOf('c', 'ann'))).toBe('owner');
  for (const owner of ['bob', 'cy']) queue.add(jobOf('a', owner));
  expect(queue.reachedLimit(jobOf('a', 'di'))).toBeNull();
  queue.add(jobOf('a', 'di'));
  expect(queue.reachedLimit(jobOf('a', 'ed'))).toBe('network');
  expect(queue.reachedLimit(jobOf('c', 'ed'))).toBeNull();

  const wide = new FairQueue<QueueKey>({ perOwner: 1, perNetwork: 1, total: 8 });
  wide.add(jobOf('a in x', 'a'));
  expect(wide.reachedLimit(jobOf('b in x', 'b'))).toBeNull();
  wide.add(jobOf('b in x', 'b', 'b', 1));
  expect(wide.reachedLimit(jobOf('c in x', 'c'))).toBe('network');
  expect(wide.reachedLimit(jobOf('c in y', 'c'))).toBeNull();
});

test('beyond the total the newest job of the longest part gives way, in the last lane that has one', () => {
  const queue = queueOf(
    ['a', 'ann', 'ann 1'],
    ['a', 'ann', 'ann 2'],
    ['b in x', 'b 1', 'b 1', 1],
    ['c in x', 'c 1', 'c 1', 1],
    ['c in x', 'c 2', 'c 2', 1],
    ['d in y', 'd 1', 'd 1', 1],
    ['d in y', 'd 2', 'd 2', 1],
  );
  expect(queue.add(jobOf('e', 'ed', 'ed 1'))).toBeUndefined();
  expect(queue.size).toBe(LIMITS.total);
  expect(queue.add(jobOf('e', 'ed', 'ed 2'))?.name).toBe('c 2');
  expect(queue.size).toBe(LIMITS.total);
  const own = jobOf('d in y', 'd 3', 'd 3', 1);
  expect(queue.add(own)).toBe(own);
  expect(queue.size).toBe(LIMITS.total);
  expect(drain(queue)).toEqual(['ann 1', 'ed 1', 'ann 2', 'ed 2', 'b 1', 'd 1', 'c 1', 'd 2']);
});

test('a removed job is never taken and frees its place', () => {
  const queue = new FairQueue<QueueKey>({ ...LIMITS, perOwner: 1, perNetwork: 1 });
  const job = jobOf('a in x', 'ann');
  queue.add(job);
  expect(queue.reachedLimit(job)).toBe('owner');
  expect(queue.reachedLimit(jobOf('a in x', 'bob'))).toBe('network');
  expect(queue.remove(job)).toBe(true);
  expect(queue.remove(job)).toBe(false);
  expect([queue.size, queue.reachedLimit(job), queue.take(anyone)]).toEqual([0, null, undefined]);
  expect(queue.reachedLimit(jobOf('a in x', 'bob'))).toBeNull();
});

test('no job waits for more than one turn of any other network', () => {
  const key = fc.record({ network: fc.constantFrom('a', 'b', 'c'), owner: fc.constantFrom('x', 'y') });
  fc.assert(
    fc.property(fc.array(key, { maxLength: 30 }), (keys) => {
      const queue = new FairQueue<QueueKey>({ perOwner: 99, perNetwork: 99, total: 99 });
      for (const { network, owner } of keys) queue.add(jobOf(network, `${owner} of ${network}`));
      const served: (string | undefined)[] = [];
      for (let job = queue.take(anyone); job; job = queue.take(anyone)) served.push(job.networks[0]);
      expect(served.length).toBe(keys.length);
      for (const [at, network] of served.entries()) {
        const again = served.indexOf(network, at + 1);
        const between = served.slice(at + 1, again < 0 ? at + 1 : again);
        expect(new Set(between).size).toBe(between.length);
      }
    }),
  );
});
