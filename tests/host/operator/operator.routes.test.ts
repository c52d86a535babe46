import { expect, onTestFinished, test } from 'vitest';
import { createTestHost } from '../../support/host';

const SECRET = 'a-secret-that-only-this-machine-knows';

async function open(operatorSecret: string | null) {
  const host = await createTestHost({ settings: { operatorSecret } });
  onTestFinished(() => host.close());
  const ask = (body: object, headers: Record<string, string> = {}) =>
    host.request('/operator', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${SECRET}`, ...headers },
      body: JSON.stringify({ command: 'audit-log', subject: '', reason: '', operator: 'ada', ...body }),
    });
  return { host, ask };
}

test('a host with the embedded database runs commands, and returns why it refuses one', async () => {
  const { host, ask } = await open(SECRET);
  const { slug } = await host.code((await host.account()).id);
  const block = { command: 'block-code', subject: slug, reason: 'phishing' };
  expect(await (await ask(block)).json()).toMatchObject({ exit: 0, result: { slug } });
  expect(await (await ask(block)).json()).toEqual({ exit: 4, message: `${slug} is already blocked` });
  expect(await (await ask({ ...block, reason: '' })).json()).toMatchObject({ exit: 2 });
  expect(await (await ask({})).json()).toMatchObject({ exit: 0, result: [{ act: 'block-code' }] });
  expect((await ask({ command: 7 })).status).toBe(400);
});

test('the endpoint is 404 without the secret, through a proxy, and with a database server', async () => {
  const { ask } = await open(SECRET);
  const refused: Record<string, string>[] = [
    { authorization: 'Bearer another-secret' },
    { authorization: '' },
    { authorization: `Bearer ${SECRET.slice(1)}` },
    { 'x-forwarded-for': '203.0.113.9' },
  ];
  for (const headers of refused) {
    const answer = await ask({}, headers);
    expect(answer.status).toBe(404);
  }
  expect((await (await open(null)).ask({})).status).toBe(404);
});
