import { isLoopbackAddress } from '#contract/own-addresses';
import { exitWithReason, orExit } from '#contract/startup-error';
import { announceSample, provideSample } from '#host/demo-sample';
import { databaseUrlOf, readEnv } from '#host/env';
import { openDatabase, startHost } from '#host/start-host';

// The host with a sample account for trying the product: `npm run demo` makes it in a data folder of its own, `npm start`
// never.

const env = orExit(readEnv);
if (env.DATABASE_URL) throw new Error('The demo keeps to the embedded database; unset DATABASE_URL');
const open = [env.PUBLIC_URL, env.SHORT_URL, env.HOST_PUBLIC_URL].find((url) => !isLoopbackAddress(url));
if (open)
  throw new Error(`The password of the demo is well known: other machines may not reach it at ${open}`);

let isAnnounced = false;
await startHost(env, async (settings, onError, verify) => {
  await provideSample(settings, databaseUrlOf(settings));
  if (!isAnnounced) announceSample();
  isAnnounced = true;
  return openDatabase(settings, onError, verify);
}).catch(exitWithReason);
