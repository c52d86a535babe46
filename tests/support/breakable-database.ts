import type { Database, Query, Statement } from '#host/db/client';

/**
 * How a faulty database treats a statement: `down` refuses it, `lost` runs it but loses the connection before
 * the result arrives, `stuck` leaves it pending until the fault is over.
 */
export type Trouble = 'none' | 'down' | 'lost' | 'stuck';

/** A real database whose `query()` statements, alone or in a transaction, can be made to fail and recover, selected by name prefix. */
export function breakable(db: Database) {
  let trouble: Trouble = 'none';
  let prefix = '';
  let repaired: Promise<void> = Promise.resolve();
  let repair = () => {};

  async function query<Row>(statement: Statement): Promise<Row[]> {
    if (trouble === 'none' || !statement.name.startsWith(prefix)) return db.query<Row>(statement);
    if (trouble === 'down') throw new Error('connect ECONNREFUSED');
    if (trouble === 'stuck') {
      await repaired;
      return db.query<Row>(statement);
    }
    await db.query<Row>(statement);
    throw new Error('Connection terminated unexpectedly');
  }

  async function inTransaction<Result>(work: (query: Query) => Promise<Result>): Promise<Result> {
    let isLost = false;
    const result = await db.inTransaction((query) =>
      work(async (statement) => {
        const isFaulty = trouble !== 'none' && statement.name.startsWith(prefix);
        if (isFaulty && trouble === 'down') throw new Error('connect ECONNREFUSED');
        if (isFaulty && trouble === 'stuck') await repaired;
        isLost ||= isFaulty && trouble === 'lost';
        return query(statement);
      }),
    );
    if (isLost) throw new Error('Connection terminated unexpectedly');
    return result;
  }

  function set(next: Trouble, statements = ''): void {
    repair();
    trouble = next;
    prefix = statements;
    repaired = new Promise((done) => {
      repair = done;
    });
  }

  return { db: { ...db, query, inTransaction } satisfies Database, set };
}
