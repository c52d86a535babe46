import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeApiKey } from '../../../support/api-keys';
import { connectAssistant } from '../../../support/assistant';
import { createConnector, ISSUER } from '../../../support/connector';
import type { TestAccount } from '../../../support/host';
import { createTestWebsite, type TestWebsite } from '../../../support/website';

let website: TestWebsite;
let account: TestAccount;
let key: string;

beforeAll(async () => {
  website = await createTestWebsite({ '/mcp': 'codes/programs/mcp-route.ts' });
});
beforeEach(async () => {
  account = await website.host.account();
  key = (await makeApiKey(website.host, account)).secret;
});
afterAll(() => website.close());

const connect = (secret = key, mode: 'auto' | 'legacy' = 'auto') => connectAssistant(website, secret, mode);

const WRITING = ['create_code', 'restyle_code', 'change_code'];

test.each(['auto', 'legacy'] as const)(
  'who may only read is shown only what reads, by a client of the kind %s',
  async (mode) => {
    const { host } = website;
    const connector = createConnector(host);
    const resource = { resource: `${ISSUER}/mcp` };
    const reading = {
      key: (await makeApiKey(host, account, { permission: 'read' })).secret,
      token: (await connector.connect(account, { permission: 'read' }, resource)).tokens.access_token,
    };
    for (const [kind, secret] of Object.entries(reading)) {
      const { client, call } = await connect(secret, mode);
      const { tools } = await client.listTools();
      const names = tools.map(({ name }) => name);
      expect([kind, names]).toEqual([kind, ['find_codes', 'read_figures', 'draw_code']]);
      for (const name of WRITING) {
        const { isError, text } = await call(name, { id: randomUUID() });
        expect([kind, isError, text]).toEqual([kind, true, expect.stringContaining('may only read')]);
      }
      await client.close();
    }
  },
);

test('a list that depends on the key is cached for nobody else', async () => {
  const { client } = await connect();
  expect(await client.listTools()).toMatchObject({ cacheScope: 'private' });
});

test('the size of a picture has the bounds that its schema says', async () => {
  const { client, call } = await connect();
  const { tools } = await client.listTools();
  const size = tools.find(({ name }) => name === 'draw_code')?.inputSchema.properties?.size;
  expect(size).toMatchObject({ type: 'integer', minimum: 300, maximum: 1024, default: 512 });
  expect(size).toMatchObject({ description: expect.stringMatching(/pixels: 300 to 1024, 512 if absent/) });
  const { id } = await website.host.code(account.id);
  for (const wrong of [299, 1025, 512.5, '1e3', null, { toString: 1 }]) {
    const { isError, text } = await call('draw_code', { id, size: wrong });
    const said = expect.stringContaining('/size: Send a whole number of pixels from 300 to 1024.');
    expect([wrong, isError, text]).toEqual([wrong, true, said]);
  }
});

test('a tool refuses what it does not know, and a new look changes nothing else', async () => {
  const { call } = await connect();
  const { id } = await website.host.code(account.id, { content: 'https://a.example/' });
  const moved = await call('restyle_code', { id, style: null, content: 'https://evil.example/' });
  expect([moved.isError, moved.text]).toEqual([true, expect.stringContaining('/content: There is no field')]);
  const drawn = await call('draw_code', { id, width: 400 });
  expect([drawn.isError, drawn.text]).toEqual([true, expect.stringContaining('/width: There is no field')]);
  const found = await call('find_codes');
  expect(found.data.codes).toMatchObject([{ id, content: 'https://a.example/' }]);
});

test.each([{ tag: null }, { search: null }, { tag: { label: 'Menu' } }, { search: ['table'] }])(
  'what is no text is refused, not looked for: %j',
  async (query) => {
    const { call } = await connect();
    const { isError, text } = await call('find_codes', query);
    const [name] = Object.keys(query);
    expect([isError, text]).toEqual([true, expect.stringContaining(`?${name}: Send one value`)]);
  },
);
