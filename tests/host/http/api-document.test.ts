import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import owasp from '@stoplight/spectral-owasp-ruleset';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { breakingChanges } from '../../support/breaking-changes';
import { createTestHost, type TestHost } from '../../support/host';

let host: TestHost;
let text: string;
/** Where the service is, which the released document does not say. */
const ADDRESS = 'https://www.quadrille.example';

beforeAll(async () => {
  host = await createTestHost();
  const answer = await host.request('/api/v1/openapi.json', { headers: { Origin: 'https://a.example' } });
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  text = await answer.text();
});
afterAll(() => host.close());

test("the document breaks none of Redocly's recommended rules", async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: text, config });
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
    [],
  );
});

test('the document breaks none of the OWASP rules for APIs', async () => {
  const linter = new spectral.Spectral();
  linter.setRuleset({
    extends: [[owasp as unknown as RulesetDefinition, 'all']],
  } as RulesetDefinition);
  const found = await linter.run(JSON.parse(text));
  expect([...new Set(found.map(({ code, path }) => `${code} ${path.join(' ')}`))]).toEqual([]);
}, 60_000);

test('nothing that programs rely on is gone since the document was last released', async () => {
  const file = fileURLToPath(new URL('../../../docs/api-v1.json', import.meta.url));
  const released = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { paths: {} };
  const current = text.replaceAll(`"${ADDRESS}"`, '"/"').replaceAll(ADDRESS, '');
  expect(breakingChanges(released, JSON.parse(current))).toEqual([]);
  // `npx vitest run -u` on this file releases what is only new.
  await expect(`${current}\n`).toMatchFileSnapshot(file);
});
