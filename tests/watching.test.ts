import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Call } from '#contract/call';
import { respondWithMetrics } from '#runtime/metrics';
import { createTestHost } from './support/host';

const RULES = readFileSync('docs/production/prometheus-rules.yml', 'utf8');
const DASHBOARD = readFileSync('docs/production/grafana-dashboard.json', 'utf8');
/** Added by Prometheus to everything it scrapes. */
const SCRAPED = ['instance', 'job'];
const CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'];

/** The values of each label, by the name of the metric. */
type Exported = Map<string, Map<string, Set<string>>>;

const modules = import.meta.glob<Record<string, unknown>>('/contract/*.ts', { eager: true });
const calls = Object.values(modules).flatMap((exported) =>
  Object.values(exported)
    .filter(isCall)
    .map(({ name }) => name),
);

function isCall(exported: unknown): exported is Call {
  return typeof exported === 'object' && exported !== null && 'method' in exported && 'access' in exported;
}

/** The metrics that either program exports after a little of everything. */
async function exportedMetrics(): Promise<Exported> {
  vi.stubEnv('SESSION_SECRET', 'a secret of the tests that is long enough');
  vi.stubEnv('LOG_LEVEL', 'silent');
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const host = await createTestHost();
  onTestFinished(() => host.close());
  await import('~/codes/pictures/drawing-pool.server');
  const { countRequest, metricsRegistry } = await import('~/http/meters.server');
  countRequest('public_page', 200, 1);
  host.deps.meters.countCall('getCode', 200, 1);
  host.deps.meters.countRateLimited('logIn');
  const exported: Exported = new Map();
  const answers = [
    await host.request('/metrics', { headers: { host: 'localhost' } }),
    await respondWithMetrics(metricsRegistry),
  ];
  for (const answer of answers) {
    for (const [, name = '', labels = ''] of (await answer.text()).matchAll(
      /^([a-z]\w+)(?:\{(.*)\})? \S+$/gm,
    )) {
      const known = exported.get(name) ?? new Map<string, Set<string>>();
      exported.set(name, known);
      for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="([^"]*)"/g))
        known.set(label, (known.get(label) ?? new Set<string>()).add(value));
    }
  }
  return exported;
}

interface Query {
  expr: string;
  /** The text that shows labels of its result. */
  texts: string;
}

function queries(): Query[] {
  const alerts = RULES.split(/^ {6}- alert: /m).slice(1);
  const panels = (
    JSON.parse(DASHBOARD) as { panels: { targets?: { expr: string; legendFormat: string }[] }[] }
  ).panels;
  return [
    ...alerts.map((alert) => {
      const [expr = '', texts = ''] = alert.slice(alert.indexOf('expr:') + 5).split('\n        for:');
      return { expr, texts };
    }),
    ...panels.flatMap(({ targets = [] }) =>
      targets.map(({ expr, legendFormat }) => ({ expr, texts: legendFormat })),
    ),
  ];
}

const namesIn = (text: string) =>
  new Set([...text.matchAll(/\b(?:quadrille|process|nodejs)_\w+/g)].map(([name]) => name));

const listOf = (text = '') => text.split(',').map((name) => name.trim());

/** The labels that the result of an expression has. */
function labelsOf(expr: string, exported: Exported): string[] {
  const grouped = /\bby \(([^)]*)\)/.exec(expr);
  if (grouped) return listOf(grouped[1]);
  if (/\b(?:sum|min|max|avg|count)\(/.test(expr)) return [];
  return [...SCRAPED, ...[...namesIn(expr)].flatMap((name) => [...(exported.get(name)?.keys() ?? [])])];
}

/** Whatever an expression selects or groups by, and its texts show, that does not exist. */
function unknownIn({ expr, texts }: Query, exported: Exported): string[] {
  const unknown = [...namesIn(expr)].filter((name) => !exported.has(name));
  for (const [, name = '', selector = ''] of expr.matchAll(/(\w+)\{([^}]*)\}/g)) {
    for (const [, label = '', operator = '', value = ''] of selector.matchAll(
      /(\w+)(=~|!~|!=|=)"([^"]*)"/g,
    )) {
      const values = exported.get(name)?.get(label);
      if (!values) {
        unknown.push(`${name}{${label}}`);
        continue;
      }
      const possible = [...values, ...(label === 'status' ? CLASSES : label === 'call' ? calls : [])];
      const selected = operator.includes('~') ? value.split('|') : [value];
      unknown.push(
        ...selected.filter((one) => !possible.includes(one)).map((one) => `${name}{${label}="${one}"}`),
      );
    }
  }
  const labels = [...namesIn(expr)].map((name) => [...(exported.get(name)?.keys() ?? [])]);
  for (const [, group] of expr.matchAll(/\bby \(([^)]*)\)/g))
    unknown.push(...listOf(group).filter((label) => !labels.some((known) => known.includes(label))));
  const shown = [...texts.matchAll(/\{\{ *(?:\$labels\.)?(\w+) *\}\}/g)].map(([, label = '']) => label);
  return [...unknown, ...shown.filter((label) => !labelsOf(expr, exported).includes(label))];
}

test('every metric, label and value that the alerts and the dashboard use is exported by a program', async () => {
  const exported = await exportedMetrics();
  const all = queries();
  expect(all.length).toBeGreaterThan(30);
  expect(all.map((query) => [query.expr, unknownIn(query, exported)])).toEqual(
    all.map(({ expr }) => [expr, []]),
  );
});

test.each([
  ['quadrille_visit_total', ''],
  ['quadrille_visits_total{source="scan",result="served"}', ''],
  ['quadrille_visits_total{outcome=~"served|lost"}', ''],
  ['quadrille_api_requests_total{call!~"getReadiness|getHealthy"}', ''],
  ['sum by (kind) (quadrille_visits_total)', ''],
  ['sum by (outcome) (quadrille_visits_total)', '{{source}}'],
  ['max(quadrille_queue_depth)', '{{ $labels.queue }}'],
  ['quadrille_spool_bytes', '{{ $labels.queue }}'],
])('%s %s is found to be wrong', async (expr, texts) => {
  expect(unknownIn({ expr, texts }, await exportedMetrics())).toHaveLength(1);
});

test('each of our own metrics is shown on the dashboard', async () => {
  const shown = namesIn(DASHBOARD);
  const own = [...(await exportedMetrics()).keys()].filter(
    (name) => /^quadrille_/.test(name) && !/_(?:sum|count)$/.test(name),
  );
  expect(own.length).toBeGreaterThan(15);
  expect(own.filter((name) => !shown.has(name))).toEqual([]);
});

test('there are eight alerts, each with a meaning and a minimum duration', () => {
  const alerts = RULES.split(/^ {6}- alert: /m).slice(1);
  expect(alerts).toHaveLength(8);
  for (const alert of alerts) {
    for (const part of ['expr', 'for', 'labels', 'annotations', 'summary', 'description'])
      expect(alert).toMatch(new RegExp(`^ +${part}:`, 'm'));
  }
});
