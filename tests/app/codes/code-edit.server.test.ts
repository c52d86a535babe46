import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({ '/user/qrcodes/:id': 'user.qrcodes.$id._index.tsx' });
});
afterAll(async () => website.close());

test('the scanning distance names the width it is for, as it cannot follow the field without scripts', async () => {
  const as = await website.host.account();
  const { id } = await website.host.code(as.id);
  const page = await (await website.browse(`/user/qrcodes/${id}`, { as })).text();
  expect(page).toMatch(/40 mm wide: readable from up to 0\.\d m/);
});

test.each(['constructor', 'toString', '__proto__', 'nothing', ''])(
  'a change named "%s" is read as one of the content',
  async (intent) => {
    const as = await website.host.account();
    const { id } = await website.host.code(as.id);
    const body = new URLSearchParams({ intent, content: 'https://typed.example/' });
    const response = await website.browse(`/user/qrcodes/${id}?index`, { method: 'POST', body, as });
    expect([response.status, response.headers.get('location')]).toEqual([303, `/user/qrcodes/${id}`]);
    const saved = await (await website.host.request(`/api/qrcodes/${id}`, { token: as.token })).json();
    expect(saved.data.code.content).toBe('https://typed.example/');
  },
);

test('a change sent while the host is down can be resent from its form', async () => {
  const as = await website.host.account();
  const { id } = await website.host.code(as.id);
  await website.hostDown();
  const body = new URLSearchParams({ intent: 'content', content: 'https://typed.example/' });
  const answer = await website.browse(`/user/qrcodes/${id}?index`, { method: 'POST', body, as });
  expect(answer.status).toBe(503);
  expect(await answer.text()).toContain(
    '<input type="hidden" name="content" value="https://typed.example/"/>',
  );
});
