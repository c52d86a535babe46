import { NodePgSession, NodePgTransaction } from 'drizzle-orm/node-postgres';
import { PgDialect } from 'drizzle-orm/pg-core';
import type pg from 'pg';
import type { Orm } from './orm';

/**
 * Handles errors of every connection: a pool only does so while its connections are idle, and one that breaks between
 * two statements of a transaction would crash the process.
 */
export function handleConnectionErrors(pools: pg.Pool[], onError: (error: Error) => void): void {
  for (const pool of pools) {
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', onError));
  }
}

type Transaction = Parameters<Parameters<Orm['transaction']>[0]>[0];

/** A connection that cannot even roll back within this time is broken. */
const ROLLBACK_MS = 5_000;

/**
 * Runs work in a transaction on its own connection, which always returns to the pool, and is closed unless it is known
 * to be idle.
 */
export async function runOnConnection<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
  begin = 'begin',
): Promise<T> {
  const client = await pool.connect();
  let isIdle = false;
  try {
    await client.query(begin);
    const result = await work(client);
    const { command } = await client.query('commit');
    isIdle = true;
    // PostgreSQL's response to COMMIT if the work ignored a failed statement.
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

/** The same with drizzle, whose own version leaks a connection whose BEGIN failed. */
export function runInTransaction<T>(
  pool: pg.Pool,
  work: (transaction: Transaction) => Promise<T>,
  begin?: string,
): Promise<T> {
  return runOnConnection(pool, (client) => work(transactionOn(client)), begin);
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

/** A connection runs one statement at a time; concurrent ones queue here. */
function inTurn(client: pg.PoolClient): pg.PoolClient {
  let last: Promise<unknown> = Promise.resolve();
  const query = (...args: Parameters<pg.PoolClient['query']>) => {
    const result = last.then(() => client.query(...args));
    last = result.catch(() => undefined);
    return result;
  };
  return { query } as unknown as pg.PoolClient;
}
