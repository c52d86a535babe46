import type { Orm } from './client';

class Undone extends Error {
  readonly result: unknown;

  constructor(result: unknown) {
    super('undone on purpose');
    this.result = result;
  }
}

/** Does work that changes the database; if it is only tried, in a transaction that is undone when it has succeeded. */
export async function tried<T>(orm: Orm, isTrial: boolean, work: (orm: Orm) => Promise<T>): Promise<T> {
  if (!isTrial) return work(orm);
  try {
    return await orm.transaction(async (transaction) => {
      throw new Undone(await work(transaction));
    });
  } catch (thrown) {
    if (thrown instanceof Undone) return thrown.result as T;
    throw thrown;
  }
}
