import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite, protocol } from '@electric-sql/pglite';
import { syncedFolder, syncFolder, syncNames } from './synced-folder.mjs';

// The thread of the embedded database. It receives whole messages of PostgreSQL's wire protocol and posts back the
// responses; plain JavaScript, because a worker starts without a compiler.

const { folder, template } = workerData;
const channels = new Set();
const engine = new URL('./pglite.wasm', import.meta.resolve('@electric-sql/pglite'));
// V8 compiles it in other threads while this one copies the template.
const compiling = WebAssembly.compile(readFileSync(engine));
const database = folder ? await openFolder() : await openMemory();

parentPort.on('message', async ({ connection, bytes, listen, close }) => {
  if (close) {
    await database.close();
    parentPort.close();
  } else if (listen) {
    channels.add(listen);
    await execute(protocol.serialize.query(`listen "${listen}"`));
    parentPort.postMessage({ connection, output: new Uint8Array() });
  } else {
    const isStart = bytes[0] === 0;
    if (isStart) await forgetLastConnection();
    const output = await execute(bytes);
    parentPort.postMessage({ connection, output }, [output.buffer]);
  }
});
parentPort.postMessage('open');

async function openMemory() {
  const pgliteWasmModule = await compiling;
  return PGlite.create({
    pgliteWasmModule,
    ...(template && { loadDataDir: new Blob([readFileSync(template)]) }),
  });
}

async function openFolder() {
  if (!existsSync(folder) || readdirSync(folder).length === 0) await createFolder();
  if (!existsSync(join(folder, 'PG_VERSION'))) {
    throw new Error(
      `${folder} holds files but no database: move them away, or put the database back from a backup`,
    );
  }
  // Left by a killed host, or empty after a power cut. No other process uses the database: the folder is locked.
  rmSync(join(folder, 'postmaster.pid'), { force: true });
  const said = [];
  try {
    const pgliteWasmModule = await compiling;
    const onStderr = (line) => said.push(line);
    return await PGlite.create({ ...syncedFolder(folder), pgliteWasmModule, onStderr });
  } catch (error) {
    const reason = said.filter((line) => /FATAL|PANIC/.test(line)).join(' ') || error.message;
    throw new Error(
      `the database in ${folder} does not open: ${reason}. It was left as it is: copy the folder before anything else, ` +
        'then put it back from a backup',
    );
  }
}

/** Created in a temporary folder and moved into place, so that an interrupted start leaves no partial database. */
async function createFolder() {
  const unfinished = `${folder}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  if (template && existsSync(template)) cpSync(template, unfinished, { recursive: true });
  // A database keeps 400 MB after it was created, but not after it was opened.
  else await (await PGlite.create({ dataDir: unfinished })).close();
  await syncFolder(unfinished);
  if (existsSync(folder)) rmdirSync(folder);
  renameSync(unfinished, folder);
  syncNames(dirname(folder));
}

/** All connections share the engine's only session: clears the previous one's transaction and prepared statements. */
async function forgetLastConnection() {
  const statements = ['rollback', 'discard all', ...[...channels].map((channel) => `listen "${channel}"`)];
  for (const statement of statements) await execute(protocol.serialize.query(statement));
}

/**
 * The engine's response to messages. Without `onRawData` the engine would also parse it, which takes ten times as long,
 * and keep every row in memory for ever.
 */
async function execute(messages) {
  const chunks = [];
  // The bytes are a view of the engine's memory.
  const onRawData = (bytes) => chunks.push(bytes.slice());
  await database.execProtocolRawStream(messages, { syncToFs: false, onRawData });
  if (chunks.length === 1) return chunks[0];
  const output = new Uint8Array(chunks.reduce((total, { length }) => total + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    output.set(chunk, at);
    at += chunk.length;
  }
  return output;
}
