import { isMainThread } from 'node:worker_threads';

// Loaded into the programs that the launcher starts: when it is gone, however it ended, they stop as on SIGTERM.
const SHUTDOWN_MS = 10_000;

if (isMainThread) {
  // A launcher that was killed while this program was being loaded causes no event any more.
  if (process.connected) process.once('disconnect', stop);
  else stop();
  // The channel alone does not keep the program running.
  process.channel?.unref();
}

function stop() {
  setTimeout(() => process.exit(1), SHUTDOWN_MS).unref();
  process.kill(process.pid, 'SIGTERM');
}
