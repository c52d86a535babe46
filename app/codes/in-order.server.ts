/**
 * Does the work of each item, several at once, and gives the results in the order of the items. How many may be begun
 * before the first of them is taken is asked anew each time; nothing is begun that nobody will take.
 */
export async function* workInOrder<Item, Result>(
  items: AsyncIterable<Item>,
  work: (item: Item, place: number) => Promise<Result>,
  ahead: () => number,
): AsyncGenerator<Result> {
  const begun: Promise<Result>[] = [];
  let place = 0;
  for await (const item of items) {
    const result = work(item, place);
    // Whoever leaves does not hear of it any more.
    result.catch(() => undefined);
    begun.push(result);
    place += 1;
    while (begun.length >= Math.max(1, ahead())) yield (await begun.shift()) as Result;
  }
  for (const result of begun) yield await result;
}
