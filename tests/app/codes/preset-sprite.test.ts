import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestWebsite, type TestWebsite } from '../../support/website';
import { readPresets } from './pictures/logos';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({ '/presets.svg': 'codes/create/presets-route.ts' });
});
afterAll(async () => website.close());

test('while the host is down there is no sprite, rather than an empty one cached for a day', async () => {
  await website.hostDown();
  const answer = await website.browse('/presets.svg');
  expect(answer.status).toBe(503);
  expect(answer.headers.get('cache-control') ?? '').not.toContain('max-age');
});

test('the sprite contains every preset and stays available while the host is down', async () => {
  const names = [...(await readPresets()).keys()].map((file) => file.replace(/\.svg$/, ''));
  const symbolsOf = async () => {
    const svg = await (await website.browse('/presets.svg')).text();
    return [...svg.matchAll(/<symbol id="([\w-]+)" viewBox="0 0 24 24"/g)].map(([, name]) => name);
  };
  expect((await symbolsOf()).sort()).toEqual(names.sort());
  await website.hostDown();
  expect((await symbolsOf()).sort()).toEqual(names.sort());
});
