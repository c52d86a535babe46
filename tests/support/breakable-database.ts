import type { Database, Statement } from '#host/db/client';

/**
 * What a database in trouble does with a statement: `down` refuses it, `lost` runs it and loses the connection before
 * the answer, `stuck` neither runs nor answers it until the trouble is over.
 */
export type Trouble = 'none' | 'down' | 'lost' | 'stuck';

/** A real database whose quick statements can be broken and repaired by name prefix. */
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

  function set(next: Trouble, statements = ''): void {
    repair();
    trouble = next;
    prefix = statements;
    repaired = new Promise((done) => {
      repair = done;
    });
  }

  return { db: { ...db, query } satisfies Database, set };
}
