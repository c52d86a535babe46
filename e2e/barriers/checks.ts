import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Check } from './barrier';
import type { copyCheckout } from './copy';

type Copy = Awaited<ReturnType<typeof copyCheckout>>;

/** How many tests ran, and the first error message of each failed test. */
export interface Verdict {
  ran: number;
  complaints: string[];
}

interface Suite {
  suites?: Suite[];
  specs?: { title: string; tests: { results: { status: string; errors: { message?: string }[] }[] }[] }[];
}

interface UnitReport {
  testResults: {
    assertionResults: { title: string; status: string; failureMessages: string[] }[];
  }[];
}

/** Runs the tests of these checks once each in a built copy. */
export async function runChecks(copy: Copy, checks: Check[]): Promise<Verdict> {
  const verdicts: Verdict[] = [];
  const inBrowser = checks.flatMap((check) => ('spec' in check ? check : []));
  const units = checks.flatMap((check) => ('unit' in check ? check : []));
  const titles = [...new Set(checks.map(({ title }) => title))].join('|');
  if (inBrowser.length > 0) {
    const specs = [...new Set(inBrowser.map(({ spec }) => spec))];
    const projects = [...new Set(inBrowser.map(({ project }) => `--project=${project}`))];
    const pages = inBrowser.flatMap(({ pages }) => pages ?? []).join('|');
    verdicts.push(await runInBrowser(copy, [...specs, ...projects, '-g', titles], pages));
  }
  if (units.length > 0) {
    const files = [...new Set(units.map(({ unit }) => join('tests', unit)))];
    verdicts.push(await runUnits(copy, [...files, '-t', titles]));
  }
  return {
    ran: verdicts.reduce((sum, { ran }) => sum + ran, 0),
    complaints: verdicts.flatMap(({ complaints }) => complaints),
  };
}

async function runInBrowser(copy: Copy, args: string[], pages: string): Promise<Verdict> {
  const report = join(copy.folder, 'browser-report.json');
  const { output, errors } = await copy.run(
    'node',
    ['e2e/run.mjs', '--workers=1', '--reporter=json', ...args],
    { PLAYWRIGHT_JSON_OUTPUT_FILE: report, E2E_PAGES: pages },
  );
  const { suites, errors: broken } = await readReport<{ suites: Suite[]; errors: { message: string }[] }>(
    report,
    output + errors,
  );
  if (broken.length > 0) throw new Error(broken.map(({ message }) => message).join('\n'));
  const specs = suites.flatMap(specsOf);
  const results = specs.flatMap(({ tests }) => tests.flatMap(({ results }) => results));
  const failed = results.filter(({ status }) => status !== 'passed');
  return {
    ran: results.length,
    complaints: failed.map(({ status, errors: [first] }) => first?.message ?? status),
  };
}

async function runUnits(copy: Copy, args: string[]): Promise<Verdict> {
  const report = join(copy.folder, 'unit-report.json');
  const { output, errors } = await copy.run('npx', [
    'vitest',
    'run',
    '--project=unit',
    '--project=isolated',
    '--reporter=json',
    `--outputFile=${report}`,
    ...args,
  ]);
  const { testResults } = await readReport<UnitReport>(report, output + errors);
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const ran = results.filter(({ status }) => status === 'passed' || status === 'failed');
  const failed = ran.filter(({ status }) => status === 'failed');
  return { ran: ran.length, complaints: failed.map(({ failureMessages: [first] }) => first ?? 'failed') };
}

function specsOf({ suites = [], specs = [] }: Suite): NonNullable<Suite['specs']> {
  return [...specs, ...suites.flatMap(specsOf)];
}

/** A missing report means that the tests never ran, which must not count as catching a barrier. */
async function readReport<T>(path: string, output: string): Promise<T> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new Error(`the tests did not run:\n${output}`);
  });
  await rm(path);
  return JSON.parse(text);
}
