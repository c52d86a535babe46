import { NodePgSession, NodePgTransaction } from 'drizzle-orm/node-postgres';
import { PgDialect } from 'drizzle-orm/pg-core';
import type pg from 'pg';
import type { Orm } from './orm';

/**
 * Hears every connection for as long as it lives: a pool hears its own only while they are idle, and one that breaks
 * between two statements of a transaction would end the process.
 */
export function surviveErrors(pools: pg.Pool[], onError: (error: Error) => void): void {
  for (const pool of pools) {
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', onError));
  }
}

type Transaction = Parameters<Parameters<Orm['transaction']>[0]>[0];

/** A connection that does not even take back a transaction within it is broken. */
const ROLLBACK_MS = 5_000;

/**
 * Runs work in a transaction on a connection of its own, which goes back to the pool whatever happens, and is closed
 * where it is not known to be idle. Drizzle's own keeps a connection whose BEGIN failed for good.
 */
export async function runInTransaction<T>(
  pool: pg.Pool,
  work: (transaction: Transaction) => Promise<T>,
  begin = 'begin',
): Promise<T> {
  const client = await pool.connect();
  let isIdle = false;
  try {
    await client.query(begin);
    const result = await work(transactionOn(client));
    const { command } = await client.query('commit');
    isIdle = true;
    // What PostgreSQL answers where a statement failed and the work went on as if it had not.
    if (command === 'ROLLBACK')
      throw new Error('the transaction was rolled back: one of its statements failed');
    return result;
  } catch (thrown) {
    isIdle ||= await isRolledBack(client);
    throw thrown;
  } finally {
    client.release(!isIdle);
  }
}

function transactionOn(client: pg.PoolClient): Transaction {
  const dialect = new PgDialect();
  const session = new NodePgSession<Record<string, never>, Record<string, never>>(
    inTurn(client),
    dialect,
    undefined,
  );
  return new NodePgTransaction(dialect, session, undefined) as unknown as Transaction;
}

async function isRolledBack(client: pg.PoolClient): Promise<boolean> {
  const rollback: pg.QueryConfig & { query_timeout: number } = {
    text: 'rollback',
    query_timeout: ROLLBACK_MS,
  };
  return client.query(rollback).then(
    () => true,
    () => false,
  );
}

/** A connection takes one statement at a time; what is asked together waits here for its turn. */
function inTurn(client: pg.PoolClient): pg.PoolClient {
  let last: Promise<unknown> = Promise.resolve();
  const query = (...given: Parameters<pg.PoolClient['query']>) => {
    const asked = last.then(() => client.query(...given));
    last = asked.catch(() => undefined);
    return asked;
  };
  return { query } as unknown as pg.PoolClient;
}
