import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { respondWithMetrics } from '#contract/metrics';
import { createTestHost } from './support/host';

const FILES = ['docs/production/prometheus-rules.yml', 'docs/production/grafana-dashboard.json'];

/** Names of the metrics that either program exports. */
async function exportedMetrics(): Promise<Set<string>> {
  vi.stubEnv('SESSION_SECRET', 'a secret of the tests that is long enough');
  vi.stubEnv('LOG_LEVEL', 'silent');
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const host = await createTestHost();
  onTestFinished(() => host.close());
  await import('~/codes/drawing-pool.server');
  const { metricsRegistry } = await import('~/http/meters.server');
  const names = new Set<string>();
  const answers = [
    await host.request('/metrics', { headers: { host: 'localhost' } }),
    await respondWithMetrics(metricsRegistry),
  ];
  for (const answer of answers) {
    for (const [, name = '', type = ''] of (await answer.text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
      const endings = { counter: ['_total'], histogram: ['_bucket', '_sum', '_count'] }[type] ?? [''];
      for (const ending of endings) names.add(name + ending);
    }
  }
  return names;
}

const namesIn = (text: string) =>
  new Set([...text.matchAll(/\b(?:quadrille|process|nodejs)_\w+/g)].map(([name]) => name));

test('every metric that the alerts and the dashboard use is exported by a program', async () => {
  const told = await exportedMetrics();
  for (const file of FILES) {
    const named = [...namesIn(readFileSync(file, 'utf8'))];
    expect(named.length).toBeGreaterThan(5);
    expect(
      named.filter((name) => !told.has(name)),
      file,
    ).toEqual([]);
  }
});

test('each of our own metrics is shown on the dashboard', async () => {
  const shown = [...namesIn(readFileSync('docs/production/grafana-dashboard.json', 'utf8'))];
  const own = [...(await exportedMetrics())].filter(
    (name) => /^quadrille_/.test(name) && !/_(?:sum|count)$/.test(name),
  );
  expect(own.filter((name) => !shown.includes(name))).toEqual([]);
});

test('there are eight alerts, each with a meaning and a minimum duration', () => {
  const alerts = readFileSync('docs/production/prometheus-rules.yml', 'utf8')
    .split(/^ {6}- alert: /m)
    .slice(1);
  expect(alerts).toHaveLength(8);
  for (const alert of alerts) {
    for (const part of ['expr', 'for', 'labels', 'annotations', 'summary', 'description'])
      expect(alert).toMatch(new RegExp(`^ +${part}:`, 'm'));
  }
});
