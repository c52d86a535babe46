/**
 * Maps items with `work`, several at a time, and yields the results in order. `ahead` says how many may be running, and
 * is called again for each item. Stops starting work when the consumer stops.
 */
export async function* mapInOrder<Item, Result>(
  items: Iterable<Item>,
  work: (item: Item, place: number) => Promise<Result>,
  ahead: () => number,
): AsyncGenerator<Result> {
  const begun: Promise<Result>[] = [];
  let place = 0;
  for (const item of items) {
    const result = work(item, place);
    // A consumer that has stopped no longer awaits it.
    result.catch(() => undefined);
    begun.push(result);
    place += 1;
    while (begun.length >= Math.max(1, ahead())) yield (await begun.shift()) as Result;
  }
  for (const result of begun) yield await result;
}
