import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type Database, openEmbedded, openServer } from '#host/db/client';
import type { Row } from './row';

/** A new, empty database, and the settings for a host to use it. */
export interface Engine {
  name: string;
  /** Megabytes that a host may use after a load. */
  memoryBar: number;
  env: Record<string, string>;
  open(): Promise<Database>;
  clear(): Promise<void>;
}

/** Measures on the embedded database, and on the server of BENCH_DATABASE_URL or TEST_DATABASE_URL if set. */
export async function onEachEngine(measure: (engine: Engine) => Promise<Row[]>): Promise<Row[]> {
  const server = process.env.BENCH_DATABASE_URL ?? process.env.TEST_DATABASE_URL;
  const rows: Row[] = [];
  for (const open of [embedded, ...(server ? [() => onServer(server)] : [])]) {
    const engine = await open();
    try {
      rows.push(...(await measure(engine)));
    } finally {
      await engine.clear();
    }
  }
  return rows;
}

/** Measures on several databases side by side, only on that server if there is one. */
export async function onLargestEngine(
  count: number,
  measure: (engines: Engine[]) => Promise<Row[]>,
): Promise<Row[]> {
  const server = process.env.BENCH_DATABASE_URL ?? process.env.TEST_DATABASE_URL;
  const engines: Engine[] = [];
  try {
    while (engines.length < count) engines.push(await (server ? onServer(server) : embedded()));
    return await measure(engines);
  } finally {
    for (const engine of engines) await engine.clear();
  }
}

async function embedded(): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  return {
    name: 'embedded',
    memoryBar: 600,
    env: { DATA_DIR: folder },
    open: () => openEmbedded(join(folder, 'database')),
    clear: async () => rmSync(folder, { recursive: true }),
  };
}

async function onServer(server: string): Promise<Engine> {
  const name = `bench_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  await runOn(server, `create database ${name}`);
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  return {
    name: 'PostgreSQL',
    memoryBar: 200,
    env: { DATABASE_URL: url.href, DATA_DIR: folder },
    open: async () => openServer(url.href, () => undefined),
    clear: async () => {
      await runOn(server, `drop database ${name} with (force)`);
      rmSync(folder, { recursive: true });
    },
  };
}

async function runOn(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}
