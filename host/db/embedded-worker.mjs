import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite, protocol } from '@electric-sql/pglite';
import { syncedFolder } from './synced-folder.mjs';

// The thread of the embedded database. It takes whole messages of PostgreSQL's wire protocol and gives back what the
// database answers; plain JavaScript, because a worker starts without a compiler.

const { folder, template } = workerData;
const channels = new Set();

if (folder && !existsSync(join(folder, 'PG_VERSION'))) {
  // A database that was just made holds on to 400 MB; one that was opened does not.
  await (await PGlite.create(syncedFolder(folder))).close();
}
const database = await PGlite.create({
  ...(folder && syncedFolder(folder)),
  ...(template && { loadDataDir: new Blob([readFileSync(template)]) }),
});

parentPort.on('message', async ({ connection, bytes, listen, close }) => {
  if (close) {
    await database.close();
    parentPort.close();
  } else if (listen) {
    channels.add(listen);
    run(`listen "${listen}"`);
    parentPort.postMessage({ connection, answer: new Uint8Array() });
  } else {
    const isStart = bytes[0] === 0;
    if (isStart) forgetLastConnection();
    const answer = database.execProtocolRawSync(bytes);
    parentPort.postMessage({ connection, answer }, [answer.buffer]);
  }
});
parentPort.postMessage('open');

/** All connections share the one session there is: its transaction and prepared statements end with the last one. */
function forgetLastConnection() {
  run('rollback');
  run('discard all');
  for (const channel of channels) run(`listen "${channel}"`);
}

function run(statement) {
  database.execProtocolRawSync(protocol.serialize.query(statement));
}
