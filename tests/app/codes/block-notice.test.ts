import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '#host/operator/run-command';
import { createTestWebsite, type TestWebsite } from '../../support/website';

let website: TestWebsite;

beforeAll(async () => {
  website = await createTestWebsite({
    '/user/qrcodes': 'codes/list/page.tsx',
    '/user/qrcodes/:id': 'codes/code/page.tsx',
  });
});
afterAll(() => website.close());

test('the list and the page of a blocked code state why and what its owner can do', async () => {
  const as = await website.host.account();
  const fine = await website.host.code(as.id, { content: 'https://fine.example/' });
  const bad = await website.host.code(as.id, { content: 'https://login.evil.example/' });
  const block = { command: 'block-target', subject: 'evil.example', reason: 'asks for <passwords>' };
  await runCommand(website.host.deps, { ...block, operator: 'ada' });
  const open = async (path: string) => (await website.browse(path, { as })).text();
  const list = await open('/user/qrcodes');
  expect(list.match(/asks for &lt;passwords&gt;/g)).toHaveLength(1);
  expect(list).toContain(`/user/qrcodes/${bad.id}#blocked`);
  const page = await open(`/user/qrcodes/${bad.id}`);
  const notice = /<section class="notice warning[^"]*" id="blocked"[\s\S]*?<\/section>/.exec(page)?.[0] ?? '';
  expect(notice).toContain('asks for &lt;passwords&gt;');
  expect(notice).toContain('It leads to evil.example');
  expect(notice).toContain('href="/contact"');
  expect(await open(`/user/qrcodes/${fine.id}`)).not.toContain('id="blocked"');
});
