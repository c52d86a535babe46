import { readEnv } from '#host/env';
import { startHost } from '#host/start-host';

try {
  await startHost(readEnv());
} catch (error) {
  // About the settings or the system, not a defect: its stack trace would tell an operator nothing.
  if (!(error instanceof Error) || error.name !== 'Error') throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
