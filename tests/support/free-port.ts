import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems choose themselves, so that no connection or other server takes one in the meantime. */
const FIRST_PORT = 10_000;
const PORTS_PER_PROCESS = 200;
const PROCESSES = 100;

let next = FIRST_PORT + (process.pid % PROCESSES) * PORTS_PER_PROCESS;

/** A port that no program listens at, for one that starts later; each process of a test run has its own ports. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = next++;
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port);
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
