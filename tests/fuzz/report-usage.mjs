// Loaded into the programs of the fuzzed website: appends the processor time of each, in seconds, to a file as it ends.
import { appendFileSync } from 'node:fs';

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  appendFileSync(process.env.USAGE_FILE, `${(user + system) / 1e6}\n`);
});
