// Fuzzes host and website. The seed determines all requests: `npm run test:fuzz -- --seed=7 --effort=10`.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  options: { seed: { type: 'string' }, effort: { type: 'string' }, only: { type: 'string' } },
  allowPositionals: true,
});
const env = {
  ...process.env,
  ...(values.seed && { FUZZ_SEED: values.seed }),
  ...(values.effort && { FUZZ_EFFORT: values.effort }),
};
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project=fuzz', ...positionals];
if (values.only) vitest.push('--testNamePattern', values.only);
const { status } = spawnSync(process.execPath, vitest, { stdio: 'inherit', env });
process.exit(status ?? 1);
