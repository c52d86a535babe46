import { parseArgs } from 'node:util';
import { embeddedEngine, postgresEngine } from './chaos-engines';
import { runChaos } from './chaos-rounds';
import { hostProgram } from './programs';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '10' },
    engine: { type: 'string', default: 'both' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
  },
});
const [kills, seed] = [Number(values.kills), Number(values.seed)];
const program = hostProgram();
const engines = { embedded: embeddedEngine, postgres: postgresEngine };
let hasFailed = false;

for (const [name, open] of Object.entries(engines)) {
  if (values.engine !== 'both' && values.engine !== name) continue;
  const engine = await open();
  if (!engine) {
    process.stdout.write(`${name}: no server is installed\n`);
    continue;
  }
  process.stdout.write(`${name}: ${kills} kills, --seed=${seed}\n`);
  const outcome = await runChaos(engine, {
    kills,
    seed,
    program: program.endsWith('.ts') ? ['--import', 'tsx', program] : [program],
    onKill: (kill) => process.stderr.write(`\r${kill}`),
  });
  const { lost, doubled, counted } = outcome;
  const isRight = lost === 0 && doubled === 0;
  const isConsistent = counted.hours === counted.visits && counted.totals === counted.visits;
  process.stdout.write(`\r${JSON.stringify(outcome)}\n`);
  process.stdout.write(
    isRight && isConsistent ? 'every answered visit is counted exactly once\n' : 'WRONG\n',
  );
  if (isRight && isConsistent) engine.clear();
  else hasFailed = true;
}
process.exit(hasFailed ? 1 : 0);
