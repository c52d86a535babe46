import { readEnv } from '#host/env';
import { startHost } from '#host/start-host';

await startHost(readEnv());
