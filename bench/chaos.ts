import { parseArgs } from 'node:util';
import { createChaosDatabase } from './chaos-database';
import { runChaos } from './chaos-rounds';
import { hostProgram } from './programs';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
  },
});
const [kills, seed] = [Number(values.kills), Number(values.seed)];
const program = hostProgram();
const database = await createChaosDatabase();
process.stdout.write(`${kills} kills, --seed=${seed}\n`);
const outcome = await runChaos(database, {
  kills,
  seed,
  program: program.endsWith('.ts') ? ['--import', 'tsx', program] : [program],
  onKill: (kill) => process.stderr.write(`\r${kill}`),
});
const { lost, doubled, counted } = outcome;
const isConsistent = counted.hours === counted.visits && counted.totals === counted.visits;
const isRight = lost === 0 && doubled === 0 && isConsistent;
process.stdout.write(`\r${JSON.stringify(outcome)}\n`);
process.stdout.write(isRight ? 'every answered visit is counted exactly once\n' : 'WRONG\n');
// The data of a wrong run is kept.
if (isRight) await database.clear();
process.exit(isRight ? 0 : 1);
