/**
 * Maps items with `work`, several at a time, and yields the results in order. `concurrency` returns the
 * maximum number of items in progress, and is called again for each item. Stops starting work when the
 * consumer stops.
 */
export async function* mapInOrder<Item, Result>(
  items: Iterable<Item>,
  work: (item: Item, index: number) => Promise<Result>,
  concurrency: () => number,
): AsyncGenerator<Result> {
  const pending: Promise<Result>[] = [];
  let index = 0;
  for (const item of items) {
    const result = work(item, index);
    // A consumer that has stopped does not await it: avoid an unhandled rejection.
    result.catch(() => undefined);
    pending.push(result);
    index += 1;
    while (pending.length >= Math.max(1, concurrency())) yield (await pending.shift()) as Result;
  }
  for (const result of pending) yield await result;
}
