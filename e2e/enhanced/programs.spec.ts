import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeApiKey } from '../../tests/support/api-keys';
import { expect, test } from '../support/fixtures';
import { host } from '../support/host';

test('a web page reads, changes and draws with a key that names it, and no other page does', async ({
  browser,
  baseURL,
  factories,
}) => {
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html').end('<title>Menu</title>');
  });
  await once(server.listen(0), 'listening');
  const { port } = server.address() as AddressInfo;
  const [shop, other] = [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
  const account = await factories.account();
  const code = await factories.code(account);
  const { secret } = await makeApiKey(host, account, { origins: [shop] });
  // Without the headers of other tests, which no preflight allows.
  const page = await browser.newPage({ extraHTTPHeaders: {} });
  const call = (method: string, path: string, body?: object) =>
    page.evaluate(
      async ([url, verb, key, sent]) => {
        const headers = {
          Authorization: `Bearer ${key}`,
          ...(sent && { 'Content-Type': 'application/json' }),
        };
        const answer = await fetch(url, { method: verb, headers, ...(sent && { body: sent }) }).catch(
          () => null,
        );
        const text = (await answer?.text()) ?? '';
        return answer && { status: answer.status, text, headers: Object.fromEntries(answer.headers) };
      },
      [`${baseURL}/api/v1/${path}`, method, secret, body && JSON.stringify(body)] as const,
    );

  await page.goto(shop);
  const read = await call('GET', `codes/${code.id}`);
  expect(read?.status).toBe(200);
  expect(Object.keys(read?.headers ?? {})).toEqual(
    expect.arrayContaining(['etag', 'ratelimit', 'x-request-id']),
  );
  expect((await call('PATCH', `codes/${code.id}`, { name: 'From a page' }))?.status).toBe(200);
  const file = await call('GET', `codes/${code.id}/file.svg`);
  expect([file?.status, file?.headers['content-disposition']]).toEqual([
    200,
    expect.stringContaining('.svg'),
  ]);
  expect(file?.text).toContain('<svg');
  expect((await call('GET', 'codes/unknown'))?.status).toBe(404);

  await page.goto(other);
  expect(await call('GET', `codes/${code.id}`)).toBeNull();
  expect(await call('PATCH', `codes/${code.id}`, { name: 'From elsewhere' })).toBeNull();
  await page.goto(shop);
  expect((await call('GET', `codes/${code.id}`))?.text).toContain('From a page');
  await page.close();
  server.close();
});
