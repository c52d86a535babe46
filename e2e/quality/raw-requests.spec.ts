import { expect, test } from '@playwright/test';
import { sendRaw } from '../../tests/support/raw-request';
import { HOST_PORT, REMIX_PORT, WEB_PORT } from '../support/ports';

const PORTS = { gateway: WEB_PORT, website: REMIX_PORT, host: HOST_PORT };

/** Requests that no browser sends, with the status that every program must respond with. */
const REFUSED: [status: number, line: string, ...headers: string[]][] = [
  [400, 'GET / HTTP/1.1', 'Host: 1.1.1.1.1'],
  [400, 'GET / HTTP/1.1', 'Host: a b'],
  [400, 'GET / HTTP/1.1', 'Host: localhost', 'X-Forwarded-Host: x:99999999'],
  [400, 'GET http://name:password@localhost/ HTTP/1.1', 'Host: localhost'],
  [400, 'OPTIONS * HTTP/1.1', 'Host: localhost'],
  [400, 'GET /r/../openapi.json HTTP/1.1', 'Host: localhost'],
  [400, 'GET /%zz HTTP/1.1', 'Host: localhost'],
  [400, 'POST /login HTTP/1.1', 'Host: localhost', 'Transfer-Encoding: gzip, chunked'],
  [431, 'GET /faq HTTP/1.1', 'Host: localhost', ...Array<string>(2_005).fill('A:')],
  [405, 'TRACE / HTTP/1.1', 'Host: localhost'],
  [421, 'GET /r/AAAAAAAA HTTP/1.1', 'Host: evil.example'],
  [421, 'POST /login HTTP/1.1', 'Host: evil.example', 'Content-Length: 0'],
];

for (const [program, port] of Object.entries(PORTS)) {
  test(`the ${program} refuses malformed requests and keeps running`, async () => {
    for (const [status, ...lines] of REFUSED) {
      expect([lines, (await sendRaw(port, ...lines, 'Connection: close')).status]).toEqual([lines, status]);
    }
    const health = await sendRaw(port, 'GET /readyz HTTP/1.1', 'Host: 10.0.0.7', 'Connection: close');
    expect(health.status).toBe(200);
  });
}

test("the framework's legacy data requests are refused", async () => {
  for (const port of [WEB_PORT, REMIX_PORT]) {
    for (const path of ['/?_data=', '/login?a=b&_data=routes%2Flogin', '/?%5Fdata=root']) {
      const answer = await sendRaw(port, `GET ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close');
      expect(answer.status).toBe(400);
    }
  }
});

test('a page in capital letters is redirected, so that rules for paths apply to it', async () => {
  for (const port of [WEB_PORT, REMIX_PORT]) {
    for (const path of ['/USER/DASHBOARD', '/User/Analytics?period=7', '/PRICINGS', '/Nowhere']) {
      const answer = await sendRaw(port, `GET ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close');
      const [, location] = /^location: (.*)\r$/im.exec(answer.head) ?? [];
      expect([path, answer.status, location]).toEqual([path, 301, path.toLowerCase()]);
    }
    for (const path of ['/nowhere', '//EVIL.example/']) {
      const answer = await sendRaw(port, `GET ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close');
      expect([path, answer.status]).toEqual([path, 404]);
    }
  }
});
