import { readEnv } from '#host/env';
import { startHost } from '#host/start-host';
import { exitWithReason, orExit } from '#runtime/startup-error';

await startHost(orExit(readEnv)).catch(exitWithReason);
