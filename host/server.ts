import { exitWithReason, orExit } from '#contract/startup-error';
import { readEnv } from '#host/env';
import { startHost } from '#host/start-host';

await startHost(orExit(readEnv)).catch(exitWithReason);
