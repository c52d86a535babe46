import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type DatabaseCluster, missingPrograms, startDatabases } from './cluster-database';
import { type Load, makeCodes, readCounts, startLoad } from './cluster-load';
import { makeNextRelease, type Programs, restartInTurn, startPrograms } from './cluster-programs';
import type { Row } from './row';

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '5' }, port: { type: 'string', default: '15700' } },
});
const [KILLS, PORT] = [Math.max(1, Number(values.kills)), Number(values.port)];
/** How long a killed node stays down: like a rebooting machine, longer than Patroni's `ttl`. */
const DOWN_MS = 30_000;
const PAUSE_MS = 4_000;
const TIMEOUT_MS = 120_000;

const missing = missingPrograms();
if (missing.length > 0 || !existsSync('build/host/server.js')) {
  process.stderr.write(`Not installed: ${missing.join(', ') || 'the build'}. On Debian:\n`);
  process.stderr.write('apt-get install -y postgresql patroni etcd-server haproxy && npm run build\n');
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'cluster-'));
const rows: Row[] = [];
const log = (text: string) => process.stderr.write(`${text} …\n`);
const database = await startDatabases(folder, PORT);
let programs: Programs | undefined;
let load: Load | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void endAll().finally(() => process.exit(1)));
}
try {
  log('starting three PostgreSQL nodes');
  await database.healthy(2);
  log('starting two hosts and two websites');
  programs = await startPrograms(folder, PORT, database);
  const slugs = await makeCodes(database.url);
  load = startLoad(programs.publicUrl, programs.callsUrl, slugs);
  await drive(database, programs, load);
  await load.stop();
  await report(database, programs, load);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\nlogs: ${folder}\n`);
  rows.push({ what: 'the cluster', figure: 'could not be driven', bar: '–', ok: false });
} finally {
  await endAll();
}
for (const { what, figure, bar, ok } of rows)
  process.stdout.write(`${ok ? 'ok' : 'NO'}  ${what}: ${figure} (${bar})\n`);
const isGood = rows.every(({ ok }) => ok);
if (isGood) rmSync(folder, { recursive: true });
process.exit(isGood ? 0 : 1);

async function endAll(): Promise<void> {
  await load?.stop();
  await programs?.end();
  await database.end();
}

async function drive(database: DatabaseCluster, programs: Programs, load: Load): Promise<void> {
  await delay(PAUSE_MS);
  const elections: number[] = [];
  const beyond: number[] = [];
  for (let kill = 1; kill <= KILLS; kill += 1) {
    log(`killing the primary, ${kill} of ${KILLS}`);
    const { election, away } = await losePrimary(database, load, async (leader) => {
      void database.kill(leader, DOWN_MS);
    });
    elections.push(election);
    beyond.push(away - election);
    await delay(DOWN_MS);
    await database.healthy(2);
    await delay(PAUSE_MS);
  }
  rows.push({
    what: `elections after ${KILLS} kills of the primary`,
    figure: `${secondsOf(Math.max(...elections))} at most (${elections.map(secondsOf).join(', ')})`,
    bar: '≤ 30 s by the settings of Patroni',
    ok: elections.length === KILLS && elections.every((ms) => ms <= 30_000),
  });
  rows.push({
    what: 'orders away beyond the election',
    figure: `${secondsOf(Math.max(...beyond))} at most (${beyond.map(secondsOf).join(', ')})`,
    bar: '≤ 3 s',
    ok: beyond.every((ms) => ms <= 3_000),
  });

  log('switching over');
  const { away } = await losePrimary(database, load, (leader) => database.switchOver(leader), true);
  rows.push({
    what: 'orders away in a switchover',
    figure: secondsOf(away),
    bar: '≤ 15 s',
    ok: away <= 15_000,
  });
  await database.healthy(2);
  await delay(PAUSE_MS);

  log('restarting everything, one program at a time');
  for (const program of [...database.etcd, ...database.nodes]) {
    await program.restart();
    await delay(PAUSE_MS);
    await database.healthy(2);
  }
  await restartInTurn(programs, [...programs.hosts, ...programs.websites]);

  log('restarting the hosts with the next release, which migrates beside a host of this release');
  await restartInTurn(programs, programs.hosts, { cwd: makeNextRelease(folder) });
}

/** Takes the primary away; returns the ms until there is a new one, and for how long no order succeeded. */
async function losePrimary(
  database: DatabaseCluster,
  load: Load,
  act: (leader: number) => Promise<void>,
  isPlanned = false,
): Promise<{ election: number; away: number }> {
  const before = await database.leader();
  if (before === null) throw new Error('there is no primary');
  const from = performance.now();
  await act(before);
  const until = from + TIMEOUT_MS;
  for (;;) {
    const leader = await database.leader();
    if (leader !== null && leader !== before) break;
    if (performance.now() > until) throw new Error('no other primary was elected');
    await delay(50);
  }
  const elected = performance.now();
  while (!load.orders.answeredAt.some((at) => at > elected)) {
    if (performance.now() > until) throw new Error('no order was answered after the election');
    await delay(50);
  }
  const first = load.orders.answeredAt.find((at) => at > elected) ?? Number.NaN;
  const last =
    load.orders.answeredAt.filter((at) => at < (isPlanned ? elected : from + 1_000)).at(-1) ?? from;
  return { election: elected - from, away: first - last };
}

async function report(database: DatabaseCluster, programs: Programs, load: Load): Promise<void> {
  log('counting visits and orders');
  const { visits, orders, pages } = load;
  const until = performance.now() + TIMEOUT_MS;
  let counted = await readCounts(database.url);
  while ((counted.waiting > 0 || counted.visits < visits.answered) && performance.now() < until) {
    await delay(500);
    counted = await readCounts(database.url);
  }
  const isExact = counted.visits >= visits.answered && counted.visits <= visits.sent;
  const isConsistent = counted.hours === counted.visits && counted.totals === counted.visits;
  const firstOf = (texts: string[]) => (texts.length > 0 ? `, such as "${texts[0]}"` : '');
  const faults = [...programs.hosts, ...programs.websites, ...database.etcd, ...database.nodes].filter(
    (program) => program.faults() > 0,
  );
  rows.push(
    {
      what: 'visits lost',
      figure: `${Math.max(0, visits.answered - counted.visits)} of ${visits.answered} answered, ${counted.visits} counted`,
      bar: '0, each once',
      ok: isExact && isConsistent,
    },
    {
      what: 'redirects of known codes refused',
      figure: `${visits.refused.length} of ${visits.sent}${firstOf(visits.refused)}`,
      bar: '0',
      ok: visits.refused.length === 0,
    },
    {
      what: 'orders lost or doubled',
      figure: `${orders.keys.length - counted.keys} and ${counted.orders - counted.keys} of ${orders.keys.length}`,
      bar: '0 and 0',
      ok: counted.keys === orders.keys.length && counted.orders === counted.keys,
    },
    {
      what: 'pages refused that need no account',
      figure: `${pages.refused.length} of ${pages.answered + pages.refused.length}${firstOf(pages.refused)}`,
      bar: '0',
      ok: pages.refused.length === 0,
    },
    {
      what: 'programs that ended by themselves',
      figure: faults.map(({ name, faults }) => `${name} ${faults()} times`).join(', ') || 'none',
      bar: 'none',
      ok: faults.length === 0,
    },
  );
}

function secondsOf(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
