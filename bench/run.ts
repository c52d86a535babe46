import { benchApi } from './api';
import { benchAttack } from './attack';
import { benchCodeCache } from './code-cache';
import { benchCodeIndex } from './code-index';
import { stopServer } from './databases';
import { benchFiles } from './files';
import { benchGateway } from './gateway';
import { benchGrowth } from './growth';
import { benchInteraction } from './interaction';
import { benchKutt } from './kutt';
import { benchLighthouse } from './lighthouse';
import { benchLooks } from './looks';
import { describeMachine, isNoisy, measurePace, type Pace } from './pace';
import { benchPages } from './pages';
import { benchPreview } from './preview';
import { benchRedirects } from './redirects';
import { benchRender } from './render';
import { benchReplica } from './replica';
import { type Row, table } from './row';
import { benchRules } from './rules';
import { benchStart } from './start';
import { benchStatistics } from './statistics';
import { benchWebhooks } from './webhooks';

const MEASUREMENTS: Record<string, () => Promise<Row[]>> = {
  pages: benchPages,
  render: benchRender,
  preview: benchPreview,
  interaction: benchInteraction,
  looks: benchLooks,
  files: benchFiles,
  start: benchStart,
  redirects: benchRedirects,
  rules: benchRules,
  cache: benchCodeCache,
  gateway: benchGateway,
  attack: benchAttack,
  statistics: benchStatistics,
  search: benchCodeIndex,
  api: benchApi,
  webhooks: benchWebhooks,
  replica: benchReplica,
};

/**
 * Run only when named: one takes minutes for every ten million visits, one fetches a large package, one needs another
 * product.
 */
const NAMED: Record<string, () => Promise<Row[]>> = {
  growth: benchGrowth,
  lighthouse: benchLighthouse,
  kutt: benchKutt,
};
const ALL = { ...MEASUREMENTS, ...NAMED };

const requested = process.argv.slice(2);
const unknown = requested.filter((name) => !Object.hasOwn(ALL, name));
if (unknown.length > 0) {
  process.stderr.write(`No such measurement: ${unknown.join(', ')}. `);
  process.stderr.write(`There are ${Object.keys(ALL).join(', ')}.\n`);
  process.exit(2);
}

const rows: Row[] = [];
const paces: Pace[] = [];
for (const [name, measure] of Object.entries(requested.length > 0 ? ALL : MEASUREMENTS)) {
  if (requested.length > 0 && !requested.includes(name)) continue;
  process.stderr.write(`measuring ${name} …\n`);
  const before = measurePace();
  const measured = await measure().catch((error) => [failure(name, error)]);
  const after = measurePace();
  paces.push(before, after);
  rows.push(...measured.map((row) => ({ ...row, isNoisy: isNoisy(before, after) })));
}
await stopServer();
process.stdout.write(`\n${table(rows)}\n\n${describeMachine(paces)}\n`);
process.exit(rows.every(({ ok }) => ok) ? 0 : 1);

/** A failed measurement counts as a missed limit; the others still run. */
function failure(name: string, error: unknown): Row {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  return { what: name, figure: 'could not be measured', bar: '–', ok: false };
}
