import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { isLoopbackAddress } from '#contract/own-addresses';
import { exitWithReason, orExit } from '#contract/startup-error';
import type { Database } from '#host/db/client';
import { EMPTY_DATABASE, openEmbeddedThread } from '#host/db/embedded';

import { lockFolder } from '#host/db/folder-lock';
import { databaseFolderOf, readEnv } from '#host/env';

// The host with a sample account for trying the product: `npm run demo` makes it in a data folder of its own, `npm start`
// never.

/** Bytes of code that a function runs before V8 optimises it: several times the defaults. */
const [INTERRUPT_BUDGET, WASM_TIERING_BUDGET] = [1_000_000, 100_000_000];

// Most of what makes the sample runs too briefly to be worth optimising, which would keep another core busy meanwhile.
setFlagsFromString(`--interrupt-budget=${INTERRUPT_BUDGET}`);
setFlagsFromString(`--wasm-tiering-budget=${WASM_TIERING_BUDGET}`);
// The engine writes files before the host sets this.
process.umask(0o077);
const env = orExit(readEnv);
if (env.DATABASE_URL) throw new Error('The demo keeps to the embedded database; unset DATABASE_URL');
const open = [env.PUBLIC_URL, env.SHORT_URL, env.HOST_PUBLIC_URL].find((url) => !isLoopbackAddress(url));
if (open)
  throw new Error(`The password of the demo is well known: other machines may not reach it at ${open}`);
const folder = databaseFolderOf(env);
const unfinished = join(env.DATA_DIR, 'database.unfinished');

let onError = (_: Error) => {};
// The engine starts in its thread while everything else is loaded here.
let firstThread: ReturnType<typeof openThread> | null = openThread();
firstThread.catch(() => undefined);
const { openEmbedded } = await import('#host/db/client');
const { announceSample, hasSample, makeSample } = await import('#host/demo-sample');
const { startHost } = await import('#host/start-host');
await startHost(env, openDemo).catch(exitWithReason);

/** Starts the engine; the half-filled database of an interrupted demo is discarded first. */
async function openThread() {
  if (existsSync(unfinished)) {
    const unlock = await lockFolder(folder);
    rmSync(folder, { recursive: true, force: true });
    unlock();
  }
  return openEmbeddedThread({ folder, template: EMPTY_DATABASE }, (error) => onError(error));
}

/** The embedded database with the sample in it. */
async function openDemo(_: unknown, listener: (error: Error) => void): Promise<Database> {
  onError = listener;
  const thread = firstThread ?? openThread();
  firstThread = null;
  const db = await openEmbedded(folder, { openThread: () => thread });
  try {
    await db.migrate();
    if (!(await hasSample(db))) {
      writeFileSync(unfinished, '');
      await makeSample(db, env);
      rmSync(unfinished);
    }
  } catch (error) {
    // The next attempt opens the database again, and its folder is locked until then.
    await db.close();
    throw error;
  }
  announceSample();
  return db;
}
