import { setFlagsFromString } from 'node:v8';
import { sql } from 'drizzle-orm';
import { isLoopbackAddress } from '#contract/own-addresses';
import { type Database, openServer } from '#host/db/client';
import { readRows } from '#host/db/orm';
import { announceSample, hasSample, makeSample } from '#host/demo-sample';
import { databaseUrlOf, type HostEnv, readEnv } from '#host/env';
import { openDatabase, startHost } from '#host/start-host';
import { exitWithReason, orExit } from '#runtime/startup-error';

// The host with a sample account for trying the product: `npm run demo` makes it in a data folder of its own, `npm start`
// never.

/** Comment of the schema while it is filled. */
const UNFINISHED = 'unfinished sample';

// Most of what makes the sample runs too briefly to be worth optimising, which costs an eighth of its processor time.
setFlagsFromString('--interrupt-budget=1000000');
// Its codes lead to sites of others, who did not ask for a demo.
const env = { ...orExit(readEnv), CHECK_DESTINATIONS: false };
if (env.DATABASE_URL) throw new Error('The demo keeps to the embedded database; unset DATABASE_URL');
const open = [env.PUBLIC_URL, env.SHORT_URL, env.HOST_PUBLIC_URL].find((url) => !isLoopbackAddress(url));
if (open)
  throw new Error(`The password of the demo is well known: other machines may not reach it at ${open}`);

let isAnnounced = false;
await startHost(env, async (settings, ...given) => {
  await provideSample(settings);
  if (!isAnnounced) announceSample();
  isAnnounced = true;
  return openDatabase(settings, ...given);
}).catch(exitWithReason);

/** Makes the sample unless it is in the database already; what an interrupted demo left is discarded first. */
async function provideSample(env: HostEnv): Promise<void> {
  // Nothing waits for the disk before the last commit, which waits for everything logged before it.
  const db = openServer(withOption(databaseUrlOf(env), '-c synchronous_commit=off'), () => undefined);
  try {
    if (await isUnfinished(db)) await db.orm.execute(sql`drop schema if exists public, drizzle cascade`);
    await db.orm.execute(sql`create schema if not exists public`);
    await db.migrate();
    if (await hasSample(db)) return;
    await db.orm.execute(sql.raw(`comment on schema public is '${UNFINISHED}'`));
    await makeSample(db, env);
    await db.orm.transaction(async (orm) => {
      await orm.execute(sql`set local synchronous_commit to on`);
      await orm.execute(sql`comment on schema public is null`);
    });
  } finally {
    await db.close();
  }
}

function withOption(url: string, option: string): string {
  const changed = new URL(url);
  changed.searchParams.set('options', option);
  return changed.href;
}

async function isUnfinished({ orm }: Database): Promise<boolean> {
  const [schema] = await readRows<{ comment: string | null }>(
    orm,
    sql`select obj_description(to_regnamespace('public'), 'pg_namespace') as comment`,
  );
  return schema?.comment === UNFINISHED;
}
