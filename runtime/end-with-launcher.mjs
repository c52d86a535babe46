// Loaded into the programs that the launcher starts: when it is gone, however it ended, they stop as on SIGTERM.
const SHUTDOWN_MS = 10_000;

process.once('disconnect', () => {
  setTimeout(() => process.exit(1), SHUTDOWN_MS).unref();
  process.kill(process.pid, 'SIGTERM');
});
// The channel alone does not keep the program running.
process.channel?.unref();
