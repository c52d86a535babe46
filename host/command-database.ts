import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { HostEnv } from '#host/env';
import { EmbeddedPostgres, PostgresInUse, PostgresUnavailable } from '../runtime/postgres/postgres.mjs';

type Place = Pick<HostEnv, 'DATABASE_URL' | 'EMBEDDED_DATABASE_URL' | 'DATA_DIR'>;

interface Options {
  /** Creates the embedded database if there is none. */
  create?: boolean;
}

/** Runs a command with the URL of the database: the operator's server, or else the embedded one. */
export async function withDatabaseUrl<Result>(
  place: Place,
  work: (url: string) => Promise<Result>,
  options: Options = {},
): Promise<Result> {
  const url = place.DATABASE_URL ?? place.EMBEDDED_DATABASE_URL;
  return url === undefined ? withEmbeddedDatabase(place, work, options) : work(url);
}

/** The server is started if none runs on DATA_DIR, and then stopped afterwards, unless a launcher has taken it over. */
export async function withEmbeddedDatabase<Result>(
  { DATA_DIR }: Place,
  work: (url: string) => Promise<Result>,
  { create = false }: Options = {},
): Promise<Result> {
  if (!create && !existsSync(join(DATA_DIR, 'postgres')) && !existsSync(join(DATA_DIR, 'database')))
    throw new PostgresUnavailable(`There is no database in ${DATA_DIR}: set DATA_DIR or DATABASE_URL.`);
  const server = await EmbeddedPostgres.prepare(DATA_DIR, {
    report: (text) => process.stderr.write(`${text}\n`),
  });
  const isStarted = await server.start();
  const end = () => (isStarted ? stopUnlessInUse(server) : server.leave());
  const interrupt = () => end().finally(() => process.exit(1));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt);
  try {
    return await work(server.url);
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt);
    await end();
  }
}

async function stopUnlessInUse(server: EmbeddedPostgres): Promise<void> {
  try {
    await server.lock();
  } catch (error) {
    if (!(error instanceof PostgresInUse)) throw error;
    return server.leave();
  }
  await server.stop();
}
