import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeApiKey } from '../../../support/api-keys';
import { createTestWebsite, type TestWebsite } from '../../../support/website';

const run = promisify(execFile);
const SUITE = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';
const HOOK = './tests/support/conformance-on-node-20.mjs';

let website: TestWebsite;
let server: Server;
let url: string;

/** Adds a key, which the suite has no option for. */
beforeAll(async () => {
  website = await createTestWebsite({ '/mcp': 'codes/programs/mcp-route.ts' });
  const { secret } = await makeApiKey(website.host, await website.host.account());
  server = createServer(async (request, response) => {
    const { method = '', headers } = request;
    const own = `http://${headers.host}`;
    const answer = await website.browse('/mcp', {
      method,
      ...(method === 'POST' && { body: await text(request) }),
      headers: {
        accept: headers.accept ?? '',
        'content-type': headers['content-type'] ?? '',
        authorization: `Bearer ${secret}`,
        ...(headers.origin && { origin: headers.origin === own ? 'http://localhost' : headers.origin }),
      },
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://localhost:${(server.address() as AddressInfo).port}/mcp`;
});
afterAll(async () => {
  server.close();
  await website.close();
});

// The others call tools that only a server made for the suite has, or ask for what a server without sessions lacks.
test.each(['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'])(
  'the scenario %s of the conformance suite passes, with the client of the 1.x line',
  async (scenario) => {
    const args = ['--import', HOOK, SUITE, 'server', '--url', url, '--scenario', scenario];
    const { stdout } = await run(process.execPath, args).catch((failed: { stdout: string }) => failed);
    expect(stdout).toMatch(/Passed: (\d+)\/\1, 0 failed/);
  },
  60_000,
);
